"""Reference runs that come with the package."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from breakeven.errors import CorruptRunError
from breakeven.store.bundled import bundled_runs
from breakeven.store.upgrade import encode
from records import record


def test_the_package_brings_runs_that_can_be_read() -> None:
    """Whatever runs are installed, each loads and was finished."""
    assert all(run.finished is not None for run in bundled_runs())


def test_runs_come_in_the_order_of_their_files(tmp_path: Path) -> None:
    """Compressed documents are found; other files are not runs."""
    run = record(rounds=1, sizes=(128,))
    for name in ("b", "a"):
        raw = encode(msgspec.structs.replace(run, id=name))
        (tmp_path / f"{name}.json.gz").write_bytes(gzip.compress(raw))
    (tmp_path / "README.md").touch()
    assert [run.id for run in bundled_runs(tmp_path)] == ["a", "b"]


def test_a_package_without_runs_has_none(tmp_path: Path) -> None:
    """A missing folder is no error."""
    assert bundled_runs(tmp_path / "none") == ()


def test_a_damaged_package_says_so(tmp_path: Path) -> None:
    """Damaged data is an error that names the file, not a run less."""
    (tmp_path / "h200.json.gz").write_bytes(gzip.compress(b"{"))
    with pytest.raises(CorruptRunError, match=r"the bundled run h200\.json\.gz"):
        bundled_runs(tmp_path)
