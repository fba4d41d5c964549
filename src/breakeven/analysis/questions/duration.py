"""RQ4, the time: an epoch and the whole training from measured steps."""

from __future__ import annotations

from msgspec.structs import replace

from breakeven.analysis.questions import quantities
from breakeven.analysis.questions.subjects import Subjects
from breakeven.model.questions import Answer, Quantity
from breakeven.model.spec import TrainingSpec
from breakeven.model.study import Study, Training

FROM_STEPS = "measured steps times the steps of an epoch"
RUN_IN_FULL = "epochs that were run"
_NO_EPOCHS = "only steps were measured; --all-epochs runs every epoch"


def answers(subjects: Subjects, workload: str) -> list[Answer]:
    """Return how long a step, an epoch and the training take, beside the best CPU entry."""
    return [
        _answer(subjects, subjects.study(workload, size, entry))
        for entry in subjects.entries(workload)
        for size in subjects.sizes(workload, entry)
    ]


def _answer(subjects: Subjects, study: Study) -> Answer:
    where = (study.workload, study.size, study.entry)
    step = subjects.step_s(*where)
    figures = [
        quantities.geometric("step", "s", step)
        if step
        else quantities.missing("step", "s", subjects.untimed(study))
    ]
    if study.workload == "train":
        plan = subjects.record.spec.training or TrainingSpec()
        steps = subjects.steps_per_epoch(study)
        figures += [*_told(steps, figures[0], plan.epochs), *_run(study)]
    verdict = subjects.verdict(*where)
    if verdict is not None and verdict.ratio is not None:
        figures.append(
            Quantity(
                name="ratio",
                unit="1",
                value=verdict.ratio,
                low=verdict.low,
                high=verdict.high,
                n=verdict.rounds,
            )
        )
    return Answer(
        question="time",
        workload=study.workload,
        entry=study.entry,
        size=study.size,
        base=None if verdict is None else verdict.base,
        figures=tuple(figures),
        why=None if verdict is None else verdict.why,
    )


def _told(steps: int | None, step: Quantity, epochs: int) -> list[Quantity]:
    """Return epoch and training as steps foretell them; exact multiples, so the interval scales."""
    if steps is None or step.value is None:
        why = step.why if step.value is None else "the steps of an epoch were not recorded"
        said = why or "no step was timed"
        return [quantities.missing(name, "s", said) for name in ("epoch", "training")]
    factors = {"epoch": steps, "training": steps * epochs}
    return [_by(quantities.scaled(step, f, name), FROM_STEPS) for name, f in factors.items()]


def _by(quantity: Quantity, method: str) -> Quantity:
    return replace(quantity, method=method)


def _run(study: Study) -> list[Quantity]:
    if not study.trainings:
        return [quantities.missing("epoch_run", "s", _NO_EPOCHS)]
    epochs = {t.round: _mean_epoch(t) for t in study.trainings if t.epochs}
    whole = {t.round: sum(e.seconds for e in t.epochs) for t in study.trainings if t.epochs}
    if not epochs:
        return [quantities.missing("epoch_run", "s", "no epoch was finished")]
    return [
        quantities.geometric("epoch_run", "s", epochs, method=RUN_IN_FULL),
        quantities.geometric("training_run", "s", whole, method=RUN_IN_FULL),
        Quantity(name="epochs_run", unit="1", n=len(epochs),
                 value=float(max(len(t.epochs) for t in study.trainings))),
    ]  # fmt: skip


def _mean_epoch(training: Training) -> float:
    return sum(e.seconds for e in training.epochs) / len(training.epochs)
