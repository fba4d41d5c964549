"""Which ceilings are measured here, by which workers, with the time that they take."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from breakeven.backends import registry
from breakeven.engine import messages
from breakeven.engine.plan import entry_id, in_precision
from breakeven.model.machine import Machine
from breakeven.model.run import Entry
from breakeven.model.spec import Precision

PART_S = 0.6
# Opening a library takes seconds; with it the seconds that a product or a copy needs to be made.
OPEN_S, OPEN_GPU_S, SET_UP_S = 2.0, 5.0, 0.6
CACHES, LEAST_EXTENT, GPU_EXTENT = 4, 64 << 20, 1 << 30
# Three arrays are streamed: together they take under a fifth of the memory.
MEMORY_PARTS = 16
PRODUCTS: tuple[Precision, ...] = ("float32", "float64")
# Each has a process of its own, since a library is switched to it when it is opened.
REDUCED: tuple[Precision, ...] = ("tf32", "float16", "bfloat16")


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """One worker of the survey, with the parts that it measures.

    Attributes
    ----------
    entry : Entry
        The backend with all usable cores, as a run has it.
    parts : tuple
        Requests in their order.
    """

    entry: Entry
    parts: tuple[messages.MeasureCeilings, ...]

    @property
    def cost_s(self) -> float:
        """Seconds that it takes, about."""
        opening = OPEN_S if self.entry.device == "cpu" else OPEN_GPU_S
        return opening + sum(p.seconds + SET_UP_S for p in self.parts)


def stages(
    names: Sequence[str], machine: Machine, precisions: Sequence[Precision] | None = None
) -> tuple[Stage, ...]:
    """Return the workers of a survey: one for each backend that is found here.

    On a GPU there is one more for each reduced precision.

    Parameters
    ----------
    precisions : sequence of str or None
        Products wanted; None asks for all that there are.
    """
    planned = []
    for name in names:
        for one in registry.expand(name):
            backend = registry.get(one)
            if not backend.find().available:
                continue
            device, threads = backend.about.device, None
            if backend.about.pools:
                threads = machine.cpu.cores_usable
            wanted = [p for p in PRODUCTS if precisions is None or p in precisions]
            extent = extent_bytes(machine, device)
            parts = [messages.MeasureCeilings(part="product", precision=p) for p in wanted]
            parts.append(messages.MeasureCeilings(part="memory", extent_bytes=extent))
            if device != "cpu":
                parts += [messages.MeasureCeilings(part=p) for p in ("link", "launch")]
            entry = Entry(
                id=entry_id(one, threads), backend=one, device=device, threads=threads
            )  # fmt: skip
            planned.append(Stage(entry=entry, parts=tuple(parts)))
            if device != "cpu":
                planned += [
                    _reduced(entry, p) for p in REDUCED if precisions is None or p in precisions
                ]
    return tuple(planned)


def _reduced(entry: Entry, precision: Precision) -> Stage:
    """Return the worker that measures the product in a reduced precision."""
    return Stage(
        entry=in_precision(entry, precision),
        parts=(messages.MeasureCeilings(part="product", precision=precision),),
    )


def extent_bytes(machine: Machine, device: str) -> int:
    """Return the bytes of an array that no cache holds, and that the memory has room for.

    On a CPU four times the last-level cache that one core sees, or twice those of all groups of
    cores: three arrays of that are beyond four times whatever caches there are.
    """
    if device == "cpu":
        one = max(machine.cpu.caches_bytes.values(), default=0)
        wanted = max(LEAST_EXTENT, CACHES * one, 2 * (machine.cpu.last_caches_bytes or 0))
        room = machine.memory_available_bytes
    else:
        wanted = GPU_EXTENT
        room = machine.gpus[0].memory_bytes if machine.gpus else None
    return wanted if room is None else max(1 << 20, min(wanted, room // MEMORY_PARTS))
