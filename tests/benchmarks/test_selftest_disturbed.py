"""The row about selftest: met only by a quiet machine that is fit and a disturbed one that is not."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

import results_file
import selftest_disturbed as row
from breakeven.model.selftest import Check, SelfTest, Trial
from breakeven.model.verdict import Verdict
from records import machine

FIT = SelfTest(
    id="2026-12-01T10-22-07-3f9a", started="2026-12-01T10:22:07Z",
    finished="2026-12-01T10:23:07Z", command=("selftest",), machine=machine(gpu=False, cores=2),
    fit="fit", believed_from=1.1, rounds=8,
    answer="This machine is fit to be believed for differences of 1.1 times and more.",
    checks=(Check(name="steal", title="steal", word="passed", figure="0 cores", target="0.1"),),
    trials=(Trial(planted=1.2, measured=1.19, low=1.1, high=1.3, rounds=8, verdict=Verdict(
        workload="matmul", size=96, scope="resident", base="a", base_kind="planted", entry="b",
        word="slower")),),
)  # fmt: skip
BUSY = msgspec.structs.replace(
    FIT, fit="not_fit", believed_from=None,
    answer="This machine is not fit to be believed now: other processes took 1.5 cores; stop them.",
)  # fmt: skip
QUIET, DISTURBED = row.Session(FIT, 90.0), row.Session(BUSY, 40.0)


def test_the_claim_is_met_by_both_sessions_together() -> None:
    """Fit when quiet, unfit for the right reason when disturbed, in time."""
    assert row.met(QUIET, DISTURBED)
    other = msgspec.structs.replace(BUSY, answer="This machine is not fit: its clock is coarse.")
    for quiet, disturbed in (
        (DISTURBED, DISTURBED),
        (QUIET, QUIET),
        (QUIET, row.Session(other, 40.0)),
        (row.Session(FIT, 181.0), DISTURBED),
        (QUIET, row.Session(BUSY, 181.0)),
    ):
        assert not row.met(quiet, disturbed)


def test_the_result_tells_both_answers_and_every_trial(tmp_path: Path) -> None:
    """It is written whole, with what was planted beside what was measured."""
    made = row.result(QUIET, DISTURBED, 2)
    assert made.figure == (
        "quiet: fit from 1.1 times on after 90 s; disturbed: not fit (other processes took 1.5 "
        "cores) after 40 s"
    )
    assert made.details["quiet"]["trials"][0]["planted"] == 1.2
    path = tmp_path / "selftest.json"
    results_file.write(path, made)
    assert results_file.read(path) == made


def test_what_spins_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """However the block ends, no process is left."""
    started: list[int] = []
    make = row.subprocess.Popen

    def noted(words: list[str]) -> object:
        process = make(words)
        started.append(process.pid)
        return process

    monkeypatch.setattr(row.subprocess, "Popen", noted)
    with pytest.raises(RuntimeError, match="stop"), row.spinning(2):
        raise RuntimeError("stop")
    assert len(started) == 2
    for pid in started:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
