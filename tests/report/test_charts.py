"""Tests of the chart specifications: what is drawn, from which numbers, and that it can be."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from msgspec.structs import replace

from breakeven.model.run import Floors, Limits, RunRecord
from breakeven.report import charts
from breakeven.report.page import Page, build

PNG = b"\x89PNG\r\n\x1a\n"


def found(spec: Any, key: str) -> list[Any]:  # noqa: ANN401 - any JSON value
    """Return all values of a key, anywhere in a specification."""
    if isinstance(spec, dict):
        here = [spec[key]] if key in spec else []
        return here + [v for value in spec.values() for v in found(value, key)]
    if isinstance(spec, list):
        return [v for value in spec for v in found(value, key)]
    return []


def test_each_picture_has_its_name(gpu_page: Page, cpu_page: Page) -> None:
    """Time, speed-up over each base and phases are drawn; losses only where there are any."""
    assert list(charts.specs(gpu_page)) == [
        "matmul-time", "matmul-speedup-best-cpu", "matmul-speedup-numpy", "matmul-phases",
    ]  # fmt: skip
    assert "matmul-losses" not in charts.specs(cpu_page)


def test_specs_are_plain_json_and_the_same_each_time(gpu_record: RunRecord) -> None:
    """Two builds of one record give the same specifications, as JSON."""
    first = json.dumps(charts.specs(build(gpu_record)), allow_nan=False)
    assert first == json.dumps(charts.specs(build(gpu_record)), allow_nan=False)


def test_the_bracket_is_shaded_for_each_scope(gpu_page: Page) -> None:
    """The lead's bracket is marked from end to end, once a scope."""
    values = found(charts.specs(gpu_page)["matmul-time"], "values")
    bands = {(v["from"], v["to"]) for vs in values if isinstance(vs, list)
             for v in vs if isinstance(v, dict) and "from" in v}  # fmt: skip
    assert bands == {(610.0, 790.0), (256.0, 310.0)}


def test_speedups_carry_the_stored_interval(gpu_page: Page, gpu_record: RunRecord) -> None:
    """Points and bars of the speed-up are the stored verdicts, and nothing else."""
    points = charts.specs(gpu_page)["matmul-speedup-best-cpu"]["data"]["values"]
    drawn = sorted((p["size"], p["ratio"], p["low"], p["high"]) for p in points)
    stored = sorted(
        (v.size, v.ratio, v.low, v.high) for v in gpu_record.verdicts if v.base_kind == "best-cpu"
    )
    assert drawn == stored


def test_no_difference_hangs_on_colour_alone(gpu_page: Page) -> None:
    """Every entry has a colour and a shape of its own, every scope a dash."""
    spec = charts.specs(gpu_page)["matmul-time"]
    for channel in ("color", "shape", "strokeDash"):
        scales = [s["scale"] for s in found(spec, channel) if isinstance(s, dict) and "scale" in s]
        assert scales
        for scale in scales:
            shades = [str(s) for s in scale["range"]]
            assert len(set(shades)) == len(scale["domain"])


def test_an_entry_keeps_its_colour_in_all_pictures(gpu_page: Page) -> None:
    """CuPy has one colour, whichever other entries a picture holds."""
    colours = set()
    for name in ("matmul-time", "matmul-speedup-numpy"):
        for channel in found(charts.specs(gpu_page)[name], "color"):
            if isinstance(channel, dict) and "scale" in channel:
                scale = channel["scale"]
                colours.add(dict(zip(scale["domain"], scale["range"], strict=True))["CuPy"])
    assert len(colours) == 1


def test_a_time_at_the_floor_is_not_drawn(gpu_record: RunRecord) -> None:
    """Where no digits are shown there is no point either."""
    limits = Limits(floors={"cupy": Floors(empty_call_s=1e3, message_s=1.0)})
    points = charts.specs(build(replace(gpu_record, limits=limits)))["matmul-time"]["data"][
        "values"
    ]
    assert "CuPy" not in {p["entry"] for p in points}
    assert "torch-CUDA" in {p["entry"] for p in points}


