"""Copies of the steps of a trace by direction and by the memory of the host's side."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Literal, NamedTuple

from breakeven.model.trace import Copies
from breakeven.trace.chrome import Work

Direction = Literal["to_device", "to_host", "on_device", "between_devices"]
Memory = Literal["pageable", "pinned", "unknown"]

# CUPTI's kinds of copies as kineto names them; A is an array (texture memory) on a device.
_KINDS: dict[str, Direction] = {
    "HtoD": "to_device",
    "HtoA": "to_device",
    "DtoH": "to_host",
    "AtoH": "to_host",
    "DtoD": "on_device",
    "AtoA": "on_device",
    "AtoD": "on_device",
    "DtoA": "on_device",
    "PtoP": "between_devices",
    "HostToDevice": "to_device",
    "DeviceToHost": "to_host",
    "DeviceToDevice": "on_device",
}
_NAME = re.compile(
    r"(?P<kind>HostToDevice|DeviceToHost|DeviceToDevice|[HDAP]to[HDAP])"
    r"(?:\s*\((?P<source>[^()]*?)\s*->\s*(?P<target>[^()]*?)\))?"
)


class Way(NamedTuple):
    """Where a copy goes, and what the host's side of it lies in."""

    direction: Direction
    memory: Memory


def way(name: str) -> Way | None:
    """Return the way of a copy from its name, as in ``Memcpy HtoD (Pageable -> Device)``.

    A copy from host to host is none of a device's: None, as for a name that says nothing.
    """
    found = _NAME.search(name)
    if found is None or found["kind"] not in _KINDS:
        return None
    direction = _KINDS[found["kind"]]
    host = {"to_device": found["source"], "to_host": found["target"]}.get(direction)
    kinds: dict[str | None, Memory] = {"Pageable": "pageable", "Pinned": "pinned"}
    return Way(direction, kinds.get(host, "unknown"))


def copies(work: Iterable[Work]) -> tuple[Copies, ...]:
    """Return number, bytes and seconds of each kind of copy, most bytes first.

    A copy whose size or direction the trace does not tell is left out.
    """
    kinds: dict[Way, list[Work]] = defaultdict(list)
    for piece in work:
        if piece.kind == "copy" and piece.bytes is not None and (kind := way(piece.name)):
            kinds[kind].append(piece)
    found = [
        Copies(
            direction=kind.direction,
            memory=kind.memory,
            number=len(pieces),
            bytes=sum(p.bytes or 0 for p in pieces),
            seconds=sum(p.end - p.begin for p in pieces),
        )
        for kind, pieces in kinds.items()
    ]
    return tuple(sorted(found, key=lambda c: (-c.bytes, c.direction, c.memory)))
