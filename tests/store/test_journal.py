"""Journals: whole lines, torn ends, damage, killed writers, full disks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from breakeven.errors import CorruptRunError, NewerSchemaError, StoreError
from breakeven.model.event import Began, Event, Remark, RoundDone
from breakeven.store.fold import fold
from breakeven.store.journal import Journal, being_written, read
from breakeven.store.unfold import unfold
from records import record

EVENTS = unfold(record(rounds=1, slots=1, sizes=(128,)))


def written(path: Path, events: tuple[Event, ...] = EVENTS) -> Path:
    """Write a journal and return its path."""
    with Journal(path) as journal:
        for event in events:
            journal.append(event)
    return path


def test_what_is_appended_is_read_back(tmp_path: Path) -> None:
    """Events come back equal, in order, one a line."""
    path = written(tmp_path / "a.journal")
    assert read(path) == EVENTS
    assert path.read_bytes().count(b"\n") == len(EVENTS)


def test_a_line_is_there_once_append_returns(tmp_path: Path) -> None:
    """Another reader sees each event before the next is made, without a close."""
    path = tmp_path / "a.journal"
    with Journal(path) as journal:
        for number, event in enumerate(EVENTS[:5], 1):
            journal.append(event)
            assert len(read(path)) == number


def test_a_torn_last_line_is_left_out_at_every_byte(tmp_path: Path) -> None:
    """Wherever a writer was cut short, the lines before stand and nothing is raised."""
    raw = written(tmp_path / "a.journal").read_bytes()
    last = raw.rindex(b"\n", 0, -1) + 1
    torn = tmp_path / "torn.journal"
    for end in range(last, len(raw)):
        torn.write_bytes(raw[:end])
        assert read(torn) == EVENTS[:-1]


def test_a_journal_is_continued_after_its_whole_lines_at_every_byte(tmp_path: Path) -> None:
    """A torn last line is cut off before the next event is written."""
    events = (EVENTS[0], Remark(text="x" * 30))
    raw = written(tmp_path / "a.journal", events).read_bytes()
    last = raw.index(b"\n") + 1
    torn = tmp_path / "torn.journal"
    for end in range(last, len(raw)):
        torn.write_bytes(raw[:end])
        with Journal(torn, new=False) as journal:
            journal.append(Remark(text="after"))
        assert read(torn) == (EVENTS[0], Remark(text="after"))


def test_a_whole_line_is_found_before_a_long_torn_one(tmp_path: Path) -> None:
    """The end of the whole lines is found far from the end of the file too."""
    path = written(tmp_path / "a.journal")
    whole = path.stat().st_size
    with path.open("ab") as file:
        file.write(b"x" * 200_000)
    with Journal(path, new=False) as journal:
        journal.append(Remark(text="after"))
    assert path.read_bytes()[whole:] == b'{"type":"remark","text":"after"}\n'


@pytest.mark.parametrize(
    "damage", [b"\0" * 20, b'{"type":"slot"}', b'{"type":"party"}', b"", b"\xff"]
)
def test_damage_before_the_last_line_is_told_with_its_place(tmp_path: Path, damage: bytes) -> None:
    """A bad line in the middle is an error that names line and byte."""
    path = written(tmp_path / "a.journal")
    lines = path.read_bytes().split(b"\n")
    start = len(lines[0]) + len(lines[1]) + 2
    lines[2] = damage
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(CorruptRunError, match=rf"a\.journal.*line 3 \(from byte {start}\)"):
        read(path)


def test_a_journal_of_a_newer_version_says_so(tmp_path: Path) -> None:
    """The first line tells the schema, even if later lines cannot be understood."""
    newer = msgspec.structs.replace(record(), schema="breakeven.run/2")
    path = written(tmp_path / "a.journal", (Began(record=newer),))
    with path.open("ab") as file:
        file.write(b'{"type":"unheard"}\n')
    with pytest.raises(NewerSchemaError, match=r"Breakeven 0\.1\.0 in schema breakeven\.run/2"):
        read(path)


def test_an_empty_journal_has_no_events(tmp_path: Path) -> None:
    """A run killed before its first event leaves a journal that can be read."""
    path = tmp_path / "a.journal"
    path.touch()
    assert read(path) == ()


def test_a_journal_that_is_not_there_is_a_store_error(tmp_path: Path) -> None:
    """Reading and continuing say which file is missing."""
    with pytest.raises(StoreError, match=r"none\.journal cannot be read"):
        read(tmp_path / "none.journal")
    with pytest.raises(StoreError, match=r"none\.journal cannot be written"):
        Journal(tmp_path / "none.journal", new=False)


def test_a_new_journal_never_takes_an_existing_file(tmp_path: Path) -> None:
    """Two runs with one id do not share a journal."""
    path = written(tmp_path / "a.journal")
    with pytest.raises(StoreError, match="another run has this id"):
        Journal(path)
    assert read(path) == EVENTS


def test_a_journal_has_one_writer_at_a_time(tmp_path: Path) -> None:
    """A second writer is refused while the first holds the journal, and let in afterwards."""
    path = tmp_path / "a.journal"
    with Journal(path):
        assert being_written(path)
        with pytest.raises(StoreError, match="being written by another process"):
            Journal(path, new=False)
    assert not being_written(path)
    Journal(path, new=False).close()


WRITER = """
import sys
from pathlib import Path
from breakeven.model.event import Remark
from breakeven.store.journal import Journal, read

