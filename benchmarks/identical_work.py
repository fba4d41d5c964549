"""Records identical work, in the form that benchmarks/data keeps: slots of two processes a round.

``python benchmarks/identical_work.py`` runs NumPy beside torch-cuda (torch-cpu without a GPU),
each twice in every round, pool threads pinned, in several sessions; it adds the rounds to the
recording of this machine, and writes how far rounds and sessions differ.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import recordings
import results_file
from breakeven import lab
from breakeven.engine.plan import twin_of
from breakeven.model.machine import Machine
from breakeven.model.run import Entry, RunRecord

ROW = "identical_work"
CPU_SIZES, GPU_SIZES = (64, 128, 256, 512), (64, 256, 512, 1024, 2048)
DIGITS = 5


def slots_of(
    record: RunRecord, entry: str, size: int, scope: str
) -> dict[int, dict[int, float | None]]:
    """Return, by round, the seconds of each turn; None where no slot of the turn counts.

    Slots that do not count were seen by the engine's gates: a busy machine, two threads on a core.
    """
    found: dict[int, dict[int, float | None]] = defaultdict(dict)
    for case in record.cases:
        if (case.entry, case.size) != (entry, size):
            continue
        for block in case.rounds:
            if block.clock != "wall" or block.scope != scope:
                continue
            for slot in block.slots:
                counts = None if slot.voided else float(f"{slot.median_s:.{DIGITS}g}")
                kept = found[block.round].get(slot.turn)
                found[block.round][slot.turn] = kept if counts is None else counts
    return dict(found)


def rows_of(record: RunRecord, session: str) -> list[dict[str, Any]]:
    """Return a session's rounds, a row for each kind, size and round: slots of the two processes.

    Rounds of which no turn counts on both sides are kept too: how often that happens is a fact.
    """
    rows = []
    twins = {e.twin_of: e.id for e in record.entries if e.variant == "twin"}
    bases = [e for e in record.entries if e.id in twins]
    for spec in record.spec.workloads:
        for size in spec.sizes:
            for e in bases:
                for scope in ("resident",) if e.device == "cpu" else ("resident", "transfer"):
                    a = slots_of(record, e.id, size, scope)
                    b = slots_of(record, twins[e.id], size, scope)
                    for number in sorted(set(a) & set(b)):
                        turns = sorted(set(a[number]) | set(b[number]))
                        rows.append(
                            {
                                "session": session,
                                "i": number,
                                "workload": spec.name,
                                "kind": kind_of(e, scope),
                                "n": size,
                                "a": [a[number].get(t) for t in turns],
                                "b": [b[number].get(t) for t in turns],
                            }
                        )
    return rows


def kind_of(entry: Entry, scope: str) -> str:
    """Return what an entry in a scope is called in a recording."""
    return entry.id if entry.device == "cpu" else f"{entry.id} {scope}"


def spreads(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return how far identical work differs, by workload, kind and size.

    Returns
    -------
    list of dict
        ``rounds``: standard deviation of the log ratio of a round's two processes; ``slots``:
        median spread of the slots of one process; ``sessions``: standard deviation of the log of
        the sessions' median times; None where there are too few. ``void``: share of turns that do
        not count.
    """
    groups: dict[tuple[str, str, int], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["workload"], row["kind"], row["n"]].append(row)
    made = []
    for (workload, kind, size), own in groups.items():
        values = [recordings.round_value(r["a"], r["b"], gated=True)[0] for r in own]
        known = [v for v in values if v is not None]
        sides = [[s for s in r[x] if s is not None] for r in own for x in "ab"]
        noise = [statistics.stdev(map(math.log, s)) for s in sides if len(s) > 1]
        by_session: dict[str, list[float]] = defaultdict(list)
        for r in own:
            by_session[r["session"]] += [math.log(s) for x in "ab" for s in r[x] if s]
        medians = [statistics.median(x) for x in by_session.values() if x]
        turns = sum(len(r["a"]) for r in own)
        lost = sum(a is None or b is None for r in own for a, b in zip(r["a"], r["b"], strict=True))
        made.append(
            {
                "workload": workload,
                "kind": kind,
                "n": size,
                "count": len(known),
                "rounds": statistics.stdev(known) if len(known) > 1 else None,
                "slots": statistics.median(noise) if noise else None,
                "sessions": statistics.stdev(medians) if len(medians) > 1 else None,
                "median_s": math.exp(statistics.median(medians)) if medians else None,
                "void": lost / turns if turns else None,
            }
        )
    return made


