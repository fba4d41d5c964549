"""Are real-world faults named, by their source alone and by a profile, and sound code left alone?

``python benchmarks/cases_table.py --keep FOLDER`` profiles every case and keeps each run's document
in a folder; ``--from FOLDER`` judges those documents again, without a GPU and without running
anything. Without a GPU the cases that need one are not run. With one it takes under 8 minutes:
first every case without trials, then trials for as long as ``--budget`` lasts.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import importlib.util
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

import results_file
from breakeven import lab
from breakeven.errors import BreakevenError
from breakeven.lab.judging import concluded
from breakeven.model.finding import Finding
from breakeven.model.run import RunRecord
from breakeven.store.upgrade import decode, encode
from case_answers import FOLDER, Case, Given, cases, given, score, table

ROW = "cases"
CLAIM = "real-world faults are named at their line, and sound code is left alone"
TARGET = "at least 90 % of the faults by a profile, no control blamed"
WANTED = 0.90
BUDGET_S, CASE_S = 450.0, 90.0
# What a trial can tell of: the others are told as well without.
_TRIED = {"dataloader-starvation", "launch-bound", "implicit-sync", "no-warmup"}


def main(words: Sequence[str] | None = None) -> int:
    """Print the table; return 1 where the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=FOLDER, help="folder of scripts and answers")
    parser.add_argument("--keep", type=Path, help="profile, and keep the documents in this folder")
    parser.add_argument("--from", type=Path, dest="kept", help="judge the documents of this folder")
    parser.add_argument("--budget", type=float, default=BUDGET_S, help="seconds for all profiles")
    parser.add_argument("--out", type=Path, help="write the result file here, or into results/")
    asked = parser.parse_args(words)
    found = cases(asked.cases)
    folder = asked.kept or asked.keep
    if asked.keep is not None:
        asked.keep.mkdir(parents=True, exist_ok=True)
        profile_all(found, asked.keep, asked.budget)
    rows = []
    for case in found:
        smells = smells_of(case)
        checked = Given(None) if smells is None else given(case, smells)
        rows.append((case, checked, judged(case, folder, smells)))
    print(table(rows))
    source = score([(case, check) for case, check, _ in rows])
    run = score([(case, profile) for case, _, profile in rows])
    print(f"\ncheck: {source}\nprofile: {run}")
    if asked.out is not None:
        write(rows, source, run, asked.out)
    return 0 if met(run) or not run["faults"] else 1


def smells_of(case: Case) -> tuple[Finding, ...] | None:
    """Return what the source of a case shows; None where this version cannot read source."""
    if importlib.util.find_spec("breakeven.findings.source") is None:
        return None
    check = importlib.import_module("breakeven.findings.source.check")
    found: tuple[Finding, ...] = check.check_file(
        case.script.name, case.script.read_text(encoding="utf-8")
    )
    return found


def judged(case: Case, folder: Path | None, smells: tuple[Finding, ...] | None) -> Given:
    """Return what the kept document of a case leads to, judged now."""
    record = None if folder is None else kept(case, folder)
    return Given(None) if record is None else given(case, concluded(record, smells).findings)


def kept(case: Case, folder: Path) -> RunRecord | None:
    """Return the kept document of a case; None where it was not run."""
    path = folder / f"{case.name}.json.gz"
    return decode(gzip.decompress(path.read_bytes()), path.name) if path.is_file() else None


def profile_all(found: Sequence[Case], folder: Path, budget_s: float) -> None:
    """Profile every case, then with trials those that trials can tell of, while time is left."""
    gpu, end = bool(lab.read_machine().gpus), time.monotonic() + budget_s
    ready = [case for case in found if gpu or not case.needs_gpu]
    took: dict[str, float] = {}
    for case in ready:
        begin = time.monotonic()
        profile(case, folder, trials=False, limit_s=max(1.0, min(CASE_S, end - begin)))
        took[case.name] = time.monotonic() - begin
    for case in ready:
        left = end - time.monotonic()
        if _TRIED & set(case.kinds) and left > 3 * took[case.name]:
            profile(case, folder, trials=True, limit_s=min(CASE_S, left))


def profile(case: Case, folder: Path, *, trials: bool, limit_s: float) -> None:
    """Profile one case in a process of its own, and keep its document without the timeline."""
    with tempfile.TemporaryDirectory() as store:
        words = [sys.executable, "-m", "breakeven", "profile", "--json", "--no-report"]
        words += ["--store", store, *([] if trials else ["--no-trials"]), case.script.name]
        try:
            done = subprocess.run(
                words, capture_output=True, timeout=limit_s, check=False, cwd=case.script.parent
            )
        except subprocess.TimeoutExpired:
            print(f"{case.name}: not done after {limit_s:.0f} s", file=sys.stderr)
            return
    try:
        record = decode(done.stdout, case.name)
    except BreakevenError:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        print(f"{case.name}: {' '.join(last)}", file=sys.stderr)
        return
    (folder / f"{case.name}.json.gz").write_bytes(gzip.compress(encode(compact(record)), mtime=0))


def compact(record: RunRecord) -> RunRecord:
    """Return a record without its readings over time: their means stay."""
    return msgspec.structs.replace(record, timeline=())


def met(run: dict[str, int]) -> bool:
    """Return whether enough faults were named, and no control was blamed."""
    return run["named"] >= WANTED * run["faults"] and run["blamed"] == 0


def write(
    rows: Sequence[tuple[Case, Given, Given]],
    source: dict[str, int],
    run: dict[str, int],
    out: Path,
) -> None:
    """Write the result file of the machine."""
    details = {
        "check": source,
        "profile": run,
        "cases": [
            {
                "name": case.name,
                "kind": case.kinds[0],
                "lines": list(case.lines),
                "check": list(check.said),
                "checked": check.named,
                "profile": list(profiled.said),
                "profiled": profiled.named,
            }
            for case, check, profiled in rows
        ],
    }
    figure = (
        f"profile {run['named']} of {run['faults']} faults, {run['blamed']} of {run['controls']} "
        f"controls blamed; check alone {source['named']} of {source['faults']}, "
        f"{source['blamed']} of {source['controls']}"
    )
    made = results_file.result(
        row=ROW, claim=CLAIM, target=TARGET, figure=figure, met=met(run), details=details
    )
    path = results_file.path_of(ROW, made.machine, out) if out.is_dir() else out
    results_file.write(path, made)


if __name__ == "__main__":
    sys.exit(main())
