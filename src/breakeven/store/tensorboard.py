"""A run as TensorBoard reads it: sensors over time, losses over epochs."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from breakeven._installed import pip_line
from breakeven.errors import InputError
from breakeven.model.run import RunRecord
from breakeven.model.study import Study

_MS = 1e3


class Scalar(NamedTuple):
    """One point of one line."""

    tag: str
    step: int
    wall_time: float
    value: float


def scalars(record: RunRecord) -> Iterator[Scalar]:
    """Give every point that TensorBoard is to show.

    A sensor is the tag ``DEVICE/QUANTITY``; its step is in milliseconds since the run's start, its
    wall time the time of day. A reading that failed is left out. Losses and accuracy of epochs
    that were run are tags of entry and batch size; their step is the epoch, and the wall time
    counts the seconds of the epochs from the run's start on.
    """
    begin = _unix_s(record)
    for s in record.timeline:
        tag = s.sensor.replace(".", "/")
        for t, value in zip(s.t_s, s.value, strict=True):
            if value is not None:
                yield Scalar(tag, round(t * _MS), begin + t, value)
    for study in record.studies:
        yield from _epochs(study, begin)


def file_name(record: RunRecord) -> str:
    """Return what the file is called: the same for the same run, so that no run stands twice."""
    return f"events.out.tfevents.{round(_unix_s(record)):010d}.breakeven.{record.id}"


def encoded(record: RunRecord) -> bytes:
    """Return the event file of a run.

    Raises
    ------
    InputError
        If tensorboard is not installed.
    """
    try:
        from tensorboard.compat.proto import event_pb2, summary_pb2  # noqa: PLC0415 - an extra
        from tensorboard.summary.writer.record_writer import RecordWriter  # noqa: PLC0415
    except ImportError as error:
        raise InputError(
            f"a TensorBoard folder needs tensorboard ({error})",
            pip_line("tensorboard"),
        ) from error
    out = io.BytesIO()
    writer = RecordWriter(out)
    first = event_pb2.Event(wall_time=_unix_s(record), file_version="brain.Event:2")
    writer.write(first.SerializeToString())
    for one in scalars(record):
        point = summary_pb2.Summary.Value(tag=one.tag, simple_value=one.value)
        event = event_pb2.Event(
            wall_time=one.wall_time, step=one.step, summary=summary_pb2.Summary(value=[point])
        )
        writer.write(event.SerializeToString())
    return out.getvalue()


def _unix_s(record: RunRecord) -> float:
    """Return the Unix time of the timeline's zero; of an older run, of its start to the second."""
    if record.sensing is not None and record.sensing.unix_s is not None:
        return record.sensing.unix_s
    return datetime.fromisoformat(record.started).timestamp()


def _epochs(study: Study, begin: float) -> Iterator[Scalar]:
    for training in study.trainings:
        where = f"{study.entry}, batch {study.size}, round {training.round}"
        passed = 0.0
        for e in training.epochs:
            passed += e.seconds
            for name, value in (
                ("train_loss", e.train_loss),
                ("test_loss", e.test_loss),
                ("test_accuracy", e.correct / e.total if e.total else None),
            ):
                if value is not None:
                    yield Scalar(f"{study.workload}/{name}/{where}", e.epoch, begin + passed, value)
