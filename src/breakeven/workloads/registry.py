"""Finds workloads by name: the built-in ones, with those that other packages register."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import entry_points

from breakeven.errors import InputError
from breakeven.workloads.base import Workload
from breakeven.workloads.elementwise import Elementwise
from breakeven.workloads.fft import Fft
from breakeven.workloads.jobs import JOBS, JobWorkload
from breakeven.workloads.matmul import Matmul
from breakeven.workloads.mlp import Mlp
from breakeven.workloads.pairwise import Pairwise
from breakeven.workloads.planned import Planned
from breakeven.workloads.reduce import Reduce
from breakeven.workloads.solve import Solve
from breakeven.workloads.sort import Sort
from breakeven.workloads.stencil import Stencil
from breakeven.workloads.svd import Svd
from breakeven.workloads.training.base import Facts

GROUP = "breakeven.workloads"
TOUR = ("matmul", "mlp")
_BUILT_IN: dict[str, Callable[[], Workload]] = {
    "matmul": Matmul,
    "mlp": Mlp,
    "elementwise": Elementwise,
    "reduce": Reduce,
    "stencil": Stencil,
    "pairwise": Pairwise,
    "fft": Fft,
    "sort": Sort,
    "solve": Solve,
    "svd": Svd,
}


def names() -> tuple[str, ...]:
    """Return the names of all workloads in array code that can be run here."""
    return (*_BUILT_IN, *sorted(e.name for e in entry_points(group=GROUP)))


def planned(name: str, facts: Mapping[int, Facts] | None = None) -> Planned:
    """Return the workload called `name` as a plan sees it: array code, or a job.

    Parameters
    ----------
    facts : mapping, optional
        What was found out about a job, by batch size.

    Raises
    ------
    InputError
        If no workload has that name.
    """
    return JobWorkload(name, facts) if name in JOBS else get(name)


def get(name: str) -> Workload:
    """Return the workload in array code called `name`.

    Raises
    ------
    InputError
        If no workload has that name.
    """
    if name in _BUILT_IN:
        return _BUILT_IN[name]()
    for found in entry_points(group=GROUP):
        if found.name == name:
            made: Workload = found.load()()
            return made
    known = ", ".join((*names(), *JOBS))
    raise InputError(f"no workload is called {name!r}", f"choose from: {known}")
