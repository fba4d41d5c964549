"""Comparisons with known answers, each kind as one check."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from breakeven import units
from breakeven.analysis.gates import status_words
from breakeven.model.run import RunRecord
from breakeven.model.selftest import Check, CheckWord, Together, Trial

# Identical code that may differ by more than this tells nothing of use apart.
USELESS_MARGIN = 2.0


def answers_check(record: RunRecord) -> Check:
    """Return whether every answer agrees with its float64 reference."""
    wrong = [c for c in record.cases if c.status != "ok"]
    passed = sum(c.agreement is not None and c.agreement.passed for c in record.cases)
    first = next((c for c in wrong if c.status == "disagrees"), wrong[0] if wrong else None)
    return Check(
        name="answers",
        title="answers agree with float64",
        word="unknown" if not record.cases else "failed" if wrong else "passed",
        figure=f"{passed} of {len(record.cases)} cases",
        target="all",
        value=float(passed),
        limit=float(len(record.cases)),
        why=f"{first.entry} at {first.workload} {first.size}: {status_words(first)}"
        if first
        else None
        if record.cases
        else "no case was set up",
        remedy="breakeven doctor says what is broken" if first else None,
    )


def off(joint: Sequence[Together], ratio: float) -> Together | None:
    """Return the entry whose trials together contradict a planted ratio; None when none does."""
    return next((j for j in joint if j.planted == ratio and not j.holds), None)


def same_code_check(found: Sequence[Trial], off: Together | None) -> Check:
    """Return whether the same code measured twice comes out alike, and what it hides.

    Parameters
    ----------
    off : Together or None
        An entry whose places together say that it does not.
    """
    judged = [t.verdict for t in found if t.verdict.word != "withheld"]
    winners = [v for v in judged if v.word in {"faster", "slower"}]
    margin = max((v.margin for v in judged if v.margin is not None), default=None)
    word: CheckWord = "unknown"
    why = remedy = None
    figure = f"{len(judged)} of {len(found)} comparisons could be judged"
    if margin is not None:
        figure = (
            f"{len(winners)} winners in {len(judged)}; differences under "
            f"{units.significant(margin)} times cannot be told here"
        )
    if winners:
        v = winners[0]
        assert v.ratio is not None
        word = "failed"
        apart = units.significant(max(v.ratio, 1 / v.ratio))
        why = f"the same code measured twice came out {apart} times apart"
        why += f" ({v.base} at {v.workload} {v.size})"
        remedy = "run again when the machine is calmer; where it stays, report it"
    elif off is not None:
        word = "failed"
        apart = units.significant(max(off.measured, 1 / off.measured))
        why = f"the same code measured twice came out {apart} times apart over {off.places} places"
        why += f" ({off.base})"
        remedy = "run again when the machine is calmer; where it stays, report it"
    elif margin is not None and margin > USELESS_MARGIN:
        word = "failed"
        why = f"the same code differs by up to {units.significant(margin)} times from process"
        why += " to process"
        remedy = "see what else runs here and how clocks are governed (breakeven doctor)"
    elif margin is not None and len(judged) == len(found):
        word = "passed"
    else:
        why = next((t.verdict.why for t in found if t.verdict.word == "withheld"), None)
        why = why or "nothing was compared"
    return Check(
        name="same_code",
        title="the same code twice",
        word=word,
        figure=figure,
        target=f"no winner, under {units.significant(USELESS_MARGIN, 2)} times",
        value=margin,
        limit=USELESS_MARGIN,
        why=why,
        remedy=remedy,
    )


def planted_checks(found: Sequence[Trial], joint: Sequence[Together]) -> Iterator[Check]:
    """Yield each planted difference, largest first: found, contradicted, or open."""
    ratios = sorted({t.planted for t in found if t.planted != 1.0}, reverse=True)
    for ratio in ratios:
        yield _one_planted(ratio, [t for t in found if t.planted == ratio], off(joint, ratio))


def _one_planted(ratio: float, found: Sequence[Trial], off: Together | None) -> Check:
    wrong = [t for t in found if t.holds is False]
    slower = [t for t in found if t.verdict.word == "slower" and t not in wrong]
    rounds = max((t.rounds for t in found), default=0)
    figure = f"found at {len(slower)} of {len(found)} places, {rounds} rounds"
    word: CheckWord = "passed" if len(slower) == len(found) else "unknown"
    why = remedy = None
    if wrong:
        worst = max(wrong, key=lambda t: abs(math.log((t.measured or ratio) / ratio)))
        assert worst.measured is not None
        v, word = worst.verdict, "failed"
        why = f"work repeated {ratio:.2f} times was measured as {worst.measured:.2f} times"
        why += f" ({v.entry} at {v.workload} {v.size})"
        remedy = "run again when the machine is calmer; where it stays, report it"
    elif off is not None:
        word = "failed"
        why = f"work repeated {ratio:.2f} times was measured as {off.measured:.2f} times over"
        why += f" {off.places} places ({off.entry})"
        remedy = "run again when the machine is calmer; where it stays, report it"
    elif word == "unknown":
        missed = [t for t in found if t not in slower]
        needed = [t.rounds_needed for t in missed if t.rounds_needed is not None]
        withheld = next((t.verdict.why for t in missed if t.verdict.word == "withheld"), None)
        if needed:
            figure += f"; the rest would need {max(needed)}"
            why = f"{max(needed)} rounds would find it at this noise (--budget)"
        else:
            why = withheld or "at this noise even 20 rounds would not find it everywhere"
    return Check(
        name=f"planted_{ratio:.2f}",
        title=f"a planted difference of {ratio:.2f}",
        word=word,
        figure=figure,
        target="slower, its interval holds it",
        value=float(len(slower)),
        limit=float(len(found)),
        why=why,
        remedy=remedy,
    )
