"""The answer of a self-test: may this machine be believed, from which difference on, why not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from breakeven import units
from breakeven.model.selftest import Check, Fitness, Trial

# A cause first, then what it does to the figures.
_CAUSES = (
    "other_processes", "steal", "gpu_others", "two_states", "timer", "clock_rate", "answers",
    "empty_call", "message", "synchronise", "event_pair", "empty_kernel", "same_code", "planted",
    "device_clock",
)  # fmt: skip
STEP = 0.1


class Answer(NamedTuple):
    """Whether a machine is fit, from which ratio on, as a sentence."""

    fit: Fitness
    believed_from: float | None
    sentence: str


def answer(checks: Sequence[Check], trials: Sequence[Trial]) -> Answer:
    """Return what the checks amount to.

    One that failed makes the machine unfit; what could not be told does not, as long as the same
    code could be judged at most of its places.
    """
    failed = sorted((c for c in checks if c.word == "failed"), key=_rank)
    if failed:
        first = failed[0]
        more = f" ({len(failed) - 1} more failed)" if len(failed) > 1 else ""
        remedy = f"; {first.remedy}" if first.remedy else ""
        return Answer(
            "not_fit",
            None,
            f"This machine is not fit to be believed now: {first.why}{remedy}{more}.",
        )
    least = believed_from(trials)
    if least is None:
        said = _untold(checks, trials)
        return Answer(
            "unknown", None, f"Whether this machine is fit to be believed cannot be told{said}."
        )
    return Answer(
        "fit",
        least,
        "This machine is fit to be believed for differences of "
        f"{units.significant(least, 2)} times and more.",
    )


def believed_from(trials: Sequence[Trial]) -> float | None:
    """Return the smallest ratio that the session's rounds can settle; None where it cannot be told.

    That is the smallest planted one that was found everywhere. Where not even the largest was, it
    is what the widest verdict interval around equality, with the widest margin, leaves room for.
    The same code must have been judged at most of its places: a few say nothing of the others.
    """
    judged = [t for t in trials if t.verdict.word != "withheld"]
    some, places = _same_code(trials)
    if 2 * some <= places:
        return None
    for ratio in sorted({t.planted for t in trials if t.planted != 1.0}):
        here = [t for t in trials if t.planted == ratio]
        if here and all(t.verdict.word == "slower" for t in here):
            return ratio
    widest = max(_resolution(t) for t in judged)
    largest = max((t.planted for t in trials), default=1.0)
    return max(largest, round(STEP * math.ceil(round(widest / STEP, 6)), 6))


def _same_code(trials: Sequence[Trial]) -> tuple[int, int]:
    """Return at how many places the same code was judged, and how many there are."""
    words = [t.verdict.word for t in trials if t.planted == 1.0]
    return sum(word != "withheld" for word in words), len(words)


def _untold(checks: Sequence[Check], trials: Sequence[Trial]) -> str:
    """Return why there is no answer, to stand at the end of a sentence."""
    some, places = _same_code(trials)
    why = next((c.why for c in checks if c.name == "same_code" and c.why), None)
    if some:
        at = f"the same code could be judged at {some} of {places} places alone"
        return f": {at}" + (f" ({why})" if why else "")
    return f": {why}" if why else ""


def _resolution(trial: Trial) -> float:
    """Return the ratio that would just have been told from equality with this interval."""
    margin = trial.verdict.margin or 1.0
    if trial.low is None or trial.high is None or trial.low <= 0:
        return margin
    return max(math.sqrt(trial.high / trial.low), margin)


def _rank(check: Check) -> int:
    return next((i for i, name in enumerate(_CAUSES) if check.name.startswith(name)), len(_CAUSES))
