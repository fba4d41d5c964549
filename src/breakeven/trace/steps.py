"""Where the steps of a trace lie: from its annotations, else from what repeats in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from breakeven.trace.chrome import Span, Trace, Work

# Our own mark of a step; PyTorch's profiler writes the other when it is given a schedule.
MARK = "breakeven.step#"
_OURS = re.compile(r"^breakeven\.step#(\d+)$")
_PROFILER = re.compile(r"^ProfilerStep#(\d+)$")
# A step that repeats is believed from so many repeats on, over so much of what was traced.
LEAST_REPEATS = 3
LEAST_PART = 0.5
# Names tried as the beat of a step, rarest first, and for each the last distances between them.
TRIED, DISTANCES = 8, 256


class Step(NamedTuple):
    """One step, seconds since the trace's origin."""

    number: int
    begin: float
    end: float


class Steps(NamedTuple):
    """The steps of a trace and how they were found.

    Attributes
    ----------
    how : str
        ``marked`` by us, ``annotated`` by the profiler's schedule, ``repeating`` operators or
        launches, or ``whole``: no step was found, and the trace is taken as one piece.
    thread : str or None
        The thread that runs them.
    begin, end : float
        What is looked at.
    """

    how: Literal["marked", "annotated", "repeating", "whole"]
    steps: tuple[Step, ...]
    thread: str | None
    begin: float
    end: float


def find_steps(trace: Trace) -> Steps:
    """Return the steps to look at.

    Marks of our own count as they are: ``capture`` runs a step before the first and waits after
    the last. Of steps that somebody else annotated on a device, the first is left out where there
    are three and more, since its queue was empty when the trace began.
    """
    for pattern in (_OURS, _PROFILER):
        found = [
            (int(match[1]), span)
            for span in trace.annotations
            if (match := pattern.match(span.name))
        ]
        if not found:
            continue
        found.sort(key=lambda pair: pair[1].begin)
        if pattern is _PROFILER and trace.work and len(found) >= LEAST_REPEATS:
            found = found[1:]
        steps = tuple(Step(number, span.begin, span.end) for number, span in found)
        how: Literal["marked", "annotated"] = "marked" if pattern is _OURS else "annotated"
        end = max(step.end for step in steps)
        return Steps(how, steps, found[0][1].thread, steps[0].begin, end)
    return _repeating(trace) or _whole(trace)


def _repeating(trace: Trace) -> Steps | None:
    thread = _busiest(trace.operators)
    sequence = [(o.begin, o.name) for o in trace.operators if o.thread == thread]
    if not sequence:
        sequence = [(w.begin, w.name) for w in trace.work if w.kind == "kernel"]
    sequence.sort()
    period, first = repeat([name for _, name in sequence])
    if period == 0:
        return None
    begins = [sequence[i][0] for i in range(first, len(sequence), period)]
    # The last one has no next, so nobody knows where it ends.
    steps = tuple(Step(n, begin, end) for n, (begin, end) in enumerate(pairwise(begins)))
    return Steps("repeating", steps, thread, begins[0], begins[-1])


def repeat(names: Sequence[str]) -> tuple[int, int]:
    """Return how many names one step has and where its first repeat begins; (0, 0) without one.

    The step is the shortest piece whose repeats, counted back from the end, explain most of the
    sequence. Lengths that are tried are the distances between occurrences of the rarest names: a
    name that occurs once a step beats once a step, and a layer within it does not explain the
    sequence for long.
    """
    counts = Counter(names)
    codes = {name: number for number, name in enumerate(counts)}
    coded = np.array([codes[name] for name in names], dtype=np.int64)
    rare = sorted((n, name) for name, n in counts.items() if n >= LEAST_REPEATS)[:TRIED]
    lengths = set()
    for _, name in rare:
        places = np.flatnonzero(coded == codes[name])
        lengths.update((places[-1] - places[-DISTANCES:-1]).tolist())
    best, period = 0, 0
    for length in sorted(lengths):
        differs = np.flatnonzero(coded[length:] != coded[:-length])
        covered = len(coded) - (int(differs[-1]) + 1 if len(differs) else 0)
        if covered > best and covered >= LEAST_REPEATS * length:
            best, period = covered, length
        if best == len(coded):
            break
    if best < LEAST_PART * len(coded) or period == 0:
        return 0, 0
    return period, len(coded) - best + best % period


def _busiest(operators: list[Span]) -> str | None:
    """Return the thread with most operators."""
    counts = Counter(operator.thread for operator in operators)
    return counts.most_common(1)[0][0] if counts else None


def _whole(trace: Trace) -> Steps:
    spans: list[Span | Work] = [*trace.operators, *trace.annotations, *trace.work]
    begin = min((s.begin for s in spans), default=0.0)
    end = max((s.end for s in spans), default=0.0)
    return Steps("whole", (), _busiest(trace.operators), begin, end)
