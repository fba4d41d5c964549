"""A timeline in the formats of other tools: one line a reading, as CSV or Parquet."""

from __future__ import annotations

import csv
import io
from itertools import chain, repeat

import msgspec

from breakeven.errors import InputError
from breakeven.model.run import RunRecord
from breakeven.model.timeline import Series

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
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra, loaded only when it is wanted
        import pyarrow.parquet as pq  # noqa: PLC0415
    except ImportError as error:
        raise InputError(
            f"a Parquet file needs pyarrow ({error})", "pip install 'breakeven[parquet]'"
        ) from error
    found = record.timeline
    bands = [_band(s) for s in found]
    table = pa.table(
        {
            "run": pa.array([record.id] * sum(len(s.t_s) for s in found), pa.string()),
            "sensor": pa.array([s.sensor for s in found for _ in s.t_s], pa.string()),
            "t_s": pa.array(chain.from_iterable(s.t_s for s in found), pa.float64()),
            "value": pa.array(chain.from_iterable(s.value for s in found), pa.float64()),
            "low": pa.array(chain.from_iterable(low for low, _ in bands), pa.float64()),
            "high": pa.array(chain.from_iterable(high for _, high in bands), pa.float64()),
        }
    )
    about = {"breakeven.run": record.id, "breakeven.started": record.started}
    if record.sensing is not None:
        about["breakeven.sensing"] = msgspec.json.encode(record.sensing).decode()
    out = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(about), out, compression="zstd")
    return out.getvalue()


def _band(s: Series) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    nothing: tuple[float | None, ...] = (None,) * len(s.t_s)
    return s.low or nothing, s.high or nothing
