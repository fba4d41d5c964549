"""Own time, device time, calls and memory of each operator in the steps of a trace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from breakeven.model.trace import Operator
from breakeven.trace.chrome import Allocation, Call, Trace, Work
from breakeven.trace.nesting import nest
from breakeven.trace.steps import Steps


@dataclass(slots=True)
class _Sum:
    calls: int = 0
    host_s: float = 0.0
    device_s: float = 0.0
    bytes: int = 0


def launches(trace: Trace) -> dict[int, Call]:
    """Return the call of each correlation id, the outer one where a driver call lies within."""
    found: dict[int, Call] = {}
    for call in trace.calls:
        if call.correlation is not None:
            known = found.get(call.correlation)
            if known is None or call.begin < known.begin:
                found[call.correlation] = call
    return found


def asked_for(trace: Trace, steps: Steps) -> list[Work]:
    """Return the device work that the steps asked for, whenever it ran.

    Work without a call in the trace counts where it began in the steps.
    """
    calls = launches(trace)
    kept = []
    for work in trace.work:
        call = calls.get(work.correlation) if work.correlation is not None else None
        at = call.begin if call is not None else work.begin
        if steps.begin <= at < steps.end:
            kept.append(work)
    return kept


def operators(trace: Trace, steps: Steps) -> tuple[Operator, ...]:
    """Return the operators that began in the steps, by own time, longest first.

    A kernel belongs to the innermost operator around the call that launched it; where the file
    holds no such call, to the operator that the profiler's own id names. Memory is that of the
    device in a trace with device work, else that of the host. Where there is a device, own time is
    the longer of the two: an operator may cost the host or the device.
    """
    calls = launches(trace)
    work = asked_for(trace, steps)
    launched = [calls.get(-1 if w.correlation is None else w.correlation) for w in work]
    taken = [
        a
        for a in trace.memory
        if a.on_device == bool(trace.work) and steps.begin <= a.at < steps.end
    ]
    owners, own = _owners(trace, launched, taken)
    by_id = {o.external: i for i, o in enumerate(trace.operators) if o.external is not None}
    sums: dict[str, _Sum] = defaultdict(_Sum)
    for index, operator in enumerate(trace.operators):
        if steps.begin <= operator.begin < steps.end:
            entry = sums[operator.name]
            entry.calls += 1
            entry.host_s += own[index]
    for piece, call, owner in zip(work, launched, owners, strict=False):
        place = owner if call is not None or piece.external is None else by_id.get(piece.external)
        if place is not None and trace.operators[place].name in sums:
            sums[trace.operators[place].name].device_s += piece.end - piece.begin
    for allocation, owner in zip(taken, owners[len(work) :], strict=True):
        if owner is not None and trace.operators[owner].name in sums:
            sums[trace.operators[owner].name].bytes += allocation.bytes
    return _sorted(sums, device=bool(trace.work), memory=bool(trace.memory))


def _owners(
    trace: Trace, launched: list[Call | None], taken: Iterable[Allocation]
) -> tuple[list[int | None], list[float]]:
    """Return the operator around each launch, then around each allocation; own times of all."""
    moments = [("", 0.0) if c is None else (c.thread, c.begin) for c in launched]
    moments += [(a.thread, a.at) for a in taken]
    nested = nest(trace.operators, moments)
    return nested.owners, nested.own_s


def _sorted(sums: dict[str, _Sum], *, device: bool, memory: bool) -> tuple[Operator, ...]:
    found = [
        Operator(
            name=name,
            calls=s.calls,
            host_self_s=s.host_s,
            device_self_s=s.device_s if device else None,
            self_bytes=s.bytes if memory else None,
        )
        for name, s in sums.items()
    ]
    found.sort(key=lambda o: (-max(o.host_self_s, o.device_self_s or 0.0), o.name))
    return tuple(found)
