"""What more processes bring, and what keeps them from bringing more."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from breakeven.model.scaling import Rank, Team
from breakeven.stats.intervals import Interval, interval, mean_of

Cause = Literal["balanced", "idle_rank", "slow_rank", "exchange", "contention", "undecided"]

IDLE_WORK = 0.25
"""Share of the fullest rank's images under which a rank counts as without work."""

IDLE_UTILISATION = 0.05
"""Utilisation of a GPU under which it counts as idle while another works."""

SLOWER = math.log(1.10)
"""Log ratio from which a rank's own time, or a process's beside others, is too long."""

EXPOSED = 0.10
"""Share of a stretch that an exchange may take openly before it is named."""


@dataclass(frozen=True, kw_only=True)
class Culprit:
    """The rank that holds the others up, or does nothing.

    Attributes
    ----------
    rank : int
    device : str
    ratio : float
        Its own time over the median of the others (slow); its share of their work (idle).
    """

    rank: int
    device: str
    ratio: float


@dataclass(frozen=True, kw_only=True)
class Scaling:
    """Teams of one size, beside one process alone.

    Attributes
    ----------
    size, processes : int
        Batch size of each process, and their number.
    backend, strategy : str
        As of its teams.
    rounds : int
        Teams behind it.
    throughput : mapping
        Images a second of all processes, by round.
    efficiency : Interval or None
        Of the log of throughput over as many times that of one process; None where one process
        alone was not measured.
    exchange, waiting : mapping
        Share that the exchange, bare, and the waiting take of a rank's time, by round: the mean of
        all ranks, and of the rank that waits most.
    exposed : mapping
        Share of the stretch that the exchange took openly, by round, where it is known.
    busy_spread, memory_spread, power_spread : mapping
        The largest of all ranks (of power: of all GPUs) over their mean, by round.
    cause : str
        What keeps it from scaling, of a closed set; ``undecided`` where the rounds do not settle
        it.
    culprit : Culprit or None
    """

    size: int
    processes: int
    backend: str
    strategy: str
    rounds: int
    throughput: Mapping[int, float]
    efficiency: Interval | None
    exchange: Mapping[int, float]
    waiting: Mapping[int, float]
    exposed: Mapping[int, float]
    busy_spread: Mapping[int, float]
    memory_spread: Mapping[int, float]
    power_spread: Mapping[int, float]
    cause: Cause
    culprit: Culprit | None


def scalings(teams: Iterable[Team]) -> tuple[Scaling, ...]:
    """Return what each number of processes brought, batch size by batch size.

    Teams that did not work out, or were made uneven on purpose while others were not, are judged
    each kind by itself.
    """
    kinds: dict[tuple[int, str, str, str | None], dict[int, list[Team]]] = {}
    singles: dict[int, list[Team]] = {}
    for team in teams:
        if team.why is not None or not team.ranks or team.seconds <= 0:
            continue
        if team.processes == 1:
            singles.setdefault(team.size, []).append(team)
            continue
        kind = (team.size, team.backend, team.strategy, team.planted)
        kinds.setdefault(kind, {}).setdefault(team.processes, []).append(team)
    return tuple(
        _scaling(found, singles.get(kind[0], []))
        for kind, by_processes in kinds.items()
        for _, found in sorted(by_processes.items())
    )


def _scaling(teams: Sequence[Team], singles: Sequence[Team]) -> Scaling:
    first = teams[0]
    ratios = _efficiencies(teams, singles)
    cause, culprit = _cause(teams, singles)
    memory = {
        t.round: _spread([r.memory_peak_bytes for r in t.ranks if r.memory_peak_bytes])
        for t in teams
        if sum(r.memory_peak_bytes is not None for r in t.ranks) > 1
    }
    return Scaling(
        size=first.size,
        processes=first.processes,
        backend=first.backend,
        strategy=first.strategy,
        rounds=len(teams),
        throughput={t.round: _rate(t) for t in teams},
        efficiency=interval(ratios) if ratios else None,
        exchange={t.round: _mean_share(t) for t in teams},
        waiting={t.round: max(_share(r, r.wait_s) for r in t.ranks) for t in teams},
        exposed={t.round: e for t in teams if (e := _exposed(t)) is not None},
        busy_spread={t.round: _spread([r.busy_s for r in t.ranks]) for t in teams},
        memory_spread=memory,
        power_spread={
            t.round: _spread(list(watts.values()))
            for t in teams
            if len(watts := per_gpu(t, "power_w")) > 1
        },
        cause=cause,
        culprit=culprit,
    )


def _rate(team: Team) -> float:
    return team.samples / team.seconds


def _efficiencies(teams: Sequence[Team], singles: Sequence[Team]) -> list[float]:
    """Return log efficiencies: of the same round where there is one, else of the mean of all."""
    if not singles:
        return []
    by_round = {s.round: math.log(_rate(s)) for s in singles}
    mean = statistics.fmean(by_round.values())
    return [
        math.log(_rate(t) / t.processes) - by_round.get(t.round, mean) for t in teams if t.samples
    ]


