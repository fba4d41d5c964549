"""Whole trainings: which are run, and how long one epoch may take."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from breakeven.engine import job_messages as jm
from breakeven.engine.closing import Closing
from breakeven.engine.recorder import Recorder
from breakeven.model.event import Began, Studied
from breakeven.model.spec import TrainingSpec
from breakeven.model.study import Epoch, Study, Training
from breakeven.store.sink import MemorySink
from engine.job_casts import training_run
from records import entry

PLANNED = 4


def _epoch(number: int) -> Epoch:
    return Epoch(epoch=number, seconds=1.0, train_loss=1.0, test_loss=1.0, correct=1, total=2)


@pytest.mark.parametrize(("had", "asked"), [(0, PLANNED), (1, PLANNED), (PLANNED, 0)])
def test_a_training_is_done_when_all_its_epochs_are(tmp_path: Path, had: int, asked: int) -> None:
    """One that was broken off is run again from its start, and takes the place of its piece."""
    record = training_run(
        "torch-cpu", sizes=(64,), training=TrainingSpec(epochs=PLANNED, all_epochs=True)
    )
    sink, one = MemorySink(), entry("torch-cpu", 2, default=True)
    sink.append(Began(record=record))
    if had:
        piece = Training(
            round=1, seed=record.spec.seed, epochs=tuple(_epoch(n) for n in range(had))
        )
        study = Study(workload="train", size=64, entry=one.id, trainings=(piece,))
        sink.append(Studied(study=study))
    context: Any = SimpleNamespace(
        spec=record.spec, facts={}, tell=lambda _: None, predicted_s=lambda *_: 0.0,
        workload=lambda _: None, sink=sink, emit=sink.append, building_s=lambda: 77.0,
    )  # fmt: skip
    epochs: list[int] = []

    def ask(request: jm.RunEpoch, deadline_s: float) -> jm.EpochRun:
        assert deadline_s >= 77.0
        epochs.append(request.epoch)
        return jm.EpochRun(epoch=_epoch(request.epoch), wrong=())

    worker: Any = SimpleNamespace(ask=ask)
    jobs: Any = None
    closing = Closing(context, Recorder(record, tmp_path, on=False), jobs)
    closing._train(worker, one, "train", 64)
    assert epochs == list(range(asked))
    trainings = sink.record().studies[0].trainings
    assert [len(t.epochs) for t in trainings] == [PLANNED]
