"""Does a recording of hours stay small? Two hours of samples, taken forty times as fast.

``python benchmarks/sampler_soak.py`` takes five minutes: the sampler's memory and its file are
weighed on the way, and the second half is compared with the first.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import results_file
from breakeven import units
from breakeven.sensors.recording import Recording
from breakeven.sensors.sampler import Sampler, SamplingPlan

ROW = "sampler_soak"
CLAIM = "memory and file of a recording do not grow with time"
TARGET = (
    "two hours of samples: memory in the second half within 1 MiB of the first, file under 16 MiB"
)
HOURS, FASTER = 2.0, 40.0
GROWN_BYTES, FILE_BYTES = 1 << 20, 16 << 20
WEIGHINGS, FIRST = 60, 0.5


class Weight(NamedTuple):
    """One look at the sampler: how much of the time has passed, its memory, its file."""

    share: float
    rss_bytes: int
    file_bytes: int


def weighed(pid: int, path: Path, share: float) -> Weight:
    """Look at a sampler."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    line = next(x for x in status.splitlines() if x.startswith("VmRSS:"))
    return Weight(share, int(line.split()[1]) * 1024, path.stat().st_size)


def soaked(seconds: float, plan: SamplingPlan) -> tuple[list[Weight], Recording]:
    """Sample for so long; return what was weighed on the way, and the recording."""
    found: list[Weight] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Sampler(plan, Path(folder), os.getpid()) as sampler,
    ):
        assert sampler.pid is not None
        begin = time.perf_counter()
        for number in range(1, WEIGHINGS + 1):
            time.sleep(max(0.0, begin + seconds * number / WEIGHINGS - time.perf_counter()))
            found.append(weighed(sampler.pid, sampler.path, number / WEIGHINGS))
        return found, sampler.finish()


def result(weights: Sequence[Weight], recording: Recording, fast_s: float) -> results_file.Result:
    """Return the row; open where fewer samples were taken than two hours have."""
    assert recording.cost is not None
    taken = recording.cost.samples
    hours = taken * 0.1 / 3600
    early = max(w.rss_bytes for w in weights if w.share <= FIRST)
    late = max(w.rss_bytes for w in weights if w.share > FIRST)
    largest = max(w.file_bytes for w in weights)
    points = max(len(series.t_s) for series in recording.timeline)
    held = late - early <= GROWN_BYTES and largest <= FILE_BYTES
    enough = hours >= HOURS and recording.ended_early is None
    figure = (
        f"{taken} samples, as many as {hours:.1f} h have: {units.size_bytes(early)} of memory in "
        f"the first half, {units.size_bytes(late)} in the second; file {units.size_bytes(largest)}"
        f" at most; {points} points a sensor, thinned {recording.thinned} times"
    )
    met = held if enough else False if not held else None
    details: dict[str, Any] = {
        "samples": taken,
        "late": recording.cost.late,
        "fast_s": fast_s,
        "first_half_bytes": early,
        "second_half_bytes": late,
        "file_bytes": largest,
        "thinned": recording.thinned,
        "points": points,
        "sensors": len(recording.timeline),
        "ended_early": recording.ended_early,
        "weights": [w._asdict() for w in weights],
    }
    return results_file.result(
        row=ROW, claim=CLAIM, target=TARGET, figure=figure, met=met, details=details
    )


def main() -> None:
    """Soak, print, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    # Half as much again: deadlines that a busy machine misses are not made up for.
    seconds = 1.5 * HOURS * 3600 / FASTER
    parser.add_argument("--seconds", type=float, default=seconds)
    asked = parser.parse_args()
    # All of a core: at this rate a part of it would leave most readings out.
    plan = SamplingPlan(fast_s=0.1 / FASTER, slow_s=1.0 / FASTER, core_share=1.0)
    made = result(*soaked(asked.seconds, plan), plan.fast_s)
    print(made.figure)
    results_file.write(results_file.path_of(made.row, made.machine, asked.out), made)


if __name__ == "__main__":
    main()
