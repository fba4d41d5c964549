"""Which library to use for a workload, from which size on, with the evidence for it."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from breakeven import units
from breakeven.analysis.bands import duel
from breakeven.analysis.compare import Comparison
from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.gates import more_time
from breakeven.analysis.pairs import Line
from breakeven.analysis.rule import SETTLED
from breakeven.analysis.starts import start
from breakeven.analysis.times import Times
from breakeven.model.labels import axis
from breakeven.model.verdict import Advice, Band, Crossover, Scope, Verdict

_SCOPE_WORDS: dict[Scope, str] = {
    "resident": "data resident",
    "transfer": "data travelling",
    "cold": "from a fresh start",
}

TIE_BREAK = (
    "Where speed does not decide: existing NumPy code moves to CuPy with the fewest changes; "
    "what needs gradients or deep learning belongs in PyTorch."
)


def advise(
    found: Comparisons, line: Line, bands: Sequence[Band], crossed: Mapping[Line, Crossover]
) -> Advice:
    """Return which entry to use in one scope of a workload, and from which size on.

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
    crossed : mapping
        Crossover of each line.
    """
    compared = found.alongside(line)
    winning = [b for b in bands if b.kind == "entry"]
    losing = [b for b in bands if b.kind in {"base", "alike"}]
    blank = Advice(workload=line.workload, scope=line.scope, choice=None, reasons=())
    if winning:
        choice = winning[-1].entries[0]
        blank = _for_winner(found, line._replace(entry=choice), blank, crossed)
        blank = replace(blank, quicker=_quicker(found, line, choice))
        reasons = _speed(found, line, choice, compared)
    elif losing and (base := _base(compared)) is not None:
        choice = base
        blank = _for_base(found, line, blank, choice)
        reasons = _losses(found.times, choice, compared)
    else:
        return replace(blank, reasons=(_unsettled(found, compared, line),))
    rivals = _rivals(found, line, choice)
    reasons += [
        s
        for s in (
            _start(found, line, [choice, *rivals]),
            _answers(found, line, [choice, *rivals]),
            _memory(found, line, [choice, *rivals]),
        )
        if s
    ]
    return replace(blank, choice=choice, reasons=tuple(reasons))


def told(times: Times, verdict: Verdict) -> str:
    """Return a verdict's ratio as a sentence with scope, base, interval and rounds."""
    assert verdict.ratio is not None  # only verdicts with figures are told
    assert verdict.low is not None
    assert verdict.high is not None
    at = f"{axis(verdict.workload, times.record.spec)} = {verdict.size}"
    scope = "" if times.on_cpu(verdict.entry) else f", {_SCOPE_WORDS[verdict.scope]}"
    return (
        f"At {at}{scope}, {times.label(verdict.entry)} runs at {units.ratio(verdict.ratio)} "
        f"[{units.significant(verdict.low)}, {units.significant(verdict.high)}] the speed of "
        f"{times.label(verdict.base)} ({verdict.rounds} rounds)."
    )


def _for_winner(
    found: Comparisons, line: Line, blank: Advice, crossed: Mapping[Line, Crossover]
) -> Advice:
    """Return from which size on the winner holds, and what to use below."""
    compared = found.by_line.get(line, [])
    c = crossed.get(line)
    wins = [x.pair.size for x in compared if x.verdict.word == "faster"]
    losses = [x for x in compared if x.verdict.word == "slower"]
    begin, end = float(min(wins)), float(max(wins))
    below: float | None = max((x.pair.size for x in losses if x.pair.size < begin), default=None)
    if c is not None and c.kind == "bracket" and c.high is not None:
        begin, end = c.high, max(c.high, *map(float, c.sizes))
        below = c.low if c.low is not None else below
    last = max(x.pair.size for x in compared)
    bases = [x.pair.base for x in losses if x.pair.size < begin]
    return replace(
        blank,
        from_size=begin,
        to_size=None if end >= last else end,
        otherwise=statistics.mode(bases) if bases else None,
        otherwise_to=below if bases else None,
        open_sizes=_open(found, compared),
    )


def _for_base(found: Comparisons, line: Line, blank: Advice, choice: str) -> Advice:
    """Return up to which size the base holds; None where it does at every size."""
    compared = found.by_line.get(line, [])
    kept = [x.pair.size for x in compared if x.verdict.word in {"slower", "equivalent"}]
    kept = kept or [x.pair.size for x in found.alongside(line) if x.pair.base == choice]
    still = _open(found, compared)
    return replace(
        blank,
        from_size=float(min(kept)),
        to_size=float(max(kept)) if still else None,
        open_sizes=still,
    )


