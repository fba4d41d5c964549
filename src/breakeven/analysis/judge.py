"""Everything that can be concluded from a record."""

from __future__ import annotations

from msgspec.structs import replace

from breakeven.analysis.advice import advise
from breakeven.analysis.bands import bands
from breakeven.analysis.caveats import caveats
from breakeven.analysis.ceiling import achieved
from breakeven.analysis.cold import cold_crossover
from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.crossover import crossover
from breakeven.analysis.first_answers import first_answers
from breakeven.analysis.naive import naive_costs
from breakeven.analysis.pairs import CONTROLS, Line
from breakeven.analysis.payback import payback
from breakeven.analysis.predict import predictions
from breakeven.analysis.questions.ask import questions
from breakeven.analysis.ratios import ratios
from breakeven.model.run import RunRecord
from breakeven.model.verdict import Advice, Band, Crossover, Judged, Payback


def judge(record: RunRecord) -> Judged:
    """Return everything that the records of a run allow to conclude.

    The same record gives the same conclusions, to the last digit: what is drawn again is drawn
    from a fixed seed.

    Parameters
    ----------
    record : RunRecord
        As the engine left it, finished or not; conclusions that it holds already are not read.
    """
    found = Comparisons(record)
    crossed = _warm(found)
    all_bands, all_advice = _words(found, crossed)
    return Judged(
        verdicts=tuple(c.verdict for c in found.all()),
        crossovers=_crossovers(found, crossed),
        paybacks=_paybacks(found),
        achieved=achieved(found.times),
        predictions=predictions(found.times),
        bands=all_bands,
        advice=all_advice,
        aa=found.twins.checks(),
        naive=naive_costs(found.times),
        ratios=ratios(found),
        first_answers=first_answers(record),
        caveats=caveats(found),
        questions=questions(found),
    )


def apply(record: RunRecord, judged: Judged) -> RunRecord:
    """Return the record with the conclusions in their places."""
    return replace(
        record,
        verdicts=judged.verdicts,
        crossovers=judged.crossovers,
        paybacks=judged.paybacks,
        achieved=judged.achieved,
        predictions=judged.predictions,
        bands=judged.bands,
        advice=judged.advice,
        naive=judged.naive,
        ratios=judged.ratios,
        first_answers=judged.first_answers,
        caveats=judged.caveats,
        questions=judged.questions,
        limits=replace(record.limits, aa=judged.aa),
    )


def _warm(found: Comparisons) -> dict[Line, Crossover]:
    """Return the crossover of each line in its own scope."""
    return {
        line: crossover(line, compared)
        for line, compared in found.by_line.items()
        if line.base_kind not in CONTROLS
    }


def _crossovers(found: Comparisons, crossed: dict[Line, Crossover]) -> tuple[Crossover, ...]:
    """Return the crossover of each line, with the cold one composed from its moving data."""
    rows = []
    for line, warm in crossed.items():
        rows.append(warm)
        on_cpu = found.times.on_cpu(line.entry)
        if line.scope == "transfer" or on_cpu:
            rows.append(cold_crossover(found.times, found.plan, line, found.by_line[line]))
    return tuple(rows)


def _paybacks(found: Comparisons) -> tuple[Payback, ...]:
    rows = []
    for line, compared in found.by_line.items():
        if line.scope != "resident" or line.base_kind in CONTROLS:
            continue
        rows += [
            payback(found.times, c, found.at(line, "transfer", c.pair.size))
            for c in compared
            if c.values
        ]
    return tuple(rows)


def _words(
    found: Comparisons, crossed: dict[Line, Crossover]
) -> tuple[tuple[Band, ...], tuple[Advice, ...]]:
    all_bands: list[Band] = []
    all_advice = []
    for line in found.main_lines():
        if line.base_kind in CONTROLS:
            continue
        here = bands(found.times, found.twins, line.entry, found.alongside(line))
        all_bands += here
        all_advice.append(advise(found, line, here, crossed))
    return tuple(all_bands), tuple(all_advice)
