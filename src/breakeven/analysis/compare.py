"""One comparison: an entry against its base at one size, judged."""

from __future__ import annotations

import math
from typing import NamedTuple

import msgspec

from breakeven import units
from breakeven.analysis.arithmetic import sides
from breakeven.analysis.gates import Gate, gate, more_time
from breakeven.analysis.pairs import Pair
from breakeven.analysis.rule import SETTLED, Look, first_settled
from breakeven.analysis.times import Times
from breakeven.analysis.twins import Twins
from breakeven.model.verdict import Verdict
from breakeven.stats.intervals import LOOKS, SAME, Interval, interval, rounds_to_settle


class Comparison(NamedTuple):
    """A verdict with what it rests on.

    Attributes
    ----------
    values : dict
        Paired log ratio by round.
    settled : bool
        Whether more rounds would not change the word.
    """

    pair: Pair
    values: dict[int, float]
    gate: Gate | None
    verdict: Verdict
    settled: bool


def round_cost_s(times: Times) -> float | None:
    """Return seconds that one more round costs at least: its slots after its slowest start.

    None before a round has been measured. Warm-up is not recorded, so it is left out.
    """
    last = times.rounds
    if last < 1:
        return None
    slots = [
        slot.median_s * slot.repeats
        for case in times.record.cases
        for round_ in case.rounds
        if round_.round == last and round_.clock == "wall"
        for slot in round_.slots
    ]
    starts = [
        (case.phases.import_s or 0.0) + (case.phases.context_s or 0.0)
        for case in times.record.cases
    ]
    return math.fsum(slots) + max(starts, default=0.0) if slots else None


def compare(times: Times, twins: Twins, pair: Pair) -> Comparison:
    """Judge one comparison at its first settled look among the looks that its rounds allow.

    Parameters
    ----------
    times : Times
        The record's wall times.
    twins : Twins
        Its A/A pairs.
    pair : Pair
        The comparison.

    Returns
    -------
    Comparison
        With 1 or 2 rounds, or in a quick run, the word is ``withheld`` and the ratio indicative.
    """
    values = times.paired(pair.workload, pair.size, pair.scope, pair.base, pair.entry)
    ordered = [values[r] for r in sorted(values)]
    shut = _shut(times, twins, pair, len(ordered))
    look = first_settled(
        ordered, lambda n: twins.margin(pair.workload, pair.size, pair.scope, n) or SAME
    )
    blank = Verdict(
        workload=pair.workload,
        size=pair.size,
        scope=pair.scope,
        base=pair.base,
        base_kind=pair.base_kind,
        entry=pair.entry,
        word="withheld",
        rounds=len(ordered),
    )
    if (both := sides(times, pair)) is not None:
        base, entry = both
        blank = msgspec.structs.replace(blank, base_precision=base, precision=entry)
    if shut is not None or look is None:
        shut = shut or _too_few(times)
        verdict = _withheld(blank, ordered, look, shut)
        return Comparison(pair, values, shut, verdict, settled=not shut.mendable)
    verdict = _spoken(blank, look, len(ordered), round_cost_s(times))
    return Comparison(pair, values, None, verdict, settled=look.word in SETTLED)


_QUICK = Gate(
    "quick: indicative; run without --quick for a verdict", "quick", readable=True, spoils=False
)


def _too_few(times: Times) -> Gate:
    return Gate(
        f"fewer than 3 rounds; {more_time(times.record)}",
        "few_rounds",
        mendable=True,
        readable=True,
        spoils=False,
    )


def _shut(times: Times, twins: Twins, pair: Pair, rounds: int) -> Gate | None:
    """Return what withholds a comparison, reasons that spoil its figures first."""
    found = gate(times, twins, pair)
    if found is not None and not found.readable:
        return found
    if times.record.spec.effort == "quick":
        return _QUICK
    return _too_few(times) if rounds < LOOKS[0] else found


def _with_figures(verdict: Verdict, seen: Interval) -> Verdict:
    return msgspec.structs.replace(
        verdict,
        ratio=math.exp(seen.mean),
        low=math.exp(seen.low),
        high=math.exp(seen.high),
        rounds=seen.n,
    )


def _withheld(blank: Verdict, ordered: list[float], look: Look | None, shut: Gate) -> Verdict:
    verdict = msgspec.structs.replace(blank, why=shut.why, reason=shut.reason)
    if not shut.readable or not ordered:
        return verdict
    return _with_figures(verdict, look.interval if look else interval(ordered))


def _spoken(blank: Verdict, look: Look, rounds: int, round_s: float | None) -> Verdict:
    seen = look.interval
    verdict = msgspec.structs.replace(
        _with_figures(blank, seen),
        word=look.word,
        verdict_low=math.exp(seen.verdict_low),
        verdict_high=math.exp(seen.verdict_high),
        margin=math.exp(look.margin),
    )
    if look.word in SETTLED:
        return verdict
    needed = rounds_to_settle(seen.mean, seen.sd, look.margin, rounds)
    cost = None if needed is None or round_s is None else (needed - rounds) * round_s
    return msgspec.structs.replace(
        verdict,
        why=_open_words(look, needed, cost),
        reason="noise" if look.word == "inconclusive" else "margin",
        rounds_needed=needed,
        cost_s=cost,
    )


def _open_words(look: Look, needed: int | None, cost: float | None) -> str:
    """Return what would settle a comparison that is open."""
    if look.word in {"some_gain", "some_loss"}:
        margin = units.ratio(math.exp(look.margin))
        said = f"a difference is there, but within the {margin} that this session can tell apart"
    else:
        said = "the verdict interval includes equality"
    if needed is None:
        return f"{said}; at this noise even {LOOKS[-1]} rounds may not settle it"
    price = "" if cost is None else f", at least about {units.about(cost)} more"
    return f"{said}; {needed} rounds in all would settle it at this noise{price}"
