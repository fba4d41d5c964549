"""Each rule speaks of the fault that is planted, and is silent of the same thing done soundly."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from breakeven.findings.judge import judge
from breakeven.findings.registry import OWN
from breakeven.model.finding import Finding, Location
from breakeven.model.machine import Ceilings, LinkRate
from breakeven.model.ported import CallSite, Ported, PortFailure
from breakeven.model.profiled import Counter, Timing
from breakeven.model.run import RunRecord
from breakeven.model.sensing import Energy, Sensing
from breakeven.model.slot import Conditions, GpuConditions
from breakeven.model.timeline import Series
from breakeven.model.trace import Copies, Operator
from findings.profiles import at, profile, run_of, site, trace, trial
from records import record
from study_records import teams, trained

MIB = 2**20


class Planted(NamedTuple):
    """A fault, with the same thing done soundly.

    Attributes
    ----------
    sound : callable
        Of which the rule must be silent.
    """

    code: str
    faulty: Callable[[], RunRecord]
    sound: Callable[[], RunRecord]


def timed(calls: int = 30, **fields: object) -> Timing:
    """Return a span between two lines that the script times."""
    values: dict[str, object] = {"host_s": 2e-4} | fields
    return Timing(begin=at(23), end=at(25), calls=calls, **values)  # type: ignore[arg-type]


def counted(name: str, *values: float) -> Counter:
    """Return a counter read once a step."""
    return Counter(name=name, t_s=tuple(float(i) for i in range(len(values))), value=values)


def operator(name: str, device_s: float, calls: int = 200) -> Operator:
    """Return an operator of the traced steps."""
    return Operator(name=name, calls=calls, host_self_s=0.01, device_self_s=device_s)


def power_limited(reason: str, every: int) -> RunRecord:
    """Return a run whose GPU was held down in every so manieth slot."""

    def held(turn: int) -> Conditions:
        reasons = (reason,) if turn % every == 0 else ()
        return Conditions(gpu=GpuConditions(reasons=reasons, others=0))

    made = record(sizes=(512,))
    cases = tuple(
        replace(c, rounds=tuple(
            replace(r, slots=tuple(replace(s, conditions=held(s.turn)) for s in r.slots))
            for r in c.rounds)) if c.entry == "cupy" else c
        for c in made.cases
    )  # fmt: skip
    return replace(made, cases=cases)


def foreign(used: int) -> RunRecord:
    """Return a profile on a GPU of which others held so much memory before."""
    run = run_of(profile())
    gpus = tuple(replace(g, memory_used_bytes=used) for g in run.machine.gpus)
    return replace(run, machine=replace(run.machine, gpus=gpus))


def linked(rate: float) -> RunRecord:
    """Return a run on a PCIe 5 x16 link that carries so many bytes a second."""
    run = record(sizes=(512,))
    gpus = tuple(replace(g, pcie_generation=5, pcie_width=16) for g in run.machine.gpus)
    found = Ceilings(device="cuda:0", backend="cupy",
                     link=(LinkRate(bytes=256 * MIB, to_device_pinned=rate),))  # fmt: skip
    return replace(run, machine=replace(run.machine, gpus=gpus),
                   limits=replace(run.limits, ceilings=(found,)))  # fmt: skip


def double(ratio: float, share: float = 0.6) -> RunRecord:
    """Return a script in float64 on a card that is so many times slower at it."""
    run = run_of(profile(traced=trace(busy=0.95, fp64_share=share)))
    found = Ceilings(device="cuda:0", backend="torch-cuda",
                     flops_per_s={"float32": 5e13, "float64": 5e13 / ratio})  # fmt: skip
    return replace(run, limits=replace(run.limits, ceilings=(found,)))


def operated(*found: Operator, tensor: float = 0.0) -> RunRecord:
    """Return a script whose device is busy with these operators."""
    return run_of(profile(traced=trace(busy=0.95, operators=found, tensor_core_share=tensor)))


def ported(**fields: object) -> RunRecord:
    """Return a function's run on CuPy."""
    values: dict[str, object] = {"reach": "fully", "sites": (CallSite(
        location=at(4), name="numpy.exp", calls=1, seconds=1e-3),)} | fields  # fmt: skip
    one = Ported(workload="f", entry="cupy", size=512, **values)  # type: ignore[arg-type]
    return replace(record(sizes=(512,)), ported=(one,))


