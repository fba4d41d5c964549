"""Records of trainings made from planted curves: what tests of the questions judge and show."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from breakeven.model.run import (
    Conditions,
    Entry,
    GpuConditions,
    Memory,
    Round,
    RunRecord,
    Slot,
)
from breakeven.model.scaling import Rank, Team
from breakeven.model.sensing import Absent, Energy, Mark, SamplerCost, Sensing
from breakeven.model.spec import TrainingSpec, WorkloadSpec
from breakeven.model.study import (
    Epoch,
    Latency,
    Reading,
    StepPhases,
    Stretch,
    Study,
    Training,
)
from breakeven.model.timeline import Series
from breakeven.model.trace import Copies, Idle, Operator, TraceSummary
from records import TORCH_CPU, TORCH_CUDA, TWIN, record

BATCHES = (64, 128, 256, 512)
SAMPLES = 1437
ENTRIES = (TORCH_CPU, TWIN, TORCH_CUDA)
NO_RAPL = "a virtual machine shows no powercap folder"
RAPL_FIX = "measure on bare metal, or ask the host"
Curve = Callable[[int], float]

# Seconds of a step by batch size: the GPU pays 4 ms a step whatever its batch, up to 256 images.
STEPS: dict[str, Curve] = {
    "torch-cpu-16": lambda b: 2e-3 + b * 5e-4,
    "torch-cpu-16-twin": lambda b: 2e-3 + b * 5e-4,
    "torch-cuda": lambda b: max(4e-3, b * 4e-3 / 250),
}
PHASES = {"loader": 0.3, "to_device": 0.1, "forward": 0.2, "backward": 0.3, "optimiser": 0.1}


def phases(step_s: float, number: int, shares: Mapping[str, float], *, cpu: bool) -> StepPhases:
    """Return the phases of a step by their shares; awaiting them costs 2 %."""
    awaited = step_s * 1.02
    values = {f"{name}_s": awaited * share for name, share in shares.items()}
    if cpu:
        values["to_device_s"] = 0.0
    return StepPhases(round=number, steps=20, step_s=awaited, plain_step_s=step_s, **values)


def reading(sensor: str, value: float, *, high: float | None = None) -> Reading:
    """Return twenty samples around a value."""
    return Reading(sensor=sensor, mean=value, low=value * 0.9, high=high or value, samples=20)


def stretch(
    entry: Entry, size: int, number: int, begin_s: float, step_s: float, *, cpu_energy: bool
) -> Stretch:
    """Return two seconds of steps with what the sensors read."""
    on_gpu = entry.device != "cpu"
    steps = round(2.0 / step_s)
    seconds = steps * step_s
    found = [
        reading("tree.cpu_cores", 1.2 if on_gpu else 14.0),
        reading("cpu.busy_share", 0.1 if on_gpu else 0.9),
        reading("tree.rss_bytes", 2.0 * 2**30, high=2.1 * 2**30),
        reading("gpu0.utilisation_share", min(1.0, 0.3 + size / 1000) if on_gpu else 0.0),
        reading("gpu0.memory_bytes", 3.0 * 2**30 + size * 2**20 if on_gpu else 2**29),
        reading("gpu0.power_w", 200.0 if on_gpu else 80.0),
        reading("gpu0.temperature_c", 45.0),
    ]
    watts = 200.0 + number
    # The meter is read at its own changes: a window a little shorter than the stretch.
    metered = seconds * 0.95
    gpu = Energy(device="gpu0", window_s=metered, method="counter", gross_j=watts * metered,
                 idle_w=80.0, net_j=(watts - 80) * metered, update_period_s=0.1,
                 uncertainty_j=watts * 0.1, integrated_j=watts * metered * 1.01)  # fmt: skip
    cpu = Energy(device="cpu", window_s=seconds, why=NO_RAPL, fix=RAPL_FIX)
    if cpu_energy:
        cpu = Energy(device="cpu", window_s=seconds, method="powercap",
                     gross_j=(60.0 if on_gpu else 150.0) * seconds, idle_w=40.0,
                     net_j=(20.0 if on_gpu else 110.0) * seconds)  # fmt: skip
    return Stretch(round=number, begin_s=begin_s, end_s=begin_s + seconds, steps=steps,
                   samples=steps * size, readings=tuple(found),
                   energies=(gpu, cpu) if on_gpu else (cpu,))  # fmt: skip


def trace(entry: Entry, step_s: float, idle: Mapping[str, float]) -> TraceSummary:
    """Return a trace of five steps, its device idle by the shares given."""
    span = 5 * step_s
    on_gpu = entry.device != "cpu"
    host = (Operator(name="aten::convolution_backward", calls=10, host_self_s=span * 0.2,
                     device_self_s=span * 0.3 if on_gpu else None, self_bytes=4 << 20),
            Operator(name="aten::addmm", calls=10, host_self_s=span * 0.05,
                     device_self_s=span * 0.1 if on_gpu else None))  # fmt: skip
    if not on_gpu:
        return TraceSummary(steps=5, span_s=span, operators=host, plain_step_s=step_s,
                            traced_step_s=step_s * 1.1)  # fmt: skip
    copies = (Copies(direction="to_device", memory="pageable", number=10, bytes=10 << 20,
                     seconds=span * 0.08),)  # fmt: skip
    return TraceSummary(
        steps=5, span_s=span, busy_share=1 - sum(idle.values()), kernel_share=0.4,
        fp64_share=0.0, tensor_core_share=0.6, operators=host, copies=copies,
        idle=Idle(**{f"{k}_s": v * span for k, v in idle.items()}), kernels=400,
        plain_step_s=step_s, traced_step_s=step_s * 1.2,
    )  # fmt: skip


def training(number: int, correct: int, total: int = 360) -> Training:
    """Return three epochs that end with so many right answers."""
    return Training(round=number, seed=42, first_losses=(2.3, 2.2), epochs=tuple(
        Epoch(epoch=i, seconds=1.0 + 0.1 * number, train_loss=1.0 / (i + 1),
              test_loss=1.1 / (i + 1), correct=correct - (2 - i) * 20, total=total)
        for i in range(3)))  # fmt: skip


IDLE = {"loader": 0.3, "launch": 0.1, "synchronise": 0.05, "other": 0.05}


def trained(
    *,
    workload: str = "train",
    entries: Sequence[Entry] = ENTRIES,
    batches: Sequence[int] = BATCHES,
    steps: Mapping[str, Curve] = STEPS,
    shares: Mapping[str, float] = PHASES,
    idle: Mapping[str, float] = IDLE,
    rounds: int = 5,
    cpu_energy: bool = False,
    correct: Mapping[str, int] | None = None,
    warming: float = 0.0,
    spec: TrainingSpec | None = None,
) -> RunRecord:
    """Return a record of a training on the entries, studied at every batch, not yet judged.

    Parameters
    ----------
    warming : float
        Degrees by which the GPU is warmer at the end of each stretch than at its start.
    correct : mapping, optional
        Right answers after the last epoch by entry; None runs no epoch.
    """
    curves = {k: (lambda b, c=c: c(b)) for k, c in steps.items()}
    run = record(entries, curves, sizes=batches, rounds=rounds, workload=workload)
    rng = random.Random(7)
    studies: list[Study] = []
    marks: list[Mark] = []
    now = 10.0
    for e in entries:
        if e.variant == "twin":
            continue
        for size in batches:
            runs = []
            for number in range(1, rounds + 1):
                step_s = steps[e.id](size) * 2.718281828 ** rng.gauss(0, 0.01)
                runs.append(stretch(e, size, number, now, step_s, cpu_energy=cpu_energy))
                marks.append(Mark(begin_s=now, end_s=runs[-1].end_s, kind="steps",
                                  label=f"{e.id}, batch {size}", workload=workload, size=size,
                                  entry=e.id))  # fmt: skip
                now = runs[-1].end_s + 1.0
            step_s = steps[e.id](size)
            on_cpu = e.device == "cpu"
            split = {k: v for k, v in shares.items()
                     if workload == "train" or k not in {"backward", "optimiser"}}  # fmt: skip
            latencies = tuple(
                Latency(round=r, requests=400, p50_s=step_s, p95_s=step_s * 1.2,
                        p99_s=step_s * (1.5 + 0.01 * r), worst_s=step_s * 3)
                for r in range(1, rounds + 1)) if workload == "infer" else ()  # fmt: skip
            studies.append(Study(
                workload=workload, size=size, entry=e.id, steps_per_epoch=-(-SAMPLES // size),
                samples_per_epoch=SAMPLES, parameters=421_642,
                phases=tuple(phases(step_s * (1 + 0.01 * r), r, split, cpu=on_cpu)
                             for r in range(1, rounds + 1)),
                stretches=tuple(runs), latencies=latencies, trace=trace(e, step_s, idle),
                trainings=() if correct is None or e.id not in correct else (
                    training(1, correct[e.id]),)))  # fmt: skip
    gpu = any(e.device != "cpu" for e in entries)
    times = tuple(5.0 + 0.1 * i for i in range(int((now - 5.0) * 10)))
    timeline = [Series(sensor="tree.cpu_cores", t_s=times, value=tuple(1.0 for _ in times))]
    if gpu:
        timeline += [
            Series(sensor="gpu0.power_w", t_s=times, value=tuple(200.0 for _ in times)),
            Series(sensor="gpu0.temperature_c", t_s=times,
                   value=tuple(_warm(t, marks, warming) for t in times)),
        ]  # fmt: skip
    sensing = Sensing(
        marks=tuple(marks),
        absent=(Absent(sensor="cpu.energy_j", why=NO_RAPL, fix=RAPL_FIX),
                Absent(sensor="cpu.temperature_c", why="no sensor of the CPU was found")),
        cost=SamplerCost(fast_s=0.1, slow_s=1.0, samples=len(times), late=0, cpu_s=0.2,
                         wall_s=now),
    )  # fmt: skip
    wanted = spec or TrainingSpec()
    return replace(
        run,
        command=("run", workload),
        spec=replace(run.spec, training=wanted, workloads=(
            WorkloadSpec(name=workload, sizes=tuple(batches), axis="batch"),)),
        cases=tuple(replace(c, memory=Memory(host_peak_bytes=3 << 30,
                                             device_peak_bytes=None if c.entry != "torch-cuda"
                                             else (2 << 30) + c.size * 2**20),
                            losses=(), rounds=tuple(_conditions(r, c.entry) for r in c.rounds))
                    for c in run.cases),
        studies=tuple(studies), timeline=tuple(timeline), sensing=sensing,
    )  # fmt: skip


def _warm(t: float, marks: Sequence[Mark], warming: float) -> float:
    inside = next((m for m in marks if m.begin_s <= t <= m.end_s), None)
    if inside is None:
        return 45.0
    return 45.0 + warming * (t - inside.begin_s) / (inside.end_s - inside.begin_s)


def _conditions(found: Round, entry: str) -> Round:
    """Return a round whose GPU slots were held by the power cap in every fourth slot."""

    def seen(slot: Slot) -> Slot:
        if entry != "torch-cuda":
            return replace(slot, conditions=Conditions(foreign_cores=0.0, cores_used=14.0))
        reasons = ("power_cap",) if slot.turn % 4 == 0 else ()
        gpu = GpuConditions(power_w=200.0, temperature_c=45.0, reasons=reasons)
        return replace(slot, conditions=Conditions(foreign_cores=0.0, cores_used=1.1, gpu=gpu))

    return replace(found, slots=tuple(seen(s) for s in found.slots))


def teams(busy: Sequence[float], samples: Sequence[int], *, rounds: int = 5) -> tuple[Team, ...]:
    """Return one process alone and as many together as there are busy seconds, round by round.

    Parameters
    ----------
    busy : sequence of float
        Seconds of own work of each rank, of two in all.
    samples : sequence of int
        Images that each rank went through.
    """
    found = []
    for number in range(1, rounds + 1):
        alone = Rank(rank=0, device="cuda:0", steps=50, samples=6400, busy_s=1.9, wait_s=0.0,
                     exchange_s=0.0)  # fmt: skip
        shared = {"workload": "train", "size": 128, "round": number, "backend": "nccl",
                  "strategy": "ddp", "seconds": 2.0 + 0.001 * number}  # fmt: skip
        found.append(Team(processes=1, samples=6400, ranks=(alone,), **shared))  # type: ignore[arg-type]
        ranks = tuple(
            Rank(rank=i, device=f"cuda:{i}", steps=50, samples=n, busy_s=own,
                 wait_s=max(busy) - own, exchange_s=0.05)
            for i, (own, n) in enumerate(zip(busy, samples, strict=True))
        )  # fmt: skip
        found.append(Team(processes=len(busy), samples=sum(samples), ranks=ranks, **shared))  # type: ignore[arg-type]
    return tuple(found)
