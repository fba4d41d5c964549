"""Who is tried in a self-test, at which sizes, for how long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from breakeven.backends import registry as backends
from breakeven.engine.plan import Effort, candidates, effort_of_given, planted
from breakeven.engine.request import seconds_of
from breakeven.errors import InputError, NothingMeasuredError
from breakeven.model.machine import BackendInfo, Machine
from breakeven.model.run import Entry
from breakeven.model.spec import RunSpec, WorkloadSpec

# Room for the eight rounds that a planted difference takes; PyTorch starts slowly. On a GPU the
# device clocks come after the rounds, in processes of their own.
BUDGET_ALONE_S, BUDGET_S, BUDGET_GPU_S, QUICK_S = 80.0, 120.0, 110.0, 20.0
DEVICE_CLOCK_S = 20.0
# Work on 10 calls stands beside 11 and 12: differences of 1.10 and 1.20.
PLANTED_CALLS = (12, 11)
# One backend alone is tried at more sizes, so that at least eight places see the same code twice.
SIZES_ALONE, SIZES_TWO, SIZES_GPU = (
    (64, 96, 128, 160, 192, 256, 320, 384),
    (96, 160, 256, 384),
    (256, 512, 1024),
)
MOST_ROUNDS = 12
# A unit of ten calls is long: shorter slots hold as many repeats.
SLOT_S, WARM_S = 0.01, 0.04
DEFAULT_CPU, DEFAULT_GPU = ("numpy", "torch-cpu"), ("numpy", "cupy", "torch-cuda")


class SelfTestOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a self-test, as the user gave them.

    Attributes
    ----------
    sizes : sequence of int
        Sizes of the matrix product; empty chooses by what takes part.
    """

    quick: bool = False
    budget: str | float | None = None
    backends: Sequence[str] | None = None
    sizes: Sequence[int] = ()
    seed: int = 42


class Plan(NamedTuple):
    """Who is tried, at which sizes, for how long.

    Attributes
    ----------
    device_clock : bool
        Whether device clocks are held beside a trace when the rounds are done.
    """

    spec: RunSpec
    entries: tuple[Entry, ...]
    effort: Effort
    backends: tuple[BackendInfo, ...]
    device_clock: bool = True


def plan(asked: SelfTestOptions, machine: Machine) -> Plan:
    """Return the plan of a self-test on a machine.

    Raises
    ------
    InputError
        If a backend or the budget is wrong.
    NothingMeasuredError
        If no backend works here.
    """
    found = _look_for(asked, machine)
    here = [(name, info, pools) for name, info, pools in found if info.available]
    infos = tuple(info for _, info, _ in found)
    if not here:
        why = "; ".join(f"{i.name}: {i.why_not}" for i in infos)
        raise NothingMeasuredError(f"no backend works here ({why})", "breakeven doctor says more")
    on_gpu = any(info.device != "cpu" for _, info, _ in here)
    names = tuple(name for name, _, _ in here)
    sizes = tuple(asked.sizes) or _sizes(len(here), quick=asked.quick, on_gpu=on_gpu)
    spec = RunSpec(
        workloads=(WorkloadSpec(name="matmul", sizes=sizes),),
        backends=names,
        explicit_backends=asked.backends is not None,
        effort="full",
        budget_s=_budget(asked, len(here), on_gpu=on_gpu),
        seed=asked.seed,
    )
    # A quick spec has each backend in its default setting alone.
    settings = candidates(msgspec.structs.replace(spec, effort="quick"), here, machine)
    entries = tuple(e for one in settings for e in planted(one, PLANTED_CALLS))
    effort = msgspec.structs.replace(
        effort_of_given(spec, gpu=on_gpu), slot_s=SLOT_S, warm_s=WARM_S, rounds_most=MOST_ROUNDS
    )
    return Plan(spec, entries, effort, infos, device_clock=not asked.quick)


def _look_for(asked: SelfTestOptions, machine: Machine) -> list[tuple[str, BackendInfo, bool]]:
    """Return name, state and whether it has thread pools, of each backend that is asked for."""
    wanted = asked.backends
    if wanted is None:
        wanted = DEFAULT_GPU if machine.gpus else DEFAULT_CPU
        wanted = wanted[:1] if asked.quick and not machine.gpus else wanted
    elif not wanted:
        raise InputError("no backend was given", f"choose from: {', '.join(backends.names())}")
    found = []
    for given in wanted:
        for name in backends.expand(given):
            backend = backends.get(name)
            info = msgspec.structs.replace(backend.find(), name=name)
            found.append((name, info, backend.about.pools))
    if asked.quick and asked.backends is None:
        gpus = [f for f in found if f[1].available and f[1].device != "cpu"]
        found = [f for f in found if f[1].device == "cpu" or f in gpus[:1]]
    return found


def _sizes(backends_here: int, *, quick: bool, on_gpu: bool) -> tuple[int, ...]:
    if on_gpu:
        return SIZES_GPU
    return SIZES_ALONE if backends_here == 1 and not quick else SIZES_TWO


def _budget(asked: SelfTestOptions, backends_here: int, *, on_gpu: bool) -> float:
    if asked.budget is not None:
        return seconds_of(asked.budget)
    if asked.quick:
        return QUICK_S
    if on_gpu:
        return BUDGET_GPU_S
    return BUDGET_ALONE_S if backends_here == 1 else BUDGET_S
