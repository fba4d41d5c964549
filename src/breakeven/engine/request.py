"""From a user's words to a checked spec."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import get_args

from breakeven.backends import registry as backends
from breakeven.errors import InputError
from breakeven.model.spec import DType, Effort, RunSpec, WorkloadSpec
from breakeven.workloads import registry as workloads

LARGEST_SIZE = 1 << 20
MOST_SIZES = 64
GEOMETRIC_STEP = 2
TOUR_S, TOUR_GPU_S, QUICK_S = 54.0, 108.0, 22.0
SHORTEST_S = 1.0
UNITS_S = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_RANGE = re.compile(r"\s*(\d+)\s*:\s*(\d+)\s*")
_TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*")


def sizes_of(text: str | Sequence[int]) -> tuple[int, ...]:
    """Return sizes from ``"128,256,512"``, ``"128:8192"`` (each twice the last), or numbers.

    Raises
    ------
    InputError
        If they are no sizes, or more than can be measured.
    """
    if isinstance(text, str):
        span = _RANGE.fullmatch(text)
        numbers = _span(int(span[1]), int(span[2])) if span else _list(text)
    else:
        numbers = [int(n) for n in text]
    if not numbers:
        raise InputError("no sizes were given", "try --sizes 128,256,512 or --sizes 128:8192")
    for number in numbers:
        if not 1 <= number <= LARGEST_SIZE:
            raise InputError(
                f"size {number} cannot be measured", f"choose from 1 to {LARGEST_SIZE}"
            )
    if len(set(numbers)) > MOST_SIZES:
        raise InputError(f"{len(set(numbers))} sizes are too many", f"give at most {MOST_SIZES}")
    return tuple(sorted(set(numbers)))


def _list(text: str) -> list[int]:
    parts = [p.strip() for p in text.split(",") if p.strip()]
    wrong = next((p for p in parts if not p.isdecimal()), None)
    if wrong is not None:
        raise InputError(
            f"{wrong!r} in --sizes is no size", "try --sizes 128,256,512 or --sizes 128:8192"
        )
    return [int(p) for p in parts]


def _span(low: int, high: int) -> list[int]:
    if not 1 <= low <= high <= LARGEST_SIZE:
        raise InputError(
            f"the range {low}:{high} is no range of sizes", "try --sizes 128:8192, smallest first"
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
    return seconds


def spec_of(
    names: Sequence[str],
    *,
    sizes: str | Sequence[int] | None,
    chosen: Sequence[str] | None,
    dtype: str,
    quick: bool,
    budget: str | float | None,
    rounds: int | None,
    seed: int,
    naive: bool,
    pin: bool,
    gpu: bool,
) -> RunSpec:
    """Return the checked spec of a run.

    Parameters
    ----------
    names : sequence of str
        Workloads; none means the tour.
    chosen : sequence of str or None
        Backends; None means all.
    gpu : bool
        Whether this machine has a GPU, which makes the tour longer.

    Raises
    ------
    InputError
        If a name, size, type or number is wrong.
    """
    if dtype not in get_args(DType):
        raise InputError(f"dtype {dtype!r} is not measured", "choose float32 or float64")
    if rounds is not None and not 1 <= rounds <= 1000:
        raise InputError(f"{rounds} rounds cannot be measured", "give from 1 to 1000")
    if not 0 <= seed < 2**32:
        raise InputError(f"seed {seed} cannot be used", "give from 0 to 4294967295")
    if chosen is not None and not chosen:
        raise InputError("no backend was given", f"choose from: {', '.join(backends.names())}")
    given = None if sizes is None else sizes_of(sizes)
    for name in chosen or ():
        for one in backends.expand(name):
            backends.get(one)
    effort: Effort = "quick" if quick else "tour" if budget is None and rounds is None else "full"
    default_s = QUICK_S if quick else TOUR_GPU_S if gpu else TOUR_S
    asked = tuple(dict.fromkeys(names)) or workloads.TOUR
    return RunSpec(
        workloads=tuple(
            WorkloadSpec(name=n, sizes=given or workloads.get(n).sizes, given=given is not None)
            for n in asked
        ),
        backends=tuple(chosen) if chosen else backends.names(),
        explicit_backends=chosen is not None,
        dtype=dtype,  # type: ignore[arg-type]  # checked above
        effort=effort,
        budget_s=default_s if budget is None else seconds_of(budget),
        rounds=rounds,
        seed=seed,
        naive=naive,
        pin=pin,
    )