def bridged(seconds: float) -> RunRecord:
    """Return a function of which one call ran on NumPy for so long."""
    sites = (
        CallSite(location=at(4), name="numpy.exp", calls=1, seconds=1e-2),
        CallSite(location=at(5), name="numpy.argsort", calls=1, seconds=seconds, bridged=1,
                 to_host_bytes=MIB, to_device_bytes=MIB),
    )  # fmt: skip
    return ported(reach="host_part", sites=sites)


def failed(category: str) -> RunRecord:
    """Return a function that failed for such a reason."""
    why = PortFailure(phase="check", category=category, message="std differs by 3e-2",  # type: ignore[arg-type]
                      location=at(9))  # fmt: skip
    return ported(reach="failed", failure=why)


def energetic(window_s: float) -> RunRecord:
    """Return a profile whose energy was read over such a window."""
    run = run_of(profile(), readings={"tree.cpu_cores": 1.0})
    energy = Energy(device="gpu0", window_s=window_s, method="counter", gross_j=100.0,
                    update_period_s=0.1)  # fmt: skip
    return replace(run, sensing=Sensing(energies=(energy,)))


def trained_on(busy: tuple[float, ...], exchange_s: float = 0.05, each: int = 6400) -> RunRecord:
    """Return a judged training on two GPUs that work for so long of two seconds."""
    from breakeven.lab.shelf import judged

    found = teams(busy, (each, each))
    slow = tuple(
        replace(t, hidden_share=0.0, ranks=tuple(replace(r, exchange_s=exchange_s) for r in t.ranks))
        if t.processes > 1 else t for t in found
    )  # fmt: skip
    return judged(replace(trained(batches=(128, 256)), teams=slow))


def _studied(**fields: object) -> RunRecord:
    from breakeven.lab.shelf import judged

    return judged(trained(**fields))  # type: ignore[arg-type]


TO_DEVICE = {"host_s": 0.3, "device_s": 0.3, "bytes": 100 * 64 * MIB, "sizes": (64 * MIB,)}
READ = {"host_s": 0.3, "idle_after_s": 0.2, "bytes": 400, "name": "torch.Tensor.item"}

FASTER = {"torch-cpu-16": lambda _: 1e-6, "cupy": lambda _: 1e-3, "torch-cuda": lambda _: 1e-3}

