"""A timeline in the formats of other tools: one line a reading, as CSV or Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from itertools import repeat

import msgspec

from breakeven.model.run import RunRecord
from breakeven.model.timeline import Series
from breakeven.store import parquet

COLUMNS = ("run", "sensor", "t_s", "value", "low", "high")


def to_csv(record: RunRecord) -> str:
    """Return one line a reading, sensor after sensor, under a line of column names.

    ``t_s`` is in seconds since the run's start. ``value`` is empty where that reading failed;
    ``low`` and ``high`` are empty where no samples were merged into it.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for s in record.timeline:
        low, high = _band(s)
        writer.writerows(zip(repeat(record.id), repeat(s.sensor), s.t_s, s.value, low, high))
    return out.getvalue()


def to_parquet(record: RunRecord) -> bytes:
    """Return the same lines as a Parquet file, with everything about them in its metadata.

    The file's key-value metadata holds ``breakeven.run``, ``breakeven.started`` and
    ``breakeven.sensing`` (JSON: what went on, what could not be read, energy, the sampler's cost).

    Raises
    ------
    InputError
        If pyarrow is not installed.
    """
    bands = [_band(s) for s in record.timeline]
    columns: dict[str, Sequence[object]] = {
        "run": [record.id for s in record.timeline for _ in s.t_s],
        "sensor": [s.sensor for s in record.timeline for _ in s.t_s],
        "t_s": [t for s in record.timeline for t in s.t_s],
        "value": [v for s in record.timeline for v in s.value],
        "low": [v for low, _ in bands for v in low],
        "high": [v for _, high in bands for v in high],
    }
    about = {"breakeven.run": record.id, "breakeven.started": record.started}
    if record.sensing is not None:
        about["breakeven.sensing"] = msgspec.json.encode(record.sensing).decode()
    return parquet.encoded(columns, about, numbers=("t_s", "value", "low", "high"))


def _band(s: Series) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    nothing: tuple[float | None, ...] = (None,) * len(s.t_s)
    return s.low or nothing, s.high or nothing
