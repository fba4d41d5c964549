"""Coverage of the intervals, and false winners, on simulated noise and on recordings.

``python benchmarks/intervals_cover.py`` simulates rounds slot by slot, with the gates of the
engine at work, and draws rounds from the recordings in benchmarks/data. Two results are written.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import noise
import recordings
import resample_rule
import results_file
from breakeven import lab
from breakeven.stats.intervals import LOOKS, Interval, interval
from noise import KINDS, Session
from verdicts_drawn import ROUNDS, WINNERS, judge

Array = npt.NDArray[np.float64]
NOMINAL, TARGET = 0.95, 0.94
SPREADS = (0.02, 0.05, 0.10, 0.20, 0.40)


class Covered(NamedTuple):
    """How often intervals held the truth after so many rounds.

    Attributes
    ----------
    reading, verdict : float
        Share of the intervals at 95 %, and at the level that a verdict hangs on.
    """

    n: int
    sessions: int
    reading: float
    verdict: float


def coverage(
    rows: Sequence[Sequence[float]],
    truth: float = 0.0,
    interval_of: Callable[[Sequence[float]], Interval] = interval,
) -> list[Covered]:
    """Return the coverage at each look.

    Parameters
    ----------
    rows : sequence of sequence of float
        Log ratios of the rounds of each session; those too short for a look are left out of it.
    interval_of : callable
        What makes an interval of them.
    """
    found = []
    for n in LOOKS:
        seen = [interval_of(row[:n]) for row in rows if len(row) >= n]
        if seen:
            reading = sum(i.low <= truth <= i.high for i in seen) / len(seen)
            verdict = sum(i.verdict_low <= truth <= i.verdict_high for i in seen) / len(seen)
            found.append(Covered(n, len(seen), reading, verdict))
    return found


def simulated(kind: str, spread: float, trials: int, rng: np.random.Generator) -> dict[str, Any]:
    """Simulate sessions with one kind of noise; return their coverage and false winners.

    Each session has a comparison of equals and an A/A pair; where the noise is on one side only,
    equal means that the mean of the log ratio is 0.
    """
    sessions = noise.sessions(kind, spread, trials, rng)
    beside = noise.sessions(kind, spread, trials, rng, one_sided=False)
    kept = [s.values for s in sessions if not s.withheld]
    everything = [v for s in sessions for v in s.values]
    truth = statistics.fmean(everything) if KINDS[kind].one_sided and everything else 0.0
    winners = sum(_word(s, a, truth) in WINNERS for s, a in zip(sessions, beside, strict=True))
    return {
        "noise": kind,
        "spread": spread,
        "sessions": len(sessions),
        "withheld": 1 - len(kept) / len(sessions),
        "winners": winners,
        "coverage": [c._asdict() for c in coverage(kept, truth)],
    }


def _word(session: Session, beside: Session, truth: float) -> str:
    """Return the word of a session, its gate on lost turns at work."""
    if session.withheld or len(session.values) < LOOKS[0]:
        return "withheld"
    values = [v - truth for v in session.values[:ROUNDS]]
    return judge(values, beside.values[:ROUNDS]).word


def on_recordings(
    cells: Sequence[recordings.Cell], trials: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Return the coverage on recordings, by kind of recording, mode and look."""
    rows = []
    for group in dict.fromkeys(resample_rule.group_of(c) for c in cells):
        own = [c for c in cells if resample_rule.group_of(c) == group]
        for mode in resample_rule.MODES:
            covered = [
                c
                for cell in own
                for c in coverage(
                    recordings.draw(cell, ROUNDS, trials, rng, mode)[:, : cell.most_rounds].tolist()
                )
            ]
            for n in LOOKS:
                found = [c for c in covered if c.n == n]
                reading = [c.reading for c in found]
                if not found:
                    continue
                rows.append(
                    {
                        "recording": group,
                        "mode": mode,
                        "n": n,
                        "cells": len(found),
                        "reading": statistics.fmean(reading),
                        "worst": min(reading),
                        "verdict": statistics.fmean(c.verdict for c in found),
                    }
                )
    return rows


