"""What this machine reaches at best: measured, kept beside the runs, and told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from breakeven import units
from breakeven.backends import registry
from breakeven.engine.clock import stamp
from breakeven.engine.lock import machine_lock
from breakeven.engine.processes import interrupted_once
from breakeven.engine.survey import survey_here
from breakeven.engine.survey_plan import stages
from breakeven.errors import NothingMeasuredError, StoreError
from breakeven.lab.computer import read_machine
from breakeven.lab.telling import WAITING, Progress, Say, quiet
from breakeven.model.machine import BUSY, Ceilings, Machine
from breakeven.store.ceilings import CeilingsShelf
from breakeven.store.folder import Store


def measure_ceilings(
    *,
    backends: Sequence[str] | None = None,
    store: Path | None = None,
    say: Say = quiet,
    progress: Progress = quiet,
) -> tuple[tuple[Ceilings, ...], Path]:
    """Measure what each device reaches at best, and keep it for later runs on this machine.

    Parameters
    ----------
    backends : sequence of str, optional
        What to measure with; all that work here when not given.
    say : callable
        Told once what it will cost.

    Returns
    -------
    tuple
        Ceilings by device; the document that they were stored in.

    Raises
    ------
    NothingMeasuredError
        If nothing could be measured; the message has the reasons.
    StoreError
        If the store cannot be written, which is tried before anything is measured.
    """
    folder = Store(store)
    folder.check_writable()
    machine = read_machine()
    names = registry.names() if backends is None else backends
    planned = stages(names, machine)
    say(cost_sentence(sum(s.cost_s for s in planned)))
    with interrupted_once(), machine_lock(lambda: say(WAITING)):
        found = survey_here(names, machine, progress)
    if not any(c.flops_per_s or c.memory_bytes_per_s for c in found):
        reasons = dict.fromkeys(why for c in found for why in c.why.values())
        raise NothingMeasuredError(
            f"no ceiling could be measured ({'; '.join(reasons) or 'no backend works here'})",
            "breakeven doctor says more",
        )
    return found, CeilingsShelf(folder.path).save(machine, found, stamp())


def stored_ceilings(machine: Machine, store: Path | None = None) -> tuple[Ceilings, ...]:
    """Return the ceilings measured on this machine before; none when it has changed since.

    A document that cannot be read is no ceiling: measuring again replaces it.
    """
    try:
        document = CeilingsShelf(Store(store).path).load(machine)
    except StoreError:
        return ()
    return () if document is None else document.ceilings


def cost_sentence(seconds: float) -> str:
    """Return what measuring the ceilings will cost, before it starts."""
    return f"Measuring what each device reaches at best: about {units.about(seconds)}."


def ceiling_lines(ceilings: Sequence[Ceilings]) -> tuple[str, ...]:
    """Return ceilings as lines of text."""
    return tuple(line for c in ceilings for line in _lines(c))


def _lines(c: Ceilings) -> list[str]:
    lines = [f"{c.device}, measured with {c.backend}:"]
    if c.flops_per_s:
        rates = (f"{p} {units.rate(r, 'FLOP/s')}" for p, r in c.flops_per_s.items())
        lines.append(f"  matrix product: {', '.join(rates)}")
    if c.memory_bytes_per_s is not None:
        lines.append(f"  memory, read and written: {units.rate(c.memory_bytes_per_s, 'B/s')}")
    for rate in c.link:
        kinds = (
            ("to the device", rate.to_device),
            ("back", rate.to_host),
            ("page-locked to the device", rate.to_device_pinned),
            ("page-locked back", rate.to_host_pinned),
        )
        said = (f"{name} {units.rate(r, 'B/s')}" for name, r in kinds if r is not None)
        lines.append(f"  copies of {units.size_bytes(rate.bytes)}: {', '.join(said)}")
    if c.launch_s is not None:
        lines.append(f"  launch of a small kernel: {units.seconds(c.launch_s)} on the host")
    if c.synchronise_s is not None:
        lines.append(f"  wait for an idle device: {units.seconds(c.synchronise_s)}")
    missing = c.unmeasured()
    lines += [f"  not measured: {part}: {why}" for part, why in missing.items()]
    busy = {
        part.removeprefix(BUSY).strip(): why for part, why in c.why.items() if part not in missing
    }
    lines += [f"  BUSY: {part or 'all'}: {why}" for part, why in busy.items()]
    return lines
