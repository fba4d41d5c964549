"""A timeline in a trace: whole, valid, and on the clock of the trace that it joins."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from breakeven.errors import InputError
from breakeven.model.finding import Finding, Location
from breakeven.model.sensing import Mark, Sensing
from breakeven.trace import counters
from timelines import BEGIN_UNIX_S, sensing, series, timeline
from trace_format import faults

FINDING = Finding(
    code="BE204", title="a copy waits for the device", severity="warning", evidence=("trace",),
    location=Location(path="train.py", line=25), gain_ceiling=1.4, fix="non_blocking=True",
)  # fmt: skip


def of(document: dict[str, Any], phase: str) -> list[dict[str, Any]]:
    """Return the events of one phase."""
    return [e for e in document["traceEvents"] if e["ph"] == phase]


def torch_trace(base_ns: int | None, begin_us: float, span_us: float = 1e6) -> dict[str, Any]:
    """Return a trace of two steps as PyTorch writes it."""
    step = {"ph": "X", "cat": "user_annotation", "name": "step", "pid": 77, "tid": 77}
    made: dict[str, Any] = {
        "schemaVersion": 1,
        "traceEvents": [
            {"ph": "M", "name": "process_name", "ts": begin_us, "pid": 77, "tid": 0,
             "args": {"name": "python"}},
            step | {"ts": begin_us, "dur": span_us / 2},
            step | {"ts": begin_us + span_us / 2, "dur": span_us / 2},
        ],
    }  # fmt: skip
    return made if base_ns is None else made | {"baseTimeNanoseconds": base_ns}


def test_a_timeline_is_a_valid_trace() -> None:
    """Nothing in a trace of counters, slices and markers would make a reader stumble."""
    made = counters.document(timeline(gpus=2), sensing(), [counters.Placed(1.0, FINDING)])
    assert faults(json.loads(counters.encoded(made, packed=False))) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ph": "Q"}, "phase 'Q'"),
        ({"name": ""}, "no name"),
        ({"pid": None}, "pid None"),
        ({"pid": 2**32}, "32 bits"),
        ({"ts": "now"}, "time 'now'"),
        ({"ts": -1.0}, "before 0"),
        ({"args": {}}, "counter of nothing"),
        ({"args": {"W": "many"}}, "counts"),
        ({"args": {"W": None}}, "counts"),
        ({"pid": 5}, "has no name"),
        ({"ph": "X", "dur": -1}, "duration -1"),
        ({"ph": "i", "s": "x"}, "scope 'x'"),
    ],
)
def test_the_checker_finds_what_is_planted(change: dict[str, Any], said: str) -> None:
    """An event that is wrong in one way is named with that way."""
    made = counters.document(timeline(), sensing())
    place = next(i for i, e in enumerate(made["traceEvents"]) if e["ph"] == "C")
    made["traceEvents"][place] = made["traceEvents"][place] | change
    assert any(said in fault for fault in faults(made))


def test_the_checker_finds_slices_that_cross() -> None:
    """Two slices of one thread that overlap without lying in each other are named."""
    made = torch_trace(0, 0.0)
    made["traceEvents"].append(made["traceEvents"][1] | {"ts": 1e5, "dur": 9e5, "name": "late"})
    assert any("slice late" in fault or "slice step" in fault for fault in faults(made))


def test_every_reading_is_a_point_of_a_counter() -> None:
    """Each reading that succeeded stands at its time with its value, and a failed one nowhere."""
    readings = series("gpu0.power_w", [100.0, None, 300.5])
    made = of(counters.document([readings], None), "C")
    assert [(e["name"], e["ts"], e["args"]) for e in made] == [
        ("GPU 0 power", 0, {"W": 100.0}),
        ("GPU 0 power", 200_000, {"W": 300.5}),
    ]


def test_units_are_those_that_people_read() -> None:
    """A share is counted in per cent, bytes in MiB."""
    found = [series("cpu.busy_share", [0.25]), series("tree.rss_bytes", [3 * 2.0**20])]
    made = of(counters.document(found, None), "C")
    assert {(e["name"], *e["args"].items()) for e in made} == {
        ("CPU busy", ("%", 25.0)),
        ("the command memory", ("MiB", 3.0)),
    }


def test_marks_that_cross_lie_on_threads_of_their_own() -> None:
    """Marks that overlap without nesting are on different threads, nested ones on the same."""
    made = of(counters.document((), sensing()), "X")
    lanes = {e["name"]: e["tid"] for e in made}
    assert lanes["python train.py"] == lanes["torch-cuda, batch 64"]
    assert lanes["overlaps the steps"] != lanes["torch-cuda, batch 64"]


def test_nested_marks_stay_nested_when_rounded() -> None:
    """Marks that share an end to a fraction of a microsecond are still one in another."""
    marks = tuple(
        Mark(begin_s=0.1 * i + 3e-7, end_s=1.0000004, kind="steps", label=str(i)) for i in range(5)
    )
    assert faults(counters.document((), Sensing(marks=marks, unix_s=BEGIN_UNIX_S))) == []


def test_findings_are_instants_across_all_tracks() -> None:
    """A finding is a global instant at its moment, with where it is and what to do."""
    (marker,) = [
        e
        for e in of(counters.document((), None, [counters.Placed(1.5, FINDING)]), "i")
        if e["name"].startswith("BE204")
    ]
    assert (marker["s"], marker["ts"]) == ("g", 1_500_000)
    assert marker["args"]["where"] == "train.py:25"
    assert marker["args"]["fix"] == "non_blocking=True"


def test_a_sensor_that_vanishes_leaves_a_marker() -> None:
    """Where a sensor was lost half-way stands when, and why; one that never was leaves none."""
    markers = of(counters.document(timeline(), sensing()), "i")
    assert [(e["name"], e["ts"]) for e in markers] == [
        ("gpu0.temperature_c no longer read", 3_000_000)
    ]
    assert markers[0]["args"] == {"why": "the driver stopped answering"}


def test_what_begins_before_the_run_begins_at_0() -> None:
    """A reading taken before the run's start moves the whole trace, and its base with it."""
    early = series("host.load_1m", [1.0])
    early = type(early)(sensor="host.load_1m", t_s=(-0.25, 0.0), value=(1.0, 2.0))
    made = counters.document([early], sensing(marks=(), absent=()))
    assert [e["ts"] for e in of(made, "C")] == [0, 250_000]
    assert made["baseTimeNanoseconds"] == round((BEGIN_UNIX_S - 0.25) * 1e9)


