"""A stored timeline written for other tools: tables, traces, TensorBoard."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from breakeven.errors import InputError
from breakeven.lab.showing import write_bytes
from breakeven.model.run import RunRecord
from breakeven.store import tensorboard, timelines
from breakeven.store.folder import Store
from breakeven.trace import counters

ENDINGS = (".csv", ".parquet", ".json", ".json.gz")


def check_timeline(path: Path) -> None:
    """Raise where the end of a file's name says no form in which a timeline is written.

    Raises
    ------
    InputError
        If it is none of ``.csv``, ``.parquet``, ``.json``, ``.json.gz``.
    """
    if not path.name.endswith(ENDINGS):
        raise InputError(
            f"a timeline cannot be written as {path.name}",
            f"end its name in one of {', '.join(ENDINGS)}",
        )


def write_timeline(record: RunRecord, path: Path, traces: Sequence[Path] = ()) -> Path:
    """Write a run's timeline; the end of the name says how.

    Parameters
    ----------
    path : Path
        ``.csv`` and ``.parquet`` hold one line a reading; ``.json`` and ``.json.gz`` are a trace
        that Perfetto and Chrome open, with a counter track for each sensor.
    traces : sequence of Path
        Traces of the same time and machine, which such a trace takes in.

    Raises
    ------
    InputError
        If there is no timeline, a trace does not belong to it, or it cannot be written.
    """
    check_timeline(path)
    _check_sensed(record)
    if path.suffix == ".csv":
        data = timelines.to_csv(record).encode()
    elif path.suffix == ".parquet":
        data = timelines.to_parquet(record)
    else:
        data = counters.encoded(trace_of(record, traces), packed=path.name.endswith(".gz"))
    write_bytes(path, data)
    return path


def trace_of(record: RunRecord, traces: Sequence[Path] = ()) -> counters.Document:
    """Return a run's timeline as one trace, with other traces of the same time in it."""
    findings = [counters.Placed(_moment(record), f) for f in record.findings]
    if not traces:
        return counters.document(record.timeline, record.sensing, findings)
    first, *others = (counters.read(path) for path in traces)
    whole = counters.joined(first, others)
    return counters.merged(whole, record.timeline, record.sensing, findings)


def write_tensorboard(record: RunRecord, folder: Path, traces: Sequence[Path] = ()) -> Path:
    """Write a folder that TensorBoard reads: sensors and losses, with the traces beside them.

    Raises
    ------
    InputError
        If there is nothing to write, or it cannot be written.
    """
    if not record.timeline and not any(s.trainings for s in record.studies):
        raise InputError(
            f"run {record.id} has nothing over time", "breakeven watch -- COMMAND reads sensors"
        )
    data = tensorboard.encoded(record)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in traces:
            # The name by which readers of PyTorch's traces find them in a folder of logs.
            stem = path.name.removesuffix(".gz").removesuffix(".json").removesuffix(".pt.trace")
            packed = ".gz" if path.name.endswith(".gz") else ""
            shutil.copyfile(path, folder / f"{stem}.pt.trace.json{packed}")
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written ({error.strerror})", "choose another folder"
        ) from error
    write_bytes(folder / tensorboard.file_name(record), data)
    return folder


def traces_beside(record: RunRecord, name: str, store: Path | None = None) -> tuple[Path, ...]:
    """Return the trace files that were kept beside a stored run, as its studies name them.

    Parameters
    ----------
    name : str
        By which the run was loaded: where that is a path, they lie there.
    """
    given = Path(name)
    folder = Store(given.parent if given.is_file() else store).traces(record.id)
    found = dict.fromkeys(s.trace.file for s in record.studies if s.trace and s.trace.file)
    return tuple(path for one in found if (path := folder / one).is_file())


def _check_sensed(record: RunRecord) -> None:
    if not record.timeline:
        raise InputError(
            f"run {record.id} has no timeline: no sensor was read while it ran",
            "breakeven watch -- COMMAND reads them",
        )


def _moment(record: RunRecord) -> float:
    """Return where the findings of a run are marked: where its traced or timed steps begin."""
    found = record.sensing.marks if record.sensing is not None else ()
    for kind in ("trace", "steps"):
        for mark in found:
            if mark.kind == kind:
                return mark.begin_s
    return 0.0
