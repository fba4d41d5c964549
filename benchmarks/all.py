"""All benchmarks that this machine can run, one after the other, each result kept as it comes.

``make bench`` runs them; ``python benchmarks/all.py --list`` says what would be run and how long it
takes. Each ``--group`` of ``clocks``, ``answers``, ``noise``, ``sensors`` and ``training`` is under
10 minutes on a machine with a GPU; ``--only wall_clock,own_cost`` runs some. What a machine cannot
run is named with the reason.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import results_file
from breakeven import lab

HERE = Path(__file__).resolve().parent
GROUPS = ("clocks", "answers", "noise", "sensors", "training")
CANNOT = 3
# A row that takes this many times what was foreseen, and a minute, is ended.
LIMIT_TIMES, LIMIT_MORE_S = 2.0, 60.0


class Row(NamedTuple):
    """A script and what it takes.

    Attributes
    ----------
    cpu_s, gpu_s : float or None
        Seconds foreseen without and with a GPU; None where it is not run.
    cpu_words, gpu_words : tuple of str
        Its options there.
    """

    name: str
    group: str
    cpu_s: float | None
    gpu_s: float | None
    cpu_words: tuple[str, ...] = ()
    gpu_words: tuple[str, ...] = ()


ROWS = (
    Row("device_clock", "clocks", None, 150),
    Row("wall_clock", "clocks", 80, 110),
    Row("own_cost", "clocks", 30, 70),
    # Not among noise, where it belongs: that group has no room for it within ten minutes.
    Row("selftest_disturbed", "clocks", 240, 240),
    Row("busy_share", "answers", None, 40),
    Row("crossover_right", "answers", 150, None),
    Row("crossover_session", "answers", 270, 530),
    Row("aa", "noise", 200, 150),
    Row("planted", "noise", 300, 240, ("--budget", "4m"), ("--budget", "3m")),
    Row("identical_work", "noise", 150, 150, ("--sessions", "1"), ("--sessions", "1")),
    Row("intervals_cover", "noise", 120, None),
    Row("resample_rule", "noise", 120, None),
    Row("training_phases", "training", 60, 90),
    Row("digits_accuracy", "training", 240, 300),
    Row("ported_public", "training", 60, 120),
    Row("sampler_cost", "sensors", 100, 110),
    Row("sampler_soak", "sensors", 275, 275),
    Row("energy_cross_check", "sensors", None, 100),
)  # fmt: skip


class Planned(NamedTuple):
    """A row here: the seconds foreseen, or why it is not run."""

    row: Row
    seconds: float | None
    why: str | None


def plan(
    *, gpu: bool, groups: Sequence[str] = GROUPS, only: Sequence[str] = (), folder: Path = HERE
) -> list[Planned]:
    """Return the rows asked for, each with its seconds or the reason why it is left out.

    Raises
    ------
    ValueError
        If a name is no row or group.
    """
    known = {row.name for row in ROWS}
    if wrong := [n for n in only if n not in known] + [g for g in groups if g not in GROUPS]:
        message = f"unknown: {', '.join(wrong)}; rows: {', '.join(sorted(known))}"
        raise ValueError(message)
    asked = [row for row in ROWS if (row.name in only if only else row.group in groups)]
    return [_planned(row, gpu=gpu, folder=folder) for row in asked]


def _planned(row: Row, *, gpu: bool, folder: Path) -> Planned:
    seconds = row.gpu_s if gpu else row.cpu_s
    if seconds is None:
        return Planned(row, None, "needs no GPU: run without one" if gpu else "needs an NVIDIA GPU")
    if not (folder / f"{row.name}.py").exists():
        return Planned(row, None, f"benchmarks/{row.name}.py is not here")
    return Planned(row, seconds, None)


def told(planned: Sequence[Planned]) -> list[str]:
    """Return what is said before anything runs: each row, and the time for all."""
    lines = [
        f"{one.row.group:<9}{one.row.name:<20}"
        + (f"{one.seconds:>5.0f} s" if one.seconds is not None else f"  not run: {one.why}")
        for one in planned
    ]
    total = sum(one.seconds or 0.0 for one in planned)
    return [*lines, f"about {total / 60:.0f} min in all; nothing else should run meanwhile"]


def run(one: Planned, out: Path, *, gpu: bool) -> str:
    """Run one row in a process group of its own; return how it ended, in words."""
    words = one.row.gpu_words if gpu else one.row.cpu_words
    where = () if out == results_file.FOLDER else ("--out", str(out))
    command = [sys.executable, str(HERE / f"{one.row.name}.py"), *where, *words]
    limit = LIMIT_TIMES * (one.seconds or 0.0) + LIMIT_MORE_S
    began = time.monotonic()
    process = subprocess.Popen(command, start_new_session=True)
    try:
        code = process.wait(limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return f"ended after {limit:.0f} s: it took over twice what was foreseen"
    except BaseException:
        # Interrupted: what it started must not go on by itself.
        os.killpg(process.pid, signal.SIGKILL)
        raise
    took = time.monotonic() - began
    if code == CANNOT:
        return "cannot be run here"
    return f"done in {took:.0f} s" if code == 0 else f"failed with {code} after {took:.0f} s"


def main(words: Sequence[str] | None = None) -> int:
    """Say what will be run and for how long, run it, and say how each row ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--group", default=",".join(GROUPS), help=", ".join(GROUPS))
    parser.add_argument("--only", default="", help="rows by name")
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    parser.add_argument("--list", action="store_true", help="say what would be run, and end")
    asked = parser.parse_args(words)
    gpu = bool(lab.read_machine().gpus)
    only = tuple(n for n in asked.only.split(",") if n)
    try:
        planned = plan(gpu=gpu, groups=asked.group.split(","), only=only)
    except ValueError as error:
        parser.error(str(error))
    print("\n".join(told(planned)), flush=True)
    if asked.list:
        return 0
    asked.out.mkdir(parents=True, exist_ok=True)
    ended = {}
    for one in planned:
        if one.seconds is not None:
            print(f"\n{one.row.name}:", flush=True)
            ended[one.row.name] = run(one, asked.out.resolve(), gpu=gpu)
    print()
    for name, how in ended.items():
        print(f"{name:<20}{how}")
    return 1 if any(not how.startswith(("done", "cannot")) for how in ended.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