def pooled(rows: Sequence[dict[str, Any]]) -> dict[str, tuple[float, int]]:
    """Return, by kind of noise, the lowest coverage over looks, spreads pooled, with its look."""
    lowest: dict[str, tuple[float, int]] = {}
    for kind in dict.fromkeys(r["noise"] for r in rows):
        own = [c for r in rows if r["noise"] == kind for c in r["coverage"]]
        for n in LOOKS:
            at = [c for c in own if c["n"] == n]
            count = sum(c["sessions"] for c in at)
            if count:
                share = sum(c["reading"] * c["sessions"] for c in at) / count
                lowest[kind] = min(lowest.get(kind, (1.0, 0)), (share, n))
    return lowest


def coverage_result(
    rows: Sequence[dict[str, Any]], recorded: Sequence[dict[str, Any]]
) -> results_file.Result:
    """Return the result about coverage."""
    lowest, real = pooled(rows), min(recorded, key=lambda r: r["reading"])
    misses = {k: v for k, v in lowest.items() if v[0] < TARGET}
    words = ", ".join(f"{k} {100 * v:.0f} % (n = {n})" for k, (v, n) in misses.items())
    single = min(
        (c["reading"], r["noise"], r["spread"], c["n"]) for r in rows for c in r["coverage"]
    )
    return results_file.result(
        row="intervals_cover",
        claim="Intervals cover: nominal 95 %, recordings resampled and simulated noise",
        target="at least 94 % at n = 3, 5, 8, 12 and 20",
        figure=(
            f"recordings: at least {100 * real['reading']:.1f} % (n = {real['n']}); simulated: "
            f"{len(lowest) - len(misses)} of {len(lowest)} kinds of noise at least 94 %"
            + (f"; lower with {words}" if misses else "")
            + f"; lowest of one spread {100 * single[0]:.0f} % ({single[1]}, spread "
            f"{100 * single[2]:.0f} %, n = {single[3]})"
        ),
        met=real["reading"] >= TARGET and not misses,
        machine=lab.read_machine(),
        details={
            "recordings": list(recorded),
            "simulated": list(rows),
            "lowest_by_noise": {k: {"coverage": v, "n": n} for k, (v, n) in lowest.items()},
            "noise": {k: v.words for k, v in KINDS.items()},
        },
    )


def winners_result(rows: Sequence[dict[str, Any]]) -> results_file.Result:
    """Return the result about false winners in simulated noise, as found."""
    rates = {}
    for kind in KINDS:
        own = [r for r in rows if r["noise"] == kind]
        sessions, winners = sum(r["sessions"] for r in own), sum(r["winners"] for r in own)
        rates[kind] = {
            "sessions": sessions,
            "winners": winners,
            "rate": winners / sessions,
            "withheld": statistics.fmean(r["withheld"] for r in own),
            "by_spread": {f"{r['spread']:g}": r["winners"] / r["sessions"] for r in own},
        }
    words = ", ".join(f"{k} {100 * r['rate']:.2f} %" for k, r in rates.items())
    return results_file.result(
        row="false_winners_simulated",
        claim="No false winners: simulated noise, the gates at work",
        target="reported as found",
        figure=words,
        met=None,
        machine=lab.read_machine(),
        details={"rates": rates, "noise": {k: v.words for k, v in KINDS.items()}},
    )


def main() -> None:
    """Simulate, draw, and write two results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="recordings; those here by default")
    parser.add_argument("--trials", type=int, default=1000, help="sessions a noise and spread")
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    rows = [simulated(k, s, asked.trials, rng) for k in KINDS for s in SPREADS]
    files = asked.files or sorted(recordings.FOLDER.glob("*.jsonl.gz"))
    cells = [
        c
        for path in files
        for c in recordings.cells_of(path)
        if not c.withheld and not c.source.startswith(resample_rule.UNFROZEN)
    ]
    recorded = on_recordings(cells, math.ceil(asked.trials / 4), rng)
    for one in (coverage_result(rows, recorded), winners_result(rows)):
        results_file.write(results_file.path_of(one.row, one.machine, asked.out), one)
        print(f"{one.claim}\n  {one.figure}\n  target: {one.target}; met: {one.met}")


if __name__ == "__main__":
    main()
