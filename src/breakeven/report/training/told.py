"""Look-ups into the answers of a run: whom to tell of, at which batch size."""

from __future__ import annotations

from breakeven.model.questions import Answer, Quantity, Question
from breakeven.model.spec import TrainingSpec
from breakeven.model.verdict import BEST_CPU, Verdict
from breakeven.report.evidence import Evidence
from breakeven.report.training import theirs


class Told:
    """The answers about one workload of a run.

    Attributes
    ----------
    gpu : str or None
        The GPU entry that sentences are about: the first one in the run's own precision.
    size : int or None
        The batch size that they are about: the larger one of the paper's where both sides have
        it, else the GPU's knee, else the largest that both sides have.
    """

    def __init__(self, evidence: Evidence, workload: str) -> None:
        self.evidence = evidence
        self.workload = workload
        self.plan = evidence.record.spec.training or TrainingSpec()
        self._answers = [a for a in evidence.record.questions if a.workload == workload]
        timed = list(dict.fromkeys(a.entry for a in self._of("time") if a.entry is not None))
        on_gpu = [e for e in timed if evidence.on_gpu(e)]
        usual = [e for e in on_gpu if evidence.entries[e].variant == "default"]
        self.gpu: str | None = next(iter([*usual, *on_gpu]), None)
        self.entries = timed
        self.size = self._size()

    def __bool__(self) -> bool:
        """Return whether there is anything to tell."""
        return bool(self._answers)

    def _of(self, question: Question) -> list[Answer]:
        return [a for a in self._answers if a.question == question]

    def answer(
        self, question: Question, entry: str | None, size: int | None, base: str | None = None
    ) -> Answer | None:
        """Return one answer; `base` is asked for where two sides are compared."""
        found = (
            a for a in self._of(question) if (a.entry, a.size) == (entry, size)
            and (question == "time" or a.base == base)
        )  # fmt: skip
        return next(found, None)

    def all(self, question: Question) -> list[Answer]:
        """Return all answers to a question."""
        return self._of(question)

    def figure(
        self, question: Question, entry: str | None, size: int | None, name: str
    ) -> Quantity | None:
        """Return one figure; None where there is none."""
        found = self.answer(question, entry, size)
        return None if found is None else found.figure(name)

    def sizes(self, entry: str) -> list[int]:
        """Return the batch sizes of an entry, ascending."""
        return sorted(a.size for a in self._of("time") if a.entry == entry and a.size is not None)

    def cpu(self, size: int | None) -> str | None:
        """Return the best CPU entry at a size: the base of the GPU's, else the quickest one."""
        if size is None:
            return None
        for a in self._of("time"):
            if a.size == size and a.base is not None and not self.evidence.on_gpu(a.base):
                return a.base
        timed = [
            (q.value, a.entry)
            for a in self._of("time")
            if a.size == size and a.entry is not None and not self.evidence.on_gpu(a.entry)
            and (q := a.figure("step")) is not None and q.value is not None
        ]  # fmt: skip
        if timed:
            return min(timed)[1]
        # Where no slot counts none is the quickest; what else is known of one is told all the same.
        untimed = (a.entry for a in self._of("time") if a.size == size and a.entry is not None)
        return next((e for e in untimed if not self.evidence.on_gpu(e)), None)

    def sides(self, size: int | None) -> list[str]:
        """Return the GPU entry and the best CPU entry, as far as there are any."""
        cpu = self.cpu(size)
        return [e for e in (self.gpu, cpu) if e is not None]

    def verdict(self, entry: str, size: int | None) -> Verdict | None:
        """Return the verdict over the best CPU entry, loader and copies included."""
        every = (
            *self.evidence.verdicts(self.workload), *self.evidence.variant_verdicts(self.workload)
        )  # fmt: skip
        wanted = (entry, size, "transfer", BEST_CPU)
        return next((v for v in every if (v.entry, v.size, v.scope, v.base_kind) == wanted), None)

    def other_sizes(self) -> list[int]:
        """Return the paper's batch sizes that both sides have, but for the one told of."""
        known = [set(self.sizes(e)) for e in self.sides(self.size)]
        return [s for s in theirs.SIZES if s != self.size and known and all(s in k for k in known)]

    def label(self, entry: str) -> str:
        """Return what an entry is called."""
        return self.evidence.label(entry)

    @property
    def trains(self) -> bool:
        """Whether the workload trains; otherwise it infers."""
        return self.workload == "train"

    @property
    def whole(self) -> str:
        """What a whole training is called, such as ``"20 epochs"``."""
        return "1 epoch" if self.plan.epochs == 1 else f"{self.plan.epochs} epochs"

    @property
    def things(self) -> str:
        """What samples are called: images, but for a model of sequences."""
        return "sequences" if self.plan.model == "transformer" else "images"

    def _size(self) -> int | None:
        everyone = self._of("time")
        on_cpu = {a.size for a in everyone if a.entry and not self.evidence.on_gpu(a.entry)}
        on_gpu = set(self.sizes(self.gpu)) if self.gpu is not None else on_cpu
        shared = sorted(s for s in (on_cpu & on_gpu or on_gpu or on_cpu) if s is not None)
        if not shared:
            return None
        for size in sorted(theirs.SIZES, reverse=True):
            if size in shared:
                return size
        bend = self.figure("batch", self.gpu or self.cpu(shared[-1]), None, "knee")
        if bend is not None and bend.value is not None and int(bend.value) in shared:
            return int(bend.value)
        return shared[-1]
