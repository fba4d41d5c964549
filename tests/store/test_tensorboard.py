"""A run as TensorBoard's own loader reads it."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from breakeven.errors import InputError
from breakeven.model.run import RunRecord
from breakeven.model.study import Epoch, Study, Training
from breakeven.store import tensorboard
from records import record
from timelines import BEGIN_UNIX_S, sensing, timeline

STUDY = Study(
    workload="train", size=64, entry="torch-cuda",
    trainings=(Training(round=1, seed=42, epochs=(
        Epoch(epoch=1, seconds=2.0, train_loss=1.5, test_loss=1.25, correct=300, total=360),
        Epoch(epoch=2, seconds=1.5, train_loss=0.5, test_loss=0.75, correct=350, total=360),
    )),),
)  # fmt: skip


def sensed() -> RunRecord:
    """Return a run with a timeline and a training."""
    return msgspec.structs.replace(
        record(rounds=1, slots=1), timeline=timeline(), sensing=sensing(), studies=(STUDY,)
    )


def loaded(folder: Path, run: RunRecord) -> object:
    """Return TensorBoard's own view of a run."""
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    (folder / tensorboard.file_name(run)).write_bytes(tensorboard.encoded(run))
    found = accumulator.EventAccumulator(str(folder), size_guidance={"scalars": 0})
    found.Reload()
    return found


def test_tensorboard_reads_every_sensor(tmp_path: Path) -> None:
    """Its loader finds each sensor as a scalar, with each reading that succeeded."""
    run = sensed()
    found = loaded(tmp_path, run)
    for s in run.timeline:
        told = found.Scalars(s.sensor.replace(".", "/"))  # type: ignore[attr-defined]
        wanted = [(round(t * 1e3), v) for t, v in zip(s.t_s, s.value, strict=True) if v is not None]
        assert [x.step for x in told] == [step for step, _ in wanted]
        assert [x.value for x in told] == pytest.approx([v for _, v in wanted], rel=1e-6)


def test_times_of_day_are_those_of_the_readings(tmp_path: Path) -> None:
    """A reading's wall time is the Unix time at which it was taken."""
    told = loaded(tmp_path, sensed()).Scalars("gpu0/power_w")  # type: ignore[attr-defined]
    assert [x.wall_time for x in told[:3]] == pytest.approx(
        [BEGIN_UNIX_S, BEGIN_UNIX_S + 0.1, BEGIN_UNIX_S + 0.2], abs=1e-6
    )


def test_losses_are_lines_over_epochs(tmp_path: Path) -> None:
    """Losses and accuracy of each epoch stand at its number."""
    found = loaded(tmp_path, sensed())
    where = "torch-cuda, batch 64, round 1"
    told = found.Scalars(f"train/train_loss/{where}")  # type: ignore[attr-defined]
    assert [(x.step, x.value) for x in told] == [(1, 1.5), (2, 0.5)]
    accuracy = found.Scalars(f"train/test_accuracy/{where}")  # type: ignore[attr-defined]
    assert [x.value for x in accuracy] == pytest.approx([300 / 360, 350 / 360])


def test_an_older_run_begins_at_its_stored_second() -> None:
    """Without the time of day of its zero, a timeline begins when the run was started."""
    run = msgspec.structs.replace(sensed(), sensing=None, started="2026-12-01T10:22:07Z")
    first = next(iter(tensorboard.scalars(run)))
    assert first.wall_time == datetime(2026, 12, 1, 10, 22, 7, tzinfo=UTC).timestamp()


def test_the_same_run_is_the_same_file() -> None:
    """Exported twice, a run has the same name and bytes, and no name of the host in them."""
    run = sensed()
    pytest.importorskip("tensorboard")
    assert tensorboard.encoded(run) == tensorboard.encoded(run)
    assert tensorboard.file_name(run).endswith(f".breakeven.{run.id}")


def test_a_missing_library_is_told_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without tensorboard the export is refused with the line that installs it."""
    monkeypatch.setitem(sys.modules, "tensorboard.compat.proto", None)
    with pytest.raises(InputError, match=r"pip install .*\[tensorboard\]'"):
        tensorboard.encoded(sensed())
