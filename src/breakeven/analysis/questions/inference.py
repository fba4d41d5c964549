"""RQ5: images a second, latency, and the largest batch under a latency limit."""

from __future__ import annotations

from breakeven.analysis.questions import quantities
from breakeven.analysis.questions.batch import throughputs
from breakeven.analysis.questions.subjects import ByRound, Subjects
from breakeven.model.questions import Answer, AnswerWord, Quantity
from breakeven.model.study import Study

PERCENTILES = ("p50", "p95", "p99")
_NO_LIMIT = "no limit was given; --latency-limit asks for one"


def answers(subjects: Subjects, workload: str) -> list[Answer]:
    """Return throughput and latency by entry and size, then the largest batch under the limit."""
    if workload != "infer":
        return []
    found = []
    for entry in subjects.entries(workload):
        studies = [subjects.study(workload, s, entry) for s in subjects.sizes(workload, entry)]
        rates, method = throughputs(subjects, workload, entry)
        mine = [_at(subjects, study, rates.get(study.size, {}), method) for study in studies]
        found += [*mine, _largest(subjects, workload, entry, mine)]
    return found


def _at(subjects: Subjects, study: Study, rates: ByRound, method: str) -> Answer:
    figures = [
        quantities.geometric("throughput", "1/s", rates, method=method)
        if rates
        else quantities.missing("throughput", "1/s", subjects.untimed(study)),
        *(_percentile(study, name) for name in PERCENTILES),
    ]
    if study.latencies:
        requests = min(x.requests for x in study.latencies)
        rounds = len({x.round for x in study.latencies})
        figures.append(Quantity(name="requests", unit="1", value=float(requests), n=rounds))
    return Answer(
        question="inference",
        workload=study.workload,
        entry=study.entry,
        size=study.size,
        figures=tuple(figures),
        why=study.why,
    )


def _percentile(study: Study, name: str) -> Quantity:
    """Return a percentile over rounds; a percentile of pooled requests would be of one process."""
    if not study.latencies:
        return quantities.missing(name, "s", study.why or "no single request was timed")
    values = {
        x.round: value for x in study.latencies if (value := getattr(x, f"{name}_s")) is not None
    }
    if not values:
        most = max(x.requests for x in study.latencies)
        return quantities.missing(name, "s", f"{most} requests are too few for it")
    return quantities.geometric(name, "s", values)


def _largest(subjects: Subjects, workload: str, entry: str, mine: list[Answer]) -> Answer:
    """Return the largest batch whose p99 surely keeps the limit, looking upward from the smallest.

    The look upward ends at the first batch that does not: so none is called fit by chance.
    """
    blank = Answer(question="inference", workload=workload, entry=entry)
    spec = subjects.record.spec.training
    limit = None if spec is None else spec.latency_limit_s
    if limit is None:
        return Answer(question="inference", workload=workload, entry=entry, why=_NO_LIMIT)
    fits, why = None, None
    for answer in mine:
        p99 = answer.figure("p99")
        if p99 is None or p99.high is None:
            said = "" if p99 is None else f": {p99.why}"
            why = f"batch {answer.size} has no upper bound of p99{said}"
            break
        if p99.high >= limit:
            why = f"the bound of p99 is over the limit at batch {answer.size}"
            break
        fits = answer
    word: AnswerWord = "found" if fits is not None else "none"
    if fits is None and why is not None and "no upper bound" in why:
        word = "undecided"
    figures = [Quantity(name="limit", unit="s", value=limit)]
    if fits is not None and fits.size is not None:
        p99 = fits.figure("p99")
        n = 0 if p99 is None else p99.n
        figures.append(Quantity(name="largest_batch", unit="batch", value=float(fits.size), n=n))
    return Answer(
        question=blank.question,
        workload=workload,
        entry=entry,
        word=word,
        figures=tuple(figures),
        why=why or "every batch measured keeps it",
    )