def between(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return how far the ratio of one kind to NumPy moves from session to session."""
    logs: dict[tuple[str, int, str, str], list[float]] = defaultdict(list)
    for r in rows:
        logs[r["workload"], r["n"], r["kind"], r["session"]] += [
            math.log(s) for x in "ab" for s in r[x] if s
        ]
    medians = {key: statistics.median(x) for key, x in logs.items() if x}
    found: dict[tuple[str, int, str], list[float]] = defaultdict(list)
    for (workload, n, kind, session), own in medians.items():
        for (w, m, base, s), other in medians.items():
            if (w, m, s) == (workload, n, session) and _other(base, kind):
                found[workload, n, f"{base}/{kind}"].append(other - own)
    return [
        {"workload": w, "n": n, "pair": pair, "sessions": len(x), "sd": statistics.stdev(x)}
        for (w, n, pair), x in found.items()
        if len(x) > 1
    ]


def _other(base: str, kind: str) -> bool:
    return base.startswith("numpy") and not kind.startswith("numpy")


def keep(path: Path, rows: Sequence[Mapping[str, Any]], machine: Machine) -> list[dict[str, Any]]:
    """Add rows to a recording, written whole; return all that it holds then."""
    old = list(recordings.lines(path)) if path.exists() else []
    facts = results_file.machine_facts(machine)
    head = {"machine": facts.name, "dtype": "float32", "versions": results_file.versions(machine)}
    together = [*old, *map(dict, rows)]
    text = "\n".join(json.dumps(r, separators=(",", ":")) for r in [head, *together]) + "\n"
    part = path.with_suffix(".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    part.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    part.replace(path)
    return together


def summary(rows: Sequence[Mapping[str, Any]], machine: Machine) -> results_file.Result:
    """Return the result: how far rounds and sessions of identical work differ here."""
    table, moved = spreads(rows), between(rows)
    known = [r["rounds"] for r in table if r["rounds"] is not None]
    apart = [r["sd"] for r in moved]
    figure = "no round counted" if not known else (
        f"from round to round {100 * min(known):.1f} to {100 * max(known):.0f} %, median "
        f"{100 * statistics.median(known):.1f} %"
    )  # fmt: skip
    if apart:
        rms = math.sqrt(statistics.fmean(x * x for x in apart))
        figure += f"; the ratio to NumPy from session to session {100 * rms:.0f} %"
    return results_file.result(
        row=ROW,
        claim="Identical work differs: spread of the log ratio, pool threads pinned",
        target="a recording to try the rule on",
        figure=figure,
        met=None,
        machine=machine,
        details={
            "sessions": sorted({r["session"] for r in rows}),
            "spreads": table,
            "between_sessions": moved,
        },
    )


def main() -> None:
    """Record sessions; add them to the recording of this machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--sizes", type=lambda t: tuple(map(int, t.split(","))))
    parser.add_argument("--threads", type=int, help="of NumPy; as many as it takes by itself")
    parser.add_argument("--data", type=Path, default=recordings.FOLDER)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    asked = parser.parse_args()
    machine = lab.read_machine()
    facts = results_file.machine_facts(machine)
    path = asked.data / f"new-{facts.slug}.jsonl.gz"
    bases = [
        lab.entry_of("numpy", machine, threads=asked.threads),
        lab.entry_of("torch-cuda" if machine.gpus else "torch-cpu", machine, threads=asked.threads),
    ]
    sizes = asked.sizes or (GPU_SIZES if machine.gpus else CPU_SIZES)
    for _ in range(asked.sessions):
        record = lab.measure_entries(
            [x for e in bases for x in (e, twin_of(e))],
            {"matmul": sizes},
            rounds=asked.rounds,
            machine=machine,
            progress=lambda text, _left: print(f"  {text}", end="\r\033[K", flush=True),
        )
        rows = keep(path, rows_of(record, record.id), machine)
        found = summary(rows, machine)
        results_file.write(results_file.path_of(ROW, facts, asked.out), found)
        print(f"{record.id}: {found.figure}")


if __name__ == "__main__":
    main()
