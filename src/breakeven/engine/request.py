"""From a user's words to a checked spec."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import get_args

import msgspec

from breakeven.backends import registry as backends
from breakeven.engine.plan import LONG_BUDGET_S
from breakeven.engine.training_limits import check_backends, check_options
from breakeven.engine.training_request import (
    TrainingOptions,
    further_precisions,
    jobs_of,
    training_of,
)
from breakeven.errors import InputError
from breakeven.model.spec import DType, Effort, Precision, RunSpec, WorkloadSpec
from breakeven.workloads import registry as workloads
from breakeven.workloads.base import unlike
from breakeven.workloads.jobs import JOBS, LIMITED_SIZES

LARGEST_SIZE = 1 << 30
MOST_SIZES = 64
GEOMETRIC_STEP = 2
TOUR_S, TOUR_GPU_S, QUICK_S = 54.0, 108.0, 22.0
# PyTorch starts slowly, and beside its rounds a training is watched, traced and taken apart.
JOB_S, JOB_QUICK_S = 120.0, 45.0
LARGEST_BATCH = 1 << 20
SHORTEST_S, LONGEST_S = 1.0, 7 * 24 * 3600.0
MOST_ROUNDS, SEEDS = 1000, 2**32
# Longer numbers are no sizes either, and Python refuses to read very long ones.
MOST_DIGITS = 20
UNITS_S = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_RANGE = re.compile(r"\s*(\d{1,20})\s*:\s*(\d{1,20})\s*")
_TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*")


def sizes_of(text: str | Sequence[int], option: str = "--sizes") -> tuple[int, ...]:
    """Return sizes from ``"128,256,512"``, ``"128:8192"`` (each twice the last), or numbers.

    Parameters
    ----------
    option : str
        What the user gave them with.

    Raises
    ------
    InputError
        If they are no sizes, or more than can be measured.
    """
    if isinstance(text, str):
        span = _RANGE.fullmatch(text)
        numbers = _span(int(span[1]), int(span[2]), option) if span else _list(text, option)
    else:
        numbers = [int(n) for n in text]
    if not numbers:
        raise InputError("no sizes were given", _an_example(option))
    for number in numbers:
        if not 1 <= number <= LARGEST_SIZE:
            raise InputError(
                f"size {number} cannot be measured", f"choose from 1 to {LARGEST_SIZE}"
            )
    if len(set(numbers)) > MOST_SIZES:
        raise InputError(f"{len(set(numbers))} sizes are too many", f"give at most {MOST_SIZES}")
    return tuple(sorted(set(numbers)))


def _an_example(option: str) -> str:
    return f"try {option} 128,256,512 or {option} 128:8192"


def _list(text: str, option: str) -> list[int]:
    parts = [p.strip() for p in text.split(",") if p.strip()]
    wrong = next((p for p in parts if not p.isdecimal() or len(p) > MOST_DIGITS), None)
    if wrong is not None:
        raise InputError(
            f"{wrong[: 2 * MOST_DIGITS]!r} in {option} is no size", _an_example(option)
        )
    return [int(p) for p in parts]


def _span(low: int, high: int, option: str) -> list[int]:
    if not 1 <= low <= high <= LARGEST_SIZE:
        raise InputError(
            f"the range {low}:{high} is no range of sizes",
            f"try {option} 128:8192, smallest first",
        )
    count = math.floor(math.log(high / low, GEOMETRIC_STEP) + 1e-9) + 1
    numbers = [low * GEOMETRIC_STEP**k for k in range(count)]
    return numbers if numbers[-1] == high else [*numbers, high]


def seconds_of(text: str | float) -> float:
    """Return seconds from ``"90"``, ``"60s"``, ``"10m"`` or ``"1h"``.

    Raises
    ------
    InputError
        If it is no time, or too short for anything.
    """
    found = _TIME.fullmatch(str(text).lower())
    if not found or found[2] not in UNITS_S:
        raise InputError(f"{text!r} is no time", "try --budget 60s, --budget 10m or --budget 1h")
    seconds = float(found[1]) * UNITS_S[found[2]]
    if seconds < SHORTEST_S:
        raise InputError(f"a budget of {text} is too short", "give at least 1 s")
    if seconds > LONGEST_S:
        raise InputError(f"a budget of {str(text)[:20]} is too long", "give at most 168h, a week")
    return seconds


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a run, as the user gave them.

    Attributes
    ----------
    workloads : sequence of str
        None named means the tour.
    backends : sequence of str or None
        None means all.
    precisions : sequence of str or None
        Further precisions of GPU entries.
    training : TrainingOptions
        Of ``train`` and ``infer``.
    """

    workloads: Sequence[str] = ()
    sizes: str | Sequence[int] | None = None
    backends: Sequence[str] | None = None
    dtype: str = "float32"
    quick: bool = False
    budget: str | float | None = None
    rounds: int | None = None
    seed: int = 42
    naive: bool = False
    pin: bool = True
    ceilings: bool = False
    precisions: Sequence[str] | None = None
    training: TrainingOptions = TrainingOptions()