PLANTED = (
    Planted("BE106", lambda: run_of(profile(frameworks=("cupy",), kernels=0)),
            lambda: run_of(profile(frameworks=("cupy",), kernels=5))),
    Planted("BE101", lambda: run_of(profile(timings=(timed(device_s=1e-3, pending_s=8e-4),))),
            lambda: run_of(profile(timings=(timed(device_s=1e-3, pending_s=5e-6),)))),
    Planted("BE102", lambda: run_of(profile(timings=(timed(1, first=True, device_s=1e-3),))),
            lambda: run_of(profile(timings=(timed(40, first=True, device_s=1e-3),)))),
    Planted("BE104", lambda: run_of(profile(site(24, "to_device", 30, host_s=3e-3, bytes=10**8),
                                            timings=(timed(),))),
            lambda: run_of(profile(site(30, "to_device", 30, host_s=3e-3, bytes=10**8),
                                   timings=(timed(),)))),
    Planted("BE105", lambda: run_of(profile(steps=0, timings=(timed(1),))),
            lambda: run_of(profile(steps=0, timings=(timed(15),)))),
    Planted("BE108", lambda: run_of(profile(site(14, "host_work", 1, name="@", dtype="int64"))),
            lambda: run_of(profile(site(14, "host_work", 1, name="@", dtype="float32")))),
    Planted("BE109", lambda: _judged(record(curves=FASTER | {
                "numpy-16": FASTER["torch-cpu-16"], "torch-cpu-16-twin": FASTER["torch-cpu-16"]})),
            lambda: _judged(record())),
    Planted("BE110", lambda: record(sizes=(512,), voided="busy"), lambda: record(sizes=(512,))),
    Planted("BE110", lambda: foreign(2 * 10**9), lambda: foreign(10**8)),
    Planted("BE111", lambda: power_limited("thermal", 2), lambda: power_limited("other", 1)),
    Planted("BE112", lambda: run_of(profile(settings={"CUDA_LAUNCH_BLOCKING": "1"})),
            lambda: run_of(profile(settings={"CUDA_LAUNCH_BLOCKING": "0"}))),
    Planted("BE112", lambda: run_of(profile(settings={"torch.anomaly": "True"})),
            lambda: run_of(profile(settings={"torch.anomaly": "False"}))),
    Planted("BE114", lambda: linked(2.6e10), lambda: linked(5.5e10)),
    Planted("BE107", lambda: bridged(1e-2), ported),
    Planted("BE412", lambda: failed("wrong-value"), lambda: failed("missing-function")),
    Planted("BE413", lambda: failed("dtype-narrowed"), ported),
    Planted("BE201", lambda: run_of(profile(trials=(trial("cached_batch", 0.01, 0.004),))),
            lambda: run_of(profile(trials=(trial("cached_batch", 0.01, 0.0098),)))),
    Planted("BE201", lambda: run_of(profile(traced=trace(busy=0.3, loader=0.6))),
            lambda: run_of(profile(traced=trace(busy=0.85, loader=0.1)))),
    Planted("BE201", lambda: run_of(profile(site(30, "loader", host_s=0.7), kernels=None)),
            lambda: run_of(profile(site(30, "loader", host_s=0.01), kernels=None))),
    Planted("BE201", _studied, lambda: _studied(idle={"loader": 0.02, "launch": 0.1,
            "synchronise": 0.05, "other": 0.05})),
    Planted("BE203", lambda: run_of(profile(site(12, "to_device", **TO_DEVICE))),
            lambda: run_of(profile(site(12, "to_device", 1, **TO_DEVICE)))),
    Planted("BE203", lambda: _copying(0.3), lambda: _copying(0.02)),
    Planted("BE204", lambda: run_of(profile(
                site(16, "to_host", host_s=0.02, bytes=100 * 800_000),
                site(16, "host_work", host_s=0.5),
                site(17, "to_device", host_s=0.01, bytes=100 * 8000))),
            lambda: run_of(profile(site(16, "to_host", host_s=0.02, bytes=100 * 800_000)))),
    Planted("BE205", lambda: run_of(profile(site(20, "to_device", memory="pageable",
                name="torch.Tensor.to(non_blocking=True)", **TO_DEVICE))),
            lambda: run_of(profile(site(20, "to_device", memory="pinned",
                name="torch.Tensor.to(non_blocking=True)", **TO_DEVICE)))),
    Planted("BE206", lambda: run_of(profile(site(20, "allocate", name="torch.pin_memory",
                host_s=0.2))),
            lambda: run_of(profile(site(20, "allocate", 1, name="torch.pin_memory", host_s=0.2)))),
    Planted("BE208", lambda: run_of(profile(site(22, "random", name="torch.randn (host)",
                host_s=0.4), site(22, "to_device", **TO_DEVICE))),
            lambda: run_of(profile(site(22, "random", name="torch.randn (device)", host_s=0.01,
                device_s=0.02)))),
    Planted("BE209", lambda: run_of(profile(site(9, "to_host", host_s=0.3, bytes=10**9))),
            lambda: run_of(profile(site(9, "to_host", 1, host_s=0.3, bytes=10**7)))),
    Planted("BE301", lambda: run_of(profile(site(25, "implicit_sync", **READ))),
            lambda: run_of(profile(site(25, "implicit_sync", 2, **READ)))),
    Planted("BE301", lambda: run_of(profile(site(25, "to_host", host_s=0.3, idle_after_s=0.2,
                bytes=400))),
            lambda: run_of(profile(site(25, "implicit_sync", **READ), traced=trace(busy=0.9)))),
    Planted("BE302", lambda: run_of(profile(site(14, "implicit_sync",
                **(READ | {"name": "torch mask index"})))),
            lambda: run_of(profile(site(14, "launch", name="torch index by array")))),
    Planted("BE303", lambda: run_of(profile(site(8, "synchronise", host_s=0.3, idle_after_s=0.2,
                name="torch.cuda.synchronize"))),
            lambda: run_of(profile(site(8, "synchronise", host_s=0.3, idle_after_s=0.2,
                name="torch.cuda.synchronize"), timings=(timed(),)))),
    Planted("BE305", lambda: run_of(profile(site(16, "implicit_sync", 5000, name="bool",
                host_s=0.08), steps=5000, step_s=2e-5)),
            lambda: run_of(profile(site(16, "implicit_sync", 100, name="bool", host_s=0.08)))),
    Planted("BE311", lambda: run_of(_uneven(3, 0.2)), lambda: run_of(_uneven(3, 0.012))),
    Planted("BE304", lambda: run_of(profile(traced=trace(busy=0.3, launch=0.6, number=50_000))),
            lambda: run_of(profile(traced=trace(busy=0.9, launch=0.1, number=50_000)))),
    Planted("BE304", lambda: run_of(profile(trials=(trial("doubled_batch", 0.01, 0.0102),))),
            lambda: run_of(profile(trials=(trial("doubled_batch", 0.01, 0.019),)))),
    Planted("BE304", lambda: run_of(profile(site(5, "launch", 5000, host_s=0.6, device_s=0.05),
                frameworks=("cupy",))),
            lambda: run_of(profile(site(5, "launch", 5000, host_s=0.1, device_s=0.9),
                frameworks=("cupy",)))),
    Planted("BE306", lambda: run_of(profile(site(20, "launch", 500, name="torch.linalg.solve",
                host_s=0.05, device_s=0.005), steps=0)),
            lambda: run_of(profile(site(20, "launch", 500, name="torch.linalg.solve",
                host_s=0.05, device_s=0.045), steps=0))),
    Planted("BE310", lambda: run_of(profile(site(6, "compile", host_s=0.5))),
            lambda: run_of(profile(site(6, "compile", 1, host_s=0.5)))),
    Planted("BE309", lambda: run_of(_tuned("True")), lambda: run_of(_tuned("False"))),
    Planted("BE309", lambda: _sizes(5), lambda: _sizes(1)),
    Planted("BE101", lambda: run_of(profile(timings=(timed(pending_s=1e-4),))),
            lambda: run_of(profile(timings=(timed(host_s=0.1, pending_s=1e-4),)))),
    Planted("BE307", lambda: _studied(steps=GROWING), lambda: _studied(steps=FLAT)),
    Planted("BE308", lambda: _studied(steps=FLAT), lambda: _studied(steps=GROWING)),
    Planted("BE312", lambda: run_of(profile(site(18, "host_work", 1, name="processes: 8"),
                settings={"torch.threads": "16"})),
            lambda: run_of(profile(site(18, "host_work", 1, name="processes: 8"),
                settings={"torch.threads": "1"}))),
    Planted("BE312", lambda: run_of(profile(), readings={"host.load_1m": 60.0, "tree.cpu_cores": 15.0}),
            lambda: run_of(profile(), readings={"host.load_1m": 60.0, "tree.cpu_cores": 2.0})),
    Planted("BE401", lambda: double(40), lambda: double(2)),
    Planted("BE401", lambda: run_of(profile(site(8, "to_device", 1, bytes=32 * MIB,
                dtype="float64"))),
            lambda: run_of(profile(site(8, "to_device", 1, bytes=16 * MIB, dtype="float32")))),
    Planted("BE402", lambda: run_of(profile(site(10, "host_work",
                name="float64 scalar * float32 array -> float64"))),
            lambda: run_of(profile(site(10, "host_work", name="*", dtype="float32")))),
    Planted("BE403", lambda: operated(operator("aten::addmm", 0.6), operator("aten::relu", 0.1)),
            lambda: operated(operator("aten::addmm", 0.6), tensor=0.8)),
    Planted("BE404", lambda: run_of(profile(settings={
                "torch.backends.cuda.matmul.allow_tf32": "True"})),
            lambda: run_of(profile(settings={"torch.float32_matmul_precision": "highest"}))),
    Planted("BE405", lambda: operated(operator("aten::mul", 0.3, 600), operator("aten::exp", 0.3)),
            lambda: operated(operator("aten::mul", 0.1, 600), operator("aten::mm", 0.9))),
    Planted("BE406", lambda: operated(operator("aten::copy_", 0.4), operator("aten::mm", 0.5)),
            lambda: operated(operator("aten::copy_", 0.01), operator("aten::mm", 0.9))),
    Planted("BE409", lambda: operated(operator("aten::_softmax", 0.2), operator("aten::bmm", 0.4),
                operator("aten::mm", 0.2)),
            lambda: operated(operator("aten::_softmax", 0.2), operator("aten::bmm", 0.4),
                operator("aten::_scaled_dot_product_flash_attention", 0.3))),
    Planted("BE407", lambda: _single(operator("aten::mm", 0.5)),
            lambda: _single(operator("aten::_foreach_add_", 0.5))),
    Planted("BE501", lambda: _pools(used=0.0), lambda: _pools(used=900.0 * MIB)),
    Planted("BE502", lambda: _pieces(ooms=1), lambda: _pieces(ooms=0)),
    Planted("BE503", lambda: run_of(profile(counters=(
                counted("torch.allocated_bytes", *(1e8 + 4e6 * i for i in range(40))),))),
            lambda: run_of(profile(counters=(
                counted("torch.allocated_bytes", *(1e8 + 4e6 * (i % 2) for i in range(40))),)))),
    Planted("BE504", lambda: run_of(profile(site(11, "free", name="torch.cuda.empty_cache",
                host_s=0.1))),
            lambda: run_of(profile(site(11, "free", 1, name="torch.cuda.empty_cache",
                host_s=0.1)))),
    Planted("BE504", lambda: run_of(profile(counters=(
                counted("torch.device_allocs", *(float(i) for i in range(40))),))),
            lambda: run_of(profile(counters=(
                counted("torch.device_allocs", *(float(min(i, 9)) for i in range(40))),)))),
    Planted("BE505", lambda: run_of(profile(), readings={"gpu0.memory_bytes": 1.45e11}),
            lambda: run_of(profile(), readings={"gpu0.memory_bytes": 1.0e11})),
    Planted("BE506", lambda: _studied(steps=GROWING), lambda: _studied(steps=FLAT)),
    Planted("BE601", lambda: trained_on((1.9, 1.0)), lambda: trained_on((1.9, 1.88))),
    Planted("BE601", lambda: two_gpus(0.3), lambda: two_gpus(0.85)),
    Planted("BE602", lambda: trained_on((1.2, 1.2), exchange_s=0.8),
            lambda: trained_on((1.9, 1.9), exchange_s=0.01)),
    Planted("BE603", lambda: trained_on((1.9, 1.9), each=3500), lambda: trained_on((1.9, 1.9))),
    Planted("BE701", lambda: run_of(profile(site(12, "host_work", 1,
                name="nvidia-smi: nvidia-smi --query-gpu=power.draw"))),
            lambda: run_of(profile(site(12, "host_work", 400,
                name="nvidia-smi: nvidia-smi --query-gpu=power.draw")))),
    Planted("BE702", lambda: energetic(0.5), lambda: energetic(10.0)),
    Planted("BE703", lambda: run_of(profile(), readings={"gpu0.utilisation_share": 0.97,
                "gpu0.power_w": 180.0}),
            lambda: run_of(profile(), readings={"gpu0.utilisation_share": 0.97,
                "gpu0.power_w": 650.0})),
)  # fmt: skip
GROWING = {"torch-cpu-16": lambda b: 2e-3 + b * 5e-4, "torch-cuda": lambda _: 4e-3,
           "torch-cpu-16-twin": lambda b: 2e-3 + b * 5e-4}  # fmt: skip
