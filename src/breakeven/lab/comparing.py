"""One call that sets the user's own function beside itself on other libraries."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from breakeven import units
from breakeven.backends import registry as backends
from breakeven.backends.found import version_of
from breakeven.backends.library import Family
from breakeven.backends.scripted import PREFIX
from breakeven.engine.compare_request import (
    CompareOptions,
    budget_of,
    check_numbers,
    function_of,
    sizes_asked,
    spec_of_function,
)
from breakeven.engine.function_plan import FunctionPlan, tried
from breakeven.engine.lock import machine_lock
from breakeven.engine.processes import interrupted_once
from breakeven.errors import BreakevenError, InputError
from breakeven.lab.begun import begun
from breakeven.lab.computer import read_machine
from breakeven.lab.measuring import measure_begun
from breakeven.lab.reach import stored_ceilings
from breakeven.lab.result import Result
from breakeven.lab.source_of import target_of
from breakeven.lab.telling import WAITING, Progress, Say, quiet
from breakeven.model.event import Began, CeilingsDone, Event, PortSeen, Remark
from breakeven.model.ported import Ported
from breakeven.port.scan import scan_target
from breakeven.port.target import find_target
from breakeven.store.folder import Store

FAMILIES: dict[str, Family] = {"cupy": "cupy", "torch-cuda": "torch"}
SHORTEST_BUDGET_S = 5.0
WORKER = "breakeven.engine.worker"


def compare(
    func: Callable[..., Any] | str,
    inputs: str | None = None,
    sizes: str | Sequence[int] | None = None,
    *,
    store: Path | str | None = None,
    **options: Any,  # noqa: ANN401  the fields of CompareOptions
) -> Result:
    """Set a NumPy function beside itself on other libraries: does a GPU pay for it?

    Parameters
    ----------
    func : callable or str
        A function of a file or module, a function or lambda of a notebook, or
        ``"FILE.py:FUNC"``.
    inputs : str, optional
        Expression that gives the arguments for a size `n`, such as
        ``"(rng.standard_normal((n, n)),)"``.
    sizes : str or sequence of int, optional
        As in `run`.
    store : path, optional
        Folder of stored runs.
    **options
        ``backends``, ``quick``, ``budget``, ``rounds``, ``seed``, ``policy``, ``xp``, ``against``,
        ``rtol``, ``compile``, ``pin``.

    Raises
    ------
    InputError
        If the function, or what it is called with, is wrong.
    NothingMeasuredError
        If nothing could be measured.
    KeyboardInterrupt
        After what was finished has been stored.
    """
    if _in_worker():
        raise InputError(
            "compare() was called by a file that a process of breakeven runs",
            'put the call under: if __name__ == "__main__":',
        )
    known = CompareOptions.__struct_fields__
    for name in options:
        if name not in known:
            raise TypeError(f"compare() has no option {name!r}; it has: {', '.join(known)}")
    with target_of(func) as target:
        asked = CompareOptions(target=target, inputs=inputs, sizes=sizes, **options)
        result, interrupted = start_compare(
            asked,
            command=("compare", func if isinstance(func, str) else Path(target).name),
            store=None if store is None else Path(store),
        )
    if interrupted:
        raise KeyboardInterrupt
    return result


def _in_worker() -> bool:
    """Tell whether this process was started to call the user's function."""
    spec = getattr(sys.modules.get("__main__"), "__spec__", None)
    return getattr(spec, "name", None) == WORKER


def measure(func: Callable[..., Any] | str, inputs: str | None = None, **options: Any) -> Result:  # noqa: ANN401
    """Time a NumPy function on NumPy alone, in fresh processes and rounds as `compare` does."""
    return compare(func, inputs, **{"backends": ("numpy",), **options})


def start_compare(
    asked: CompareOptions,
    *,
    command: Sequence[str],
    store: Path | None = None,
    say: Say = quiet,
    progress: Progress = quiet,
) -> tuple[Result, bool]:
    """Try the function on NumPy, then measure it; return the run, and whether it was interrupted.

    Parameters
    ----------
    say : callable
        Told once what the run will cost, and what the function printed.
    """
    function = function_of(asked)
    sizes = sizes_asked(asked)
    check_numbers(asked)
    folder = Store(store)
    folder.check_writable()
    machine = read_machine()
    budget_s = max(SHORTEST_BUDGET_S, budget_of(asked, gpu=bool(machine.gpus)))
    with interrupted_once(), machine_lock(lambda: say(WAITING)):
        plan = tried(
            function, sizes, seed=asked.seed, budget_s=budget_s, machine=machine, tell=progress
        )
    spec = spec_of_function(asked, plan, gpu=bool(machine.gpus))
    record = begun(command, spec, machine)
    first: list[Event] = [Began(record=record)]
    if not any(name.startswith(PREFIX) for name in spec.backends):
        first += [CeilingsDone(ceilings=found) for found in stored_ceilings(machine, store)]
    first += [Remark(text=text) for text in plan.remarks]
    first += [PortSeen(ported=seen) for seen in previews(plan, spec.backends)]
    _tell(plan, say)
    return measure_begun(folder, folder.sink(record.id), first, say, progress, plan)


def _tell(plan: FunctionPlan, say: Say) -> None:
    if plan.printed:
        lines = plan.printed.rstrip().splitlines()
        say(f"{plan.name} prints, as it did when it was tried; later calls are silent:")
        for line in lines:
            say(f"  {line}")
    shortest, longest = plan.seen[min(plan.seen)], plan.seen[max(plan.seen)]
    took = units.seconds(shortest.call_s)
    if longest is not shortest:
        took += f" at n = {min(plan.seen)}, {units.seconds(longest.call_s)} at {max(plan.seen)}"
    said = f"{plan.name} takes {took} on NumPy (arguments: {plan.source})"
    if plan.altered:
        said += f"; it alters {', '.join(plan.altered)}: each call is given a fresh copy"
    say(f"{said}.")


def previews(plan: FunctionPlan, wanted: Sequence[str]) -> tuple[Ported, ...]:
    """Return what names tell of libraries that are not here: which calls each has."""
    if plan.function.takes_namespace or plan.function.against is not None:
        return ()
    found = []
    for name in wanted:
        if name not in FAMILIES or backends.get(name).find().available:
            continue
        try:
            target = find_target(plan.function.target, Path.cwd())
        except BreakevenError:
            continue
        family: Family = FAMILIES[name]
        scan = scan_target(target, family, version_of("torch") if family == "torch" else None)
        if scan is not None:
            found.append(
                Ported(
                    workload=plan.name,
                    entry=name,
                    size=min(plan.sizes),
                    reach="preview",
                    sites=scan.sites(),
                    failure=scan.failure(),
                )
            )
    return tuple(found)
