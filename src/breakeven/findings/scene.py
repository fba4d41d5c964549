"""What rules look at: a whole run, and each stretch of steps in it."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from breakeven.model.finding import Finding
from breakeven.model.machine import Ceilings
from breakeven.model.profiled import Counter, Profiled, Setting, Site, Timing, Trial
from breakeven.model.run import RunRecord
from breakeven.model.study import StepPhases, Study
from breakeven.model.trace import Idle, TraceSummary


@dataclass(frozen=True)
class Window:
    """Steps that were looked at, of a script or of one entry at one batch size.

    Attributes
    ----------
    subject : str or None
        Whose steps; None for the script of a profile.
    gpu : bool
        Whether a device takes part.
    trace : TraceSummary or None
        A trace that can be used; None where there is none, or a fault in it.
    span_s : float
        Seconds that sites and trace cover.
    steps : int
        Steps within it; 0 where none were found.
    steps_s : tuple of float
        Untraced steps.
    scene : Scene
        The run that it belongs to.
    """

    scene: Scene
    subject: str | None
    gpu: bool
    trace: TraceSummary | None
    span_s: float
    steps: int
    steps_s: tuple[float, ...] = ()
    phases: tuple[StepPhases, ...] = ()
    sites: tuple[Site, ...] = ()
    trials: Mapping[str, Trial] = field(default_factory=dict)
    profiled: Profiled | None = None
    group: tuple[str, str] | None = None
    size: int | None = None

    @property
    def busy(self) -> float | None:
        """Share of the span in which the device ran a kernel or a copy; None where unknown."""
        if self.trace is not None:
            return self.trace.busy_share
        found = [s.device_s for s in self.sites if s.device_s is not None and s.doing != "loader"]
        return min(1.0, sum(found) / self.span_s) if found and self.span_s > 0 else None

    @property
    def kernels(self) -> float | None:
        """Share of the span in which a kernel ran; None where unknown."""
        if self.trace is not None:
            return self.trace.kernel_share
        found = [s.device_s for s in self.sites if s.device_s is not None and s.doing in _KERNELS]
        return min(1.0, sum(found) / self.span_s) if found and self.span_s > 0 else None

    @property
    def idle(self) -> Idle | None:
        """Why the device was idle, seconds; None without a trace."""
        return None if self.trace is None else self.trace.idle

    @property
    def step_s(self) -> float | None:
        """Median of an untraced step."""
        if self.steps_s:
            return statistics.median(self.steps_s)
        plain = None if self.trace is None else self.trace.plain_step_s
        return plain or (self.span_s / self.steps if self.steps and self.span_s else None)

    def share(self, seconds: float | None) -> float:
        """Return seconds of the span as a share of it."""
        return 0.0 if not seconds or self.span_s <= 0 else min(1.0, seconds / self.span_s)

    def per_step(self, site: Site) -> float:
        """Return how often a line did it in each step."""
        return site.calls / max(1, self.steps)

    def doing(self, *what: str) -> Iterator[Site]:
        """Yield the sites that do one of these things."""
        return (s for s in self.sites if s.doing in what)

    def setting(self, *names: str) -> Setting | None:
        """Return a switch that is on, by one of its names."""
        found = () if self.profiled is None else self.profiled.settings
        return next((s for s in found if s.name in names and is_on(s.value)), None)


_KERNELS = frozenset({"launch", "on_device", "random"})
_OFF = frozenset({"", "0", "false", "off", "no", "none"})


def is_on(value: str | None) -> bool:
    """Return whether a switch of that value is on."""
    return value is not None and value.strip().lower() not in _OFF


@dataclass(frozen=True)
class Scene:
    """A run with what its source shows.

    Attributes
    ----------
    static : tuple of Finding
        What was found in the files that took part, without running them.
    """

    record: RunRecord
    static: tuple[Finding, ...] = ()

    @cached_property
    def windows(self) -> tuple[Window, ...]:
        """Stretches of steps, one for the script or one for each entry and batch size."""
        found = [_of_study(self, study) for study in self.record.studies]
        kept = [w for w in found if w is not None]
        # Beside a GPU, how the CPU's steps go is no obstacle to anything.
        kept = [w for w in kept if w.gpu] or kept
        if self.record.profiled is not None:
            kept.append(_of_script(self, self.record.profiled))
        return tuple(kept)

    @cached_property
    def cores(self) -> int:
        """CPUs that the run may use."""
        return self.record.machine.cpu.cores_usable

    @property
    def ceilings(self) -> Ceilings | None:
        """What the first GPU reached at best, where it was measured."""
        mine = (c for c in self.record.limits.ceilings if c.device.startswith("cuda"))
        return next(mine, None)

    @property
    def profiled(self) -> Profiled | None:
        """What was recorded of the user's script."""
        return self.record.profiled

    @property
    def timings(self) -> tuple[Timing, ...]:
        """Spans that the script timed itself."""
        return () if self.record.profiled is None else self.record.profiled.timings

    @property
    def counters(self) -> tuple[Counter, ...]:
        """Counters of libraries, at the ends of steps."""
        return () if self.record.profiled is None else self.record.profiled.counters

    def smells(self, *kinds: str) -> Iterator[Finding]:
        """Yield what the source shows of these kinds."""
        return (f for f in self.static if f.kind in kinds)


def usable(trace: TraceSummary | None) -> TraceSummary | None:
    """Return a trace from which something may be concluded."""
    sound = trace is not None and trace.why is None and not trace.faults and trace.span_s > 0
    return trace if sound else None


def _of_study(scene: Scene, study: Study) -> Window | None:
    entry = next((e for e in scene.record.entries if e.id == study.entry), None)
    if entry is None or entry.variant == "twin":
        return None
    trace = usable(study.trace)
    phases = tuple(p for p in study.phases if p.round > 0) or study.phases
    plain = tuple(p.plain_step_s for p in phases)
    return Window(
        scene=scene,
        subject=f"{study.workload} on {study.entry}, batch {study.size}",
        gpu=entry.device.startswith("cuda"),
        trace=trace,
        span_s=0.0 if trace is None else trace.span_s,
        steps=0 if trace is None else trace.steps,
        steps_s=plain,
        phases=phases,
        group=(study.workload, study.entry),
        size=study.size,
    )


def _of_script(scene: Scene, seen: Profiled) -> Window:
    trace = usable(seen.trace)
    on_device = any(s.device_s for s in seen.sites) or bool(seen.kernels)
    span, steps = _extent(seen, trace)
    return Window(
        scene=scene,
        subject=None,
        gpu=on_device or (trace is not None and trace.busy_share is not None),
        trace=trace,
        span_s=span,
        steps=steps,
        steps_s=seen.steps_s,
        sites=seen.sites,
        trials={t.name: t for t in seen.trials},
        profiled=seen,
    )


def _extent(seen: Profiled, trace: TraceSummary | None) -> tuple[float, int]:
    """Return the seconds and the steps that sites are told of: those that were looked at.

    A trace knows its own; without one it is the traced pass that tells how many steps it looked
    at. Where nothing repeats, it is the whole script.
    """
    if trace is not None:
        return trace.span_s, trace.steps if seen.found_by is not None else 0
    looked = seen.traced_step_s
    if looked is not None and seen.found_by is not None:
        return looked.value * looked.n, looked.n
    return sum(seen.steps_s) or seen.wall_s, len(seen.steps_s)