def _total(rank: Rank) -> float:
    return rank.busy_s + rank.wait_s + rank.exchange_s


def _share(rank: Rank, part: float) -> float:
    return part / _total(rank) if _total(rank) > 0 else 0.0


def _mean_share(team: Team) -> float:
    return statistics.fmean(_share(r, r.exchange_s) for r in team.ranks)


def _spread(values: Sequence[float]) -> float:
    mean = statistics.fmean(values)
    return max(values) / mean if mean > 0 else 1.0


def _exposed(team: Team) -> float | None:
    """Return the share of the stretch that the exchange took beyond what it hid behind."""
    if team.hidden_share is None:
        return None
    bare = statistics.fmean(r.exchange_s for r in team.ranks)
    return bare * (1.0 - team.hidden_share) / team.seconds


def _cause(teams: Sequence[Team], singles: Sequence[Team]) -> tuple[Cause, Culprit | None]:
    """Return what holds the teams up: a rank first, as it makes the others wait."""
    idle = _idle(teams)
    if idle is not None:
        return "idle_rank", idle
    open_ = False
    slowest = _slowest(teams)
    if slowest is not None:
        apart, culprit = slowest
        if apart.low > SLOWER:
            return "slow_rank", culprit
        open_ = apart.mean > SLOWER
    exposed = [e for t in teams if (e := _exposed(t)) is not None]
    if exposed:
        openly = mean_of(exposed)
        if openly.low is not None and openly.low > EXPOSED:
            return "exchange", None
        open_ = open_ or openly.value > EXPOSED
    beside = _beside(teams, singles)
    if beside is not None:
        if beside.low > SLOWER:
            return "contention", None
        open_ = open_ or beside.mean > SLOWER
    return ("undecided" if open_ else "balanced"), None


def _idle(teams: Sequence[Team]) -> Culprit | None:
    """Return the rank that got next to no images, or whose GPU idled, in every round."""
    for rank in teams[0].ranks:
        shares = [s for t in teams if (s := _work(t, rank.rank)) is not None]
        if len(shares) == len(teams) and max(shares) < IDLE_WORK:
            return Culprit(rank=rank.rank, device=rank.device, ratio=statistics.fmean(shares))
    used = [per_gpu(t, "utilisation_share") for t in teams]
    for gpu in sorted({g for found in used for g in found}):
        if all(found.get(gpu, 1.0) < IDLE_UTILISATION < max(found.values()) for found in used):
            share = statistics.fmean(found[gpu] / max(found.values()) for found in used)
            return Culprit(rank=gpu, device=f"cuda:{gpu}", ratio=share)
    return None


def _work(team: Team, number: int) -> float | None:
    """Return a rank's images over those of the fullest; None where it took no part."""
    fullest = max(r.samples for r in team.ranks)
    mine = next((r.samples for r in team.ranks if r.rank == number), None)
    return None if mine is None or not fullest else mine / fullest


def per_gpu(team: Team, quantity: str) -> dict[int, float]:
    """Return the mean of a sensor by number of the GPU, of all that a team was given.

    One process that drives all GPUs (DataParallel) has the readings of all of them.
    """
    found: dict[int, float] = {}
    for reading in (reading for rank in team.ranks for reading in rank.readings):
        device, _, name = reading.sensor.partition(".")
        number = device.removeprefix("gpu")
        if name == quantity and number.isdigit():
            found[int(number)] = reading.mean
    return found


def _slowest(teams: Sequence[Team]) -> tuple[Interval, Culprit] | None:
    """Return by how much the slowest rank's own time exceeds the median of the others'."""
    numbers = sorted({r.rank for t in teams for r in t.ranks})
    if len(numbers) < 2:
        return None
    found: list[tuple[Interval, Culprit]] = []
    for number in numbers:
        ratios: list[float] = []
        device = ""
        for team in teams:
            mine = [r for r in team.ranks if r.rank == number]
            others = [r.busy_s for r in team.ranks if r.rank != number and r.busy_s > 0]
            if mine and others and mine[0].busy_s > 0:
                device = mine[0].device
                ratios.append(math.log(mine[0].busy_s / statistics.median(others)))
        if ratios:
            apart = interval(ratios)
            culprit = Culprit(rank=number, device=device, ratio=math.exp(apart.mean))
            found.append((apart, culprit))
    return max(found, key=lambda pair: pair[0].mean, default=None)


def _beside(teams: Sequence[Team], singles: Sequence[Team]) -> Interval | None:
    """Return by how much a process's own step takes longer beside the others than alone."""
    alone = {s.round: _step(s) for s in singles}
    if not alone:
        return None
    mean = statistics.fmean(alone.values())
    return interval([math.log(_step(t) / alone.get(t.round, mean)) for t in teams])


def _step(team: Team) -> float:
    return statistics.median(r.busy_s / r.steps for r in team.ranks if r.steps)
