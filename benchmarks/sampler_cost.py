"""What do the sensors cost? CPU time of the sampler, and what it takes from a loop that launches.

``python benchmarks/sampler_cost.py`` takes about 100 seconds. On a GPU the loop launches kernels of
a few microseconds; without one it makes array calls that short. The sampler runs at its default
rate, and is stopped in every other block. Nothing else should run meanwhile.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import signal
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import results_file
from breakeven import units
from breakeven.backends import registry
from breakeven.model.sensing import SamplerCost
from breakeven.sensors.nvml_sampling import NvmlSensor, gpu_sensors
from breakeven.sensors.sampler import Sampler, SamplingPlan
from breakeven.stats.quantile import t_quantile
from gpu_calls import Call, array_calls, torch_calls
from quiet import Watch

ROW = "sampler_cost"
CLAIM = "the sampler costs little: CPU time at its default rate; slow-down of a launch-bound loop"
TARGET = "under 0.5 % of a core; under 0.5 % slow-down of a launch-bound loop"
CORE_SHARE, SLOW_DOWN = 0.005, 0.005
PAIRS, BLOCK_S, ALONE_S = 40, 1.0, 15.0
READING = 0.975
SEED = 42
CASE = "matmul-128"


class Loop(NamedTuple):
    """What is slowed down, or not.

    Attributes
    ----------
    name : str
        In words.
    block : callable
        Makes so many calls, and waits for the last of them.
    """

    name: str
    block: Callable[[int], None]


class SlowDown(NamedTuple):
    """How much longer a block takes beside the sampler, with the 95 % interval; shares of 1."""

    share: float
    low: float
    high: float
    pairs: int


def loop() -> Loop:
    """Return the loop of this machine: on the GPU where a library works there."""
    for name, kind in (("torch-cuda", "torch"), ("cupy", "cupy")):
        backend = registry.get(name)
        if backend.find().available:
            xp = backend.open().xp
            calls = torch_calls(xp) if kind == "torch" else array_calls(xp)
            return Loop(f"{CASE} with {name}", _block(calls[CASE](), backend.synchronise))
    backend = registry.get("numpy")
    xp = backend.open().xp
    a, out = xp.ones(16, dtype=xp.float32), xp.empty(16, dtype=xp.float32)
    return Loop("additions of 16 numbers with numpy", _block(lambda: xp.add(a, a, out=out), _none))


def _none() -> None:
    """Wait for nothing: the CPU has done its work when the call returns."""


def _block(call: Call, wait: Callable[[], object]) -> Callable[[int], None]:
    def block(count: int) -> None:
        for _ in range(count):
            call()
        wait()

    return block


def calls_of(one: Loop, seconds: float) -> int:
    """Return how many calls take so long."""
    count = 64
    while True:
        begin = time.perf_counter()
        one.block(count)
        took = time.perf_counter() - begin
        if took > 0.1:
            return max(1, round(count * seconds / took))
        count *= 4


def timed(one: Loop, count: int) -> float:
    """Return the seconds of one block."""
    begin = time.perf_counter()
    one.block(count)
    return time.perf_counter() - begin


def pairs(one: Loop, pid: int, number: int = PAIRS, block_s: float = BLOCK_S) -> list[float]:
    """Return the log ratio of a block beside the sampler to one without it, pair by pair.

    The sampler is stopped for the block without it, and is there again as it was; which of the two
    comes first is drawn.
    """
    # Which comes first must be without pattern, not without anyone knowing it beforehand.
    order = random.Random(SEED)  # noqa: S311
    count, found = calls_of(one, block_s), []
    for _ in range(number):
        seconds = {}
        for sampled in order.sample([True, False], 2):
            os.kill(pid, signal.SIGCONT if sampled else signal.SIGSTOP)
            seconds[sampled] = timed(one, count)
        found.append(math.log(seconds[True] / seconds[False]))
    os.kill(pid, signal.SIGCONT)
    return found


def slow_down(logs: Sequence[float]) -> SlowDown:
    """Return the mean slow-down of the pairs, with Student's interval."""
    mean, spread = statistics.fmean(logs), statistics.stdev(logs)
    half = t_quantile(READING, len(logs) - 1) * spread / math.sqrt(len(logs))
    low, middle, high = (math.expm1(x) for x in (mean - half, mean, mean + half))
    return SlowDown(middle, low, high, len(logs))


def cost_alone(seconds: float = ALONE_S) -> SamplerCost:
    """Return what the sampler says of itself while the machine does nothing else."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Sampler(SamplingPlan(), Path(folder), os.getpid()) as sampler,
    ):
        time.sleep(seconds)
        cost = sampler.finish().cost
    assert cost is not None
    return cost


def question_costs(readings: int = 50) -> dict[str, float]:
    """Return the CPU seconds of each reading of the GPUs; empty without one."""
    found: dict[str, float] = {}
    for sensor in gpu_sensors():
        if isinstance(sensor, NvmlSensor):
            for _ in range(readings):
                sensor.read("fast")
                sensor.read("slow")
            found |= sensor.costs()
        sensor.close()
    return found


def slowed(one: Loop) -> SlowDown:
    """Return how much the sampler at its default rate slows the loop down."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Sampler(SamplingPlan(), Path(folder), os.getpid()) as sampler,
    ):
        assert sampler.pid is not None
        return slow_down(pairs(one, sampler.pid))


def met(core_share: float, found: SlowDown) -> bool | None:
    """Tell whether both hold; None where the interval leaves it open."""
    if core_share >= CORE_SHARE or found.low >= SLOW_DOWN:
        return False
    return True if found.high < SLOW_DOWN else None


def result(
    cost: SamplerCost, found: SlowDown, name: str, more: dict[str, Any]
) -> results_file.Result:
    """Return the row."""
    slower = f"; {len(cost.slower)} sensors read less often, to keep to it" if cost.slower else ""
    memory = "" if cost.rss_bytes is None else f", {units.size_bytes(cost.rss_bytes)} of memory"
    figure = (
        f"{units.share(cost.core_share)} of a core at {1 / cost.fast_s:.0f} samples a second, "
        f"{cost.late} late{memory}{slower}; {name}: {100 * found.share:+.2f} % "
        f"({100 * found.low:+.2f} to {100 * found.high:+.2f} % in {found.pairs} pairs of blocks)"
    )
    return results_file.result(
        row=ROW,
        claim=CLAIM,
        target=TARGET,
        figure=figure,
        met=met(cost.core_share, found),
        details={
            "core_share": cost.core_share,
            "cpu_s": cost.cpu_s,
            "wall_s": cost.wall_s,
            "samples": cost.samples,
            "late": cost.late,
            "rss_bytes": cost.rss_bytes,
            "slower": cost.slower,
            "loop": name,
            "slow_down": found.share,
            "slow_down_low": found.low,
            "slow_down_high": found.high,
            "pairs": found.pairs,
        }
        | more,
    )


def main() -> None:
    """Measure, print, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    asked = parser.parse_args()
    watch = Watch()
    cost = cost_alone()
    one = loop()
    more = watch.told() | {"reading_cpu_s": question_costs()}
    made = result(cost, slowed(one), one.name, more)
    print(made.figure)
    results_file.write(results_file.path_of(made.row, made.machine, asked.out), made)


if __name__ == "__main__":
    main()