def spec_of(asked: Options, *, gpu: bool) -> RunSpec:
    """Return the checked spec of a run.

    Parameters
    ----------
    gpu : bool
        Whether this machine has a GPU, which makes the tour longer.

    Raises
    ------
    InputError
        If a name, size, type or number is wrong.
    """
    dtype = _dtype(asked.dtype)
    if asked.rounds is not None and not 1 <= asked.rounds <= MOST_ROUNDS:
        raise InputError(
            f"{asked.rounds} rounds cannot be measured", f"give from 1 to {MOST_ROUNDS}"
        )
    if asked.quick and asked.rounds not in {None, 1}:
        raise InputError("--quick is one round", f"leave it out to measure {asked.rounds}")
    if not 0 <= asked.seed < SEEDS:
        raise InputError(f"seed {asked.seed} cannot be used", f"give from 0 to {SEEDS - 1}")
    jobs = jobs_of(asked.workloads)
    check_options(asked.training, jobs, quick=asked.quick)
    if jobs:
        check_backends(asked.backends, jobs)
    training = training_of(asked.training, jobs)
    given = _sizes_of_jobs(asked, dtype) if jobs else _sizes_given(asked)
    named = asked.training.batch_sizes is not None if jobs else given is not None
    settled = asked.budget is None and asked.rounds is None
    effort: Effort = "quick" if asked.quick else "tour" if settled else "full"
    default_s = QUICK_S if asked.quick else TOUR_GPU_S if gpu else TOUR_S
    if jobs:
        default_s = JOB_QUICK_S if asked.quick else JOB_S
    return RunSpec(
        workloads=tuple(
            _workload(n, given, named=named)
            for n in tuple(dict.fromkeys(asked.workloads)) or workloads.TOUR
        ),
        backends=_backends(asked.backends, train=bool(jobs)),
        explicit_backends=asked.backends is not None,
        dtype=dtype,
        effort=effort,
        budget_s=default_s if asked.budget is None else seconds_of(asked.budget),
        rounds=asked.rounds,
        seed=asked.seed,
        naive=asked.naive,
        precisions=(
            further_precisions(asked.training.precision)
            if jobs
            else _precisions(asked.precisions, dtype)
        ),
        pin=asked.pin,
        ceilings=asked.ceilings or _has_time(asked),
        training=training,
    )


def _sizes_given(asked: Options) -> tuple[int, ...] | None:
    return None if asked.sizes is None else sizes_of(asked.sizes)


def _sizes_of_jobs(asked: Options, dtype: DType) -> tuple[int, ...] | None:
    """Return the batch sizes that were given; refuse options that training has not."""
    job = next(w for w in asked.workloads if w in JOBS)
    if asked.sizes is not None:
        raise InputError(
            f"the sizes of {job} are batch sizes", "give them with --batch-sizes 32,64,128"
        )
    if asked.precisions is not None:
        raise InputError(
            f"--precisions is for array code; {job} has --precision",
            "choose from: --precision fp32,tf32,bf16",
        )
    if dtype != "float32":
        raise InputError(f"{job} is not measured in {dtype}", "try --precision fp32,tf32,bf16")
    limited = asked.training.latency_limit is not None
    if asked.training.batch_sizes is None:
        return LIMITED_SIZES if limited else None
    sizes = sizes_of(asked.training.batch_sizes, "--batch-sizes")
    if max(sizes) > LARGEST_BATCH:
        raise InputError(
            f"a batch of {max(sizes)} cannot be measured", f"give at most {LARGEST_BATCH}"
        )
    return sizes


def _has_time(asked: Options) -> bool:
    """Tell whether the budget has room to measure the machine's ceilings beside the workloads."""
    return asked.budget is not None and seconds_of(asked.budget) >= LONG_BUDGET_S


def _workload(name: str, given: tuple[int, ...] | None, *, named: bool) -> WorkloadSpec:
    found = workloads.planned(name)
    sizes = given or found.sizes
    return WorkloadSpec(
        name=name,
        sizes=sizes,
        given=named,
        axis=found.axis,
        unlike=unlike(found),
    )


def _dtype(name: str) -> DType:
    match name:
        case "float32" | "float64":
            return name
        case _:
            raise InputError(f"dtype {name!r} is not measured", "choose float32 or float64")


def _precisions(chosen: Sequence[str] | None, dtype: DType) -> tuple[Precision, ...]:
    if chosen is None:
        return ()
    known: tuple[Precision, ...] = get_args(Precision)
    if not chosen:
        raise InputError("no precision was given", f"choose from: {', '.join(known)}")
    for name in chosen:
        if name not in known:
            raise InputError(f"no precision is called {name!r}", f"choose from: {', '.join(known)}")
    if dtype in chosen:
        raise InputError(
            f"{dtype} is what the run measures already", f"leave it out of the precisions: {dtype}"
        )
    return tuple(p for p in known if p in chosen)


def _backends(chosen: Sequence[str] | None, *, train: bool) -> tuple[str, ...]:
    """Return the backends to try: those that were named, or all that can do such work."""
    if chosen is None:
        return tuple(n for n in backends.names() if not train or backends.get(n).about.trains)
    if not chosen:
        raise InputError("no backend was given", f"choose from: {', '.join(backends.names())}")
    for name in chosen:
        for one in backends.expand(name):
            backends.get(one)
    return tuple(chosen)
