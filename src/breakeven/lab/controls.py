"""Sessions whose answer is known beforehand: the same work twice, or a difference planted on it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence

import msgspec

from breakeven.analysis.settle import settle
from breakeven.backends import registry as backends
from breakeven.engine import session
from breakeven.engine.clock import stamp, utc
from breakeven.engine.lock import machine_lock
from breakeven.engine.plan import default_threads, effort_of_given, entry_id
from breakeven.engine.request import seconds_of, sizes_of
from breakeven.errors import InputError
from breakeven.lab.computer import read_machine
from breakeven.lab.shelf import judged
from breakeven.lab.telling import Progress
from breakeven.model.event import Began
from breakeven.model.machine import Machine
from breakeven.model.run import Entry, RunRecord
from breakeven.model.spec import DType, RunSpec, WorkloadSpec
from breakeven.store.folder import new_id
from breakeven.store.sink import MemorySink
from breakeven.workloads import registry as workloads
from breakeven.workloads.base import unlike

WARM_SLOTS = 3


def entry_of(
    backend: str, machine: Machine, *, threads: int | None = None, dtype: DType = "float32"
) -> Entry:
    """Return an entry of a backend, to be measured by `measure_entries`.

    Parameters
    ----------
    threads : int, optional
        CPU threads of its pools; the library's own number if none is given. A backend without
        pools has none.

    Raises
    ------
    InputError
        If no backend has that name.
    """
    about = backends.get(backend).about
    default = default_threads(machine)
    count = (threads or default) if about.pools else None
    return Entry(
        id=entry_id(backend, count),
        backend=backend,
        device=about.device,
        threads=count,
        dtype=dtype,
        default=count in {None, default},
    )


def measure_entries(
    entries: Sequence[Entry],
    sizes: Mapping[str, Sequence[int]],
    *,
    rounds: int | None = None,
    budget: str | float = 600.0,
    seed: int = 42,
    slot_s: float | None = None,
    machine: Machine | None = None,
    progress: Progress = lambda _text, _left: None,
) -> RunRecord:
    """Measure these entries and no others, at every size; judge them; store nothing.

    Parameters
    ----------
    entries : sequence of Entry
        Such as `engine.plan.planted` makes; all of one dtype.
    sizes : mapping
        Sizes by workload.
    rounds : int, optional
        Rounds to measure, whatever they show. Without it a size is measured until all of its
        comparisons are settled, for 20 rounds at most.
    budget : str or float
        Most time to take, where rounds are not given.
    slot_s : float, optional
        Least seconds of a slot, and three times as many at most to become steady, in place of a
        run's: shorter slots are noisier, and more of them fit the time.
    machine : Machine, optional
        Where it has been read already.
    progress : callable
        Told what is measured now, with the seconds left.

    Returns
    -------
    RunRecord
        With verdicts: those of base kind ``"same"`` and ``"planted"`` are the controls.

    Raises
    ------
    InputError
        If there is nothing to measure, or types are mixed.
    NothingMeasuredError
        If none of the backends works here.
    """
    dtypes = {e.dtype for e in entries}
    if len(dtypes) != 1 or not sizes:
        raise InputError("a session needs entries of one dtype, and sizes", "give both")
    here = machine or read_machine()
    spec = RunSpec(
        workloads=tuple(_planned(name, own) for name, own in sizes.items()),
        backends=tuple(dict.fromkeys(e.backend for e in entries)),
        explicit_backends=True,
        dtype=dtypes.pop(),
        effort="full",
        budget_s=seconds_of(budget),
        rounds=rounds,
        seed=seed,
    )
    record = RunRecord(
        id=new_id(utc(), secrets.token_hex(2)),
        started=stamp(),
        command=("controls",),
        spec=spec,
        machine=here,
    )
    effort = effort_of_given(spec, gpu=bool(here.gpus))
    if slot_s is not None:
        effort = msgspec.structs.replace(effort, slot_s=slot_s, warm_s=WARM_SLOTS * slot_s)
    sink = MemorySink()
    sink.append(Began(record=record))
    with machine_lock(lambda: progress("waiting for another run on this machine", 0.0)):
        session.measure(
            sink, settle, progress, wait=time.sleep, given=tuple(entries), effort=effort
        )
    return judged(sink.record())


def _planned(name: str, own: Sequence[int]) -> WorkloadSpec:
    found = workloads.get(name)
    return WorkloadSpec(name=found.name, sizes=sizes_of(own), given=True, unlike=unlike(found))
