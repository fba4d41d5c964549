"""Two ways to one crossover in one session: the package's search, and a dense sweep of all sizes.

Both are runs of the engine, with the same workers, slots, checks and rule. The search goes on as
the package does; the dense sweep measures each size of a x1.19 grid over the whole range in every
round. First calls are left out of both: neither needs them. The search counts from its scouting on,
the sweep from its first round: one who sweeps need not scout every size.
"""

from __future__ import annotations

import math
import secrets
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import msgspec

from breakeven import lab
from breakeven.analysis.settle import settle
from breakeven.analysis.times import Times
from breakeven.engine import session
from breakeven.engine.clock import stamp, utc
from breakeven.engine.lock import machine_lock
from breakeven.engine.plan import MOST_ROUNDS, Effort, effort_of
from breakeven.engine.search import FINE, aligned
from breakeven.model.event import Began
from breakeven.model.machine import Machine
from breakeven.model.run import RunRecord
from breakeven.model.settlement import PairState, Settlement
from breakeven.model.spec import RunSpec, WorkloadSpec
from breakeven.model.verdict import Scope
from breakeven.store.folder import new_id
from breakeven.store.sink import MemorySink

SEARCH_BUDGET_S = 600.0


class Case(NamedTuple):
    """What both ways measure.

    Attributes
    ----------
    sizes : tuple of int
        Planned sizes of the search, a factor of about 4 apart; the dense sweep goes from the
        first to the last.
    """

    workload: str
    sizes: tuple[int, ...]
    backends: tuple[str, ...]


class Step(NamedTuple):
    """What the stop rule saw after a round: seconds so far, and the brackets by scope."""

    seconds: float
    rounds: int
    brackets: dict[Scope, tuple[float | None, float | None]]


class EnoughError(Exception):
    """The session has shown what it was made for."""


@dataclass
class Trail:
    """How a session came to its brackets.

    Attributes
    ----------
    steps : list of Step
        After each round.
    ended : str
        Why it ended: ``"reached"``, ``"time"`` or ``"done"`` (its plan ended).
    """

    steps: list[Step] = field(default_factory=list)
    ended: str = "done"
    record: RunRecord | None = None

    def reached_s(self, factor: float, scope: Scope) -> float | None:
        """Return the seconds after which the bracket of a scope was within a factor."""
        return next((s.seconds for s in self.steps if _factor(s, scope) <= factor), None)

    def scopes(self) -> tuple[Scope, ...]:
        """Return the scopes in which a crossover was looked for."""
        return tuple(self.steps[-1].brackets) if self.steps else ()


def _factor(step: Step, scope: Scope) -> float:
    low, high = step.brackets.get(scope, (None, None))
    return math.inf if low is None or high is None else high / low


def dense_sizes(low: int, high: int) -> tuple[int, ...]:
    """Return the sizes of a x1.19 grid from `low` to `high`, aligned as those of the search are."""
    count = math.ceil(math.log(high / low) / math.log(FINE))
    raw = [low * (high / low) ** (k / count) for k in range(count + 1)]
    return tuple(sorted({aligned(x) for x in raw}))


class _Observer:
    """A stop rule that keeps what it saw, and ends the session when that is enough."""

    def __init__(
        self,
        enough: Callable[[Trail], bool],
        limit_s: float,
        *,
        dense: bool,
        clock: Callable[[], float],
    ) -> None:
        self.trail = Trail()
        self._enough, self._limit_s, self._dense, self._clock = enough, limit_s, dense, clock
        self._began = clock()

    def begin(self) -> None:
        """Count seconds from now."""
        self._began = self._clock()

    def __call__(self, record: RunRecord) -> Settlement:
        """Judge the record; raise when it is enough."""
        settled = settle(record)
        self.trail.record = record
        seconds = self._clock() - self._began
        if settled.rounds:
            brackets = {p.scope: (p.low, p.high) for p in settled.pairs}
            if not self.trail.steps or self.trail.steps[-1].rounds < settled.rounds:
                self.trail.steps.append(Step(seconds, settled.rounds, dict(brackets)))
            if self._enough(self.trail):
                self.trail.ended = "reached"
                raise EnoughError
            if seconds > self._limit_s:
                self.trail.ended = "time"
                raise EnoughError
        return _without_grid(settled) if self._dense else settled


