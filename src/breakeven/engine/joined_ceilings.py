"""What several backends reached on one device, put together: the best of each part."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from breakeven.model.machine import BUSY, Ceilings, LinkRate


def together(parts: Sequence[Ceilings]) -> Ceilings:
    """Return the best of all parts of one device, with the backends that reached it.

    What one backend could not measure and another could needs no reason.
    """
    flops: dict[str, float] = {}
    for part in parts:
        for precision, rate in part.flops_per_s.items():
            flops[precision] = max(rate, flops.get(precision, 0.0))
    memory = _best([p.memory_bytes_per_s for p in parts], max)
    why = {k: v for p in parts for k, v in p.why.items()}
    why = {k: v for k, v in why.items() if not _quietly_reached(parts, k)}
    made = Ceilings(
        device=parts[0].device,
        backend=", ".join(dict.fromkeys(p.backend for p in parts if says(p))) or parts[0].backend,
        flops_per_s=flops,
        memory_bytes_per_s=memory,
        link=_joined([rate for p in parts for rate in p.link]),
        launch_s=_best([p.launch_s for p in parts], min),
        synchronise_s=_best([p.synchronise_s for p in parts], min),
    )
    known = {*flops, *(["memory"] if memory else []), *(["link"] if made.link else [])}
    known |= {"launch"} if made.launch_s is not None else set()
    known |= {"pinned"} if any(r.to_device_pinned for r in made.link) else set()
    known |= {"open"} if says(made) else set()
    return msgspec.structs.replace(made, why={k: v for k, v in why.items() if k not in known})


def _quietly_reached(parts: Sequence[Ceilings], mark: str) -> bool:
    """Tell whether a mark of a disturbed part may go: as much was reached undisturbed."""
    word, _, said = mark.partition(" ")
    if word != BUSY:
        return False
    figures = [(f, mark in p.why) for p in parts if (f := _figure(p, said)) is not None]
    quiet = [f for f, busy in figures if not busy]
    return bool(quiet) and max(quiet) >= max(f for f, _ in figures)


def _figure(part: Ceilings, said: str) -> float | None:
    """Return the figure of one part, the larger the better."""
    match said:
        case "memory":
            return part.memory_bytes_per_s
        case "link":
            return _best([r.to_device for r in part.link], max)
        case "launch":
            return None if part.launch_s is None else -part.launch_s
        case _:
            return part.flops_per_s.get(said)


def says(part: Ceilings) -> bool:
    """Tell whether anything was measured."""
    return bool(part.flops_per_s or part.memory_bytes_per_s or part.link or part.launch_s)


def _best(
    values: Sequence[float | None], better: Callable[[Sequence[float]], float]
) -> float | None:
    known = [v for v in values if v is not None]
    return better(known) if known else None


def _joined(rates: Sequence[LinkRate]) -> tuple[LinkRate, ...]:
    """Return the best rate of each kind, by size of the copy."""
    made = []
    for size in sorted({r.bytes for r in rates}):
        own = [r for r in rates if r.bytes == size]
        made.append(
            LinkRate(
                bytes=size,
                to_device=_best([r.to_device for r in own], max),
                to_host=_best([r.to_host for r in own], max),
                to_device_pinned=_best([r.to_device_pinned for r in own], max),
                to_host_pinned=_best([r.to_host_pinned for r in own], max),
            )
        )
    return tuple(made)
