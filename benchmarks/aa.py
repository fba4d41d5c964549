"""The same work against itself on this machine, through the package: a winner would be false.

``python benchmarks/aa.py`` measures one session a backend and adds it to the result of this
machine; call it again until there are enough. Each entry runs three times in each round: as
itself, as its twin, and once more as an entry like any other. The third is judged against the
first as a run judges it, with gates and the twin's margin; the twin by the bare rule.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import results_file
from breakeven import lab, units
from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.gates import gate
from breakeven.analysis.pairs import Pair
from breakeven.analysis.rule import first_settled
from breakeven.analysis.times import WARM_SCOPES
from breakeven.engine.plan import again, twin_of
from breakeven.model.machine import Machine
from breakeven.model.run import RunRecord
from breakeven.stats.intervals import SAME
from verdicts_drawn import WINNERS, bound

ENOUGH, RATE = 600, 0.005
# Slots a quarter as long as a run's are noisier, and leave time for more comparisons.
SLOT_S = 0.005
# Small sizes on a CPU: a hundred comparisons in three minutes on two cores.
CPU_SIZES = (16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 192, 208, 224, 240, 256)
GPU_SIZES = (
    64, 96, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640, 704, 768, 896, 1024, 1152, 1280,
    1408, 1536, 1792, 2048, 2560,
)  # fmt: skip
ROW = "no_false_winners"


def tally(record: RunRecord, slot_s: float | None = None) -> dict[str, Any]:
    """Return what one session says: comparisons that were judged, and winners among them.

    Parameters
    ----------
    slot_s : float, optional
        Seconds of a slot, where it was not a run's.

    Returns
    -------
    dict
        ``session`` counts the third process against the first, as a run judges it; ``bare`` the
        twin against the first, without a margin of its own. ``withheld`` has reasons.
    """
    again_ = [v for v in record.verdicts if v.base_kind == "same"]
    judged = [v for v in again_ if v.word != "withheld"]
    twins, shut = _twins(record)
    return {
        "id": record.id,
        "date": record.started,
        "entries": [e.id for e in record.entries],
        "sizes": {w.name: list(w.sizes) for w in record.spec.workloads},
        "slot_s": slot_s,
        "rounds": max((r.round for c in record.cases for r in c.rounds), default=0),
        "session": {
            "comparisons": len(judged),
            "winners": [_named(v.workload, v.size, v.scope, v.entry, v.word, v.ratio)
                        for v in judged if v.word in WINNERS],
            "words": dict(Counter(v.word for v in judged)),
            "withheld": dict(Counter(v.reason or "?" for v in again_ if v.word == "withheld")),
        },
        "bare": {
            "comparisons": len(twins),
            "winners": [t for t in twins if t["word"] in WINNERS],
            "words": dict(Counter(t["word"] for t in twins)),
            "withheld": dict(shut),
        },
        "remarks": list(record.remarks),
    }  # fmt: skip


def _named(
    workload: str, size: int, scope: str, entry: str, word: str, ratio: float | None
) -> dict[str, Any]:
    return {
        "workload": workload, "size": size, "scope": scope, "entry": entry, "word": word,
        "ratio": ratio,
    }  # fmt: skip


def _twins(record: RunRecord) -> tuple[list[dict[str, Any]], Counter[str]]:
    """Return each twin's word by the bare rule, with reasons of those that a gate shuts out."""
    found = Comparisons(record)
    times, rows, shut = found.times, [], Counter[str]()
    for twin in (e for e in record.entries if e.variant == "twin" and e.twin_of is not None):
        assert twin.twin_of is not None
        for workload in times.workloads():
            for size in times.sizes(workload):
                for scope in WARM_SCOPES[:1] if twin.device == "cpu" else WARM_SCOPES:
                    pair = Pair(workload, size, scope, twin.twin_of, "same", twin.id)
                    closed = gate(times, found.twins, pair)
                    if closed is not None and closed.reason != "aa_winner":
                        shut[closed.reason] += 1
                        continue
                    values = times.paired(workload, size, scope, twin.twin_of, twin.id)
                    look = first_settled([values[r] for r in sorted(values)], lambda _: SAME)
                    if look is None:
                        shut["few_rounds"] += 1
                        continue
                    rows.append(
                        _named(workload, size, scope, twin.id, look.word, look.interval.mean)
                    )
    return rows, shut


