"""Does selftest tell a machine that is fit from one that is disturbed, in under 3 minutes?

``python benchmarks/selftest_disturbed.py`` runs it twice: with nothing beside it, and beside as
many spinning processes as there are cores (two at least). Run it on a machine that does nothing
else. It takes about 3 minutes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import results_file
from breakeven import lab
from breakeven.model.selftest import SelfTest

ROW = "selftest"
CLAIM = "selftest tells a machine that is fit from one that is disturbed"
TARGET = "fit when quiet; not fit beside spinning processes, which it names; each under 180 s"
MOST_S = 180.0
LEAST_SPINNING = 2
CAUSE = "other processes took"


class Session(NamedTuple):
    """One self-test with the seconds that it took."""

    found: SelfTest
    took_s: float


@contextmanager
def spinning(count: int) -> Iterator[None]:
    """Keep `count` cores busy, and end what does so."""
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def session(options: lab.SelfTestOptions) -> Session:
    """Run one self-test, stored nowhere that lasts."""
    with tempfile.TemporaryDirectory() as store:
        begin = time.monotonic()
        tried = lab.start_selftest(options, command=("selftest",), store=Path(store))
        return Session(tried.selftest, time.monotonic() - begin)


def met(quiet: Session, disturbed: Session) -> bool:
    """Tell whether the two sessions are what is claimed."""
    return (
        quiet.found.fit == "fit"
        and disturbed.found.fit == "not_fit"
        and CAUSE in disturbed.found.answer
        and max(quiet.took_s, disturbed.took_s) < MOST_S
    )


def figure(quiet: Session, disturbed: Session) -> str:
    """Return what was found, as printed in a table."""
    said = [f"quiet: {_short(quiet.found)} after {quiet.took_s:.0f} s"]
    said.append(f"disturbed: {_short(disturbed.found)} after {disturbed.took_s:.0f} s")
    return "; ".join(said)


def _short(found: SelfTest) -> str:
    if found.fit == "fit":
        return f"fit from {found.believed_from:.2g} times on"
    cause = found.answer.partition(": ")[2].partition(";")[0] or found.answer
    return f"{found.fit.replace('_', ' ')} ({cause.rstrip('.')})"


def details(one: Session) -> dict[str, Any]:
    """Return what a session found, check by check."""
    return {
        "took_s": round(one.took_s, 1),
        "answer": one.found.answer,
        "rounds": one.found.rounds,
        "checks": {c.name: [c.word, c.figure] for c in one.found.checks},
        "trials": [
            {
                "entry": t.verdict.entry,
                "size": t.verdict.size,
                "scope": t.verdict.scope,
                "planted": t.planted,
                "measured": t.measured,
                "low": t.low,
                "high": t.high,
                "word": t.verdict.word,
            }
            for t in one.found.trials
        ],
    }


def result(quiet: Session, disturbed: Session, spun: int) -> results_file.Result:
    """Return the result of two sessions."""
    return results_file.result(
        row=ROW,
        claim=CLAIM,
        target=TARGET,
        figure=figure(quiet, disturbed),
        met=met(quiet, disturbed),
        machine=quiet.found.machine,
        details={
            "quiet": details(quiet),
            "disturbed": details(disturbed),
            "spinning_processes": spun,
        },
    )


def main(words: Sequence[str] | None = None) -> None:
    """Run both sessions, print what was found, write it: a miss is a result like any other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    parser.add_argument("--quick", action="store_true", help="the quick form of both sessions")
    asked = parser.parse_args(words)
    options = lab.SelfTestOptions(quick=asked.quick)
    quiet = session(options)
    print(lab.selftest_text(quiet.found))
    spun = max(LEAST_SPINNING, quiet.found.machine.cpu.cores_usable)
    with spinning(spun):
        disturbed = session(options)
    print(lab.selftest_text(disturbed.found))
    made = result(quiet, disturbed, spun)
    results_file.write(results_file.path_of(ROW, made.machine, asked.out), made)
    print(f"{'met' if made.met else 'NOT MET'}: {made.figure}")


if __name__ == "__main__":
    main()
