"""Run records made from cost curves: what tests of analysis, store and report judge and show."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from breakeven.model.machine import BackendInfo, Blas, Cpu, Gpu, Machine
from breakeven.model.run import (
    Agreement,
    Case,
    ColdStart,
    Conditions,
    Entry,
    Floors,
    Limits,
    Memory,
    NaiveShot,
    Phases,
    Round,
    RunRecord,
    Slot,
    Work,
)
from breakeven.model.spec import RunSpec, WorkloadSpec

Curve = Callable[[int], float]
SIZES = (128, 512, 2048, 8192)
GPU = Gpu(uuid="GPU-0000", name="NVIDIA H200", index=0, memory_bytes=150_754_820_096,
          compute_capability="9.0", power_limit_w=700.0)  # fmt: skip


def machine(*, gpu: bool = True, cores: int = 16) -> Machine:
    """Return a machine with or without a GPU."""
    return Machine(
        cpu=Cpu(model="Test CPU", cores_online=cores, cores_physical=cores,
                affinity=tuple(range(cores)), quota_cores=None, cores_usable=cores),
        memory_bytes=128 << 30, memory_available_bytes=120 << 30,
        gpus=(GPU,) if gpu else (), no_gpu_reason=None if gpu else "no NVIDIA driver was found",
        driver="580.159" if gpu else None, cuda_driver="13.0" if gpu else None,
        platform="Linux-x86_64", kernel="6.18", python="3.12.3",
        libraries={"numpy": "2.5.2", "torch": "2.11.0", "cupy": "14.2.0" if gpu else None},
        blas={"numpy": (Blas(library="openblas", user_api="blas", version="0.3.31", threads=cores,
                             core_type="SkylakeX"),)},
        environment={"OMP_NUM_THREADS": None}, breakeven="0.1.0",
    )  # fmt: skip


def entry(backend: str, threads: int | None = None, **fields: object) -> Entry:
    """Return an entry named as the engine names it: backend, threads, variant."""
    twin = bool(fields.get("twin_of"))
    identity = backend + (f"-{threads}" if threads else "") + ("-twin" if twin else "")
    device = "cuda:0" if backend in {"cupy", "torch-cuda"} else "cpu"
    values = {"id": identity, "device": device, "variant": "twin" if twin else "default"} | fields
    return Entry(backend=backend, threads=threads, **values)  # type: ignore[arg-type]


NUMPY = entry("numpy", 16, default=True)
TORCH_CPU = entry("torch-cpu", 16, default=True)
TWIN = entry("torch-cpu", 16, twin_of="torch-cpu-16")
CUPY = entry("cupy", default=True)
TORCH_CUDA = entry("torch-cuda", default=True)

# Seconds on the reference machine, roughly: launch cost, then work over rate.
CURVES: dict[str, Curve] = {
    "numpy-16": lambda n: 8e-6 + n**3 * 1.85e-12,
    "torch-cpu-16": lambda n: 6e-6 + n**3 * 1.15e-12,
    "torch-cpu-16-twin": lambda n: 6e-6 + n**3 * 1.15e-12,
    "cupy": lambda n: 28e-6 + n**3 * 3.9e-14,
    "torch-cuda": lambda n: 27e-6 + n**3 * 3.9e-14,
}


def journey(n: int) -> float:
    """Return seconds to move two n x n float32 matrices in, one out."""
    return 75e-6 + 12 * n * n / 9e9


def rounds_of(curve: Curve, size: int, scopes: Sequence[str], rng: random.Random, *,
              rounds: int, slots: int, spread: float, slot_noise: float,
              voided: str | None = None) -> tuple[Round, ...]:  # fmt: skip
    """Return rounds of wall slots: a process effect of `spread`, then noise from slot to slot."""
    made = []
    for number in range(rounds + 1):
        for scope in scopes:
            process = rng.gauss(0, spread)
            value = curve(size) + (journey(size) if scope == "transfer" else 0.0)
            times = [
                value * 2.718281828 ** (process + rng.gauss(0, slot_noise)) for _ in range(slots)
            ]
            made.append(Round(round=number, scope=scope, clock="wall", slots=tuple(  # type: ignore[arg-type]
                Slot(turn=i, order=i, median_s=t, min_s=t * 0.97, repeats=20, voided=voided,
                     conditions=Conditions(foreign_cores=0.0, cores_used=1.0))
                for i, t in enumerate(times))))  # fmt: skip
    return tuple(made)


def record(
    entries: Sequence[Entry] = (NUMPY, TORCH_CPU, TWIN, CUPY, TORCH_CUDA),
    curves: Mapping[str, Curve] = CURVES,
    *,
    sizes: Sequence[int] = SIZES,
    rounds: int = 5,
    slots: int = 6,
    spread: float = 0.03,
    slot_noise: float = 0.02,
    seed: int = 1,
    workload: str = "matmul",
    voided: str | None = None,
) -> RunRecord:
    """Return a finished record of `rounds` rounds (and a scouting round 0), not yet judged."""
    rng = random.Random(seed)
    gpu = any(e.device != "cpu" for e in entries)
    cases, cold = [], []
    for e in entries:
        for size in sizes:
            on_gpu = e.device != "cpu"
            scopes = ("resident", "transfer") if on_gpu else ("resident",)
            compute = curves[e.id](size)
            cases.append(Case(
                workload=workload, size=size, entry=e.id, status="ok",
                work=Work(flops=2.0 * size**3, bytes=12.0 * size**2),
                agreement=Agreement(error=3e-7, bound=8e-6, class_="float32", passed=True,
                                    rule="4 sqrt(k) u of the absolute terms"),
                memory=Memory(host_peak_bytes=12 * size**2 + (200 << 20),
                              device_peak_bytes=12 * size**2 if on_gpu else None,
                              device_used_bytes=(1 << 30) if on_gpu else None),
                phases=Phases(import_s=3.0 if on_gpu else 0.2, context_s=0.4 if on_gpu else 0.0,
                              first_call_s=0.2 if on_gpu else 1e-4,
                              to_device_s=journey(size) * 0.6 if on_gpu else None,
                              compute_s=compute, to_host_s=journey(size) * 0.4 if on_gpu else None),
                rounds=rounds_of(curves[e.id], size, scopes, rng, rounds=rounds, slots=slots,
                                 spread=spread, slot_noise=slot_noise, voided=voided)))  # fmt: skip
        if e.variant == "default":
            cold += [ColdStart(backend=e.backend, workload=workload, size=sizes[0], order=i,
                               import_s=3.0 if e.device != "cpu" else 0.2,
                               context_s=0.4 if e.device != "cpu" else 0.0,
                               calls_s=(0.2, 1e-3, 1e-4)) for i in range(3)]  # fmt: skip
    return RunRecord(
        id="2026-12-01T10-22-07-3f9a", started="2026-12-01T10:22:07Z",
        finished="2026-12-01T10:24:01Z", command=("run", workload),
        spec=RunSpec(workloads=(WorkloadSpec(name=workload, sizes=tuple(sizes)),),
                     backends=tuple(dict.fromkeys(e.backend for e in entries)), budget_s=120.0),
        machine=machine(gpu=gpu), rounds_planned=rounds,
        backends=tuple(BackendInfo(name=b, device="cuda:0" if b in {"cupy", "torch-cuda"} else "cpu",
                                   available=True, version="1.0")
                       for b in dict.fromkeys(e.backend for e in entries)),
        entries=tuple(entries), cases=tuple(cases), cold_starts=tuple(cold),
        naive_shots=(),
        limits=Limits(floors={e.id: Floors(empty_call_s=8e-8, message_s=6e-5,
                                           synchronise_s=5.9e-6 if e.device != "cpu" else None,
                                           event_pair_s=9e-6 if e.device != "cpu" else None)
                              for e in entries}),
    )  # fmt: skip


def with_naive(run: RunRecord) -> tuple[NaiveShot, ...]:
    """Return one-shot readings that go with `run`: the first pays for start-up."""
    return tuple(
        NaiveShot(entry=e.id, workload="matmul", size=s, one_shot_s=0.3 if i == 0 else 0.01,
                  unsynchronised_s=2e-5 if e.device != "cpu" else None)
        for e in run.entries for i, s in enumerate(run.spec.workloads[0].sizes)
    )  # fmt: skip
