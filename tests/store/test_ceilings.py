"""Ceilings kept beside the runs."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from breakeven.errors import CorruptRunError
from breakeven.model.machine import Ceilings, Machine
from breakeven.store.ceilings import CeilingsShelf
from breakeven.store.folder import Store
from records import machine

FOUND = (
    Ceilings(device="cpu", backend="numpy", flops_per_s={"float32": 2e11}, memory_bytes_per_s=1e10),
    Ceilings(device="cuda:0", backend="torch-cuda", flops_per_s={"float32": 5e13}, launch_s=4e-6),
)
DAY = "2026-12-01T10:22:07Z"


def changed(here: Machine, **fields: object) -> Machine:
    """Return another state of a machine."""
    return msgspec.structs.replace(here, **fields)


def test_what_was_kept_comes_back_with_its_day(tmp_path: Path) -> None:
    """The document holds the ceilings, each with when it was measured."""
    shelf = CeilingsShelf(tmp_path)
    path = shelf.save(machine(), FOUND, DAY)
    document = shelf.load(machine())
    assert document is not None
    assert document.measured == DAY
    assert [c.measured for c in document.ceilings] == [DAY, DAY]
    assert document.ceilings[0].flops_per_s == {"float32": 2e11}
    assert path.parent == tmp_path / "ceilings"
    assert [p.name for p in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "fields",
    [
        {"driver": "600.1"},
        {"gpus": ()},
        {"libraries": {"numpy": "2.5.2", "torch": "2.12.0", "cupy": "14.2.0"}},
    ],
)
def test_a_change_makes_them_void(tmp_path: Path, fields: dict[str, object]) -> None:
    """Ceilings hold for the very state that they were measured in; a newer state has its own."""
    shelf = CeilingsShelf(tmp_path)
    shelf.save(machine(), FOUND, DAY)
    other = changed(machine(), **fields)
    assert shelf.load(other) is None
    shelf.save(other, FOUND[:1], DAY)
    assert len(list(shelf.path.iterdir())) == 2
    before = shelf.load(machine())
    assert before is not None
    assert len(before.ceilings) == 2


def test_they_are_no_runs(tmp_path: Path) -> None:
    """A store that holds ceilings alone lists no run."""
    CeilingsShelf(tmp_path).save(machine(), FOUND, DAY)
    assert Store(tmp_path).list() == ()


def test_a_damaged_document_is_told(tmp_path: Path) -> None:
    """It names the file, and how to make it anew."""
    shelf = CeilingsShelf(tmp_path)
    shelf.save(machine(), FOUND, DAY).write_text('{"schema": 7')
    with pytest.raises(CorruptRunError, match="doctor --measure makes it anew"):
        shelf.load(machine())
