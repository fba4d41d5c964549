"""Two stored runs judged against each other, case by case."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from breakeven import units
from breakeven.analysis.gates import gate
from breakeven.analysis.pairs import Pair
from breakeven.analysis.sameness import facts, other_setting, same_machine
from breakeven.analysis.times import Times
from breakeven.analysis.twins import Twins
from breakeven.model.difference import Change, ChangeWord, Difference, Run
from breakeven.model.run import RunRecord
from breakeven.model.verdict import Scope
from breakeven.stats.intervals import LOOKS, SAME, Interval
from breakeven.stats.sessions import between

MOVES = math.log(1.13)
"""Log ratio by which identical work moved between two sessions of one machine."""

_NO_CONTROLS = frozenset({"planted", "naive"})

_Key = tuple[str, int, str, Scope]


class _Side:
    """One run, ready to be asked for a case."""

    def __init__(self, letter: str, record: RunRecord) -> None:
        self.letter = letter
        self.record = record
        self.times = Times(record)
        self.twins = Twins(self.times)

    def keys(self) -> list[_Key]:
        """Return every case with a scope that rounds have measured; a twin has none of its own."""
        return [
            (c.workload, c.size, c.entry, scope)
            for c in self.record.cases
            if self.times.entries[c.entry].variant != "twin"
            for scope in dict.fromkeys(
                r.scope for r in c.rounds if r.clock == "wall" and r.round >= self.times.first
            )
        ]

    def failed(self) -> set[tuple[str, int, str]]:
        """Return cases that did not end well."""
        return {(c.workload, c.size, c.entry) for c in self.record.cases if c.status != "ok"}

    def logs(self, key: _Key) -> list[float]:
        """Return the logarithm of each round's seconds."""
        rounds = self.times.by_round(*key)
        return [math.log(rounds[r]) for r in sorted(rounds)]

    def margin(self, key: _Key, rounds: int) -> float:
        """Return the margin that this session's A/A pair sets; 0 without one."""
        workload, size, _, scope = key
        return self.twins.margin(workload, size, scope, rounds) or 0.0

    def shut(self, key: _Key, rounds: int) -> tuple[str, str] | None:
        """Return why no word may hang on this side, with its code."""
        workload, size, entry, scope = key
        found = gate(self.times, self.twins, Pair(workload, size, scope, entry, "same", entry))
        # Rounds of two sessions carry their own spread: a twin is not asked for.
        if found is not None and found.reason != "no_aa":
            return f"{self.letter}: {found.why}", found.reason
        if self.record.spec.effort == "quick":
            return f"{self.letter} is a quick run; run without --quick", "quick"
        if rounds < LOOKS[0]:
            return f"{self.letter} has fewer than {LOOKS[0]} rounds; give more time", "few_rounds"
        return None


class _Seen(NamedTuple):
    key: _Key
    a: list[float]
    b: list[float]
    shut: tuple[str, str] | None
    interval: Interval | None


def difference(a: RunRecord, b: RunRecord) -> Difference:
    """Return what changed from run `a` to run `b`.

    A case is one entry at one size of a workload, in one scope. The unit is the round: the
    logarithms of both sides' rounds give a ratio with the intervals of the rule
    (`breakeven.stats.sessions`). ``faster`` and ``slower`` need the whole verdict interval beyond
    the margin of the two sessions; ``same`` needs it within a factor of 1.05.

    The margin is what sessions of one machine are known to move by. Another library on the same
    device that took part in both runs shows how far these two sessions moved: it may lower the
    margin, down to 1.05, and never raises it, since what moved may be its code. An A/A pair of
    either session raises it as it does in a run.
    """
    sides = (_Side("A", a), _Side("B", b))
    found = facts(a, b)
    same = same_machine(found)
    both, only_a, only_b = _matched(*sides)
    seen = {key: _seen(sides, key, same=same) for key in both}
    return Difference(
        a=_run(a),
        b=_run(b),
        same_machine=same,
        facts=found,
        changes=tuple(_change(sides, one, seen) for one in seen.values()),
        only_a=only_a,
        only_b=only_b,
        remarks=tuple(_remarks(a, b)),
    )


def _matched(a: _Side, b: _Side) -> tuple[list[_Key], tuple[str, ...], tuple[str, ...]]:
    """Return the cases of both, then those of one alone; a case that failed is one of both."""
    ours, theirs = dict.fromkeys(a.keys()), dict.fromkeys(b.keys())
    failed = (a.failed(), b.failed())
    every = [*ours, *(k for k in theirs if k not in ours)]
    both, alone = [], ([], [])  # type: tuple[list[_Key], tuple[list[str], list[str]]]
    for key in every:
        if (key in ours or key[:3] in failed[0]) and (key in theirs or key[:3] in failed[1]):
            both.append(key)
        else:
            workload, size, entry, scope = key
            alone[key not in ours].append(f"{workload} {size} {entry} {scope}")
    return both, tuple(alone[0]), tuple(alone[1])


