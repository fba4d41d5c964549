"""What sensors read in the stretches of a run, told in few figures beside each of them."""

from __future__ import annotations

import msgspec

from breakeven.analysis.energy import energies
from breakeven.analysis.stretches import readings
from breakeven.model.run import RunRecord
from breakeven.model.scaling import Team
from breakeven.model.study import Stretch, Study


def with_readings(record: RunRecord) -> RunRecord:
    """Return a run whose stretches and teams have readings and energies from its timeline.

    The engine journals a stretch when it ends, and the timeline when the run does: only then are
    there samples to be told.
    """
    if not record.timeline or record.sensing is None:
        return record
    return msgspec.structs.replace(
        record,
        studies=tuple(_studied(record, study) for study in record.studies),
        teams=tuple(_team(record, team) for team in record.teams),
    )


def _team(record: RunRecord, team: Team) -> Team:
    """Return a team each of whose ranks has the readings of its own GPU."""
    if team.begin_s is None or team.end_s is None:
        return team
    numbers = {gpu.uuid: number for number, gpu in enumerate(record.machine.gpus)}
    found = readings(record.timeline, team.begin_s, team.end_s)
    ranks = []
    for rank in team.ranks:
        own = f"gpu{numbers[rank.gpu]}." if rank.gpu in numbers else None
        mine = tuple(r for r in found if own is not None and r.sensor.startswith(own))
        ranks.append(msgspec.structs.replace(rank, readings=mine))
    return msgspec.structs.replace(team, ranks=tuple(ranks))


def _studied(record: RunRecord, study: Study) -> Study:
    return msgspec.structs.replace(
        study, stretches=tuple(_sensed(record, stretch) for stretch in study.stretches)
    )


def _sensed(record: RunRecord, stretch: Stretch) -> Stretch:
    assert record.sensing is not None
    begin_s, end_s = stretch.begin_s, stretch.end_s
    return msgspec.structs.replace(
        stretch,
        readings=readings(record.timeline, begin_s, end_s),
        energies=energies(
            record.timeline, begin_s, end_s, idle_before(record, begin_s), record.sensing.absent
        ),
    )


def idle_before(record: RunRecord, begin_s: float) -> tuple[float, float] | None:
    """Return the last idle stretch before a moment; None where there was none."""
    marks = record.sensing.marks if record.sensing else ()
    found = [m for m in marks if m.kind == "idle" and m.end_s <= begin_s]
    last = max(found, key=lambda m: m.end_s, default=None)
    return None if last is None else (last.begin_s, last.end_s)
