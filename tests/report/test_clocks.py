"""The clocks of the GPU in the report: shown where they were read, and nowhere else."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from breakeven.analysis.judge import apply, judge
from breakeven.model.run import CacheTimes, Case, DeviceTimes, Limits, RunRecord
from breakeven.report import clocks, ratios
from breakeven.report.evidence import Evidence
from breakeven.report.measured import floors
from breakeven.report.page import build
from breakeven.report.view import Table
from records import CUPY, NUMPY, TORCH_CPU, TORCH_CUDA, record
from report.conftest import with_gpu

# Small work: issued in 20 us, done in 8 us, replayed in 3 us.
SMALL = DeviceTimes(latency_s=2.4e-5, queued_s=8e-6, graph_s=3e-6, issue_s=2e-5)
LARGE = DeviceTimes(latency_s=2e-2, queued_s=1.9e-2, issue_s=2e-5, graph_why="not captured: long")


def _run(**changes: Any) -> RunRecord:  # noqa: ANN401  fields by entry and size
    """Return a run whose cases have the fields given as ``entry_size``."""
    run = record((NUMPY, TORCH_CPU, CUPY, TORCH_CUDA), sizes=(128, 8192))

    def changed(case: Case) -> Case:
        key = f"{case.entry.replace('-', '_')}_{case.size}"
        return msgspec.structs.replace(case, **changes.get(key, {}))

    return msgspec.structs.replace(run, cases=tuple(changed(c) for c in run.cases))


def _with_floor(run: RunRecord, kernel_s: float) -> RunRecord:
    found = {
        e: msgspec.structs.replace(
            f, event_pair_s=1e-6, empty_kernel_s=kernel_s if e in {"cupy", "torch-cuda"} else None
        )
        for e, f in run.limits.floors.items()
    }
    return msgspec.structs.replace(run, limits=Limits(floors=found))


def _judged(run: RunRecord) -> Evidence:
    """Return the evidence of a run with its conclusions."""
    return Evidence(apply(run, judge(run)))


def _cells(table: Table, size: int, entry: str) -> dict[str, str]:
    row = next(r for r in table.rows if r[:2] == (str(size), entry))
    return dict(zip(table.columns, row, strict=True))


def test_documents_without_the_data_show_nothing_new() -> None:
    """No table, no sentence and no column comes from a run that did not read these clocks."""
    evidence = Evidence(with_gpu())
    for make in (clocks.clocks, clocks.copies, clocks.caches):
        assert make(evidence, "matmul").rows == ()
    assert clocks.notes(evidence, "matmul") == []
    assert "empty kernel" not in floors(evidence).columns
    titles = {t.title for t in build(with_gpu()).workloads[0].tables}
    assert not titles & {"Clocks of the GPU", "Copies, pageable and page-locked",
                         "Caches, hot and cold"}  # fmt: skip


def test_the_clocks_stand_side_by_side() -> None:
    """Each clock has its column, and what is missing has its reason."""
    run = _with_floor(_run(torch_cuda_128={"device": SMALL}, torch_cuda_8192={"device": LARGE}),
                      kernel_s=2e-7)  # fmt: skip
    table = clocks.clocks(Evidence(run), "matmul")
    assert len(table.rows) == 2
    small = _cells(table, 128, "torch-cuda")
    assert [small[c] for c in table.columns[3:7]] == ["24.0 us", "8.00 us", "3.00 us", "20.0 us"]
    large = _cells(table, 8192, "torch-cuda")
    assert large["each as a graph"] == "-"
    assert large["remark"] == "graph: not captured: long"
    assert "empty kernel" in floors(Evidence(run)).columns


def test_a_figure_near_its_floor_has_no_digits() -> None:
    """Under ten times an empty kernel a queue's figure says no more than that."""
    run = _with_floor(_run(torch_cuda_128={"device": SMALL}), kernel_s=7e-7)
    row = _cells(clocks.clocks(Evidence(run), "matmul"), 128, "torch-cuda")
    assert row["each in a full queue"] == "8.00 us"
    assert row["each as a graph"] == "at the floor"


