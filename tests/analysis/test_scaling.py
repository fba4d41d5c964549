"""What more processes bring, judged on teams whose fault is known."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from breakeven.analysis.scaling import Scaling, scalings
from breakeven.model.scaling import Rank, Team
from breakeven.model.study import Reading

STEPS, SIZE, STEP_S = 20, 32, 0.01
Change = Callable[[int], float]


def team(
    processes: int,
    round_: int,
    *,
    busy: Change = lambda _: 1.0,
    exchange: float = 0.02,
    hidden: float | None = 0.9,
    samples: Change = lambda _: 1.0,
    utilisation: Change | None = None,
    why: str | None = None,
) -> Team:
    """Return a team whose ranks take `busy` times a step of 10 ms, give or take 2 %."""
    rng = random.Random(round_)
    times = [STEPS * STEP_S * busy(r) * math.exp(rng.gauss(0, 0.02)) for r in range(processes)]
    bare = STEPS * STEP_S * exchange if processes > 1 else 0.0
    counts = [int(STEPS * SIZE * samples(r)) for r in range(processes)]
    return Team(
        workload="train",
        size=SIZE,
        processes=processes,
        round=round_,
        backend="gloo",
        strategy="ddp",
        seconds=max(times) + bare * (1 - (hidden or 0)),
        samples=sum(counts),
        hidden_share=hidden if processes > 1 else None,
        why=why,
        ranks=tuple(
            Rank(
                rank=r,
                device=f"cuda:{r}",
                steps=STEPS,
                samples=counts[r],
                busy_s=times[r],
                wait_s=max(times) - times[r],
                exchange_s=bare,
                memory_peak_bytes=1000 + 1000 * (r == 0),
                readings=_readings(r, utilisation),
            )
            for r in range(processes)
        ),
    )


def _readings(rank: int, utilisation: Change | None) -> tuple[Reading, ...]:
    if utilisation is None:
        return ()
    mean, name = utilisation(rank), f"gpu{rank}.utilisation_share"
    return (Reading(sensor=name, mean=mean, low=mean, high=mean, samples=9),)


def judged(rounds: int = 3, processes: int = 2, **given: object) -> Scaling:
    """Return what is said of some rounds, each beside one process alone."""
    single = [team(1, r) for r in range(1, rounds + 1)]
    several = [team(processes, r, **given) for r in range(1, rounds + 1)]  # type: ignore[arg-type]
    (found,) = scalings([*single, *several])
    return found


def test_even_ranks_are_balanced_and_efficient() -> None:
    """Two processes alike bring nearly twice, and the interval holds the truth."""
    found = judged(rounds=8)
    assert found.cause == "balanced"
    assert found.culprit is None
    assert found.efficiency is not None
    assert found.efficiency.n == 8
    truth = -math.log(1 + 0.02 * 0.1)
    assert found.efficiency.low < truth + 0.02
    assert found.efficiency.mean == pytest.approx(truth, abs=0.03)


def test_a_slow_rank_is_named() -> None:
    """Rank 1 takes twice as long in each of three rounds: it is named, and the other waits."""
    found = judged(busy=lambda rank: 1.0 + rank)
    assert found.cause == "slow_rank"
    assert found.culprit is not None
    assert (found.culprit.rank, found.culprit.device) == (1, "cuda:1")
    assert found.culprit.ratio == pytest.approx(2, rel=0.1)
    assert all(0.4 < share < 0.6 for share in found.waiting.values())
    assert found.efficiency is not None
    assert found.efficiency.mean == pytest.approx(-math.log(2), abs=0.1)


def test_the_slow_one_of_many_is_found() -> None:
    """It is set beside the median of the others, so that one of eight stands out."""
    found = judged(8, 8, busy=lambda rank: 1.3 if rank == 5 else 1.0)
    assert found.cause == "slow_rank"
    assert found.culprit is not None
    assert found.culprit.rank == 5


def test_a_rank_without_work_is_named() -> None:
    """Next to no images went through rank 1, whatever else is uneven."""
    found = judged(samples=lambda rank: 0.05 if rank else 1.0, busy=lambda rank: 1 - 0.7 * rank)
    assert found.cause == "idle_rank"
    assert found.culprit is not None
    assert found.culprit.rank == 1
    assert found.culprit.ratio == pytest.approx(0.05)


def test_a_gpu_that_idles_is_named_by_its_utilisation() -> None:
    """Its GPU was used 1 % of the time while the other was at 70 %."""
    found = judged(utilisation=lambda rank: 0.01 if rank else 0.7)
    assert found.cause == "idle_rank"
    assert found.culprit is not None
    assert found.culprit.device == "cuda:1"
    assert judged(utilisation=lambda _: 0.01).cause == "balanced"


def test_an_exchange_that_stands_bare_is_named() -> None:
    """Half as long as a step and hidden by a fifth, it is what holds them up."""
    found = judged(exchange=0.5, hidden=0.2)
    assert found.cause == "exchange"
    assert all(share > 0.25 for share in found.exposed.values())
    assert judged(exchange=0.5, hidden=0.95).cause == "balanced"


def test_an_exchange_whose_interval_reaches_the_threshold_is_left_open() -> None:
    """One team has no interval; three that lie far apart have one that is too wide."""
    bare = team(2, 1, exchange=0.5, hidden=0.2)
    assert scalings([team(1, 1), bare])[0].cause == "undecided"
    apart = [team(2, n, exchange=e, hidden=0.2) for n, e in ((1, 0.02), (2, 0.05), (3, 0.9))]
    assert scalings([*(team(1, n) for n in (1, 2, 3)), *apart])[0].cause == "undecided"


def test_processes_that_hinder_each_other_are_found() -> None:
    """All take half as long again beside each other as one alone."""
    found = judged(busy=lambda _: 1.5)
    assert found.cause == "contention"


def test_one_round_settles_no_small_difference() -> None:
    """A rank a quarter slower in a single round may be chance."""
    found = judged(rounds=1, busy=lambda rank: 1.0 + 0.25 * rank)
    assert found.cause == "undecided"
    assert found.culprit is None


def test_noise_alone_names_nobody() -> None:
    """Of 300 sessions of three rounds with ranks alike, none has a culprit."""
    causes = []
    for session in range(300):
        rounds = range(1000 * session, 1000 * session + 3)
        teams = [t for r in rounds for t in (team(1, r), team(2, r + 500))]
        causes.append(scalings(teams)[0].cause)
    assert set(causes) == {"balanced"}


def test_without_one_process_alone_there_is_no_efficiency() -> None:
    """Nothing is taken for the base."""
    (found,) = scalings([team(2, r) for r in (1, 2, 3)])
    assert found.efficiency is None
    assert found.busy_spread[1] >= 1


def test_a_team_that_did_not_work_out_is_left_out() -> None:
    """Its figures are not to be read."""
    assert scalings([team(1, 1), team(2, 1, why="rank 1 hung")]) == ()
    (found,) = scalings([team(1, 1), team(2, 1, why="rank 1 hung"), team(2, 2)])
    assert found.rounds == 1


def test_memory_on_one_rank_alone_shows() -> None:
    """The first holds twice as much: a third more than the mean."""
    assert judged().memory_spread[1] == pytest.approx(4 / 3)