def _without_grid(settled: Settlement) -> Settlement:
    """Return a settlement from which no grid can be made: the sweep has its sizes."""
    pairs: list[PairState] = [msgspec.structs.replace(p, estimate=None) for p in settled.pairs]
    return msgspec.structs.replace(settled, pairs=tuple(pairs))


def observed(
    case: Case,
    machine: Machine,
    enough: Callable[[Trail], bool],
    limit_s: float,
    *,
    dense: bool,
    seed: int = 42,
) -> Trail:
    """Run a session either way until it shows enough, or its time is up.

    Parameters
    ----------
    enough : callable
        Told the trail after each round.
    """
    spec = spec_of(case, dense=dense, seed=seed)
    watch = _Observer(enough, limit_s, dense=dense, clock=time.monotonic)
    sink = MemorySink()
    sink.append(
        Began(
            record=RunRecord(
                id=new_id(utc(), secrets.token_hex(2)),
                started=stamp(),
                command=("run", case.workload),
                spec=spec,
                machine=machine,
            )
        )
    )
    begun: list[str] = []

    def heard(text: str, left_s: float) -> None:
        del left_s
        if text.startswith("round 1:" if dense else "scouting") and not begun:
            begun.append(text)
            watch.begin()

    with machine_lock(lambda: None), suppress(EnoughError):
        session.measure(sink, watch, heard, wait=time.sleep, effort=effort(spec, machine))
    watch.trail.record = sink.record()
    return watch.trail


def spec_of(case: Case, *, dense: bool, seed: int) -> RunSpec:
    """Return what a session is asked for."""
    sizes = dense_sizes(case.sizes[0], case.sizes[-1]) if dense else case.sizes
    return RunSpec(
        workloads=(WorkloadSpec(name=case.workload, sizes=sizes),),
        backends=case.backends,
        effort="full",
        budget_s=SEARCH_BUDGET_S,
        rounds=MOST_ROUNDS if dense else None,
        seed=seed,
    )


def effort(spec: RunSpec, machine: Machine) -> Effort:
    """Return the effort of the spec for slots alone: no first calls, no parts of cases.

    One GPU entry is on the grid, as the sweep has one.
    """
    usual = effort_of(spec, gpu=bool(machine.gpus))
    return msgspec.structs.replace(
        usual, cold_most=0, detail_s=0.0, cold_caches=False, grid_all=False
    )


class Reading(NamedTuple):
    """A size of a dense sweep: the median log ratio of its rounds, and how many there were."""

    size: int
    log_ratio: float
    rounds: int


def plain_readings(
    record: RunRecord, scope: Scope, base: Callable[[int], str | None], entry: str
) -> list[Reading]:
    """Return the ratio at each size by plain medians: no rule, no judge of the package.

    The ratio of a round is that of the two medians over its slots.

    Parameters
    ----------
    base : callable
        The base at a size.
    """
    times, name, found = Times(record), record.spec.workloads[0].name, []
    for size in times.sizes(name):
        against = base(size)
        if against is None:
            continue
        above = times.by_round(name, size, against, scope)
        below = times.by_round(name, size, entry, scope)
        logs = [math.log(above[r] / below[r]) for r in above if r in below]
        if logs:
            found.append(Reading(size, statistics.median(logs), len(logs)))
    return found


def plain_crossings(readings: Sequence[Reading]) -> list[tuple[float, bool]]:
    """Return where lines in logarithms pass equality, with whether the entry wins beyond."""
    found = []
    for a, b in pairwise(readings):
        if (a.log_ratio < 0) != (b.log_ratio < 0):
            share = -a.log_ratio / (b.log_ratio - a.log_ratio)
            x = math.log(a.size) + share * math.log(b.size / a.size)
            found.append((math.exp(x), b.log_ratio >= 0))
    return found


def here() -> Machine:
    """Return this machine."""
    return lab.read_machine()