def words(details: Mapping[str, Any]) -> results_file.Words:
    """Return what the sessions of a result amount to.

    Comparisons of one session share its machine state and its processes, so they are not
    independent: the sessions are, and the bound by session stands beside that by comparison.
    """
    sessions = details["sessions"]
    (judged, winners), (twins, named) = (
        (
            sum(s[way]["comparisons"] for s in sessions),
            sum(len(s[way]["winners"]) for s in sessions),
        )
        for way in ("session", "bare")
    )
    withheld = sum(sum(s["session"]["withheld"].values()) for s in sessions)
    held = [s for s in sessions if s["session"]["comparisons"] + s["bare"]["comparisons"]]
    hit = sum(bool(s["session"]["winners"] or s["bare"]["winners"]) for s in held)
    total = judged + twins
    most, most_sessions = bound(winners + named, total), bound(hit, len(held))
    return results_file.Words(
        f"none in {ENOUGH} comparisons, CPU and GPU machines together",
        f"{winners} in {judged} judged as a run judges them ({withheld} withheld), {named} in "
        f"{twins} by the bare rule; {hit} of {len(held)} sessions have one, and sessions are what "
        f"is independent: at 95 % under {_percent(most_sessions)} of sessions, and under "
        f"{_percent(most)} of comparisons if each stood alone",
        False if winners + named else True if total >= ENOUGH else None,
        {
            "comparisons": total,
            "winners": winners + named,
            "excluded_at_95": most,
            "sessions_judged": len(held),
            "sessions_with_winners": hit,
            "sessions_excluded_at_95": most_sessions,
            "sessions": [dict(s) for s in sessions],
        },
    )


def _percent(rate: float) -> str:
    return f"{units.significant(100 * rate, 2)} %"


def summary(
    sessions: Sequence[Mapping[str, Any]], machine: Machine, command: str | None = None
) -> results_file.Result:
    """Return the result of all sessions of this machine."""
    return results_file.result(
        row=ROW,
        claim="No false winners: the same work against itself",
        machine=machine,
        command=command,
        **words({"sessions": sessions})._asdict(),
    )


def measured(backend: str, asked: argparse.Namespace, machine: Machine) -> RunRecord:
    """Measure one session of one backend."""
    threads = asked.threads or (1 if machine.cpu.cores_usable <= 2 else None)
    one = lab.entry_of(backend, machine, threads=threads)
    sizes = asked.sizes or (CPU_SIZES if one.device == "cpu" else GPU_SIZES)
    return lab.measure_entries(
        (one, twin_of(one), again(one)),
        dict.fromkeys(asked.workloads.split(","), sizes),
        rounds=asked.rounds,
        slot_s=asked.slot_s,
        seed=asked.seed,
        machine=machine,
        progress=lambda text, _left: print(f"  {text}", end="\r\033[K", flush=True),
    )


def main() -> None:
    """Measure a session of each backend; add each to the result as soon as it is done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backends", help="numpy,torch-cpu; with a GPU numpy,torch-cuda,cupy")
    parser.add_argument("--workloads", default="matmul")
    parser.add_argument("--sizes", type=lambda t: tuple(map(int, t.split(","))))
    parser.add_argument("--threads", type=int, help="of CPU pools; 1 on two cores")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slot-s", type=float, default=SLOT_S, help="seconds of a slot")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    asked = parser.parse_args()
    machine = lab.read_machine()
    usual = "numpy,torch-cuda,cupy" if machine.gpus else "numpy,torch-cpu"
    path = results_file.path_of(ROW, results_file.machine_facts(machine), asked.out)
    for backend in (asked.backends or usual).split(","):
        session = tally(measured(backend, asked, machine), asked.slot_s)
        found = summary([*results_file.sessions_of(path), session], machine)
        results_file.write(path, found)
        print(f"{backend}: {session['session']['comparisons']} judged, "
              f"{session['bare']['comparisons']} twins; in all: {found.figure}")  # fmt: skip


if __name__ == "__main__":
    main()
