"""The first sentence about a watched command: how long, how it ended, what it used."""

from __future__ import annotations

import shlex

from breakeven import units
from breakeven.model.quantities import device_name, gpu_index, quantity
from breakeven.model.remarks import DAMAGED
from breakeven.model.run import RunRecord
from breakeven.model.sensing import Sensing, Watched
from breakeven.report import names

_MOST_WORDS = 60


def answer(record: RunRecord) -> str:
    """Return the first thing that is said: how long, how it ended, and what it used."""
    sensing = record.sensing
    watched = sensing.watched if sensing is not None else None
    if sensing is None and any(r.startswith(DAMAGED) for r in record.remarks):
        return "What this watch read cannot be shown: its recording is damaged."
    if sensing is None or watched is None:
        return "Nothing was kept of this watch: it ended before its first reading."
    said = [f"{shown(watched)} {_ended(watched, sensing)}.", _used(watched, sensing, record)]
    return " ".join(s for s in [*said, _gpus(sensing, record), _energy(sensing)] if s)


def shown(watched: Watched) -> str:
    """Return a command, or the label of a block, in at most 60 characters on one line."""
    # A block of Python has a label, and no words to be quoted.
    words = watched.command
    said = " ".join((words[0] if len(words) == 1 else shlex.join(words)).split())
    return said if len(said) <= _MOST_WORDS else f"{said[: _MOST_WORDS - 3]}..."


def _ended(watched: Watched, sensing: Sensing) -> str:
    took = units.seconds(watched.wall_s)
    if watched.signal is not None:
        return f"ran {took} and was ended by {watched.signal}"
    if watched.exit_code is not None:
        return f"ran {took} and ended with exit code {watched.exit_code}"
    return f"was watched for {took}" if sensing.ended_early else f"ran {took}"


def _used(watched: Watched, sensing: Sensing, record: RunRecord) -> str:
    """Return cores and memory that were used; the system's account goes before samples."""
    found = {r.sensor: r for r in sensing.readings}
    cores = found.get("tree.cpu_cores")
    mean = None if cores is None else cores.mean
    if watched.cpu_s is not None and watched.wall_s > 0:
        mean = watched.cpu_s / watched.wall_s
    of = record.machine.cpu.cores_usable
    said = [] if mean is None else [f"{units.significant(mean)} of {of} CPU cores"]
    # A tree of which nothing was left when it was read had no memory then: no peak at all.
    memory = [r.high for r in (found.get("tree.rss_bytes"),) if r is not None and r.high > 0]
    memory += [] if watched.peak_rss_bytes is None else [watched.peak_rss_bytes]
    said += [f"at most {units.size_bytes(max(memory))} of memory"] if memory else []
    return f"It used {names.joined(said)}." if said else ""


def _gpus(sensing: Sensing, record: RunRecord) -> str:
    busy = {
        index: r
        for r in sensing.readings
        if (index := gpu_index(quantity(r.sensor).device)) is not None
        and r.sensor.endswith(".utilisation_share")
    }
    if busy:
        said = [f"{device_name(f'gpu{i}')} {units.share(busy[i].mean)}" for i in sorted(busy)]
        return f"Busy share: {names.joined(said)}."
    why = next((a.why for a in sensing.absent if a.sensor.startswith("gpu")), None)
    if why is None and record.machine.gpus:
        return "The GPU was not read: too little time, or no reading."
    why = why or record.machine.no_gpu_reason or "no reason was recorded"
    # The reason alone: what to try stands below.
    return f"No GPU was read: {why.partition('; ')[0]}."


def _energy(sensing: Sensing) -> str:
    known = [e for e in sensing.energies if e.gross_j is not None]
    if known:
        parts = [f"{device_name(e.device)} {units.joules(e.gross_j or 0.0)}" for e in known]
        missing = [device_name(e.device) for e in sensing.energies if e.gross_j is None]
        rest = f" ({names.joined(missing)} not known)" if missing else ""
        return f"Energy: {names.joined(parts)}{rest}."
    why = next((e.why for e in sensing.energies if e.why), None)
    return f"Energy is not known: {why}." if why else "Energy is not known: no meter was found."
