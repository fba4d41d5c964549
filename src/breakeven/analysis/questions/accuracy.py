"""RQ4, the accuracy: of each side with its interval, and whether the two are on a par."""

from __future__ import annotations

from breakeven.analysis.questions import quantities
from breakeven.analysis.questions.subjects import Subjects
from breakeven.model.questions import Answer, AnswerWord, Quantity, Unit
from breakeven.model.study import Study, Training
from breakeven.stats.proportions import (
    Share,
    difference,
    paired,
    paired_difference,
    wilson,
)

PARITY = 0.02
"""Share of the images by which two accuracies may differ and be on a par."""

SAME_IMAGES = "paired: the same images, answer by answer"
_ONE_SEED = "one training each: the images tell them apart, but another seed may end elsewhere"
OTHER_IMAGES = "unpaired: which images were answered wrongly was not kept"


def answers(subjects: Subjects, workload: str) -> list[Answer]:
    """Return the accuracy of each entry that was trained, then each GPU's beside the CPU's.

    The base is the best CPU entry at the batch size, where it was trained as well; else the CPU
    entry that was.
    """
    found, pairs = [], []
    for entry in subjects.entries(workload):
        for size in subjects.sizes(workload, entry):
            study = subjects.study(workload, size, entry)
            if not _last(study):
                continue
            found.append(_alone(study))
            base = _base(subjects, workload, size)
            if subjects.gpu(entry) is not None and base is not None:
                pairs.append(_beside(study, base))
    return [*found, *pairs]


def _last(study: Study) -> Training | None:
    """Return the training to tell of: the first that went through all of its epochs."""
    finished = [t for t in study.trainings if t.epochs]
    most = max((len(t.epochs) for t in finished), default=0)
    return next((t for t in finished if len(t.epochs) == most), None)


def _base(subjects: Subjects, workload: str, size: int) -> Study | None:
    best = subjects.base(workload, size)
    on_cpu = [e for e in subjects.entries(workload) if subjects.gpu(e) is None]
    for entry in sorted(on_cpu, key=lambda e: e != best):
        study = subjects.study(workload, size, entry)
        if _last(study):
            return study
    return None


def _alone(study: Study) -> Answer:
    """Return the accuracy after the last epoch; the interval is of its images."""
    training = _last(study)
    assert training is not None
    end = training.epochs[-1]
    figures = [
        _quantity("accuracy", "share", wilson(end.correct, end.total), end.total),
        Quantity(name="epochs", unit="1", value=float(len(training.epochs)), n=1),
        Quantity(name="test_loss", unit="1", value=end.test_loss, n=1, why=quantities.ONE_ROUND),
    ]
    return Answer(
        question="accuracy",
        workload=study.workload,
        entry=study.entry,
        size=study.size,
        figures=tuple(figures),
    )


def _beside(ours: Study, theirs: Study) -> Answer:
    """Return the difference of two accuracies with its interval, and the word for it.

    On a par: the whole interval within 2 points of 0. One training a side is compared, and its
    interval is of the images alone: where all of it lies on one side of 0 the seeds may be why, so
    that nobody is said to have learnt less. Where the answers to each image were kept, the
    difference is of pairs: an image that is hard to read is so for both.
    """
    mine, base = _last(ours), _last(theirs)
    assert mine is not None
    assert base is not None
    a, b = mine.epochs[-1], base.epochs[-1]
    method = OTHER_IMAGES
    if mine.wrong is not None and base.wrong is not None and a.total == b.total:
        apart = paired_difference(paired(frozenset(mine.wrong), frozenset(base.wrong), a.total))
        method = SAME_IMAGES
    else:
        apart = difference(a.correct, a.total, b.correct, b.total)
    epochs = {len(mine.epochs), len(base.epochs)}
    same, said = len(epochs) == 1, _word(apart)
    why = None if same else f"{min(epochs)} epochs against {max(epochs)}"
    if same and said == "different":
        why = _ONE_SEED
    return Answer(
        question="accuracy",
        workload=ours.workload,
        entry=ours.entry,
        size=ours.size,
        base=theirs.entry,
        word=said if same and said != "different" else "undecided",
        figures=(_quantity("difference", "share", apart, a.total, method),),
        why=why,
    )


def _word(apart: Share) -> AnswerWord:
    if apart.low >= -PARITY and apart.high <= PARITY:
        return "parity"
    return "different" if apart.low > 0 or apart.high < 0 else "undecided"


def _quantity(name: str, unit: Unit, share: Share, n: int, method: str | None = None) -> Quantity:
    return Quantity(
        name=name, unit=unit, value=share.value, low=share.low, high=share.high, n=n, method=method
    )
