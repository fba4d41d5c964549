"""Which sizes the next round measures: those not settled, with the crossover's grid."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from breakeven.engine.costs import Task
from breakeven.engine.plan import Effort
from breakeven.model.run import Entry
from breakeven.model.settlement import PairState, Settlement, WorkloadState
from breakeven.model.spec import RunSpec, WorkloadSpec
from breakeven.model.verdict import Scope
from breakeven.stats.intervals import LOOKS

FINE, COARSE = 1.19, 1.41
RECENTRE_ROUNDS = 3
CLOSED_FACTOR = 1.2
ALIGNED_FROM, ALIGNMENT = 64, 8


class Grid(msgspec.Struct):
    """Sizes around an estimated crossover.

    Attributes
    ----------
    step : float
        Factor between neighbours.
    points : int
        How many sizes it has, an odd number.
    rounds : int
        Rounds that have measured it at this centre.
    """

    centre: float
    step: float = FINE
    points: int = 9
    rounds: int = 0

    def sizes(self, least: int, most: int) -> tuple[int, ...]:
        """Return the sizes of the grid within [least, most], ascending.

        From 64 on they are whole multiples of 8: sizes that libraries serve alike.
        """
        half = self.points // 2
        raw = [self.centre * self.step**k for k in range(-half, half + 1)]
        return tuple(sorted({aligned(x) for x in raw if least <= aligned(x) <= most}))

    def holds(self, size: float) -> bool:
        """Tell whether the grid may stay where it is, with the crossing estimated at `size`.

        A fine grid stays while that is in its inner half. A coarse one, measured in few rounds,
        stays while it is inside at all: a size begun anew would have too few rounds to count.
        """
        steps = self.points // (4 if self.step == FINE else 2)
        return abs(math.log(size / self.centre)) <= steps * math.log(self.step)


def aligned(size: float) -> int:
    """Return `size` as a whole number, from 64 on a multiple of 8."""
    if size < ALIGNED_FROM:
        return max(1, round(size))
    return ALIGNMENT * round(size / ALIGNMENT)


class Search:
    """Keeps the grids of all crossovers, and says what a round measures."""

    def __init__(self, spec: RunSpec, effort: Effort) -> None:
        self._spec = spec
        self._effort = effort
        self._grids: dict[tuple[str, Scope], Grid] = {}

    def tasks(
        self, settlement: Settlement, entries: Sequence[Entry]
    ) -> tuple[tuple[Task, ...], tuple[Task, ...]]:
        """Return what the next round measures: planned sizes, ascending; then those of the grids.

        Sizes of a grid come nearest its centre first, so that a round cut short by the budget has
        measured those that say most.
        """
        planned: list[Task] = []
        on_grids: dict[tuple[str, int], Task] = {}
        for spec in self._spec.workloads:
            state = next(w for w in settlement.workloads if w.workload == spec.name)
            pairs = [p for p in settlement.pairs if p.workload == spec.name]
            opened = self._open(spec, state, alone=not pairs and settlement.rounds < LOOKS[0])
            first = settlement.rounds == 0
            planned.extend(self._planned(spec, s, state, entries, first=first) for s in opened)
            for pair in pairs:
                for size in self._grid_sizes(spec, pair):
                    key = (spec.name, size)
                    if key in on_grids and pair.scope not in on_grids[key].scopes:
                        scopes = (*on_grids[key].scopes, pair.scope)
                        on_grids[key] = msgspec.structs.replace(on_grids[key], scopes=scopes)
                    elif key not in on_grids and size not in opened:
                        on_grids[key] = self._on_grid(spec, size, pair, state, entries)
        return tuple(planned), tuple(sorted(on_grids.values(), key=self._off_centre))

    def _off_centre(self, task: Task) -> float:
        """Return how far a size is from the nearest centre of its workload's grids, in logs."""
        centres = [g.centre for (w, _), g in self._grids.items() if w == task.workload]
        return min(abs(math.log(task.size / c)) for c in centres)

    def _open(self, spec: WorkloadSpec, state: WorkloadState, *, alone: bool) -> tuple[int, ...]:
        """Return the planned sizes that are not settled.

        An entry without another to compare it with (`alone`) is measured for its times.
        """
        settled = set(state.settled_sizes)
        if self._spec.rounds is not None or alone:
            return spec.sizes
        return tuple(s for s in spec.sizes if s not in settled)

    def _planned(
        self,
        spec: WorkloadSpec,
        size: int,
        state: WorkloadState,
        entries: Sequence[Entry],
        *,
        first: bool,
    ) -> Task:
        everyone = self._effort.all_entries
        wanted = [
            e.id
            for e in entries
            if everyone or e.device != "cpu" or e.default or e.twin_of or e.precision_of
        ]
        wanted += self._bases(size, state, entries)
        return Task(
            workload=spec.name,
            size=size,
            entries=tuple(e.id for e in entries if e.id in wanted),
            parts=first and not everyone,
        )

    def _on_grid(
        self,
        spec: WorkloadSpec,
        size: int,
        pair: PairState,
        state: WorkloadState,
        entries: Sequence[Entry],
    ) -> Task:
        wanted = {pair.entry, *self._bases(size, state, entries)}
        if self._effort.grid_all:
            wanted |= {e.id for e in entries if e.device != "cpu" and e.variant != "precision"}
        if pair.base_kind == "numpy":
            wanted |= {e.id for e in entries if e.default and e.backend == "numpy"}
        return Task(
            workload=spec.name,
            size=size,
            entries=tuple(e.id for e in entries if e.id in wanted),
            scopes=("resident", "transfer") if self._effort.grid_all else (pair.scope,),
            parts=False,
        )

    def _bases(self, size: int, state: WorkloadState, entries: Sequence[Entry]) -> list[str]:
        """Return the best CPU entry at `size`, with the twin and what the twin repeats."""
        twins = [e for e in entries if e.twin_of]
        ids = [e.id for e in twins] + [e.twin_of for e in twins if e.twin_of]
        if state.bases:
            nearest = min(state.bases, key=lambda s: abs(math.log(s / size)))
            ids.append(state.bases[nearest])
        return ids

    def _grid_sizes(self, spec: WorkloadSpec, pair: PairState) -> tuple[int, ...]:
        """Return the grid of a crossover, moved or widened where the rounds so far ask for it."""
        if not self._effort.grid or pair.estimate is None:
            return ()
        if pair.factor is not None and pair.factor <= CLOSED_FACTOR:
            return ()
        key = (spec.name, pair.scope)
        grid = self._grids.get(key)
        if grid is None:
            grid = Grid(pair.estimate, self._effort.grid_step, self._effort.grid_points)
        elif grid.rounds < RECENTRE_ROUNDS and not grid.holds(pair.estimate):
            grid = Grid(pair.estimate, grid.step, grid.points, rounds=grid.rounds)
        elif grid.rounds >= RECENTRE_ROUNDS and pair.factor is None and grid.step == FINE:
            grid = Grid(pair.estimate, COARSE, grid.points)
        self._grids[key] = grid
        grid.rounds += 1
        return grid.sizes(max(1, min(spec.sizes) // 2), max(spec.sizes))
