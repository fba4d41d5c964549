"""A stored timeline written for other tools, with the traces that were kept beside the run."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from breakeven import lab
from breakeven.errors import InputError
from breakeven.model.finding import Finding
from breakeven.model.run import RunRecord
from breakeven.model.study import Study
from breakeven.model.trace import TraceSummary
from breakeven.store.folder import Store
from records import record
from timelines import BEGIN_UNIX_S, sensing, timeline
from trace_format import faults

FINDING = Finding(code="BE204", title="a copy waits", severity="warning", evidence=("trace",))


def traced() -> RunRecord:
    """Return a run with a timeline, a finding and two traced studies."""
    studies = tuple(
        Study(workload="train", size=size, entry="torch-cpu-16",
              trace=TraceSummary(steps=2, span_s=1.0, file=f"batch-{size}.json.gz"))
        for size in (64, 128)
    )  # fmt: skip
    return msgspec.structs.replace(
        record(rounds=1, slots=1), timeline=timeline(), sensing=sensing(), studies=studies,
        findings=(FINDING,),
    )  # fmt: skip


def keep_traces(store: Store, run: RunRecord) -> Path:
    """Save a run with its traces as a store keeps them; each on a clock of its own."""
    folder = store.traces(run.id)
    folder.mkdir(parents=True)
    for place, study in enumerate(run.studies):
        assert study.trace is not None
        base_s = BEGIN_UNIX_S - 100.0 * (place + 1)
        step = {"ph": "X", "cat": "user_annotation", "name": f"step of {study.size}", "pid": 70,
                "tid": 70, "ts": (BEGIN_UNIX_S - base_s + 1.0 + place) * 1e6, "dur": 5e5}  # fmt: skip
        made = {"baseTimeNanoseconds": round(base_s * 1e9), "traceEvents": [step]}
        (folder / str(study.trace.file)).write_bytes(gzip.compress(json.dumps(made).encode()))
    return store.save(run)


def events(path: Path) -> list[dict[str, Any]]:
    """Return the events of a packed trace, which is valid."""
    made = json.loads(gzip.decompress(path.read_bytes()))
    assert faults(made) == []
    found: list[dict[str, Any]] = made["traceEvents"]
    return found


def test_kept_traces_join_the_timeline_on_one_clock(tmp_path: Path) -> None:
    """Steps of two traces with clocks of their own stand at their moments of the timeline."""
    path = keep_traces(Store(tmp_path / "store"), traced())
    run = lab.load(str(path))
    kept = lab.traces_beside(run, str(path))
    assert [p.name for p in kept] == ["batch-64.json.gz", "batch-128.json.gz"]
    assert kept == lab.traces_beside(run, "last", tmp_path / "store")
    found = events(lab.write_timeline(run, tmp_path / "all.json.gz", kept))
    at = {e["name"]: e["ts"] for e in found if e["ph"] == "X"}
    power = [e["ts"] for e in found if e["name"] == "GPU 0 power"]
    assert at["step of 64"] == pytest.approx(power[10], abs=2.0)
    assert at["step of 128"] == pytest.approx(power[20], abs=2.0)


def test_findings_are_marked_where_the_steps_begin(tmp_path: Path) -> None:
    """A finding of a run stands at the begin of its timed steps."""
    found = events(lab.write_timeline(traced(), tmp_path / "all.json.gz"))
    (marker,) = [e for e in found if e["name"].startswith("BE204")]
    assert marker["ts"] == 500_000


def test_a_trace_that_was_removed_is_left_out(tmp_path: Path) -> None:
    """What is no longer beside the run is not missed by its other forms."""
    store = Store(tmp_path / "store")
    path = keep_traces(store, traced())
    (store.traces(traced().id) / "batch-64.json.gz").unlink()
    assert [p.name for p in lab.traces_beside(traced(), str(path))] == ["batch-128.json.gz"]


def test_tensorboard_gets_the_traces_by_their_usual_name(tmp_path: Path) -> None:
    """Traces lie beside the scalars under the name by which readers of them look."""
    pytest.importorskip("tensorboard")
    path = keep_traces(Store(tmp_path / "store"), traced())
    folder = lab.write_tensorboard(
        traced(), tmp_path / "board", lab.traces_beside(traced(), str(path))
    )
    names = sorted(p.name for p in folder.iterdir())
    assert names[:2] == ["batch-128.pt.trace.json.gz", "batch-64.pt.trace.json.gz"]
    assert names[2].startswith("events.out.tfevents.")


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A folder that is a file, or a file in a folder that is not there, is refused in one line."""
    pytest.importorskip("tensorboard")
    (tmp_path / "board").write_text("a file")
    with pytest.raises(InputError, match="board cannot be written"):
        lab.write_tensorboard(traced(), tmp_path / "board")
    with pytest.raises(InputError, match=r"a\.csv cannot be written"):
        lab.write_timeline(traced(), tmp_path / "gone" / "a.csv")


def test_cases_are_a_parquet_file_too() -> None:
    """The lines of a run's CSV are those of its Parquet file, with numbers as numbers."""
    pq = pytest.importorskip("pyarrow.parquet")
    import io

    run = record(rounds=1, slots=1)
    table = pq.read_table(io.BytesIO(lab.parquet_of(run)))
    lines = lab.text_of(run, "csv").splitlines()
    assert table.num_rows == len(lines) - 1
    first = dict(zip(lines[0].split(","), lines[1].split(","), strict=False))
    assert table.column("median_s")[0].as_py() == float(first["median_s"])
    assert table.column("size")[0].as_py() == int(first["size"])
    assert table.column("steady")[0].as_py() in {True, False}