def test_a_trace_keeps_its_own_events() -> None:
    """What a trace held is in the merged one as it was, and the merged one is valid."""
    trace = torch_trace(round(BEGIN_UNIX_S * 1e9), 1e6)
    made = counters.merged(trace, timeline(), sensing())
    assert made["traceEvents"][: len(trace["traceEvents"])] == trace["traceEvents"]
    assert made["schemaVersion"] == 1
    assert faults(made) == []


@pytest.mark.parametrize("base_s", [0.0, 1_790_857_026.0, BEGIN_UNIX_S + 1.0])
def test_both_share_one_clock(base_s: float) -> None:
    """A reading taken at the second at which a step began stands where the step begins."""
    step_unix_us = (BEGIN_UNIX_S + 2.0) * 1e6
    trace = torch_trace(round(base_s * 1e9), step_unix_us - base_s * 1e6)
    made = counters.merged(trace, timeline(), sensing())
    step = min(e["ts"] for e in of(made, "X") if e["name"] == "step")
    reading = of(made, "C")
    there = [e["ts"] for e in reading if e["name"] == "GPU 0 power"][20]
    assert there == pytest.approx(step, abs=2.0)


def test_an_old_trace_in_unix_time_is_understood() -> None:
    """A trace without a base whose times are Unix time in microseconds is laid on them."""
    trace = torch_trace(None, (BEGIN_UNIX_S + 2.0) * 1e6)
    made = counters.merged(trace, timeline(), sensing())
    there = [e["ts"] for e in of(made, "C") if e["name"] == "GPU 0 power"][20]
    assert there == pytest.approx((BEGIN_UNIX_S + 2.0) * 1e6, abs=2.0)


@pytest.mark.parametrize(
    ("trace", "about", "said"),
    [
        (torch_trace(None, 12.0), sensing(), "does not say at what time of day"),
        (torch_trace(0, 12.0), sensing(), "no moment in common"),
        (torch_trace(0, 12.0), sensing(unix_s=None), "did not store the time of day"),
        ({"events": []}, sensing(), "no list of traceEvents"),
    ],
)
def test_what_cannot_be_laid_together_is_refused(
    trace: dict[str, Any], about: Sensing, said: str
) -> None:
    """Without a common clock, or a common moment, nothing is merged."""
    with pytest.raises(InputError, match=said):
        counters.merged(trace, timeline(), about)


def test_processes_of_the_trace_stay_its_own() -> None:
    """A trace that uses our process numbers already gets ours elsewhere."""
    trace = torch_trace(round(BEGIN_UNIX_S * 1e9), 1e6)
    taken = counters.document(timeline(), sensing())["traceEvents"][0]["pid"]
    for event in trace["traceEvents"]:
        event["pid"] = taken
    made = counters.merged(trace, timeline(), sensing())
    assert taken not in {e["pid"] for e in made["traceEvents"][len(trace["traceEvents"]) :]}
    assert faults(made) == []


@pytest.mark.parametrize("packed", [True, False])
def test_a_file_reads_back_packed_or_not(tmp_path: Path, packed: bool) -> None:
    """A trace is the same after it was written and read, and packing is the same every time."""
    made = counters.document(timeline(), sensing())
    raw = counters.encoded(made, packed=packed)
    assert raw == counters.encoded(made, packed=packed)
    assert (raw[:2] == b"\x1f\x8b") == packed
    (tmp_path / "trace").write_bytes(raw)
    assert counters.read(tmp_path / "trace") == made


def test_a_bare_list_of_events_is_a_trace(tmp_path: Path) -> None:
    """Chrome's other form, a list without an object around it, is read as its events."""
    (tmp_path / "list.json").write_text("[]")
    assert counters.read(tmp_path / "list.json") == {"traceEvents": []}


@pytest.mark.parametrize(
    "raw",
    [b"no json", b"5", gzip.compress(b"{}")[:-9], b"\x1f\x8b\x00", b"\x1f\x8b\x08\x00" + b"x" * 40],
)
def test_a_file_that_is_no_trace_is_refused(tmp_path: Path, raw: bytes) -> None:
    """A file that is damaged, cut short or of another kind is refused in one line."""
    (tmp_path / "trace").write_bytes(raw)
    with pytest.raises(InputError, match="is no trace"):
        counters.read(tmp_path / "trace")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    """A file that is not there is refused with its name."""
    with pytest.raises(InputError, match=r"gone\.json cannot be read"):
        counters.read(tmp_path / "gone.json")