FLAT = GROWING | {"torch-cuda": lambda b: b * 1e-4}


def _judged(run: RunRecord) -> RunRecord:
    from breakeven.lab.shelf import judged

    return judged(run)


def _copying(seconds: float) -> RunRecord:
    """Return a training whose pageable copies take such a share of its trace."""
    run = trained(idle={"loader": 0.0, "launch": 0.1, "synchronise": 0.05, "other": 0.05})

    def copied(found: object) -> object:
        span = found.trace.span_s  # type: ignore[attr-defined]
        copies = (Copies(direction="to_device", memory="pageable", number=10, bytes=10 << 20,
                         seconds=span * seconds),)  # fmt: skip
        made = replace(found.trace, copies=copies, busy_share=0.4 + seconds)  # type: ignore[attr-defined]
        return replace(found, trace=made)  # type: ignore[type-var]

    studies = tuple(copied(s) if s.entry == "torch-cuda" else s for s in run.studies)
    return replace(run, studies=studies)


def _single(found: Operator) -> RunRecord:
    """Return a training of many kernels a step, its optimiser a tenth of the step and more."""
    shares = {"loader": 0.01, "to_device": 0.01, "forward": 0.3, "backward": 0.38,
              "optimiser": 0.3}  # fmt: skip
    run = trained(shares=shares)
    studies = tuple(
        replace(s, trace=replace(s.trace, operators=(found,), kernels=20_000)) if s.trace else s
        for s in run.studies
    )
    return replace(run, studies=studies)


