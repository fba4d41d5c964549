"""Files written whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from breakeven.errors import StoreError
from breakeven.store.files import content, make_folder, remove, replace, try_writing


def test_a_file_is_replaced_without_a_trace(tmp_path: Path) -> None:
    """The new content is there, with the usual permissions, and nothing beside it."""
    path = tmp_path / "a.json"
    replace(path, b"one")
    replace(path, b"two")
    assert content(path) == b"two"
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]
    (tmp_path / "plain").touch()
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("failing", ["fsync", "rename", "write"])
def test_a_failure_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """Whatever step fails, the document is the old one and no temporary file stays."""
    path = tmp_path / "a.json"
    replace(path, b"old")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    if failing == "rename":
        monkeypatch.setattr(Path, "replace", full)
    else:
        monkeypatch.setattr(os, "fsync" if failing == "fsync" else "fdopen", full)
    with pytest.raises(StoreError, match=r"a\.json cannot be written: No space left.*--store"):
        replace(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


def test_ctrl_c_leaves_no_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt in the middle cleans up too."""

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        replace(tmp_path / "a.json", b"new")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_swept(tmp_path: Path) -> None:
    """Temporary files of dead processes go with the next write; those of living ones stay."""
    dead = tmp_path / ".a.json.4194305.abcd.tmp"  # above the largest process id of Linux
    living = tmp_path / f".b.json.{os.getpid()}.abcd.tmp"
    foreign = tmp_path / ".tmp"
    for path in (dead, living, foreign):
        path.touch()
    replace(tmp_path / "c.json", b"c")
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        ["c.json", living.name, foreign.name]
    )


def test_a_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    """A file in its place, or above it, is named with a way out; a read-only system too."""
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"is a file where .*; give another folder with --store"):
        make_folder(tmp_path / "file")
    with pytest.raises(StoreError, match="cannot be made: Not a directory; give another"):
        make_folder(tmp_path / "file" / "runs")
    with pytest.raises(StoreError, match=r"cannot be (made|written)"):
        make_folder(Path("/proc/breakeven"))


def test_a_folder_that_cannot_be_written_is_told() -> None:
    """A folder that takes no file is found out by trying; permissions are not guessed from modes."""
    with pytest.raises(StoreError, match="the store /proc/self/fdinfo cannot be written"):
        try_writing(Path("/proc/self/fdinfo"))


def test_a_read_only_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a disk refuses to remove a file as well, even one that never came to be."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(StoreError, match="cannot be written: Read-only file system; give another"):
        try_writing(tmp_path)


def test_trying_leaves_nothing(tmp_path: Path) -> None:
    """The probe is gone afterwards."""
    try_writing(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_removing_what_is_not_there_is_fine(tmp_path: Path) -> None:
    """Only a file that stays is an error."""
    remove(tmp_path / "none")
    with pytest.raises(StoreError, match="cannot be removed"):
        remove(tmp_path)
