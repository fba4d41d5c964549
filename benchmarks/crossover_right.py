"""Is the crossover right? Known crossovers, run through the package's own search and judge.

``python benchmarks/crossover_right.py`` rehearses some hundred runs of each kind on drawn times:
one crossover, one with a kink, several, none, always, flat, and one below the largest size that
the entry has memory for. It needs no GPU, takes under 3 minutes on 2 cores, and uses them all.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import results_file
from breakeven.model.verdict import Crossover, Scope
from rehearsal import LONG_ROUNDS, LONG_S, SHORT_ROUNDS, SHORT_S, Play, Rehearsal, concluded
from scripted_plays import KINDS, SPREADS, Kind, play

ROW = "crossover_right"
CLAIM = "the crossover is right: scripted backends with known crossovers"
TARGET = "bracket holds the truth in 95 %; estimate within 5 % in 95 %"
HELD_SHARE, NEAR = 0.95, 0.05
# Runs of each kind by effort: of the kinds that are searched enough to tell 95 % from 90 %.
RUNS: dict[str, dict[Kind, int]] = {
    "short": {"one": 210, "kinked": 90, "memory": 90, "several": 90, "none": 60, "always": 60,
              "flat": 90},
    "long": {"one": 60, "kinked": 30},
}  # fmt: skip
SEARCHED: tuple[Kind, ...] = ("one", "kinked", "memory")
EXPECTED: dict[Kind, str] = {
    "one": "bracket",
    "kinked": "bracket",
    "memory": "bracket",
    "several": "several",
    "none": "never",
    "always": "always",
    "flat": "undecided",
}


class Outcome(NamedTuple):
    """What one scope of one rehearsed run concluded, beside the truth.

    Attributes
    ----------
    low, high, estimate : float or None
        As judged.
    rounds : int
        Rounds that the run took.
    beyond : bool
        Whether a planned size lies beyond the crossing, and within the entry's memory.
    """

    effort: str
    kind: Kind
    spread: float
    scope: Scope
    truths: tuple[float, ...]
    found: str
    low: float | None
    high: float | None
    estimate: float | None
    changes: tuple[float, ...]
    rounds: int
    beyond: bool = True


def outcomes(kind: Kind, seed: int, effort: str) -> list[Outcome]:
    """Rehearse one run; return its two scopes."""
    shown = play(kind, seed)
    long = effort == "long"
    made = Rehearsal(
        shown,
        f"{kind}/{seed}",
        budget_s=LONG_S if long else SHORT_S,
        rounds_most=LONG_ROUNDS if long else SHORT_ROUNDS,
    )
    record = made.run()
    rounds = max(r.round for c in record.cases for r in c.rounds)
    return [
        _outcome(shown, kind, effort, scope, c, rounds) for scope, c in concluded(record).items()
    ]


def _outcome(
    shown: Play, kind: Kind, effort: str, scope: Scope, found: Crossover, rounds: int
) -> Outcome:
    return Outcome(
        effort=effort,
        kind=kind,
        spread=shown.entry.spread,
        scope=scope,
        truths=shown.truths[scope],
        found=found.kind,
        low=found.low,
        high=found.high,
        estimate=found.estimate.value if found.estimate else None,
        changes=found.changes,
        rounds=rounds,
        beyond=any(
            shown.truths[scope][-1:] < (size,) and size <= (shown.memory_to or size)
            for size in shown.sizes
        ),
    )


def holds(one: Outcome) -> bool | None:
    """Tell whether a bracket holds the one true crossing; None where no bracket was given.

    An end that is left open excludes nothing on its side.
    """
    if one.found != "bracket" or len(one.truths) != 1:
        return None
    truth = one.truths[0]
    return (one.low is None or one.low <= truth) and (one.high is None or truth <= one.high)


def off(one: Outcome) -> float | None:
    """Return how far the estimate is from the truth, as a share of it; None without one."""
    if one.estimate is None or len(one.truths) != 1:
        return None
    return abs(one.estimate / one.truths[0] - 1)


def at_least(successes: int, trials: int) -> float | None:
    """Return the 95 % lower bound of a share (Wilson 1927, one-sided); None without a trial."""
    if trials == 0:
        return None
    z, share = 1.6449, successes / trials
    middle = share + z * z / (2 * trials)
    spread = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return (middle - spread) / (1 + z * z / trials)


def summed(found: Sequence[Outcome]) -> dict[str, Any]:
    """Return the figures of some outcomes that have one true crossing each."""
    held = [h for one in found if (h := holds(one)) is not None]
    errors = [e for one in found if (e := off(one)) is not None]
    widths = [one.high / one.low for one in found if one.low is not None and one.high is not None]
    closed = sum(one.low is not None and one.high is not None for one in found)
    near = sum(e <= NEAR for e in errors)
    return {
        "crossings": len(found),
        "brackets": len(held),
        "held": sum(held),
        "held_share": sum(held) / len(held) if held else None,
        "held_share_at_least": at_least(sum(held), len(held)),
        "two_ended": closed,
        "median_factor": statistics.median(widths) if widths else None,
        "estimates": len(errors),
        "near": near,
        "near_share": near / len(errors) if errors else None,
        "median_off": statistics.median(errors) if errors else None,
        "median_rounds": statistics.median(one.rounds for one in found) if found else None,
    }


def right_kind(one: Outcome) -> bool:
    """Tell whether the word for the curve is the right one.

    Of a curve that is flat nothing may be claimed, of several crossings each must be listed
    within a factor of 2: nothing measures the others as finely as the last that rises.
    """
    # Where the memory ends before the next planned size, what was tested never won.
    expected = EXPECTED[one.kind] if one.beyond else "never"
    if one.found != expected:
        return False
    if one.kind != "several":
        return True
    return len(one.changes) == len(one.truths) and all(
        abs(math.log(c / t)) <= math.log(2) for c, t in zip(one.changes, one.truths, strict=True)
    )


def details(found: Sequence[Outcome]) -> dict[str, Any]:
    """Return the figures by effort and kind, and by noise."""
    by_kind = []
    for effort in RUNS:
        for kind in KINDS:
            some = [o for o in found if (o.effort, o.kind) == (effort, kind)]
            if some:
                by_kind.append(
                    {
                        "effort": effort,
                        "kind": kind,
                        "expected": EXPECTED[kind],
                        "right_kind": sum(right_kind(o) for o in some),
                        "found": dict(Counter(o.found for o in some)),
                    }
                    | summed(some)
                )
    searched = [o for o in found if o.kind in SEARCHED]
    by_noise = [
        {"effort": effort, "spread": spread}
        | summed([o for o in searched if (o.effort, o.spread) == (effort, spread)])
        for effort in RUNS
        for spread in SPREADS
    ]
    return {"by_kind": by_kind, "by_noise": by_noise, "all": summed(searched)}


def found_all(runs: Iterable[tuple[Kind, int, str]], workers: int) -> list[Outcome]:
    """Rehearse all runs on some processes."""
    with ProcessPoolExecutor(workers) as pool:
        waiting = [pool.submit(outcomes, *run) for run in runs]
        return [one for done in waiting for one in done.result()]


def words(all_of_them: dict[str, Any]) -> results_file.Words:
    """Return what the details amount to: met when both shares are reached as they stand."""
    whole = all_of_them["all"]
    held, near = whole["held_share"], whole["near_share"]
    long = [row for row in all_of_them["by_noise"] if row["effort"] == "long"]
    near_long, estimates = (sum(row[key] for row in long) for key in ("near", "estimates"))
    told = None
    if held is not None and near is not None:
        told = held >= HELD_SHARE and near >= HELD_SHARE
    right, asked = (
        sum(row[key] for row in all_of_them["by_kind"]) for key in ("right_kind", "crossings")
    )
    figure = (
        f"{_percent(held)} of {whole['brackets']} brackets hold it; {_percent(near)} of "
        f"{whole['estimates']} estimates within 5 % (in long runs "
        f"{_percent(near_long / estimates if estimates else None)} of {estimates}), median error "
        f"{_percent(whole['median_off'])}; {right} of {asked} curves of all kinds called what "
        "they are"
    )
    return results_file.Words(TARGET, figure, told, all_of_them)


def result(found: Sequence[Outcome]) -> results_file.Result:
    """Return the row."""
    said = words(details(found))
    return results_file.result(row=ROW, claim=CLAIM, **said._asdict())


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _factor(row: dict[str, Any]) -> str:
    return "-" if row["median_factor"] is None else f"{row['median_factor']:.2f}"


def main() -> None:
    """Rehearse, print what was found, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    parser.add_argument("--share", type=float, default=1.0, help="share of the runs  [default: 1]")
    asked = parser.parse_args()
    runs = [
        (kind, seed, effort)
        for effort, counts in RUNS.items()
        for kind, count in counts.items()
        for seed in range(max(1, round(count * asked.share)))
    ]
    made = result(found_all(runs, len(os.sched_getaffinity(0))))
    for row in made.details["by_kind"]:
        print(
            f"{row['effort']:<6}{row['kind']:<8} {row['right_kind']:>4} of {row['crossings']:>4} "
            f"{row['expected']:<10} held {_percent(row['held_share']):>8}  within 5 % "
            f"{_percent(row['near_share']):>8}  median factor {_factor(row)}"
        )
    print(made.figure)
    results_file.write(results_file.path_of(made.row, made.machine, asked.out), made)


if __name__ == "__main__":
    main()
