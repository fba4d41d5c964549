"""Timelines made up for tests: a GPU and a CPU at work for some seconds, marks, an absence."""

from __future__ import annotations

import math

from breakeven.model.sensing import Absent, Energy, Mark, SamplerCost, Sensing, Watched
from breakeven.model.timeline import Series

BEGIN_UNIX_S = 1_796_065_931.5


def series(sensor: str, values: list[float | None], step_s: float = 0.1, **more: object) -> Series:
    """Return readings a step apart, from 0 on."""
    times = tuple(round(i * step_s, 6) for i in range(len(values)))
    return Series(sensor=sensor, t_s=times, value=tuple(values), **more)  # type: ignore[arg-type]


def timeline(samples: int = 50, *, gpus: int = 1, cores: int = 2) -> tuple[Series, ...]:
    """Return what sensors read of a machine that works, rests, and works again."""
    work = [1.0 if i % 20 < 14 else 0.1 for i in range(samples)]
    found: list[Series] = []
    for g in range(gpus):
        found += [
            series(f"gpu{g}.utilisation_share", [0.9 * w for w in work]),
            series(f"gpu{g}.memory_bytes", [2.0e9 + 1e7 * i for i in range(samples)]),
            series(f"gpu{g}.power_w", [120 + 400 * w for w in work]),
            series(f"gpu{g}.energy_j", [30.0 * i for i in range(samples)]),
            series(f"gpu{g}.temperature_c", [40 + 10 * math.log1p(i) for i in range(samples)]),
            series(f"gpu{g}.sm_clock_mhz", [1980.0 * w for w in work]),
            series(f"gpu{g}.held_by", [4.0 if w > 0.5 else 1.0 for w in work]),
        ]
    found += [series(f"cpu{c}.busy_share", [0.5 * w for w in work]) for c in range(cores)]
    return (
        *found,
        series("cpu.busy_share", [0.5 * w for w in work]),
        series("tree.cpu_cores", [1.5 * w for w in work]),
        series("tree.rss_bytes", [None, *(3e8 + 1e6 * i for i in range(1, samples))]),
        series("host.load_1m", [1.0] * samples),
    )


def sensing(samples: int = 50, **changes: object) -> Sensing:
    """Return everything else about `timeline`: a watched command that ended well."""
    end = round((samples - 1) * 0.1, 6)
    values: dict[str, object] = {
        "marks": (
            Mark(begin_s=0.05, end_s=end, kind="command", label="python train.py"),
            Mark(begin_s=0.5, end_s=1.5, kind="steps", label="torch-cuda, batch 64",
                 workload="train", size=64, entry="torch-cuda"),
            Mark(begin_s=1.0, end_s=2.0, kind="phase", label="overlaps the steps"),
        ),
        "absent": (
            Absent(sensor="cpu.energy_j", why="this virtual machine shows no energy counter",
                   fix="measure on the bare machine"),
            Absent(sensor="gpu0.temperature_c", why="the driver stopped answering", since_s=3.0),
        ),
        "energies": (
            Energy(device="gpu0", window_s=end, method="counter", gross_j=1470.0, idle_w=120.0,
                   net_j=882.0, update_period_s=0.1, uncertainty_j=40.0, integrated_j=1455.0),
            Energy(device="cpu", window_s=end, why="this virtual machine shows no energy counter",
                   fix="measure on the bare machine"),
        ),
        "cost": SamplerCost(fast_s=0.1, slow_s=1.0, samples=samples, late=1, cpu_s=0.05, wall_s=end,
                            rss_bytes=40_000_000),
        "watched": Watched(command=("python", "train.py"), wall_s=end - 0.05, exit_code=0),
        "unix_s": BEGIN_UNIX_S,
    } | changes  # fmt: skip
    return Sensing(**values)  # type: ignore[arg-type]
