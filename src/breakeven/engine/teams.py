"""One training on several processes, team after team, each started afresh."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from breakeven.errors import InputError
from breakeven.model.scaling import Team
from breakeven.model.spec import TrainingSpec
from breakeven.workloads.training.launch import TeamPlan, launch, shares

ROUNDS = 3
"""Fewest that a rank can be named by."""


class Launcher(Protocol):
    """Measures one team; tests give teams of their own."""

    def __call__(
        self,
        spec: TrainingSpec,
        batch_size: int,
        processes: int,
        device: Literal["cpu", "cuda"],
        folder: Path,
        round_: int = 1,
        plan: TeamPlan | None = None,
    ) -> Team:
        """Return what the team found, or why it did not work out."""
        ...


class Teams:
    """Measures every number of processes at every batch size, round after round.

    Within a round the order is drawn, and one process alone takes part in each, as the base: on a
    CPU with as many cores as each process of the largest team has.

    Parameters
    ----------
    training : TrainingSpec
        With the numbers of processes in `gpus`.
    device : str
        ``cpu`` or ``cuda``.
    folder : Path
        Each team has a folder of its own in it.
    emit : callable
        Takes each team, its times on the monotonic clock.
    go_on : callable
        Told the seconds that the longest team took so far (0 before the first), tells whether
        another fits.
    """

    def __init__(
        self,
        training: TrainingSpec,
        device: Literal["cpu", "cuda"],
        folder: Path,
        emit: Callable[[Team], None],
        go_on: Callable[[float], bool],
    ) -> None:
        self._training, self._device, self._folder = training, device, folder
        self._emit, self._go_on = emit, go_on
        self.failed: dict[tuple[int, int], str] = {}

    def run(
        self,
        sizes: Sequence[int],
        clock: Callable[[], float],
        *,
        rounds: int = ROUNDS,
        plan: TeamPlan | None = None,
        measure: Launcher = launch,
    ) -> int:
        """Return how many rounds were completed; a team that failed once is not tried again.

        Raises
        ------
        InputError
            If more processes are asked for than there are cores.
        """
        base = plan or TeamPlan()
        numbers = sorted({1, *self._training.gpus})
        each = self._cores(base, numbers[-1])
        longest = 0.0
        for round_ in range(1, rounds + 1):
            cases = [(size, n) for size in sizes for n in numbers if (size, n) not in self.failed]
            random.Random(f"{base.seed}-{round_}").shuffle(cases)  # noqa: S311 - an order
            for size, processes in cases:
                if not self._go_on(longest):
                    return round_ - 1
                begin = clock()
                planned = msgspec.structs.replace(base, cores=each[:processes])
                where = self._folder / f"team-{round_}-{size}-{processes}"
                team = measure(
                    self._training, size, processes, self._device, where, round_, planned
                )
                longest = max(longest, clock() - begin)
                if team.why is not None:
                    self.failed[size, processes] = team.why
                self._emit(team)
        return rounds

    def _cores(self, plan: TeamPlan, most: int) -> tuple[tuple[int, ...], ...]:
        if self._device != "cpu":
            return ()
        found = plan.cores or shares(most)
        if len(found) < most:
            raise InputError(f"{most} processes have cores for {len(found)}", "name more of them")
        return found
