"""Teams of several processes: their order, their base, and when they end."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Literal

import pytest

from breakeven.engine.teams import Teams
from breakeven.errors import InputError
from breakeven.model.scaling import Team
from breakeven.model.spec import TrainingSpec
from breakeven.workloads.training.launch import TeamPlan

CORES = ((0,), (1,), (2,), (3,))


class Cast:
    """Gives teams instead of starting processes, and keeps what it was asked for."""

    def __init__(self, fails: int | None = None) -> None:
        self.asked: list[tuple[int, int, int, TeamPlan, Path]] = []
        self._fails = fails

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
        """Return a team that worked out, unless it is of the number that fails."""
        del spec, device
        assert plan is not None
        self.asked.append((round_, batch_size, processes, plan, folder))
        return Team(
            workload="train",
            size=batch_size,
            processes=processes,
            round=round_,
            backend="gloo",
            strategy="ddp",
            seconds=1.0,
            samples=1,
            ranks=(),
            why="rank 1 hung" if processes == self._fails else None,
        )


def played(
    cast: Cast, gpus: tuple[int, ...] = (2, 4), most: int = 1000, **more: int
) -> tuple[int, list[Team], Teams]:
    """Return rounds completed and teams emitted, of which `most` fit."""
    emitted: list[Team] = []
    teams = Teams(
        TrainingSpec(gpus=gpus), "cpu", Path("x"), emitted.append, lambda _: len(emitted) < most
    )
    ticks = count()
    plan = TeamPlan(cores=CORES)
    done = teams.run((32, 64), lambda: float(next(ticks)), plan=plan, measure=cast, **more)
    return done, emitted, teams


def test_each_round_has_every_number_and_one_process_alone() -> None:
    """Also where one was not asked for: it is the base."""
    cast = Cast()
    done, emitted, _ = played(cast)
    assert done == 3
    assert len(emitted) == 3 * 2 * 3
    for round_ in (1, 2, 3):
        seen = {(size, n) for r, size, n, _, _ in cast.asked if r == round_}
        assert seen == {(size, n) for size in (32, 64) for n in (1, 2, 4)}


def test_the_order_is_drawn_anew_each_round() -> None:
    """Two rounds in the same order would let drift pass for a difference."""
    cast = Cast()
    played(cast)
    orders = [[(s, n) for r, s, n, _, _ in cast.asked if r == round_] for round_ in (1, 2, 3)]
    assert orders[0] != orders[1] or orders[1] != orders[2]


def test_one_process_alone_has_as_many_cores_as_each_of_several() -> None:
    """Else two processes on half the cores each could never be twice as fast."""
    cast = Cast()
    played(cast)
    assert {n: plan.cores for _, _, n, plan, _ in cast.asked} == {
        1: CORES[:1],
        2: CORES[:2],
        4: CORES,
    }


def test_every_team_has_a_folder_of_its_own() -> None:
    """No file of one is read as another's."""
    cast = Cast()
    played(cast)
    folders = [folder for *_, folder in cast.asked]
    assert len(set(folders)) == len(folders)


def test_a_team_that_failed_is_not_tried_again() -> None:
    """Its reason is kept, and the others go on."""
    cast = Cast(fails=4)
    done, emitted, teams = played(cast)
    assert done == 3
    assert [t.processes for t in emitted].count(4) == 2
    assert teams.failed == {(32, 4): "rank 1 hung", (64, 4): "rank 1 hung"}


def test_it_ends_where_no_other_fits() -> None:
    """Rounds that were not completed do not count, and their teams stand all the same."""
    done, emitted, _ = played(Cast(), most=8)
    assert done == 1
    assert len(emitted) == 8


def test_more_processes_than_cores_are_refused() -> None:
    """Before anything starts."""
    with pytest.raises(InputError, match="8 processes have cores for 4"):
        played(Cast(), gpus=(8,))
