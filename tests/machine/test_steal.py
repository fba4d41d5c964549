"""Time that a hypervisor gave to other machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.machine.steal import steal_seconds


def stat(folder: Path, text: str) -> Path:
    """Write what the system would say."""
    path = folder / "stat"
    path.write_text(text)
    return path


def test_stolen_time_is_the_eighth_count_of_all_processors(tmp_path: Path) -> None:
    """It counts hundredths of a second."""
    path = stat(tmp_path, "cpu  20000 30 4000 900000 1200 0 150 800 0 0\ncpu0 1 1 1 1 1 1 1 9\n")
    assert steal_seconds(path) == pytest.approx(8.0)


@pytest.mark.parametrize("text", ["", "intr 5\n", "cpu 1 2 3 4\n", "cpu 1 2 3 4 5 6 7 x\n"])
def test_what_the_system_does_not_tell_is_none(tmp_path: Path, text: str) -> None:
    """An older or foreign file has no such count."""
    assert steal_seconds(stat(tmp_path, text)) is None


def test_without_the_file_nothing_is_told(tmp_path: Path) -> None:
    """Other systems have none."""
    assert steal_seconds(tmp_path / "none") is None