def _uneven(number: int, slow_s: float) -> object:
    steps = [0.01] * 150
    for i in range(number):
        steps[20 * (i + 1)] = slow_s
    return replace(profile(), steps_s=tuple(steps))


def _tuned(on: str) -> object:
    seen = profile(settings={"torch.backends.cudnn.benchmark": on})
    return replace(seen, steps_s=(0.002,) * 21 + (0.07,) * 20)


def _sizes(number: int) -> RunRecord:
    made = site(17, "random", sizes=tuple(MIB + i for i in range(number)))
    return run_of(profile(made, settings={"torch.backends.cudnn.benchmark": "True"}))


def _pools(used: float) -> RunRecord:
    return run_of(profile(frameworks=("cupy",), counters=(
        counted("cupy.pool_used_bytes", 954.0 * MIB, used),
        counted("cupy.pool_total_bytes", 954.0 * MIB, 954.0 * MIB))))  # fmt: skip


def _pieces(ooms: int) -> RunRecord:
    return run_of(profile(counters=(
        counted("torch.allocated_bytes", 2400.0 * MIB, 500.0 * MIB),
        counted("torch.reserved_bytes", 2400.0 * MIB, 2400.0 * MIB),
        counted("torch.ooms", 0.0, float(ooms)))))  # fmt: skip


