"""The answer about several processes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from breakeven.analysis.questions import scaling
from breakeven.model.run import RunRecord
from breakeven.model.scaling import Rank, Team
from breakeven.model.timeline import Series
from records import entry, record


def rank(number: int, busy_s: float) -> Rank:
    """Return a rank that waits until the slowest has worked for 0.4 s."""
    return Rank(
        rank=number,
        device="cpu",
        steps=20,
        samples=640,
        busy_s=busy_s,
        wait_s=0.4 - busy_s,
        exchange_s=0.1,
    )


def team(processes: int, round_: int, **more: Any) -> Team:  # noqa: ANN401  any field
    """Return a team whose last rank takes twice as long, in 0.5 s."""
    ranks = tuple(rank(n, 0.4 if processes == 1 or n else 0.2) for n in range(processes))
    given = {
        "workload": "train",
        "size": 32,
        "processes": processes,
        "round": round_,
        "backend": "gloo",
        "strategy": "ddp",
        "seconds": 0.5,
        "samples": 640 * processes,
        "ranks": ranks,
        **more,
    }
    return Team(**given)


def with_teams(*teams: Team) -> RunRecord:
    """Return a record that holds them."""
    made = record((entry("numpy", 1),), {"numpy-1": lambda _: 1e-3}, sizes=(8,), rounds=1, slots=1)
    return msgspec.structs.replace(made, teams=teams)


def test_an_uneven_rank_is_told_with_its_figures() -> None:
    """The word is the cause, and each figure has its rounds."""
    rounds = [t for r in (1, 2, 3) for t in (team(1, r), team(2, r))]
    (answer,) = scaling.answers(with_teams(*rounds))
    assert (answer.word, answer.size, answer.why) == ("slow_rank", 32, "rank 1 (cpu)")
    efficiency, exchange = answer.figure("efficiency"), answer.figure("exchange_share")
    assert efficiency is not None
    assert efficiency.value == pytest.approx(1.0)
    assert efficiency.low is not None
    assert efficiency.low < 1.0
    assert efficiency.n == 3
    assert exchange is not None
    assert exchange.value == pytest.approx(0.2)


def test_a_failure_is_an_answer() -> None:
    """Teams that never worked out have their reason, and no figure."""
    (answer,) = scaling.answers(with_teams(team(1, 1), team(2, 1, why="rank 1 hung", ranks=())))
    assert answer.word is None
    assert answer.why == "rank 1 hung"
    count = answer.figure("processes")
    assert count is not None
    assert count.value == 2


def test_without_one_process_the_efficiency_says_why() -> None:
    """It names the option that measures it."""
    (answer,) = scaling.answers(with_teams(team(2, 1)))
    efficiency = answer.figure("efficiency")
    assert efficiency is not None
    assert efficiency.value is None
    assert efficiency.fix is not None
    assert "--gpus 1" in efficiency.fix


def series(sensor: str, value: float) -> Series:
    """Return a sensor that read the same all along, from 0 to 2 s."""
    times = tuple(n / 10 for n in range(21))
    return Series(sensor=sensor, t_s=times, value=(value,) * 21)


def test_a_gpu_that_idles_is_read_from_the_timeline() -> None:
    """One process drives both GPUs; the second drew 23 W and did nothing, and is named."""
    one = msgspec.structs.replace(rank(0, 0.4), device="cuda:0")
    both = team(2, 1, strategy="data_parallel", ranks=(one,), begin_s=0.5, end_s=1.5)
    timeline = (
        series("gpu0.utilisation_share", 0.7),
        series("gpu1.utilisation_share", 0.0),
        series("gpu0.power_w", 152.0),
        series("gpu1.power_w", 23.0),
    )
    run = msgspec.structs.replace(with_teams(both), timeline=timeline)
    (answer,) = scaling.answers(run)
    assert (answer.word, answer.why) == ("idle_rank", "rank 1 (cuda:1)")
    spread = answer.figure("power_spread")
    assert spread is not None
    assert spread.value == pytest.approx(152 / 87.5)


def test_each_rank_has_the_readings_of_its_own_gpu() -> None:
    """Those of others, and of the CPU, are not its."""
    ranks = tuple(msgspec.structs.replace(rank(n, 0.4), device=f"cuda:{n}") for n in (0, 1))
    timeline = (series("gpu0.power_w", 152.0), series("gpu1.power_w", 23.0), series("cpu.x", 1.0))
    found = scaling.sensed(team(2, 1, ranks=ranks, begin_s=0.5, end_s=1.5), timeline)
    assert [[(r.sensor, round(r.mean)) for r in one.readings] for one in found.ranks] == [
        [("gpu0.power_w", 152)],
        [("gpu1.power_w", 23)],
    ]


def test_a_gpu_that_is_known_by_its_uuid_is_not_guessed_by_its_number() -> None:
    """The numbers of a process and of the driver differ where some GPUs are hidden."""
    ranks = (msgspec.structs.replace(rank(0, 0.4), device="cuda:0", gpu="GPU-7"),)
    made = team(1, 1, ranks=ranks, begin_s=0.5, end_s=1.5)
    assert scaling.sensed(made, (series("gpu0.power_w", 152.0),)) == made


def test_no_teams_have_no_answer() -> None:
    """A run on one process says nothing of several."""
    assert scaling.answers(with_teams()) == ()