def _open(found: Comparisons, compared: Sequence[Comparison]) -> tuple[int, ...]:
    """Return the planned sizes that are not settled."""
    spec = found.record.spec.workloads
    planned = {s for w in spec for c in compared[:1] if w.name == c.pair.workload for s in w.sizes}
    return tuple(
        c.pair.size for c in compared if c.verdict.word not in SETTLED and c.pair.size in planned
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


def _unsettled(found: Comparisons, compared: Sequence[Comparison], line: Line) -> str:
    whys = [c.gate.why for c in compared if c.gate is not None]
    scope = _SCOPE_WORDS[line.scope]
    if whys and len(whys) == len(compared):
        return f"No comparison may be judged ({scope}): {statistics.mode(whys)}."
    more = more_time(found.record)
    return f"No winner is settled at any size ({scope}); more rounds may tell: {more}."


def _speed(
    found: Comparisons, line: Line, choice: str, compared: Sequence[Comparison]
) -> list[str]:
    """Return the winner's speed at its largest size, then beside its rivals there."""
    best = _largest(compared, "faster", choice)
    reasons = [told(found.times, best)] if best else []
    for other in _rivals(found, line, choice):
        reasons += _against(found, line, choice, other)
    return reasons


def _quicker(found: Comparisons, line: Line, choice: str) -> dict[str, tuple[int, ...]]:
    """Return the sizes at which another winner is settled as faster than the choice."""
    quicker: dict[str, tuple[int, ...]] = {}
    for other in _rivals(found, line, choice):
        wins = [
            c.pair
            for c in found.by_line.get(line._replace(entry=other)) or []
            if c.verdict.word == "faster"
        ]
        sizes = tuple(
            p.size
            for p in wins
            if duel(found.times, found.twins, p, other, choice, p.size).verdict.word == "faster"
        )
        if sizes:
            quicker[other] = sizes
    return quicker


def _rivals(found: Comparisons, line: Line, choice: str) -> list[str]:
    """Return the other entries that are compared with the same kind of base."""
    entries = dict.fromkeys(c.pair.entry for c in found.alongside(line))
    return [e for e in entries if e != choice]


def _against(found: Comparisons, line: Line, choice: str, other: str) -> list[str]:
    """Return how the choice compares with another entry at the largest size that both have."""
    times = found.times
    compared = found.by_line.get(line._replace(entry=choice)) or []
    for c in reversed(compared):
        met = duel(times, found.twins, c.pair, choice, other, c.pair.size)
        word, ratio = met.verdict.word, met.verdict.ratio
        if ratio is None or word == "withheld":
            continue
        sentence = told(times, met.verdict)
        if word in {"faster", "slower"}:
            return [sentence]
        alike = "are alike" if word == "equivalent" else "were not told apart"
        both = f"{times.label(choice)} and {times.label(other)} {alike}"
        return [f"{both}: {sentence[0].lower()}{sentence[1:]}", TIE_BREAK]
    return []


def _losses(times: Times, choice: str, compared: Sequence[Comparison]) -> list[str]:
    """Return what the base was faster than, or alike with, at the largest size of each entry."""
    kept = [c for c in compared if c.pair.base == choice]
    seen = [
        _largest(kept, "slower", e) or _largest(kept, "equivalent", e)
        for e in dict.fromkeys(c.pair.entry for c in kept)
    ]
    return [told(times, v) for v in seen if v is not None]


def _start(found: Comparisons, line: Line, entries: Sequence[str]) -> str | None:
    starts = {e: start(found.times, line.workload, e) for e in entries}
    parts = [
        f"{found.times.label(e)} {units.seconds(s.seconds())}"
        for e, s in starts.items()
        if s is not None
    ]
    return f"Start-up (import, context, first call): {', '.join(parts)}." if parts else None


def _answers(found: Comparisons, line: Line, entries: Sequence[str]) -> str | None:
    by_class: dict[str, list[str]] = {}
    for e in entries:
        seen = [
            case.agreement
            for case in found.record.cases
            if case.workload == line.workload and case.entry == e and case.agreement is not None
        ]
        if not seen:
            continue
        wrong = sum(not a.passed for a in seen)
        said = f"{max(seen, key=lambda a: a.error).class_} class"
        said += f", wrong at {wrong} of {len(seen)} sizes" if wrong else ""
        by_class.setdefault(said, []).append(found.times.label(e))
    parts = [f"{', '.join(who)} {said}" for said, who in by_class.items()]
    return f"Answers beside the float64 reference: {'; '.join(parts)}." if parts else None


def _memory(found: Comparisons, line: Line, entries: Sequence[str]) -> str | None:
    """Return the peak memory of the entries at the largest size that has a reading."""
    times = found.times
    for size in reversed(times.sizes(line.workload)):
        parts = []
        for e in entries:
            case = times.cases.get((line.workload, size, e))
            memory = case.memory if case else None
            if memory is None:
                continue
            on_cpu = times.on_cpu(e)
            peak = memory.host_peak_bytes if on_cpu else memory.device_peak_bytes
            if peak is not None:
                where = "on the host" if on_cpu else "on the device"
                parts.append(f"{times.label(e)} {units.size_bytes(peak)} {where}")
        if parts:
            at = f"{axis(line.workload, found.record.spec)} = {size}"
            return f"Peak memory at {at}: {', '.join(parts)}."
    return None
