"""A run in a process of its own, ended from outside at any moment."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from breakeven.model.event import SlotDone
from breakeven.model.run import RunRecord
from breakeven.store.folder import Store
from breakeven.store.journal import read
from engine.casts import Commands, actor, end, ended, gpu, holder_of, kinds, script

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and /proc of Linux")
MOMENTS = 10
# First calls, a scouting round, then rounds with a twin.
RUN = ("run", "matmul", "--sizes", "8,16", "--budget", "1", "--no-report")
Seen = list[dict[str, Any]]


def _cast(folder: Path) -> str:
    return script(folder, cpu=actor(), gpu=gpu())


def _run(folder: Path, rounds: int = 1) -> tuple[str, ...]:
    return (*RUN, "--rounds", str(rounds), "--backends", _cast(folder))


def _slots(record: RunRecord) -> set[tuple[Any, ...]]:
    """Return all slots of a record, told apart by place and time."""
    return {
        (c.workload, c.size, c.entry, r.round, r.scope, r.clock, s.turn, s.order, s.median_s)
        for c in record.cases
        for r in c.rounds
        for s in r.slots
    }


def _written(journal: Path) -> set[tuple[Any, ...]]:
    """Return all slots of a journal, told apart in the same way."""
    return {
        (e.workload, e.size, e.entry, e.round, e.scope, e.clock, s.turn, s.order, s.median_s)
        for e in read(journal)
        if isinstance(e, SlotDone)
        for s in (e.slot,)
    }


def _complete(record: RunRecord, rounds: int = 1) -> None:
    """Check that a run has all that its command asks for.

    Of a round that the interruption cut short, a size with half of its 8 turns counts.
    """
    assert record.finished is not None
    assert not record.interrupted
    assert {e.id for e in record.entries} == {"cpu", "gpu", "cpu-twin"}
    for case in record.cases:
        assert case.status == "ok"
    for size in (8, 16):
        for entry in ("cpu", "gpu", "cpu-twin"):
            case = next(c for c in record.cases if (c.entry, c.size) == (entry, size))
            slots = {r.round: len(r.slots) for r in case.rounds if (r.scope, r.clock) == WALL}
            assert sum(n >= 4 for number, n in slots.items() if number > 0) >= rounds


WALL = ("resident", "wall")


def _killed_and_resumed(folder: Path, moment: int) -> None:
    """Kill a run at a random moment, look at what is left, and complete it."""
    rng, rounds = random.Random(moment), 1 + moment % 2
    here = Commands(folder)
    process = here.start(*_run(folder, rounds))
    try:
        lines = rng.randrange(1, 45 + 70 * rounds)
        assert here.until(process, lambda seen: len(seen) >= lines)
        # Somewhere between two lines: while processes start, or in the middle of a slot.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=rng.uniform(0.0, 0.2))
        family = here.processes()
        process.send_signal(signal.SIGKILL)
        process.wait()
        written = {j.stem: _written(j) for j in here.store.glob("*.journal")}
        assert [ended(pid) for pid in family] == [True] * len(family)
        assert here.gone()
    finally:
        end(process)
    store = Store(here.store)
    for run_id, slots in written.items():
        assert slots <= _slots(store.load(run_id))
    code, _, err = here.run("run", "--resume", "last", "--no-report")
    assert code == 0, err
    record = store.load("last")
    _complete(record, rounds)
    for slots in written.values():
        assert slots <= _slots(record)
    assert here.gone()
    assert not list(here.temporary.glob("breakeven-inputs-*"))


@pytest.mark.timeout(240)
def test_a_coordinator_killed_at_any_moment_leaves_nobody_and_loses_nothing(
    tmp_path: Path,
) -> None:
    """Ten seeded moments: all workers end, every slot written stays, and the run is completed."""
    folders = [tmp_path / str(moment) for moment in range(MOMENTS)]
    for folder in folders:
        folder.mkdir()
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(_killed_and_resumed, f, int(f.name)) for f in folders]
    failed = {int(f.name): d.exception() for f, d in zip(folders, done, strict=True)}
    failed = {moment: error for moment, error in failed.items() if error is not None}
    if failed:
        raise ExceptionGroup(f"moments {sorted(failed)}", [e for e in failed.values() if e])  # type: ignore[misc]


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Commands]:
    """Return a command line with a folder of its own; whatever it left is ended."""
    made = Commands(tmp_path)
    yield made
    for pid in made.processes():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _stop(here: Commands, process: subprocess.Popen[str], how: signal.Signals) -> tuple[int, str]:
    """Send a signal to a run alone, as a terminal's reader; return its exit code and its words."""
    process.send_signal(how)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        end(process)
    assert "Traceback" not in err, err
    assert here.gone()
    return process.returncode, out + err


