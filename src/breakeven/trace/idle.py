"""Why the device had nothing to do: each gap by what the host did before the next launch.

HolisticTraceAnalysis calls a gap *host wait* when the call that launched the next kernel began
after the kernel before had ended; it calls the rest *kernel wait* (under 30 ns) or *other*. The
border is the same here, for all streams of a device together: what it calls host wait is split
into loader, launch and synchronise, and what it calls kernel wait or other is ``other``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence

from breakeven.model.trace import Idle
from breakeven.trace.chrome import Call, Trace, Work
from breakeven.trace.intervals import gaps, spans, union
from breakeven.trace.operators import launches
from breakeven.trace.steps import Steps

# PyTorch's loaders mark each wait for a batch with the first; a step of ours marks its phases.
LOADER_PREFIX = "enumerate(DataLoader)#"
LOADERS = frozenset({"breakeven.loader", "loader"})
# Calls that return only when work of the device is done (CUDA Runtime API, API synchronization
# behavior), with their counterparts in the driver and in HIP.
_WAITS = frozenset(
    f"{library}{call}"
    for library in ("cuda", "hip")
    for call in (
        "DeviceSynchronize",
        "StreamSynchronize",
        "EventSynchronize",
        "Memcpy",
        "Memcpy2D",
        "Memcpy3D",
        "MemcpyToSymbol",
        "MemcpyFromSymbol",
    )
) | {"cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize"}
# Between two waits that belong together, such as a copy and the synchronise after it.
TOGETHER_S = 5e-6


class _Cover:
    """Disjoint intervals in order, asked again and again for short windows."""

    def __init__(self, pairs: Iterable[tuple[float, float]], together_s: float = 0.0) -> None:
        self._begins: list[float] = []
        self._ends: list[float] = []
        for begin, end in sorted(pairs):
            if self._ends and begin <= self._ends[-1] + together_s:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._begins.append(begin)
                self._ends.append(end)

    def within(self, begin: float, end: float) -> list[tuple[float, float]]:
        """Return what lies between two times."""
        found = []
        index = bisect_right(self._ends, begin)
        while index < len(self._begins) and self._begins[index] < end:
            found.append((max(begin, self._begins[index]), min(end, self._ends[index])))
            index += 1
        return found

    def since(self, at: float) -> float | None:
        """Return since when a moment is covered; None where it is not."""
        index = bisect_left(self._ends, at)
        if index < len(self._begins) and self._begins[index] < at:
            return self._begins[index]
        return None


class _Host:
    """What the host's threads did: where they waited for the loader, and where for the device."""

    def __init__(self, trace: Trace, main: str | None, calls: dict[int, Call]) -> None:
        self._main = main
        loaders: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for span in (*trace.annotations, *trace.operators):
            if span.name in LOADERS or span.name.startswith(LOADER_PREFIX):
                loaders[span.thread].append((span.begin, span.end))
        done = _copies_done(trace.work)
        waits: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for call in trace.calls:
            # A copy that was over before its call came back was waited for, whatever its name.
            awaited = call.correlation in done and done[call.correlation] < call.end
            if call.name.partition("_")[0] in _WAITS or awaited:
                waits[call.thread].append((call.begin, call.end))
        self._loaders = {thread: _Cover(pairs) for thread, pairs in loaders.items()}
        self._waits = {thread: _Cover(pairs, TOGETHER_S) for thread, pairs in waits.items()}
        self.calls = calls

    def split(self, begin: float, end: float, thread: str | None) -> tuple[float, float, float]:
        """Return the seconds of a gap in loader, launch and synchronise.

        Two threads count: the one that launched what came next, and the one that runs the steps
        (backward launches from a thread of its own). What lies in the loader is the loader's. A
        wait for the device under way when the gap began explains what lies in it, and of what
        follows as much as the host had lost in it: without it, the host would have been so much
        earlier. The rest is the way to the launch.
        """
        threads = {t for t in (thread, self._main) if t is not None}
        loader = _seconds(
            piece
            for t in threads
            if t in self._loaders
            for piece in self._loaders[t].within(begin, end)
        )
        covers = [self._waits[t] for t in threads if t in self._waits]
        waited = _seconds(piece for cover in covers for piece in cover.within(begin, end))
        left = end - begin - loader
        waited = min(waited, left)
        since = min((s for c in covers if (s := c.since(begin)) is not None), default=begin)
        waited += min(left - waited, begin - since)
        return loader, left - waited, waited


def idle(trace: Trace, steps: Steps, work: Sequence[Work]) -> Idle:
    """Return why one device was idle in the steps, seconds.

    Parameters
    ----------
    trace : Trace
    steps : Steps
    work : sequence of Work
        All of that device.
    """
    calls = launches(trace)
    host = _Host(trace, steps.thread, calls)
    ordered = sorted((w for w in work if w.end > w.begin), key=lambda w: w.begin)
    begins = [w.begin for w in ordered]
    covered = union(spans((w.begin, w.end) for w in ordered))
    loader = launch = synchronise = other = 0.0
    for begin, end in gaps(covered, steps.begin, steps.end).tolist():
        index = bisect_left(begins, end)
        following = ordered[index] if index < len(ordered) else None
        call = None
        if following is not None:
            call = calls.get(-1 if following.correlation is None else following.correlation)
            if call is None or call.begin <= begin:
                # Asked for before the gap, or by nobody that the trace knows.
                other += end - begin
                continue
        a, b, c = host.split(begin, end, call.thread if call is not None else steps.thread)
        loader, launch, synchronise = loader + a, launch + b, synchronise + c
    return Idle(loader_s=loader, launch_s=launch, synchronise_s=synchronise, other_s=other)


def _copies_done(work: Iterable[Work]) -> dict[int | None, float]:
    """Return when the copies of each call were over."""
    done: dict[int | None, float] = {}
    for piece in work:
        if piece.kind == "copy" and piece.correlation is not None:
            done[piece.correlation] = max(done.get(piece.correlation, piece.end), piece.end)
    return done


def _seconds(pieces: Iterable[tuple[float, float]]) -> float:
    """Return the length of the union."""
    total, reach = 0.0, float("-inf")
    for begin, end in sorted(pieces):
        total += max(0.0, end - max(begin, reach))
        reach = max(reach, end)
    return total
