"""Real differences planted on this machine: more calls of the same work in one timed unit.

``python benchmarks/planted.py`` makes 10 calls in the base's unit and 11, 12, 15 and 20 in the
others', measures until each is settled or 20 rounds are done, and adds the session to the result
of this machine.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import results_file
from breakeven import lab
from breakeven.analysis.comparisons import Comparisons
from breakeven.engine.plan import BASE_CALLS, PLANTED_CALLS
from breakeven.engine.plan import planted as planted_entries
from breakeven.model.machine import Machine
from breakeven.model.run import RunRecord
from breakeven.stats.intervals import LOOKS
from calibration import TOLD_RIGHT, expected
from verdicts_drawn import judge

ROW = "real_differences"
CPU_SIZES, GPU_SIZES = (64, 128, 256), (128, 512, 1024, 2048)
# Room for the luck of few comparisons.
FEWER, LATER = 0.15, 2.0


def tally(record: RunRecord) -> dict[str, Any]:
    """Return what one session found of its planted differences.

    Returns
    -------
    dict
        A row a comparison: the planted factor, the word, the rounds at the look that decided,
        the measured factor with its interval, the spread of its rounds, what the calibration
        found at that spread, and the rounds told at each look that was open.
    """
    found = Comparisons(record)
    calls = {e.id: e.calls for e in record.entries}
    twins = {e.twin_of: e.id for e in record.entries if e.variant == "twin"}
    rows, withheld = [], []
    for one in found.all():
        v = one.verdict
        if v.base_kind != "planted":
            continue
        factor = calls[v.entry] / calls[v.base]
        where = {"workload": v.workload, "size": v.size, "scope": v.scope, "factor": factor}
        if v.word == "withheld" or v.ratio is None or v.low is None or v.high is None:
            withheld.append(where | {"why": v.why})
            continue
        values = [one.values[r] for r in sorted(one.values)]
        beside = found.times.paired(v.workload, v.size, v.scope, v.base, twins[v.base])
        judged = judge(values, [beside[r] for r in sorted(beside)])
        spread = statistics.stdev(values)
        rows.append(
            where
            | {
                "word": v.word,
                "rounds": judged.rounds,
                "measured": 1 / v.ratio,
                "low": 1 / v.high,
                "high": 1 / v.low,
                "spread": spread,
                "table": expected(spread, factor),
                "told": [list(t) for t in judged.told],
            }
        )
    return {
        "id": record.id,
        "date": record.started,
        "entries": [e.id for e in record.entries],
        "comparisons": rows,
        "withheld": withheld,
        "remarks": list(record.remarks),
    }


def by_factor(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return found and expected shares and rounds, by planted factor."""
    made = []
    for factor in sorted({r["factor"] for r in rows}):
        own = [r for r in rows if r["factor"] == factor]
        tables = [r["table"] for r in own if r["table"] is not None]
        # A comparison that was given up before the last look could not show what it would find.
        whole = [r for r in own if r["word"] == "slower" or r["rounds"] >= LOOKS[-1]]
        made.append(
            {
                "factor": factor,
                "comparisons": len(own),
                "found": sum(r["word"] == "slower" for r in own) / len(own),
                "wrong": sum(r["word"] in {"faster", "equivalent"} for r in own),
                "rounds": statistics.fmean(r["rounds"] for r in whole) if whole else None,
                "expected_found": statistics.fmean(t[0] for t in tables) if tables else None,
                "expected_rounds": statistics.fmean(t[1] for t in tables) if tables else None,
                "measured": statistics.median(r["measured"] for r in own),
                "interval_holds": sum(r["low"] <= factor <= r["high"] for r in own) / len(own),
            }
        )
    return made


def told(rows: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Return how often rounds were told, and how often they were enough."""
    said = [
        (r["word"] == "slower" and r["rounds"] <= needed)
        for r in rows
        for _at, needed in r["told"]
        if needed is not None and (r["word"] == "slower" or r["rounds"] >= needed)
    ]
    return len(said), sum(said)


def as_expected(made: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether what was found is what the calibration's table says, within luck."""
    return all(
        m["wrong"] == 0
        and (m["expected_found"] is None or m["found"] >= m["expected_found"] - FEWER)
        and (
            m["rounds"] is None
            or m["expected_rounds"] is None
            or m["rounds"] <= m["expected_rounds"] + LATER
        )
        for m in made
    )


def words(details: Mapping[str, Any]) -> results_file.Words:
    """Return what the sessions of a result amount to."""
    sessions = details["sessions"]
    rows = [r for s in sessions for r in s["comparisons"]]
    made = by_factor(rows)
    times, kept = told(rows)
    each = ", ".join(
        f"{m['factor']:g}: {100 * m['found']:.0f} %"
        + (f" in {m['rounds']:.1f} rounds" if m["rounds"] is not None else "")
        for m in made
    )
    right = f"rounds told were enough {kept} times of {times}" if times else "no rounds were told"
    met = None
    if rows and not as_expected(made):
        met = False
    elif rows and times:
        met = kept >= TOLD_RIGHT * times
    return results_file.Words(
        f"by spread, at most {100 * FEWER:.0f} points fewer than the table of the calibration and "
        f"{LATER:g} rounds later, none wrong; the rounds told are right in "
        f"{100 * TOLD_RIGHT:.0f} %",
        f"found {each}; {right}" if rows else "nothing could be judged: all was withheld",
        met,
        {
            "by_factor": made,
            "told": times,
            "told_enough": kept,
            "sessions": [dict(s) for s in sessions],
        },
    )


def summary(sessions: Sequence[Mapping[str, Any]], machine: Machine) -> results_file.Result:
    """Return the result of all sessions of this machine."""
    return results_file.result(
        row=ROW,
        claim="Real differences are found: work repeated 11, 12, 15, 20 times against 10",
        machine=machine,
        **words({"sessions": sessions})._asdict(),
    )


def main() -> None:
    """Measure a session; add it to the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backends", help="numpy; with a GPU torch-cuda too")
    parser.add_argument("--workload", default="matmul")
    parser.add_argument("--sizes", type=lambda t: tuple(map(int, t.split(","))))
    parser.add_argument("--threads", type=int, help="of CPU pools; 1 on two cores")
    parser.add_argument("--rounds", type=int, help="instead of as many as it takes")
    parser.add_argument("--budget", default="6m")
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    asked = parser.parse_args()
    machine = lab.read_machine()
    path = results_file.path_of(ROW, results_file.machine_facts(machine), asked.out)
    usual = "numpy,torch-cuda" if machine.gpus else "numpy"
    for backend in (asked.backends or usual).split(","):
        threads = asked.threads or (1 if machine.cpu.cores_usable <= 2 else None)
        one = lab.entry_of(backend, machine, threads=threads)
        sizes = asked.sizes or (CPU_SIZES if one.device == "cpu" else GPU_SIZES)
        record = lab.measure_entries(
            planted_entries(one, PLANTED_CALLS, BASE_CALLS),
            {asked.workload: sizes},
            rounds=asked.rounds,
            budget=asked.budget,
            machine=machine,
            progress=lambda text, _left: print(f"  {text}", end="\r\033[K", flush=True),
        )
        found = summary([*results_file.sessions_of(path), tally(record)], machine)
        results_file.write(path, found)
        print(f"{backend}: {found.figure}; met: {found.met}")


if __name__ == "__main__":
    main()
