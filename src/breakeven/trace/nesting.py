"""Which operator was running on a thread when something happened there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from breakeven.trace.chrome import Span


class Nesting(NamedTuple):
    """How operators lie in one another.

    Attributes
    ----------
    own_s : list of float
        Seconds of each operator without those that it called, in the order they were given.
    owners : list of int or None
        Index of the innermost operator around each moment, in the order they were given.
    """

    own_s: list[float]
    owners: list[int | None]


def nest(operators: Sequence[Span], moments: Iterable[tuple[str, float]]) -> Nesting:
    """Return own times of operators and the owners of moments on their threads.

    Parameters
    ----------
    operators : sequence of Span
        Of any threads, in any order. One that outlasts the operator around it is cut there.
    moments : iterable of (str, float)
        Thread and seconds.
    """
    asked = list(moments)
    threads: dict[str, list[tuple[float, int, float, int]]] = defaultdict(list)
    for index, operator in enumerate(operators):
        # Of two that begin together, the longer is the outer one.
        threads[operator.thread].append((operator.begin, 0, -operator.end, index))
    for index, (thread, at) in enumerate(asked):
        threads[thread].append((at, 1, 0.0, index))
    own = [o.end - o.begin for o in operators]
    owners: list[int | None] = [None] * len(asked)
    for happened in threads.values():
        happened.sort()
        open_: list[tuple[int, float]] = []
        for begin, moment, minus_end, index in happened:
            while open_ and open_[-1][1] <= begin:
                open_.pop()
            if moment:
                owners[index] = open_[-1][0] if open_ else None
                continue
            end = -minus_end
            if open_:
                outer, until = open_[-1]
                end = min(end, until)
                own[outer] -= end - begin
                own[index] = end - begin
            open_.append((index, end))
    return Nesting(own, owners)
