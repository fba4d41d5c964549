"""A timeline as CSV and Parquet: every reading, gaps as gaps."""

from __future__ import annotations

import csv
import io
import sys

import msgspec
import pytest

from breakeven.errors import InputError
from breakeven.model.run import RunRecord
from breakeven.model.sensing import Sensing
from breakeven.store import timelines
from records import record
from timelines import sensing, series, timeline


def watched() -> RunRecord:
    """Return a run with a timeline, of which one series has merged samples."""
    merged = series("gpu0.fan_share", [0.5, None], low=(0.25, None), high=(0.75, None))
    return msgspec.structs.replace(
        record(rounds=1, slots=1), timeline=(*timeline(), merged), sensing=sensing()
    )


def test_csv_has_every_reading() -> None:
    """Each reading is a line with its sensor, time and value; a failed one has no value."""
    run = watched()
    lines = list(csv.DictReader(io.StringIO(timelines.to_csv(run))))
    assert len(lines) == sum(len(s.t_s) for s in run.timeline)
    rss = [x for x in lines if x["sensor"] == "tree.rss_bytes"]
    assert (rss[0]["t_s"], rss[0]["value"]) == ("0.0", "")
    assert [float(x["value"]) for x in rss[1:]] == list(
        next(s for s in run.timeline if s.sensor == "tree.rss_bytes").value[1:]
    )
    assert {x["run"] for x in lines} == {run.id}


def test_csv_keeps_the_band_of_merged_samples() -> None:
    """Least and greatest of merged samples stand beside the value, and are empty elsewhere."""
    lines = list(csv.DictReader(io.StringIO(timelines.to_csv(watched()))))
    fan = [x for x in lines if x["sensor"] == "gpu0.fan_share"]
    assert [(x["value"], x["low"], x["high"]) for x in fan] == [("0.5", "0.25", "0.75"), ("",) * 3]
    assert {x["low"] for x in lines if x["sensor"] == "gpu0.power_w"} == {""}


def test_parquet_says_what_csv_says() -> None:
    """The two files hold the same lines, to the last digit."""
    pq = pytest.importorskip("pyarrow.parquet")
    run = watched()
    table = pq.read_table(io.BytesIO(timelines.to_parquet(run)))
    lines = list(csv.DictReader(io.StringIO(timelines.to_csv(run))))
    assert tuple(table.column_names) == timelines.COLUMNS
    for name in timelines.COLUMNS:
        told = ["" if x is None else str(x) for x in table.column(name).to_pylist()]
        assert told == [x[name] for x in lines]


def test_parquet_carries_what_is_known_about_it() -> None:
    """The metadata of the file gives back the run's id and everything that was sensed."""
    pq = pytest.importorskip("pyarrow.parquet")
    run = watched()
    about = pq.read_schema(io.BytesIO(timelines.to_parquet(run))).metadata
    assert about[b"breakeven.run"].decode() == run.id
    assert msgspec.json.decode(about[b"breakeven.sensing"], type=Sensing) == run.sensing


def test_a_missing_library_is_told_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow a Parquet file is refused with the line that installs it."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"pip install .*\[parquet\]'"):
        timelines.to_parquet(watched())


def test_a_run_without_a_timeline_is_a_line_of_names() -> None:
    """A run that sensed nothing gives the names of the columns and no reading."""
    assert timelines.to_csv(record(rounds=1, slots=1)) == ",".join(timelines.COLUMNS) + "\n"
