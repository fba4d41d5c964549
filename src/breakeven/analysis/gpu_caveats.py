"""What held the GPU's clocks down, in words with figures."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence

from breakeven import units
from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.conditions import Looked, looked
from breakeven.model.run import RunRecord

_WORDS = {
    "power_cap": "Power limit: the GPU's clock was held at its power limit",
    "hardware": "Hardware slowdown: the GPU's board or its power supply slowed it down",
    "other": "Clock setting: the GPU's clock was held down by a setting (fixed clocks, sync boost)",
    "ramp": "Clock ramp: the GPU's clock still rose in the first slots of a round",
    "unexplained": "Low clock: the GPU's clock was under 90 % of its usual one, and its driver "
    "named no reason",
}
"""What did not void a slot; heat and tenants did, and are told among the void slots."""

_MEANING = {
    "power_cap": "that is this card's speed at this work and this limit",
    "hardware": "see power supply and cooling (nvidia-smi -q -d PERFORMANCE)",
    "other": "figures hold for that setting",
    "ramp": "a GPU that idles between calls is as slow in real use",
    "unexplained": "times there may be too long",
}

_AT_LEAST = {"power_cap", "hardware", "other"}
"""Causes that the driver names: a GPU that is idle again when it is asked names none."""

_DRAWING = {"thermal", "power_cap", "hardware"}
_LISTED = 6

HELD_BEFORE = 384 << 20
"""Bytes of device memory in use before a run from which somebody else was there: a context of a
process takes that much on a data-centre card, the driver alone does not."""


def gpu_caveats(found: Comparisons) -> tuple[str, ...]:
    """Return one caveat for each cause that was seen, with how often, and the clocks there."""
    slots = looked(found.record)
    said = []
    for cause, words in _WORDS.items():
        hit = [s for s in slots if s.cause == cause]
        if hit:
            least = "at least " if cause in _AT_LEAST else ""
            sizes = _listed(s.size for s in hit)
            share = f"{least}{len(hit)} of {len(slots)} GPU slots (sizes {sizes})"
            said.append(f"{words}: {share}{figures(found.record, cause)}; {_MEANING[cause]}.")
    return (*_held_before(found.record), *said, *_restless(found))


def figures(record: RunRecord, cause: str) -> str:
    """Return what slots disturbed by `cause` read, beside the undisturbed ones of their sizes.

    Parameters
    ----------
    cause : str
        One of `conditions.NAMES`.

    Returns
    -------
    str
        Begins with a comma; empty where nothing was read.
    """
    slots = looked(record)
    hit = [s for s in slots if s.cause == cause]
    # At other sizes the work differs, and with it the clock.
    among = {(s.workload, s.size) for s in hit}
    calm = [s for s in slots if s.cause is None and (s.workload, s.size) in among]
    parts = []
    low, usual = _median(hit, "sm_clock_mhz"), _median(calm, "sm_clock_mhz")
    if low is not None and cause != "tenant":
        beside = "" if usual is None else f" against {units.whole(usual)} MHz"
        parts.append(f"{units.whole(low)} MHz{beside}")
    if cause in _DRAWING:
        for field, unit in (("power_w", "W"), ("temperature_c", "degrees C")):
            value = _median(hit, field)
            parts += [] if value is None else [f"{units.whole(value)} {unit}"]
    held = _median([s for s in hit if s.gpu.others_bytes], "others_bytes")
    if held is not None:
        parts.append(f"{units.size_bytes(held)} of its memory were held by none of ours")
    return "".join(f", {part}" for part in parts)


def _median(slots: Sequence[Looked], field: str) -> float | None:
    read: Callable[[Looked], float | None] = lambda one: getattr(one.gpu, field)  # noqa: E731
    known = [value for one in slots if (value := read(one)) is not None]
    return statistics.median(known) if known else None


def _held_before(record: RunRecord) -> list[str]:
    """Tell of memory that was in use when the machine was read: growth cannot show its holder."""
    used = record.machine.gpus[0].memory_used_bytes if record.machine.gpus else None
    if used is None or used <= HELD_BEFORE:
        return []
    said = (
        f"{units.size_bytes(used)} of the GPU's memory were in use before the run had a process "
        "on it: if another tenant works there, slots that it disturbs count unless the driver "
        "names it."
    )
    return [said]


def _listed(sizes: Iterable[int]) -> str:
    found = sorted(set(sizes))
    return ", ".join(map(str, found)) if len(found) <= _LISTED else f"{found[0]} to {found[-1]}"


def _restless(found: Comparisons) -> list[str]:
    """Tell of rounds in which the SM clock had not become steady when the warm-up ended."""
    said = []
    for e in found.record.entries:
        rounds = [
            (c.size, r)
            for c in found.record.cases
            if c.entry == e.id
            for r in c.rounds
            if r.clock == "wall" and r.round >= found.times.first and r.clock_steady is not None
        ]
        moving = [(size, r) for size, r in rounds if r.clock_steady is False]
        if moving:
            said.append(
                f"The SM clock was not steady (within 2 %) when slots of "
                f"{found.times.label(e.id)} began in {len(moving)} of {len(rounds)} warm-ups "
                f"(sizes {_listed(size for size, _ in moving)})."
            )
    return said
