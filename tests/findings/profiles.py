"""Profiles of scripts made by hand: what tests of rules judge."""

from __future__ import annotations

from msgspec.structs import replace

from breakeven.model.estimate import Estimate
from breakeven.model.finding import Location
from breakeven.model.profiled import Counter, Profiled, Setting, Site, Timing, Trial
from breakeven.model.run import RunRecord
from breakeven.model.sensing import Reading, Sensing
from breakeven.model.spec import RunSpec
from breakeven.model.trace import Idle, Operator, TraceSummary
from records import machine

SCRIPT = "job.py"
STEP_S = 0.01


def at(line: int, text: str | None = None) -> Location:
    """Return a line of the script."""
    return Location(path=SCRIPT, line=line, text=text)


def site(line: int, doing: str, calls: int = 100, **fields: object) -> Site:
    """Return what a line did in each of a hundred steps of 10 ms."""
    values: dict[str, object] = {"in_step": True} | fields
    return Site(location=at(line), doing=doing, calls=calls, **values)  # type: ignore[arg-type]


def estimate(value: float) -> Estimate:
    """Return a number with an interval of 2 % to either side."""
    return Estimate(value=value, low=value * 0.98, high=value * 1.02, level=0.95, n=10)


def trial(name: str, plain_s: float, tried_s: float, error: float | None = None) -> Trial:
    """Return a trial that was made."""
    return Trial(name=name, plain_s=estimate(plain_s), tried_s=estimate(tried_s), error=error)


def trace(
    *,
    busy: float = 0.4,
    kernels: float | None = None,
    loader: float = 0.0,
    launch: float = 0.0,
    wait: float = 0.0,
    number: int = 1000,
    operators: tuple[Operator, ...] = (),
    **fields: object,
) -> TraceSummary:
    """Return a trace of a hundred steps, its device busy and idle by the shares given."""
    span = 100 * STEP_S
    rest = max(0.0, 1.0 - busy - loader - launch - wait)
    idle = Idle(loader_s=loader * span, launch_s=launch * span, synchronise_s=wait * span,
                other_s=rest * span)  # fmt: skip
    values: dict[str, object] = {"fp64_share": 0.0, "tensor_core_share": 0.5} | fields
    return TraceSummary(steps=100, span_s=span, busy_share=busy, idle=idle, kernels=number,
                        kernel_share=busy if kernels is None else kernels, operators=operators,
                        plain_step_s=STEP_S, traced_step_s=STEP_S * 1.1, **values)  # type: ignore[arg-type]  # fmt: skip


def profile(
    *sites: Site,
    traced: TraceSummary | None = None,
    steps: int = 100,
    step_s: float = STEP_S,
    settings: dict[str, str] | None = None,
    frameworks: tuple[str, ...] = ("torch", "numpy"),
    timings: tuple[Timing, ...] = (),
    counters: tuple[Counter, ...] = (),
    trials: tuple[Trial, ...] = (),
    kernels: int | None = 1000,
    **fields: object,
) -> Profiled:
    """Return a script of so many equal steps, its first as long as the rest."""
    values: dict[str, object] = {"found_by": "loop" if steps else None, "exit_code": 0} | fields
    return Profiled(
        script=SCRIPT, frameworks=frameworks, sites=sites, timings=timings, counters=counters,
        trials=trials, kernels=kernels, trace=traced, wall_s=max(steps * step_s, 1.0) + 3.0,
        settings=tuple(Setting(name=k, value=v) for k, v in (settings or {}).items()),
        steps_s=(step_s,) * steps, steps_at=at(7) if steps else None, **values,
    )  # type: ignore[arg-type]  # fmt: skip


def run_of(
    seen: Profiled,
    *,
    gpu: bool = True,
    cores: int = 16,
    readings: dict[str, float] | None = None,
) -> RunRecord:
    """Return the record of a profile, with means of sensors where they are given."""
    found = tuple(
        Reading(sensor=k, mean=v, low=v, high=v, samples=100) for k, v in (readings or {}).items()
    )
    return RunRecord(
        id="2026-12-01T10-22-07-3f9a", started="2026-12-01T10:22:07Z",
        finished="2026-12-01T10:22:12Z", command=("profile", SCRIPT),
        spec=RunSpec(workloads=(), backends=()), machine=machine(gpu=gpu, cores=cores),
        profiled=seen, sensing=Sensing(readings=found) if found else None,
    )  # fmt: skip


def with_steps(seen: Profiled, steps_s: tuple[float, ...]) -> Profiled:
    """Return a profile with other steps."""
    return replace(seen, steps_s=steps_s)