def test_one_sentence_tells_what_waiting_for_launches_costs() -> None:
    """It names the size and each gain, with the two times that it is the ratio of."""
    run = _with_floor(_run(torch_cuda_128={"device": SMALL}, torch_cuda_8192={"device": LARGE}),
                      kernel_s=2e-7)  # fmt: skip
    evidence = _judged(run)
    (note,) = clocks.notes(evidence, "matmul")
    single = evidence.figure("matmul", 128, "torch-cuda", "resident")
    assert single.seconds is not None
    assert note.label == "small work"
    assert note.text == (
        "torch-CUDA takes longer to issue a call than to do it at N = 128. Gains: "
        f"not to wait for each call {single.seconds / 2e-5:.2f}x (a call, awaited "
        f"{single.text}, over a call, until it returns 20.0 us, n = 1); "
        "batching or fusing up to 2.50x (a call, until it returns 20.0 us, over each in a full "
        "queue 8.00 us, n = 1); a graph up to 6.67x (a call, until it returns 20.0 us, over each "
        "as a graph 3.00 us, n = 1). Ratios of one process (n = 1) are indicative."
    )
    assert note.text in clocks.clocks(evidence, "matmul").caption
    assert note in build(evidence.record).workloads[0].notes


def test_every_size_where_launches_rule_has_its_gains_in_a_table() -> None:
    """Each row names both sides and n; without an interval stands a dash."""
    run = _with_floor(_run(torch_cuda_128={"device": SMALL}), kernel_s=2e-7)
    table = ratios.gains(_judged(run), "matmul")
    assert [r[2] for r in table.rows] == ["not to wait for each call", "batching or fusing",
                                          "a graph"]  # fmt: skip
    assert table.rows[1][3:] == (
        "a call, until it returns: 20.0 us", "each in a full queue: 8.00 us", "2.50x", "-", "1",
    )  # fmt: skip


def test_a_document_that_was_not_judged_so_shows_no_gain() -> None:
    """The report computes no ratio itself: what is not stored is not shown."""
    evidence = Evidence(_with_floor(_run(torch_cuda_128={"device": SMALL}), kernel_s=2e-7))
    assert clocks.notes(evidence, "matmul") == []
    assert ratios.gains(evidence, "matmul").rows == ()


def test_a_gain_at_the_floor_is_a_least_gain() -> None:
    """Under 10 us each, issued in 20 us: at least 2x, and no digits of what is under."""
    run = _with_floor(_run(torch_cuda_128={"device": SMALL}), kernel_s=1e-6)
    (note,) = clocks.notes(_judged(run), "matmul")
    assert "batching or fusing at least 2.00x" in note.text
    assert "over each in a full queue under its floor" in note.text


@pytest.mark.parametrize(
    "times", [LARGE, DeviceTimes(issue_s=2e-5, queued_why="it waits"), DeviceTimes(queued_s=1e-6)]
)
def test_no_sentence_where_launches_do_not_rule(times: DeviceTimes) -> None:
    """Long work, and work whose own time is not known, get no advice."""
    evidence = _judged(_run(torch_cuda_128={"device": times}))
    assert clocks.notes(evidence, "matmul") == []


def test_work_on_another_stream_is_said_on_the_screen() -> None:
    """What the events did not see stands in the table and beside it."""
    seen = "the device works for 1.01 ms, and its events see 10.0 us of it: work on another stream"
    evidence = Evidence(_run(cupy_128={"device": DeviceTimes(other_stream=seen)}))
    (note,) = clocks.notes(evidence, "matmul")
    assert note.label == "GPU clock"
    assert note.text == f"CuPy at N = 128: {seen}."
    assert seen in _cells(clocks.clocks(evidence, "matmul"), 128, "cupy")["remark"]


