"""Scripted comparisons whose crossovers are known, one, several or none, drawn from a seed."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Literal

from breakeven.backends.scripted import Actor
from breakeven.model.verdict import Scope
from rehearsal import SIZES, Play

Kind = Literal["one", "kinked", "several", "none", "always", "flat", "memory"]
KINDS: tuple[Kind, ...] = ("one", "kinked", "several", "none", "always", "flat", "memory")
LogRatio = Callable[[float], float]
SPREADS = (0.03, 0.06, 0.12)
NOISE = 0.03
# Sizes at which a curve is written down; between them it is interpolated as scripts are.
POINTS = tuple(sorted({round(32 * 1.02**k) for k in range(300)}))
STEEPEST = 3.0
# Half the width, in logs, of the range in which an entry with two crossings is ahead.
HALF = math.log(3.0)


def base_s(size: float) -> float:
    """Return seconds of the base: a launch, then work that grows as matmul's does."""
    return 1e-5 + 1.2e-12 * size**3


def actors(ratios: dict[Scope, LogRatio], spread: float) -> tuple[Actor, Actor]:
    """Return base and entry whose log ratios over size are those given, in both scopes."""

    def entry_s(scope: Scope, size: float) -> float:
        return base_s(size) * math.exp(-ratios[scope](size))

    journey = {n: entry_s("transfer", n) - entry_s("resident", n) for n in POINTS}
    base = Actor(compute_s={"matmul": {n: base_s(n) for n in POINTS}}, spread=spread, noise=NOISE)
    entry = Actor(
        device="cuda:0",
        compute_s={"matmul": {n: entry_s("resident", n) for n in POINTS}},
        journey_s={"matmul": {n: max(took, 1e-9) for n, took in journey.items()}},
        spread=spread,
        noise=NOISE,
    )
    return base, entry


def bent(at: float, below: float, above: float) -> LogRatio:
    """Return a rising log ratio that is 0 at `at`, with a slope on either side, levelling off."""

    def value(size: float) -> float:
        x = math.log(size / at)
        return STEEPEST * math.tanh((below if x < 0 else above) * x / STEEPEST)

    return value


def hill(centre: float, height: float) -> LogRatio:
    """Return a log ratio over 0 within a factor of 3 of `centre`, and below 0 beyond."""

    def value(size: float) -> float:
        x = math.log(size / centre) / HALF
        return height * math.tanh(1.5 * (1 - x * x))

    return value


def level(value: float, slope: float = 0.0) -> LogRatio:
    """Return a log ratio that starts at `value` at the smallest size and grows by `slope`."""
    return lambda size: value + slope * math.log(size / SIZES[0])


def play(kind: Kind, seed: int) -> Play:
    """Return a comparison of a kind; its place, slopes and noise come from the seed."""
    rng = random.Random(f"{kind}/{seed}")  # noqa: S311  a draw of curves, no secret
    spread = SPREADS[seed % len(SPREADS)]
    at = math.exp(rng.uniform(math.log(170), math.log(1500)))
    further = at * rng.uniform(1.5, 4.0)
    slope = rng.uniform(0.7, 2.2)
    memory_to = None
    truths: dict[Scope, tuple[float, ...]]
    match kind:
        case "one" | "kinked" | "memory":
            turn = rng.choice((1 / 3, 3.0)) if kind == "kinked" else 1.0
            ratios: dict[Scope, LogRatio] = {
                "resident": bent(at, slope, slope * turn),
                "transfer": bent(further, 0.9 * slope, 0.9 * slope * turn),
            }
            truths = {"resident": (at,), "transfer": (further,)}
            if kind == "memory":
                memory_to = min(round(further * rng.uniform(1.6, 6.0)), SIZES[-1] - 1)
        case "several":
            centre = math.exp(rng.uniform(math.log(500), math.log(1900)))
            height = rng.uniform(0.5, 1.0)
            ratios = {"resident": hill(centre, height), "transfer": hill(centre, height)}
            ends = (centre / math.exp(HALF), centre * math.exp(HALF))
            truths = {"resident": ends, "transfer": ends}
        case "none":
            start = -rng.uniform(1.8, 2.5)
            ratios = {"resident": level(start, 0.3), "transfer": level(start - 0.5, 0.3)}
            truths = {"resident": (), "transfer": ()}
        case "always":
            start = rng.uniform(0.6, 1.5)
            ratios = {"resident": level(start + 0.5, 0.2), "transfer": level(start, 0.2)}
            truths = {"resident": (), "transfer": ()}
        case "flat":
            ratios = {"resident": level(0.0), "transfer": level(0.0)}
            truths = {"resident": (), "transfer": ()}
    base, entry = actors(ratios, spread)
    return Play(base=base, entry=entry, truths=truths, memory_to=memory_to)
