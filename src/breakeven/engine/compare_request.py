"""From the words of ``breakeven compare`` to a checked spec."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from breakeven.backends import registry as backends
from breakeven.engine.function_plan import FunctionPlan
from breakeven.engine.request import (
    MOST_ROUNDS,
    QUICK_S,
    SEEDS,
    TOUR_GPU_S,
    TOUR_S,
    seconds_of,
    sizes_of,
)
from breakeven.errors import InputError
from breakeven.model.ported import FunctionSpec, Policy
from breakeven.model.spec import Effort, RunSpec, WorkloadSpec
from breakeven.workloads.function.arguments import compiled
from breakeven.workloads.function.target import checked

LARGEST_RTOL = 1.0


class CompareOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a comparison, as the user gave them.

    Attributes
    ----------
    target : str
        ``FILE.py:FUNC`` or ``package.module:FUNC``.
    inputs : str or None
        Expression of the arguments, in `n`, `rng`, `np` and the names of the file.
    policy : str
        ``strict`` or ``bridge``.
    xp : bool
        Whether the function takes an array namespace, or arrays of any library.
    against : str or None
        A port written by hand, ``FILE.py:OTHER``.
    compile : bool
        Whether the function is compiled by PyTorch as well.
    """

    target: str
    inputs: str | None = None
    sizes: str | Sequence[int] | None = None
    backends: Sequence[str] | None = None
    quick: bool = False
    budget: str | float | None = None
    rounds: int | None = None
    seed: int = 42
    policy: str = "strict"
    xp: bool = False
    against: str | None = None
    rtol: float | None = None
    compile: bool = False
    pin: bool = True


def function_of(asked: CompareOptions) -> FunctionSpec:
    """Return the checked function: its files are read, none is run.

    Raises
    ------
    InputError
        If a file, a name, an expression or a number is wrong.
    """
    checked(asked.target)
    if asked.against is not None:
        checked(asked.against)
    if asked.inputs is not None:
        compiled(asked.inputs)
    if asked.rtol is not None and not 0.0 < asked.rtol <= LARGEST_RTOL:
        raise InputError(f"--rtol {asked.rtol:g} allows nothing or all", "give such as 1e-6")
    if asked.xp and asked.against is not None:
        raise InputError("--xp and --against cannot be kept both", "leave one out")
    return FunctionSpec(
        target=asked.target,
        inputs=asked.inputs,
        against=asked.against,
        takes_namespace=asked.xp,
        policy=_policy(asked.policy),
        rtol=asked.rtol,
        compile=asked.compile,
    )


def sizes_asked(asked: CompareOptions) -> tuple[int, ...] | None:
    """Return the sizes that were named; None where they are to be chosen."""
    return None if asked.sizes is None else sizes_of(asked.sizes)


def budget_of(asked: CompareOptions, *, gpu: bool) -> float:
    """Return the seconds that a comparison may take."""
    if asked.budget is not None:
        return seconds_of(asked.budget)
    return QUICK_S if asked.quick else TOUR_GPU_S if gpu else TOUR_S


def check_numbers(asked: CompareOptions) -> None:
    """Refuse numbers that mean nothing.

    Raises
    ------
    InputError
        If there are any.
    """
    if asked.rounds is not None and not 1 <= asked.rounds <= MOST_ROUNDS:
        raise InputError(
            f"{asked.rounds} rounds cannot be measured", f"give from 1 to {MOST_ROUNDS}"
        )
    if asked.quick and asked.rounds not in {None, 1}:
        raise InputError("--quick is one round", f"leave it out to measure {asked.rounds}")
    if not 0 <= asked.seed < SEEDS:
        raise InputError(f"seed {asked.seed} cannot be used", f"give from 0 to {SEEDS - 1}")
    backends_of(asked)


def spec_of_function(asked: CompareOptions, plan: FunctionPlan, *, gpu: bool) -> RunSpec:
    """Return the spec of a comparison whose function has been tried."""
    settled = asked.budget is None and asked.rounds is None
    effort: Effort = "quick" if asked.quick else "tour" if settled else "full"
    return RunSpec(
        workloads=(
            WorkloadSpec(
                name=plan.name,
                sizes=plan.sizes,
                given=asked.sizes is not None,
                axis=plan.planned.axis,
            ),
        ),
        backends=backends_of(asked),
        explicit_backends=asked.backends is not None,
        dtype=plan.dtype,
        effort=effort,
        budget_s=budget_of(asked, gpu=gpu),
        rounds=asked.rounds,
        seed=asked.seed,
        pin=asked.pin,
        function=plan.function,
    )


def backends_of(asked: CompareOptions) -> tuple[str, ...]:
    """Return the backends to try: those that were named, or the built-in ones.

    Raises
    ------
    InputError
        If there is none of a name.
    """
    if asked.backends is None:
        return tuple(backends.BUILT_IN)
    if not asked.backends:
        raise InputError("no backend was given", f"choose from: {', '.join(backends.BUILT_IN)}")
    for name in asked.backends:
        for one in backends.expand(name):
            backends.get(one)
    return tuple(asked.backends)


def _policy(name: str) -> Policy:
    match name:
        case "strict" | "bridge":
            return name
        case _:
            raise InputError(f"no policy is called {name!r}", "choose strict or bridge")