def test_the_stored_run_of_another_machine_is_labelled(cpu_page: Page) -> None:
    """Reference points carry their machine's name and say that they are not paired."""
    points = charts.specs(cpu_page)["matmul-time"]["data"]["values"]
    theirs = [p for p in points if p["entry"] == "CuPy on NVIDIA H200"]
    assert len(theirs) == 4
    assert {p["shown"] for p in theirs} == {"other machine, not paired"}


def test_a_loss_that_is_no_number_leaves_the_pictures_whole(gpu_record: RunRecord) -> None:
    """A training that diverged is told in the table; what the page draws stays valid JSON."""
    cases = tuple(replace(c, losses=(0.7, math.nan, math.inf)) for c in gpu_record.cases)
    page = build(replace(gpu_record, cases=cases))
    drawn = charts.specs(page)["matmul-losses"]
    assert {p["loss"] for p in drawn["data"]["values"]} == {0.7}
    json.dumps(charts.specs(page), allow_nan=False)
    assert any("nan" in row for t in page.workloads[0].tables for row in t.rows)


def test_losses_are_drawn_at_the_largest_size(gpu_record: RunRecord) -> None:
    """Training losses are drawn by entry, at one size, in order."""
    cases = tuple(replace(c, losses=(0.7, 0.6, 0.5)) for c in gpu_record.cases)
    spec = charts.specs(build(replace(gpu_record, cases=cases)))["matmul-losses"]
    values = spec["data"]["values"]
    assert len(values) == 3 * 4
    assert [v["loss"] for v in values[:3]] == [0.7, 0.6, 0.5]
    assert "8192" in spec["title"]["subtitle"]


@pytest.mark.parametrize("name", ["matmul-time", "matmul-speedup-numpy", "matmul-phases"])
def test_pictures_can_be_drawn_without_a_browser(gpu_page: Page, name: str) -> None:
    """Each specification becomes an SVG with marks, and a PNG."""
    spec = charts.specs(gpu_page)[name]
    svg = charts.to_svg(spec)
    assert svg.startswith("<svg")
    assert svg.count("<path") > 10
    assert "currentColor" not in svg
    assert charts.to_png(spec, scale=1).startswith(PNG)


def test_drawing_leaves_the_spec_as_it_was(gpu_page: Page) -> None:
    """The width and ground of a file do not leak into the page's specification."""
    spec = charts.specs(gpu_page)["matmul-phases"]
    before = json.dumps(spec)
    charts.to_svg(spec)
    assert json.dumps(spec) == before


def test_losses_stand_at_their_epochs(gpu_record: RunRecord) -> None:
    """Losses read every second epoch are drawn at epoch 0, 2, 4; without epochs, in order."""
    cases = tuple(
        replace(c, losses=(0.7, 0.6, 0.5), loss_epochs=(0, 2, 4)) for c in gpu_record.cases
    )
    run = replace(gpu_record, cases=cases)
    spec = charts.specs(build(run))["matmul-losses"]
    assert {p["epoch"] for p in spec["data"]["values"]} == {0, 2, 4}
    assert "epoch" in found(spec, "title")
    bare = replace(run, cases=tuple(replace(c, loss_epochs=()) for c in cases))
    spec = charts.specs(build(bare))["matmul-losses"]
    assert {p["reading"] for p in spec["data"]["values"]} == {1, 2, 3}


def test_thread_counts_do_not_repeat_a_start(gpu_record: RunRecord) -> None:
    """Import is the library's: the picture of phases has one bar for each library."""
    one = replace(gpu_record.entries[0], id="numpy-1", threads=1, default=False)
    extra = tuple(replace(c, entry="numpy-1") for c in gpu_record.cases if c.entry == "numpy-16")
    run = replace(gpu_record, entries=(*gpu_record.entries, one), cases=gpu_record.cases + extra)
    (workload,) = build(run).workloads
    assert {b.label for b in workload.phases} == {"numpy-16", "torch-cpu-16", "CuPy", "torch-CUDA"}


def test_one_scope_needs_no_legend(cpu_record: RunRecord) -> None:
    """Without a GPU there is no device that data could be on."""
    text = json.dumps(charts.specs(build(replace(cpu_record, references=()))))
    assert '"field": "scope", "type": "nominal", "title": null' in text
    assert '"symbolType": "stroke"' not in text