def test_locked_copies_stand_beside_pageable_ones() -> None:
    """Only cases whose locked copies were timed have a row."""
    run = _run()
    case = next(c for c in run.cases if (c.entry, c.size) == ("cupy", 8192))
    phases = msgspec.structs.replace(case.phases, to_device_pinned_s=1e-2, to_host_pinned_s=5e-3)
    table = clocks.copies(Evidence(_run(cupy_8192={"phases": phases})), "matmul")
    row = _cells(table, 8192, "cupy")
    assert (row["to device, locked"], row["to host, locked"]) == ("10.0 ms", "5.00 ms")
    assert len(table.rows) == 1
    assert row["remark"] == ""


def test_data_that_were_not_locked_keep_their_row_with_the_reason() -> None:
    """Dashes stand beside the pageable figures; a figure that came later needs no reason."""
    run = _run()
    case = next(c for c in run.cases if (c.entry, c.size) == ("cupy", 8192))
    why = "its data are 768 MiB, and no more than 256 MiB are locked for a test"
    phases = msgspec.structs.replace(case.phases, pinned_why=why)
    table = clocks.copies(Evidence(_run(cupy_8192={"phases": phases})), "matmul")
    row = _cells(table, 8192, "cupy")
    assert (row["to device, locked"], row["to host, locked"]) == ("-", "-")
    assert row["to device"] != "-"
    assert row["remark"] == why
    later = msgspec.structs.replace(phases, to_device_pinned_s=1e-2, to_host_pinned_s=5e-3)
    table = clocks.copies(Evidence(_run(cupy_8192={"phases": later})), "matmul")
    assert _cells(table, 8192, "cupy")["remark"] == ""


def _cold(hot_s: float, cold_s: float) -> dict[str, CacheTimes]:
    return {"caches": CacheTimes(hot_s=hot_s, cold_s=cold_s, copies=801, cold_bytes=101 << 20,
                                 copy_bytes_per_s=3e12)}  # fmt: skip


def test_cold_over_cold_and_hot_over_hot() -> None:
    """The best CPU's hot time stands over the GPU's hot one, its cold time over the cold one."""
    evidence = _judged(_run(torch_cpu_16_128=_cold(1e-4, 3e-4), torch_cuda_128=_cold(2.5e-5, 5e-5)))
    assert evidence.best_cpu_at("matmul", 128) == "torch-cpu-16"
    table = clocks.caches(evidence, "matmul")
    row = _cells(table, 128, "torch-cuda")
    assert row["best CPU / this, hot"] == "4.00x"
    assert row["best CPU / this, cold"] == "6.00x"
    assert row["copies"] == "801"
    assert row["copy rate"] == "3.00 TB/s"
    assert _cells(table, 128, "torch-cpu-16")["best CPU / this, cold"] == "-"


def test_cold_is_never_shown_on_one_side_alone() -> None:
    """A CPU without a cold figure takes that of the GPU off the page, with the reason of both."""
    evidence = Evidence(_run(
        torch_cpu_16_128={"caches": CacheTimes(why="the size of the last cache is not known")},
        torch_cuda_128=_cold(2.5e-5, 5e-5),
    ))  # fmt: skip
    table = clocks.caches(evidence, "matmul")
    row = _cells(table, 128, "torch-cuda")
    assert {row[c] for c in table.columns[2:-1]} == {"-"}
    assert row["remark"] == "no cold figure on the other side, so none here"
    assert "not known" in _cells(table, 128, "torch-cpu-16")["remark"]


def test_copies_that_were_not_made_are_no_zero() -> None:
    """Without a cold figure, and where a document left them out, their number is unknown."""
    none = CacheTimes(why="the size of the last cache is not known")
    assert (none.copies, none.cold_bytes) == (None, None)
    found = _cold(2.5e-5, 5e-5)["caches"]
    bare = {"caches": msgspec.structs.replace(found, copies=None, cold_bytes=None)}
    table = clocks.caches(
        Evidence(_run(torch_cpu_16_128=_cold(1e-4, 3e-4), torch_cuda_128=bare)), "matmul"
    )
    row = _cells(table, 128, "torch-cuda")
    assert (row["copies"], row["they cover"]) == ("-", "-")
    assert row["cold"] == "50.0 us"
