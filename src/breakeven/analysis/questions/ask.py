"""All questions, asked of one record."""

from __future__ import annotations

from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.questions import (
    accuracy,
    batch,
    duration,
    energy,
    inference,
    power,
    scaling,
    step,
    utilisation,
)
from breakeven.analysis.questions.subjects import Subjects
from breakeven.model.questions import Answer


def questions(found: Comparisons) -> tuple[Answer, ...]:
    """Return what the record answers, question by question; empty where nothing was trained.

    Parameters
    ----------
    found : Comparisons
        Of the record.
    """
    several = scaling.answers(found.record)
    if not found.record.studies:
        return several
    subjects = Subjects(found)
    return several + tuple(
        answer
        for workload in subjects.workloads()
        for ask in (
            utilisation.answers,
            batch.answers,
            power.answers,
            energy.comparisons,
            duration.answers,
            accuracy.answers,
            inference.answers,
            step.answers,
        )
        for answer in ask(subjects, workload)
    )