def _seen(sides: tuple[_Side, _Side], key: _Key, *, same: bool) -> _Seen:
    a, b = (side.logs(key) for side in sides)
    workload, size, entry, _ = key
    unlike = other_setting(sides[0].record, sides[1].record, entry, workload, size)
    shut = (
        (unlike, "settings") if unlike else sides[0].shut(key, len(a)) or sides[1].shut(key, len(b))
    )
    if shut is None and not same:
        shut = ("not the same machine: no change of code can be told from it", "machines")
    # Times of unlike work give no ratio.
    readable = (
        a and b and not (shut and shut[1] in {"settings", "disagrees", "status", "precision"})
    )
    return _Seen(key, a, b, shut, between(a, b) if readable else None)


def _change(sides: tuple[_Side, _Side], one: _Seen, seen: Mapping[_Key, _Seen]) -> Change:
    workload, size, entry, scope = one.key
    figures = {} if one.interval is None else _read(one.interval)
    word: ChangeWord = "withheld"
    why, reason = one.shut or (None, None)
    judged: dict[str, float] = {}
    control = None
    if one.shut is None and one.interval is not None:
        margin, control = _margin(sides, one, seen)
        word, why, reason = _word(one.interval, margin)
        judged = {
            "verdict_low": math.exp(one.interval.verdict_low),
            "verdict_high": math.exp(one.interval.verdict_high),
            "margin": math.exp(margin),
        }
    return Change(
        workload=workload, size=size, scope=scope, entry=entry, word=word,
        a_s=_middle(one.a), b_s=_middle(one.b), rounds_a=len(one.a), rounds_b=len(one.b),
        control=control, why=why, reason=reason, **figures, **judged,
    )  # fmt: skip


def _read(seen: Interval) -> dict[str, float]:
    return {
        "ratio": math.exp(seen.mean), "low": math.exp(seen.low), "high": math.exp(seen.high)
    }  # fmt: skip


def _middle(logs: Sequence[float]) -> float | None:
    return math.exp(statistics.median(logs)) if logs else None


def _margin(
    sides: tuple[_Side, _Side], one: _Seen, seen: Mapping[_Key, _Seen]
) -> tuple[float, str | None]:
    """Return the margin as a log ratio, with the entry that it was read from."""
    shown = [(max(abs(c.low), abs(c.high)), name) for name, c in _controls(sides, one.key, seen)]
    far, control = max(shown, default=(MOVES, None))
    if far >= MOVES:
        far, control = MOVES, None
    own = max(
        side.margin(one.key, n) for side, n in zip(sides, (len(one.a), len(one.b)), strict=True)
    )
    return max(SAME, far, own), control


def _controls(
    sides: tuple[_Side, _Side], key: _Key, seen: Mapping[_Key, _Seen]
) -> Iterator[tuple[str, Interval]]:
    """Yield entries of other libraries on the same device that both sessions measured soundly."""
    workload, size, entry, scope = key
    entries = sides[0].times.entries
    mine = entries[entry]
    for (name, at, other, within), found in seen.items():
        each = entries[other]
        if (name, at, within) != (workload, size, scope) or each.device != mine.device:
            continue
        if each.backend == mine.backend or each.variant in _NO_CONTROLS:
            continue
        if found.shut is None and found.interval is not None:
            yield other, found.interval


def _word(seen: Interval, margin: float) -> tuple[ChangeWord, str | None, str | None]:
    if seen.verdict_low > margin:
        return "faster", None, None
    if seen.verdict_high < -margin:
        return "slower", None, None
    if seen.verdict_low > -SAME and seen.verdict_high < SAME:
        return "same", None, None
    by = units.ratio(math.exp(margin))
    if seen.verdict_low > 0 or seen.verdict_high < 0:
        said = (
            f"a difference is there, but not surely beyond the {by} that these sessions may differ "
            "by; more rounds, or another session of each, would tell"
        )
        return "open", said, "sessions"
    return "open", "the verdict interval includes equality; more rounds would narrow it", "noise"


def _remarks(a: RunRecord, b: RunRecord) -> Iterator[str]:
    if a.id == b.id:
        yield "A and B are the same run."
    for letter, run in (("A", a), ("B", b)):
        if run.interrupted or run.finished is None:
            yield f"{letter} did not come to its end: some of its cases may lack rounds."


def _run(record: RunRecord) -> Run:
    gpus = record.machine.gpus
    device = gpus[0].name if gpus else record.machine.cpu.model or "unknown processor"
    return Run(id=record.id, started=record.started, command=record.command, device=device)
