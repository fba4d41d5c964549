"""The way back from a run record to the events that make it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from breakeven.model.event import (
    BackendSeen,
    Began,
    CaseSet,
    CeilingsDone,
    ColdDone,
    Ended,
    EntryChosen,
    Event,
    FloorsDone,
    NaiveDone,
    PortSeen,
    Remark,
    Sensed,
    SlotDone,
    Studied,
    TeamDone,
)
from breakeven.model.run import Limits

if TYPE_CHECKING:
    from breakeven.model.run import Case, RunRecord


def unfold(record: RunRecord) -> tuple[Event, ...]:
    """Return events that fold into what `record` measured; conclusions are left out.

    A record made by `fold` comes back equal but for verdicts and everything else that was judged:
    a run that goes on is judged anew.
    """
    return (Began(record=bare(record)), *parts(record))


def bare(record: RunRecord) -> RunRecord:
    """Return `record` as it was when the run began: what was asked, where, and nothing measured."""
    return msgspec.structs.replace(
        record,
        finished=None,
        interrupted=False,
        backends=(),
        entries=(),
        cases=(),
        cold_starts=(),
        naive_shots=(),
        limits=Limits(),
        remarks=(),
        verdicts=(),
        crossovers=(),
        paybacks=(),
        achieved=(),
        predictions=(),
        bands=(),
        advice=(),
        naive=(),
        caveats=(),
        ratios=(),
        first_answers=(),
        references=(),
        findings=(),
        studies=(),
        teams=(),
        timeline=(),
        sensing=None,
        ported=(),
        profiled=None,
        questions=(),
    )


def parts(record: RunRecord) -> Iterator[Event]:
    """Yield the events that follow the first one, in an order that folds back to `record`."""
    yield from (BackendSeen(info=info) for info in record.backends)
    yield from (EntryChosen(entry=entry) for entry in record.entries)
    for entry, floors in record.limits.floors.items():
        yield FloorsDone(entry=entry, floors=floors)
    yield from (CeilingsDone(ceilings=each) for each in record.limits.ceilings)
    for case in record.cases:
        yield from _case_events(case)
    yield from (ColdDone(start=start) for start in record.cold_starts)
    yield from (NaiveDone(shot=shot) for shot in record.naive_shots)
    yield from (Studied(study=study) for study in record.studies)
    yield from (TeamDone(team=team) for team in record.teams)
    if record.sensing is not None:
        yield Sensed(timeline=record.timeline, sensing=record.sensing)
    yield from (PortSeen(ported=each) for each in record.ported)
    yield from (Remark(text=text) for text in record.remarks)
    if record.finished is not None:
        yield Ended(finished=record.finished, interrupted=record.interrupted)


def _case_events(case: Case) -> Iterator[Event]:
    yield CaseSet(
        workload=case.workload,
        size=case.size,
        entry=case.entry,
        round=case.rounds[0].round if case.rounds else 0,
        status=case.status,
        why=case.why,
        work=case.work,
        agreement=case.agreement,
        memory=case.memory,
        phases=case.phases,
        device=case.device,
        caches=case.caches,
        losses=case.losses,
        loss_epochs=case.loss_epochs,
    )
    for group in case.rounds:
        for slot in group.slots:
            yield SlotDone(
                workload=case.workload,
                size=case.size,
                entry=case.entry,
                round=group.round,
                scope=group.scope,
                clock=group.clock,
                slot=slot,
                steady=group.steady,
                clock_steady=group.clock_steady,
            )