journal = Journal(Path(sys.argv[1]), new=False)
for number in range(10**9):
    journal.append(Remark(text=f"{number} " + "x" * 5000))
    sys.stdout.write(f"{number}\\n")
    sys.stdout.flush()
"""


@pytest.mark.parametrize("after", [1, 40])
def test_a_killed_writer_loses_no_line_that_it_had_written(tmp_path: Path, after: int) -> None:
    """After SIGKILL each event whose append returned is there, and the journal can go on."""
    path = written(tmp_path / "a.journal", EVENTS[:1])
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for _ in range(after):
            writer.stdout.readline()
        os.kill(writer.pid, signal.SIGKILL)
        told = after + sum(1 for _ in writer.stdout)
    events = read(path)
    assert len(events) - 1 >= told
    assert [e.text.split()[0] for e in events[1:]] == [str(n) for n in range(len(events) - 1)]
    with Journal(path, new=False) as journal:
        journal.append(Remark(text="after"))
    assert fold(read(path)).remarks[-1] == "after"


def test_a_full_disk_is_an_error_of_append(tmp_path: Path) -> None:
    """A device that is always full refuses the event, which then waits."""
    full = tmp_path / "full.journal"
    full.symlink_to("/dev/full")
    with Journal(full, new=False) as journal, pytest.raises(OSError, match="No space left"):
        journal.append(EVENTS[0])


def test_a_line_cut_short_by_a_full_disk_is_written_again_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once there is space, what waited follows the whole lines: no torn line stays in the middle."""
    path = tmp_path / "a.journal"
    room = [len(msgspec.json.encode(EVENTS[0])) + 10]
    real = os.write

    def scarce(file: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(28, "No space left on device")
        taken = real(file, data[: room[0]])
        room[0] -= taken
        return taken

    monkeypatch.setattr(os, "write", scarce)
    with Journal(path) as journal:
        journal.append(EVENTS[0])
        for event in EVENTS[1:4]:
            with pytest.raises(OSError, match="No space"):
                journal.append(event)
        assert read(path) == EVENTS[:1]
        room[0] = 1 << 30
        for event in EVENTS[4:]:
            journal.append(event)
    assert read(path) == EVENTS


def test_rounds_and_ends_reach_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is waited for after a round and at the end, not after every slot."""
    log: list[str] = []
    real = os.write
    monkeypatch.setattr(os, "fsync", lambda _: log.append("sync"))
    monkeypatch.setattr(os, "write", lambda file, data: log.append("write") or real(file, data))
    with Journal(tmp_path / "a.journal") as journal:
        for event in (EVENTS[0], Remark(text="x"), RoundDone(round=1, planned=2), EVENTS[-1]):
            journal.append(event)
    assert log == ["write", "write", "write", "sync", "write", "sync"]


def test_an_interrupted_write_leaves_no_torn_line_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in the middle of a line neither loses the event nor doubles it."""
    path = tmp_path / "a.journal"
    real = os.write
    cut = [True]

    def interrupted(file: int, data: bytes) -> int:
        if cut:
            cut.pop()
            real(file, data[:7])
            raise KeyboardInterrupt
        return real(file, data)

    with Journal(path) as journal:
        journal.append(EVENTS[0])
        monkeypatch.setattr(os, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            journal.append(EVENTS[1])
        journal.append(EVENTS[2])
    assert read(path) == EVENTS[:3]
