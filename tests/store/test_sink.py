"""Sinks: the record in memory equals the one on the disk, whatever the disk does."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from breakeven.errors import CorruptRunError
from breakeven.model.event import CaseSet, Remark
from breakeven.model.run import Agreement
from breakeven.store.fold import fold
from breakeven.store.journal import Journal, read
from breakeven.store.privacy import Privacy
from breakeven.store.sink import JournalSink, MemorySink
from breakeven.store.unfold import unfold
from records import record

EVENTS = unfold(record(rounds=2, slots=2, sizes=(128, 512)))
ALICE = Privacy("/home/alice", "alice", "node-17.lab")


def test_the_record_in_memory_is_the_one_on_the_disk(tmp_path: Path) -> None:
    """After each event, folding the journal gives what the sink says."""
    path = tmp_path / "a.journal"
    with JournalSink(Journal(path)) as sink:
        for event in EVENTS:
            sink.append(event)
            assert sink.record() == fold(read(path))
    assert sink.failure is None


def test_a_memory_sink_folds_alike() -> None:
    """A sink without a file gives the same record."""
    sink = MemorySink(privacy=ALICE)
    for event in EVENTS:
        sink.append(event)
    assert sink.record() == fold(EVENTS)
    assert sink.failure is None


def test_a_full_disk_loses_nothing_and_is_told_once(tmp_path: Path) -> None:
    """The run goes on in memory, with one remark and one failure."""
    full = tmp_path / "full.journal"
    full.symlink_to("/dev/full")
    with JournalSink(Journal(full, new=False)) as sink:
        for event in EVENTS:
            sink.append(event)
        run = sink.record()
    assert sink.failure is not None
    assert "No space left on device" in sink.failure
    assert run.cases == fold(EVENTS).cases
    assert [text for text in run.remarks if "journal" in text] == [sink.failure]


def test_a_journal_catches_up_once_there_is_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was kept in memory is written later, with the remark, in the order of the record."""
    path = tmp_path / "a.journal"

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with JournalSink(Journal(path)) as sink:
        sink.append(EVENTS[0])
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full)
            for event in EVENTS[1:20]:
                sink.append(event)
        assert read(path) == EVENTS[:1]
        sink.append(EVENTS[20])
        assert fold(read(path)) == sink.record()
    assert fold(read(path)).remarks == (sink.failure,)


def test_an_event_that_no_run_has_is_not_written(tmp_path: Path) -> None:
    """A second beginning is refused before it reaches the journal."""
    path = tmp_path / "a.journal"
    with JournalSink(Journal(path)) as sink:
        sink.append(EVENTS[0])
        with pytest.raises(CorruptRunError):
            sink.append(EVENTS[0])
    assert read(path) == EVENTS[:1]


def test_a_number_that_json_cannot_hold_is_the_same_in_memory(tmp_path: Path) -> None:
    """NaN and infinity are unknown at once, not only after a load."""
    broken = Agreement(error=float("inf"), bound=float("nan"), class_="wrong")
    word = CaseSet(workload="matmul", size=128, entry="numpy-16", round=1, status="disagrees",
                   agreement=broken, losses=(0.5, float("inf")))  # fmt: skip
    path = tmp_path / "a.journal"
    with JournalSink(Journal(path)) as sink:
        sink.append(EVENTS[0])
        sink.append(word)
        (live,) = sink.record().cases
    (stored,) = fold(read(path)).cases
    assert msgspec.json.encode(live) == msgspec.json.encode(stored)
    assert str(live) == str(stored)
    assert live.losses[0] == 0.5
    assert live.losses[1] != live.losses[1]


def test_names_of_user_and_host_do_not_reach_the_journal(tmp_path: Path) -> None:
    """Texts are cleaned before they are written, and in memory too."""
    path = tmp_path / "a.journal"
    began = msgspec.structs.replace(
        EVENTS[0].record, command=("run", "--report", "/home/alice/out.html")
    )
    with JournalSink(Journal(path), privacy=ALICE) as sink:
        sink.append(msgspec.structs.replace(EVENTS[0], record=began))
        sink.append(CaseSet(workload="matmul", size=128, entry="numpy-16", round=1,
                            status="crashed", why="no /scratch/alice/lib.so"))  # fmt: skip
        sink.append(Remark(text="busy: node-17.lab runs other work"))
        run = sink.record()
    raw = path.read_text()
    assert "alice" not in raw
    assert "node-17" not in raw
    assert run.command[-1] == "~/out.html"
    assert run.cases[0].why == "no /scratch/USER/lib.so"
