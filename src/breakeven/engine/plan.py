"""From a spec to entries, sizes and effort: what takes part, and how much time each may take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from breakeven.backends.precision import DTYPES
from breakeven.model.machine import BackendInfo, Machine
from breakeven.model.run import Entry, Variant
from breakeven.model.spec import Precision, RunSpec

LONG_BUDGET_S = 300.0
MOST_ROUNDS = 20
# With ten calls in the base's unit, 11, 12, 15 and 20 are differences of 1.1, 1.2, 1.5 and 2.
BASE_CALLS, PLANTED_CALLS = 10, (11, 12, 15, 20)
CPU_PRECISIONS = frozenset({"float32", "float64"})
THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


class Effort(msgspec.Struct, frozen=True, kw_only=True):
    """How much is spent on what.

    Attributes
    ----------
    slots : int
        Slots of a case in a round.
    slot_s, warm_s : float
        Least seconds of a slot; most seconds until steady.
    scout_slots : int
        Slots of a case in the scouting round; 0 leaves scouting out.
    cold_share : float
        Share of the budget that fresh first calls may take, after one of each.
    cold_most : int
        Most fresh processes for a backend and workload; 0 measures no first calls.
    scout_call_s : float
        Calls longer than this are not scouted: the nearest smaller size chooses for them.
    rounds_most : int
        Rounds at which the run ends in any case.
    grid : bool
        Whether the crossover's grid is searched.
    grid_step : float
        Factor between neighbours of that grid.
    grid_points : int
        How many sizes it has.
    grid_all : bool
        Whether all GPU entries are measured on the grid, or the best one alone.
    planned_share : float
        Share of a round's time that planned sizes may take; the rest is the grids'.
    all_entries : bool
        Whether every entry is measured at every planned size, or those that may matter.
    detail_s : float
        Seconds that each part of a case beside its slots may take, once; 0 leaves them out.
    cold_caches : bool
        Whether calls are timed with cold caches as well.
    graphs_s : float
        Seconds after which no further size of a workload is captured as a graph.
    """

    slots: int
    slot_s: float = 0.02
    warm_s: float = 0.06
    scout_slots: int = 3
    scout_call_s: float = 0.15
    cold_share: float = 0.26
    cold_most: int = 3
    rounds_most: int = MOST_ROUNDS
    grid: bool = True
    grid_step: float = 1.19
    grid_points: int = 9
    grid_all: bool = False
    planned_share: float = 0.6
    all_entries: bool = False
    detail_s: float = 0.02
    cold_caches: bool = False
    graphs_s: float = 1.0


def effort_of(spec: RunSpec, *, gpu: bool) -> Effort:
    """Return the effort that a spec asks for."""
    slots = 6 if gpu else 8
    if spec.effort == "quick":
        return Effort(
            slots=4,
            warm_s=0.05,
            scout_slots=0,
            cold_most=0,
            rounds_most=1,
            grid=False,
            planned_share=1.0,
            detail_s=0.0,
        )
    long = spec.budget_s >= LONG_BUDGET_S
    return Effort(
        slots=slots,
        warm_s=0.15 if long else 0.06,
        cold_most=5 if long else 3,
        rounds_most=spec.rounds or MOST_ROUNDS,
        # A short run measures few sizes in all of its rounds rather than many in some: a size
        # with fewer than three rounds says nothing.
        grid_step=1.19 if long or spec.rounds else 1.41,
        grid_points=9 if long or spec.rounds else 5,
        grid_all=long,
        cold_share=0.2 if gpu else 0.12,
        planned_share=0.75 if gpu else 1.0,
        detail_s=0.1 if long else 0.02,
        cold_caches=long,
        graphs_s=3.0 if long else 1.0,
    )


def default_threads(machine: Machine) -> int:
    """Return the threads that a CPU library takes by itself here."""
    for variable in THREAD_VARIABLES:
        text = machine.environment.get(variable)
        if text is not None and text.isdigit() and int(text) > 0:
            return int(text)
    return len(machine.cpu.affinity)


def thread_counts(usable: int, default: int) -> tuple[int, ...]:
    """Return the thread counts worth trying: 1, half, all but one, all, with the default."""
    counts = {1, usable // 2, usable - 1, usable, default}
    return tuple(sorted(c for c in counts if c >= 1))


def entry_id(backend: str, threads: int | None, place: int = 1) -> str:
    """Return the id of an entry: backend, threads, and which of several alike it is."""
    name = backend.rpartition("#")[2] if backend.startswith("scripted:") else backend
    text = name if threads is None else f"{name}-{threads}"
    return text if place == 1 else f"{text}#{place}"


def candidates(
    spec: RunSpec, backends: Iterable[tuple[str, BackendInfo, bool]], machine: Machine
) -> tuple[Entry, ...]:
    """Return all entries that may take part.

    Parameters
    ----------
    backends : iterable of tuple
        Name as the user gave it, what was found, whether it computes on thread pools.
    """
    usable, default = machine.cpu.cores_usable, default_threads(machine)
    counts = thread_counts(usable, default) if spec.effort != "quick" else (default,)
    seen: dict[str, int] = {}
    made: list[Entry] = []
    for name, info, pools in backends:
        if not info.available:
            continue
        place = seen[name] = seen.get(name, 0) + 1
        # A backend entered again stands beside its first self in one setting: an A/A by hand.
        tried: Sequence[int | None] = (None,) if not pools else (default,) if place > 1 else counts
        mine = [
            Entry(
                id=entry_id(name, threads, place),
                backend=name,
                device=info.device,
                threads=threads,
                dtype=spec.dtype,
                default=threads in {None, default},
            )
            for threads in tried
        ]
        made += mine
        if info.device != "cpu" and place == 1:
            made += [in_precision(e, p) for e in mine for p in spec.precisions]
    return tuple(made)


def in_precision(entry: Entry, precision: Precision) -> Entry:
    """Return the variant of `entry` that computes in another precision."""
    return msgspec.structs.replace(
        entry,
        id=f"{entry.id}-{precision}",
        dtype=DTYPES[precision],
        matmul_precision="tf32" if precision == "tf32" else "ieee",
        variant="precision",
        default=False,
        precision_of=entry.id,
    )


def cpu_alike(spec: RunSpec, entries: Sequence[Entry], base: str | None) -> tuple[Entry, ...]:
    """Return the CPU entries that GPU variants are compared with in their own precision.

    That is the best CPU setting in float64: CPU libraries compute that as they do float32, while
    16 bits and TF32 are what tensor cores are for.

    Parameters
    ----------
    base : str or None
        The best CPU entry; without one the first that takes its threads as it comes.
    """
    on_cpu = [e for e in entries if e.device == "cpu" and e.variant == "default"]
    chosen = next((e for e in on_cpu if e.id == base), None)
    chosen = chosen or next((e for e in on_cpu if e.default), None)
    if chosen is None or not any(e.variant == "precision" for e in entries):
        return ()
    return tuple(in_precision(chosen, p) for p in spec.precisions if p in CPU_PRECISIONS)


def smallest_first(spec: RunSpec) -> list[tuple[int, str, int]]:
    """Return place, workload and size: the smallest of each workload, then the next of each.

    When the share of time ends, every workload has been tried at some size; a larger one takes the
    thread count of the nearest that was.
    """
    places = [(i, w.name, size) for w in spec.workloads for i, size in enumerate(w.sizes)]
    return sorted(places, key=lambda place: place[0])


def twin_of(entry: Entry) -> Entry:
    """Return the entry that repeats `entry` under another id: the A/A check of the session."""
    return msgspec.structs.replace(
        entry, id=f"{entry.id}-twin", variant="twin", default=False, twin_of=entry.id
    )


def with_calls(entry: Entry, calls: int, *, of: Entry | None = None) -> Entry:
    """Return `entry` with `calls` calls of the work in one timed unit: a planted difference.

    Parameters
    ----------
    of : Entry, optional
        The entry that it is compared with; its time over this one's is known beforehand: the
        calls of the one over those of the other. Without it the entry is such a base itself.
    """
    return msgspec.structs.replace(
        entry,
        id=f"{entry.id}-x{calls}",
        variant="planted",
        default=False,
        twin_of=None if of is None else of.id,
        calls=calls,
    )


def planted(
    entry: Entry, calls: Sequence[int] = PLANTED_CALLS, base_calls: int = BASE_CALLS
) -> tuple[Entry, ...]:
    """Return a base of `base_calls` calls a unit, its twin, then one entry for each of `calls`."""
    base = with_calls(entry, base_calls)
    return (base, twin_of(base), *(with_calls(entry, n, of=base) for n in calls))


def again(entry: Entry) -> Entry:
    """Return `entry` once more, compared with its first self as any other entry would be."""
    return msgspec.structs.replace(entry, id=f"{entry.id}#2")


def effort_of_given(spec: RunSpec, *, gpu: bool) -> Effort:
    """Return the effort for entries that the caller chose: nothing is scouted or searched."""
    return msgspec.structs.replace(
        effort_of(spec, gpu=gpu),
        scout_slots=0,
        cold_most=0,
        grid=False,
        planned_share=1.0,
        all_entries=True,
        # One of two equals would do in its first round what the other does not.
        detail_s=0.0,
        cold_caches=False,
    )


def cores_for(entry: Entry, machine: Machine) -> tuple[int, ...]:
    """Return the CPUs for an entry's pool threads, one each; empty when they cannot have one each.

    The last CPUs are taken: the first ones serve most interrupts.
    """
    threads, cpus = entry.threads, machine.cpu.affinity
    if threads is None or threads > len(cpus):
        return ()
    return tuple(cpus[len(cpus) - threads :])


def of_function(spec: RunSpec, entries: Sequence[Entry], library: str | None) -> tuple[Entry, ...]:
    """Return the further ways to call the user's own function: compiled, or written by hand.

    Parameters
    ----------
    library : str or None
        That the hand-written one is for: ``numpy``, ``torch`` or ``cupy``.
    """
    if spec.function is None:
        return ()
    made = []
    plain = [e for e in entries if e.variant == "default" and e.default]
    if spec.function.compile:
        made += [_other(e, "compiled") for e in plain if e.backend.startswith("torch")]
    if spec.function.against is not None:
        made += [_other(e, "against") for e in plain if e.backend.partition("-")[0] == library]
    return tuple(made)


def _other(entry: Entry, variant: Variant) -> Entry:
    name = "hand-written" if variant == "against" else variant
    return msgspec.structs.replace(entry, id=f"{entry.id}-{name}", variant=variant)
