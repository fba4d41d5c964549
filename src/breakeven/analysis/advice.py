"""Which library to use for a workload, with the evidence for it."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from breakeven import units
from breakeven.analysis.bands import duel
from breakeven.analysis.cold import cold_median
from breakeven.analysis.compare import Comparison
from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.pairs import Line
from breakeven.model.verdict import Advice, Band, Scope, Verdict

_SCOPE_WORDS: dict[Scope, str] = {
    "resident": "data resident",
    "transfer": "data travelling",
    "cold": "from a fresh start",
}

TIE_BREAK = (
    "Where speed does not decide: existing NumPy code moves to CuPy with the fewest changes; "
    "what needs gradients or deep learning belongs in PyTorch."
)


def advise(found: Comparisons, line: Line, bands: Sequence[Band]) -> Advice:
    """Return which entry to use in one scope of a workload.

    The choice is the best winner at the largest sizes where an entry wins; where none does, the
    base that wins most of the sizes. None when nothing is settled.

    Parameters
    ----------
    found : Comparisons
        All comparisons of the record.
    line : Line
        The main line of the workload in this scope.
    bands : sequence of Band
        What holds for small, middle and large sizes in this scope.
    """
    compared = found.alongside(line)
    winning = [b for b in bands if b.kind == "entry"]
    losing = [b for b in bands if b.kind in {"base", "alike"}]
    choice = None
    if winning:
        choice = winning[-1].entries[0]
    elif losing:
        choice = _base(compared)
    if choice is None:
        reasons = [_unsettled(compared, line)]
    elif winning:
        reasons = _for_winner(found, line, choice, compared)
    else:
        reasons = _for_base(choice, compared)
    if choice is not None:
        others = _rivals(found, line, choice)
        reasons += [s for s in (_start(found, line, [choice, *others]),
                                _answers(found, line, [choice, *others]),
                                _memory(found, line, [choice, *others])) if s]  # fmt: skip
    return Advice(workload=line.workload, scope=line.scope, choice=choice, reasons=tuple(reasons))


def told(verdict: Verdict) -> str:
    """Return a verdict's ratio as a sentence with scope, base, interval and rounds."""
    assert verdict.ratio is not None  # only verdicts with figures are told
    assert verdict.low is not None
    assert verdict.high is not None
    return (
        f"At size {units.whole(verdict.size)}, {_SCOPE_WORDS[verdict.scope]}, {verdict.entry} runs "
        f"at {units.ratio(verdict.ratio)} the speed of {verdict.base} (95 % interval "
        f"{units.ratio(verdict.low)} to {units.ratio(verdict.high)}, {verdict.rounds} rounds)."
    )


def _base(compared: Sequence[Comparison]) -> str | None:
    bases = [c.pair.base for c in compared if c.verdict.word in {"slower", "equivalent"}]
    return statistics.mode(bases) if bases else None


def _largest(compared: Sequence[Comparison], word: str, entry: str | None = None) -> Verdict | None:
    kept = [
        c.verdict
        for c in compared
        if c.verdict.word == word and (entry is None or c.pair.entry == entry)
    ]
    return max(kept, key=lambda v: v.size, default=None)


def _unsettled(compared: Sequence[Comparison], line: Line) -> str:
    whys = [c.gate.why for c in compared if c.gate is not None]
    scope = _SCOPE_WORDS[line.scope]
    if whys and len(whys) == len(compared):
        return f"No comparison may be judged ({scope}): {statistics.mode(whys)}."
    return f"No winner is settled at any size ({scope}); more rounds may tell (--budget)."


def _for_winner(
    found: Comparisons, line: Line, choice: str, compared: Sequence[Comparison]
) -> list[str]:
    best = _largest(compared, "faster", choice)
    lost = _largest([c for c in compared if c.pair.entry == choice], "slower")
    reasons = [told(best)] if best else []
    if lost is not None:
        reasons.append(f"Stay with {lost.base} at small sizes: {_lower_first(told(lost))}")
    for other in _rivals(found, line, choice):
        sentence = _against(found, line, choice, other)
        if sentence:
            reasons.append(sentence)
    return reasons


def _lower_first(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _rivals(found: Comparisons, line: Line, choice: str) -> list[str]:
    """Return the other entries that are compared with the same kind of base."""
    entries = dict.fromkeys(c.pair.entry for c in found.alongside(line))
    return [e for e in entries if e != choice]


def _against(found: Comparisons, line: Line, choice: str, other: str) -> str | None:
    """Return how the choice compares with another entry at the largest size that both have."""
    compared = found.by_line.get(line._replace(entry=choice)) or []
    for c in reversed(compared):
        met = duel(found.times, found.twins, c.pair, choice, other, c.pair.size)
        word, ratio = met.verdict.word, met.verdict.ratio
        if ratio is None or word == "withheld":
            continue
        if word in {"faster", "slower"}:
            return told(met.verdict)
        alike = "are alike" if word == "equivalent" else "were not told apart"
        return f"{choice} and {other} {alike}: {_lower_first(told(met.verdict))} {TIE_BREAK}"
    return None


def _for_base(choice: str, compared: Sequence[Comparison]) -> list[str]:
    reasons = []
    kept = [c for c in compared if c.pair.base == choice]
    for entry in dict.fromkeys(c.pair.entry for c in kept):
        for word in ("slower", "equivalent"):
            seen = _largest(kept, word, entry)
            if seen is not None:
                reasons.append(told(seen))
                break
    return reasons


def _start(found: Comparisons, line: Line, entries: Sequence[str]) -> str | None:
    costs = {e: cold_median(found.times, line.workload, e) for e in entries}
    parts = [f"{e} {units.seconds(c)}" for e, c in costs.items() if c is not None]
    if not parts:
        return None
    return f"Start-up (import, context, first call), median of fresh processes: {', '.join(parts)}."


def _answers(found: Comparisons, line: Line, entries: Sequence[str]) -> str | None:
    parts = []
    for e in entries:
        seen = [
            case.agreement
            for case in found.record.cases
            if case.workload == line.workload and case.entry == e and case.agreement is not None
        ]
        if not seen:
            continue
        worst = max(seen, key=lambda a: a.error)
        wrong = sum(not a.passed for a in seen)
        said = f"{e} {worst.class_} class"
        parts.append(f"{said}, wrong at {wrong} of {len(seen)} sizes" if wrong else said)
    return f"Answers beside the float64 reference: {'; '.join(parts)}." if parts else None


def _memory(found: Comparisons, line: Line, entries: Sequence[str]) -> str | None:
    parts: dict[int, list[str]] = {}
    for e in entries:
        on_gpu = not found.times.on_cpu(e)
        for size in reversed(found.times.sizes(line.workload)):
            case = found.times.cases.get((line.workload, size, e))
            memory = case.memory if case else None
            peak = None
            if memory is not None:
                peak = memory.device_peak_bytes if on_gpu else memory.host_peak_bytes
            if peak is not None:
                where = "on the device" if on_gpu else "on the host"
                parts.setdefault(size, []).append(f"{e} {units.size_bytes(peak)} {where}")
                break
    if not parts:
        return None
    size = max(parts)
    return f"Peak memory at size {units.whole(size)}: {', '.join(parts[size])}."
