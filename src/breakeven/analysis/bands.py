"""The words for small, middle and large sizes, from verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from breakeven.analysis.compare import Comparison, compare
from breakeven.analysis.pairs import Pair
from breakeven.analysis.times import Times
from breakeven.analysis.twins import Twins
from breakeven.model.verdict import Band

Kind = Literal["base", "entry", "alike", "open"]


class _Size(NamedTuple):
    size: int
    kind: Kind
    compared: tuple[Comparison, ...]


def bands(
    times: Times, twins: Twins, main: str, compared: Sequence[Comparison]
) -> tuple[Band, ...]:
    """Return what holds for small, middle and large sizes: three bands at most.

    Parameters
    ----------
    main : str
        The entry that rounds are spent on; its word stands where none of the others wins.
    compared : sequence of Comparison
        Comparisons of one workload, scope and kind of base: every entry at every size.

    Returns
    -------
    tuple of Band
        Neighbouring sizes with the same outcome make one band. With more than three changes of
        outcome, all between the first and the last become one band that is ``open``: no single
        word is true of it.
    """
    sizes = sorted({c.pair.size for c in compared})
    outcomes = [
        _outcome(size, main, [c for c in compared if c.pair.size == size]) for size in sizes
    ]
    runs = _runs(outcomes)
    if len(runs) > 3:
        middle = [s._replace(kind="open") for run in runs[1:-1] for s in run]
        runs = [runs[0], middle, runs[-1]]
        runs = _runs([s for run in runs for s in run])
    names: dict[int, tuple[Literal["small", "middle", "large", "all"], ...]] = {
        1: ("all",),
        2: ("small", "large"),
        3: ("small", "middle", "large"),
    }
    return tuple(
        _band(times, twins, name, run)
        for name, run in zip(names.get(len(runs), ()), runs, strict=True)
    )


def _outcome(size: int, main: str, compared: Sequence[Comparison]) -> _Size:
    words = {c.pair.entry: c.verdict.word for c in compared}
    kind: Kind = "open"
    if "faster" in words.values():
        kind = "entry"
    elif words.get(main) == "slower":
        kind = "base"
    elif words.get(main) == "equivalent":
        kind = "alike"
    return _Size(size, kind, tuple(compared))


def _runs(sizes: Sequence[_Size]) -> list[list[_Size]]:
    runs: list[list[_Size]] = []
    for s in sizes:
        if runs and runs[-1][0].kind == s.kind:
            runs[-1].append(s)
        else:
            runs.append([s])
    return runs


def _band(
    times: Times,
    twins: Twins,
    name: Literal["small", "middle", "large", "all"],
    run: Sequence[_Size],
) -> Band:
    first = run[0].compared[0].pair
    kind = run[0].kind
    ratios = [
        c.verdict.ratio
        for s in run
        for c in s.compared
        if c.verdict.ratio is not None and (kind != "entry" or c.verdict.word == "faster")
    ]
    return Band(
        workload=first.workload,
        scope=first.scope,
        base_kind=first.base_kind,
        name=name,
        kind=kind,
        from_size=run[0].size,
        to_size=run[-1].size,
        entries=_winners(times, twins, kind, run),
        ratio_low=min(ratios, default=None),
        ratio_high=max(ratios, default=None),
    )


def _winners(times: Times, twins: Twins, kind: Kind, run: Sequence[_Size]) -> tuple[str, ...]:
    compared = [c for s in run for c in s.compared]
    bases = tuple(dict.fromkeys(c.pair.base for c in compared))
    if kind == "base":
        return bases
    if kind == "alike":
        alike = dict.fromkeys(c.pair.entry for c in compared if c.verdict.word == "equivalent")
        return (*bases, *alike)
    if kind == "open":
        return ()
    wins = {c.pair.entry: 0.0 for c in compared if c.verdict.word == "faster"}
    for c in compared:
        if c.verdict.word == "faster" and c.verdict.ratio is not None:
            wins[c.pair.entry] += c.verdict.ratio
    ranked = sorted(wins, key=lambda e: -wins[e])
    sizes = [s.size for s in run]
    return tuple(
        e
        for e in ranked
        if e == ranked[0] or not beaten(times, twins, compared[0].pair, ranked[0], e, sizes)
    )


def duel(times: Times, twins: Twins, like: Pair, best: str, other: str, size: int) -> Comparison:
    """Return the verdict on one entry against another at a size, neither of them a base."""
    pair = like._replace(size=size, base=other, base_kind="other", entry=best)
    return compare(times, twins, pair)


def beaten(
    times: Times, twins: Twins, like: Pair, best: str, other: str, sizes: Sequence[int]
) -> bool:
    """Return whether `best` is settled as faster than `other` at more than half of the sizes."""
    won = sum(duel(times, twins, like, best, other, s).verdict.word == "faster" for s in sizes)
    return 2 * won > len(sizes)