def test_ctrl_c_and_sigterm_keep_what_is_finished_and_the_run_can_be_completed(
    here: Commands,
) -> None:
    """In the first calls, in a slot, and between rounds: exit 130, a document, then all the rest."""
    moments = (
        (signal.SIGINT, lambda seen: "cold" in kinds(seen)),
        (signal.SIGTERM, lambda seen: "slot" in kinds(seen)),
        (signal.SIGINT, lambda seen: "round" in kinds(seen)),
    )
    command = _run(here.folder, 2)
    slots: set[tuple[Any, ...]] = set()
    for how, seen in moments:
        process = here.start(*command)
        assert here.until(process, seen)
        code, words = _stop(here, process, how)
        assert code == 130
        record = Store(here.store).load("last")
        assert record.interrupted
        assert here.store.joinpath(f"{record.id}.json").exists()
        assert f"breakeven run --resume {record.id}" in words
        assert slots <= _slots(record)
        slots = _slots(record)
        command = ("run", "--resume", record.id, "--no-report")
    code, _, err = here.run(*command)
    assert code == 0, err
    record = Store(here.store).load("last")
    _complete(record, 2)
    assert slots <= _slots(record)
    assert not list(here.store.glob("*.journal"))


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_right_at_the_start_is_one_too(here: Commands, how: signal.Signals) -> None:
    """As soon as there is a journal, a signal leaves a run that can be completed."""
    process = here.start(*_run(here.folder))
    assert here.until(process, bool)
    code, words = _stop(here, process, how)
    assert code == 130, words
    record = Store(here.store).load("last")
    assert record.interrupted
    assert "--resume" in words


def test_a_second_run_waits_for_the_first_and_says_so(here: Commands) -> None:
    """Two runs at once do not measure side by side; Ctrl-C ends the waiting."""
    holder = holder_of(here.temporary)
    process = None
    try:
        assert holder.stdout is not None
        holder.stdout.readline()
        process = here.start(*_run(here.folder))
        assert process.stderr is not None
        said = [process.stderr.readline(), process.stderr.readline()]
        assert "another run is measuring on this machine" in said[1]
        assert kinds(here.journal()) == ["began"]
        code, words = _stop(here, process, signal.SIGINT)
    finally:
        for one in (holder, process):
            if one is not None:
                end(one)
    assert code == 130
    assert "Interrupted" in words
    code, _, err = here.run("run", "--resume", "last", "--no-report")
    assert code == 0, err
    _complete(Store(here.store).load("last"))


def test_a_worker_killed_from_outside_is_a_status_and_the_run_goes_on(here: Commands) -> None:
    """SIGKILL on one worker in the middle of a round is `crashed` there; the run ends well."""
    process = here.start(*_run(here.folder))
    try:
        assert here.until(process, lambda seen: "slot" in kinds(seen))
        victim = next(
            pid
            for pid in here.processes()
            if b"#gpu" in Path(f"/proc/{pid}/cmdline").read_bytes() and pid != process.pid
            and b"engine.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
        )  # fmt: skip
        os.kill(victim, signal.SIGKILL)
        _, err = process.communicate(timeout=60)
    finally:
        end(process)
    assert process.returncode == 0, err
    record = Store(here.store).load("last")
    crashed = [c for c in record.cases if c.status == "crashed"]
    assert {c.entry for c in crashed} <= {"gpu"}
    assert all("SIGKILL" in (c.why or "") for c in crashed)
    assert any(c.entry == "cpu" and c.size == 16 and c.status == "ok" for c in record.cases)
    assert here.gone()
