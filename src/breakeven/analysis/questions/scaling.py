"""What several processes bring: throughput, efficiency, exchange, balance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from breakeven.analysis.questions import quantities
from breakeven.analysis.scaling import Scaling, scalings
from breakeven.analysis.stretches import readings
from breakeven.model.questions import Answer, Quantity
from breakeven.model.run import RunRecord
from breakeven.model.scaling import Rank, Team
from breakeven.model.study import Reading
from breakeven.model.timeline import Series

ALONE = "one process alone was not measured"
BARE = "awaited, in a pass of its own"


def answers(record: RunRecord) -> tuple[Answer, ...]:
    """Return one answer for each number of processes at each batch size, failures included."""
    teams = [sensed(team, record.timeline) for team in record.teams]
    found = [_answer(one) for one in scalings(teams)]
    failed = {(t.size, t.processes): t.why for t in record.teams if t.why is not None}
    known = {(a.size, p.value) for a in found if (p := a.figure("processes")) is not None}
    for (size, processes), why in failed.items():
        if (size, processes) not in known:
            figures = (_count(processes, 0),)
            found.append(
                Answer(question="scaling", workload="train", size=size, figures=figures, why=why)
            )
    return tuple(found)


def sensed(team: Team, timeline: Sequence[Series]) -> Team:
    """Return a team whose ranks have what the sensors read of their GPUs in the stretch.

    One process that drives all GPUs has the readings of all; a rank that has its own already, or
    whose GPU is known by its UUID, stays as it is.
    """
    if team.begin_s is None or team.end_s is None or not timeline:
        return team
    found = readings(timeline, team.begin_s, team.end_s)

    def mine(rank: Rank) -> tuple[Reading, ...]:
        if team.strategy == "data_parallel":
            numbers = [str(n) for n in range(team.processes)]
        elif rank.readings or rank.gpu is not None:
            return rank.readings
        else:
            numbers = [rank.device.partition(":")[2]]
        return tuple(r for r in found if r.sensor.partition(".")[0] in {f"gpu{n}" for n in numbers})

    ranks = tuple(msgspec.structs.replace(rank, readings=mine(rank)) for rank in team.ranks)
    return msgspec.structs.replace(team, ranks=ranks)


def _count(processes: int, rounds: int) -> Quantity:
    return Quantity(name="processes", unit="1", value=float(processes), n=rounds)


def _answer(one: Scaling) -> Answer:
    figures = [_count(one.processes, one.rounds)]
    figures.append(quantities.geometric("throughput", "1/s", one.throughput))
    figures.append(_efficiency(one))
    figures.append(quantities.mean("exchange_share", "share", one.exchange, method=BARE))
    figures.append(quantities.mean("waiting_share", "share", one.waiting, method=BARE))
    for name, values in (
        ("exposed_exchange_share", one.exposed),
        ("busy_spread", one.busy_spread),
        ("memory_spread", one.memory_spread),
        ("power_spread", one.power_spread),
    ):
        figures += _where_known(name, values)
    why = None
    if one.culprit is not None:
        who = f"rank {one.culprit.rank} ({one.culprit.device})"
        figures.append(Quantity(name="culprit", unit="1", value=one.culprit.ratio, method=who))
        why = who
    return Answer(
        question="scaling",
        workload="train",
        size=one.size,
        word=one.cause,
        figures=tuple(figures),
        why=why,
    )


def _where_known(name: str, values: Mapping[int, float]) -> list[Quantity]:
    if not values:
        return []
    return [quantities.mean(name, "1" if name.endswith("spread") else "share", values)]


def _efficiency(one: Scaling) -> Quantity:
    found = one.efficiency
    if found is None:
        return quantities.missing("efficiency", "share", ALONE, "measure --gpus 1 as well")
    return Quantity(
        name="efficiency",
        unit="share",
        value=math.exp(found.mean),
        low=math.exp(found.low),
        high=math.exp(found.high),
        n=found.n,
        method="of as many times one process",
    )