def two_gpus(second: float) -> RunRecord:
    """Return a script on two GPUs, the second so busy."""
    run = run_of(profile(), readings={"gpu0.utilisation_share": 0.9, "gpu0.memory_bytes": 5e9,
                                      "gpu1.utilisation_share": second, "gpu1.memory_bytes": 5e9})  # fmt: skip
    gpus = (run.machine.gpus[0], replace(run.machine.gpus[0], uuid="GPU-1", index=1))
    return replace(run, machine=replace(run.machine, gpus=gpus))


def found_of(run: RunRecord, code: str) -> list[Finding]:
    """Return the findings of a code."""
    return [f for f in judge(run) if f.code == code]


@pytest.mark.parametrize("planted", PLANTED, ids=[f"{p.code}-{i}" for i, p in enumerate(PLANTED)])
def test_a_rule_speaks_of_its_fault_and_of_nothing_sound(planted: Planted) -> None:
    """The planted fault is told by its code; its sound twin is not."""
    told = found_of(planted.faulty(), planted.code)
    assert len(told) >= 1
    assert all(f.message and f.fix and f.verify for f in told)
    assert found_of(planted.sound(), planted.code) == []


def test_every_rule_has_a_planted_fault() -> None:
    """No rule is without a record in which it speaks."""
    assert {rule.code.code for rule in OWN} == {planted.code for planted in PLANTED}


def test_clocks_held_in_a_timeline_count_while_the_gpu_works() -> None:
    """Bits of an idle GPU say nothing; those under load do."""
    times = tuple(0.1 * i for i in range(40))

    def run(used: float) -> RunRecord:
        series = (Series(sensor="gpu0.held_by", t_s=times, value=(0x20,) * 40),
                  Series(sensor="gpu0.utilisation_share", t_s=times, value=(used,) * 40))  # fmt: skip
        return replace(run_of(profile()), timeline=series)

    assert found_of(run(0.9), "BE111")[0].severity == "warning"
    assert found_of(run(0.0), "BE111") == []


def test_power_capping_at_full_load_is_information() -> None:
    """Being held by the power limit is told as normal."""
    assert [f.severity for f in found_of(power_limited("power_cap", 1), "BE111")] == ["info"]


def test_double_precision_is_a_warning_only_where_source_and_card_agree() -> None:
    """On a slow card float64 is a warning where the source shows that nobody asked for it."""
    smell = Finding(code="BE401", title="", severity="warning", evidence=("static",),
                    kind="float64-compute", location=Location(path="job.py", line=8))  # fmt: skip
    assert [f.severity for f in judge(double(40), (smell,)) if f.code == "BE401"] == ["warning"]
    assert [f.severity for f in judge(double(2), (smell,)) if f.code == "BE401"] == ["info"]
    assert [f.severity for f in found_of(double(40), "BE401")] == ["info"]
