"""Ceilings, shares and times foretold on the page; nothing of them where there are none."""

from __future__ import annotations

import io
import json
import re

import pytest
from msgspec.structs import replace
from rich.console import Console

from breakeven import lab
from breakeven.model.machine import Ceilings, LinkRate
from breakeven.model.run import RunRecord
from breakeven.report import charts
from breakeven.report.page import build
from breakeven.report.text import page_markdown
from breakeven.report.view import Page
from records import record

CARD = Ceilings(
    device="cuda:0", backend="torch-cuda", flops_per_s={"float32": 5.2e13, "tf32": 4e14},
    memory_bytes_per_s=4e12, launch_s=4e-6, synchronise_s=6e-6,
    link=(LinkRate(bytes=1 << 12, to_device=1e9, to_host=1e9),
          LinkRate(bytes=1 << 28, to_device=1e10, to_host=5e9, to_device_pinned=5e10)),
    why={"bfloat16": "not made here"}, measured="2026-12-01T09:00:00Z",
)  # fmt: skip
CPU = Ceilings(device="cpu", backend="torch-cpu", flops_per_s={"float32": 2e12},
               memory_bytes_per_s=2e11, why={"busy memory": "others took 1.2 cores"})  # fmt: skip


def with_ceilings(*ceilings: Ceilings) -> RunRecord:
    """Return a judged run that holds ceilings, and what travels with each case."""
    run = record(spread=0.0, slot_noise=0.0)
    cases = tuple(
        replace(c, work=replace(c.work, to_device_bytes=8.0 * c.size**2,
                                to_host_bytes=4.0 * c.size**2))
        for c in run.cases if c.work
    )  # fmt: skip
    return lab.judged(
        replace(run, cases=cases, limits=replace(run.limits, ceilings=ceilings))
    )  # fmt: skip


@pytest.fixture(scope="module")
def run() -> RunRecord:
    """Return a judged run with the ceilings of both devices."""
    return with_ceilings(CARD, CPU)


@pytest.fixture(scope="module")
def page(run: RunRecord) -> Page:
    """Return its page."""
    return build(run)


def _table(page: Page, title: str) -> tuple[tuple[str, ...], ...]:
    tables = (*page.tables, *(t for w in page.workloads for t in w.tables))
    return next((t.rows for t in tables if t.title == title), ())


def test_the_sentence_tells_rate_share_and_what_bounds_it(page: Page) -> None:
    """The largest size of a GPU entry stands beside what this card reached."""
    said = " ".join(page.workloads[0].shares)
    assert (
        "at N = 8192 torch-CUDA reaches 51.2 TFLOP/s, 98 % of what this card reached (bound by "
        "compute)." in said
    )
    assert "torch-cpu-16 reaches 1.74 TFLOP/s, 87 % of what this CPU reached" in said


def test_the_screen_has_one_line_of_it(run: RunRecord) -> None:
    """Of all entries the one that leads is told."""
    written = io.StringIO()
    lab.show(run, Console(file=written, width=80, color_system=None))
    text = " ".join(written.getvalue().split())
    assert text.count("share of the bound: at N = 8192") == 1


def test_every_case_has_its_shares(page: Page) -> None:
    """Both scopes of a GPU entry, one of a CPU entry; the four parts sum to the whole."""
    rows = _table(page, "Share of the bound")
    cupy = [r for r in rows if r[1] == "cupy" and r[0] == "8192"]
    assert [r[2] for r in cupy] == ["on device", "travels"]
    assert [r[2] for r in rows if r[1] == "numpy-16" and r[0] == "8192"] == ["-"]
    for row in rows:
        parts = [float(cell.removesuffix(" %")) for cell in row[7:11]]
        assert sum(parts) == pytest.approx(100, abs=2)


def test_ceilings_are_told_with_day_and_disturbance(page: Page) -> None:
    """Each figure has its device; what was not measured has its reason."""
    rows = _table(page, "Ceilings")
    assert ("cuda:0", "torch-cuda", "matrix product, tf32", "400 TFLOP/s",
            "measured 2026-12-01T09:00:00Z") in rows  # fmt: skip
    assert any(r[2] == "copies of 256 MiB to the device, page-locked" for r in rows)
    assert ("cuda:0", "torch-cuda", "bfloat16", "-", "not made here") in rows
    assert {r[2] for r in rows if "others took 1.2 cores" in r[4]} == {"memory, read and written"}


def test_foretold_times_are_marked_and_have_their_errors(page: Page) -> None:
    """Each is indicative, with the number of sizes that were held out."""
    rows = _table(page, "Sizes that were not measured")
    assert rows
    assert all(r[3].startswith("~") for r in rows)
    assert {r[6] for r in rows} == {"2"}
    assert max(int(r[0]) for r in rows) == 2 * 8192


def test_the_roofline_has_a_roof_and_points(page: Page) -> None:
    """Points lie below the roof of their device; the picture can be drawn."""
    spec = charts.specs(page)["matmul-roofline"]
    lines = spec["layer"][0]["data"]["values"]
    assert {v["roof"] for v in lines} == {"cuda:0 float32", "cpu float32"}
    assert max(v["y"] for v in lines) == 5.2e13
    assert {v["size"] for v in spec["data"]["values"]} == {128, 512, 2048, 8192}
    assert "<svg" in charts.to_svg(spec)
    assert "matmul-roofline" in charts.pictures_of("matmul", charts.specs(page))


def test_rings_of_foretold_times_stand_in_the_picture_of_times(page: Page) -> None:
    """They reach beyond the largest size, and the subtitle says what they are."""
    spec = charts.specs(page)["matmul-time"]
    assert "Rings: foretold, not measured." in spec["title"]["subtitle"]
    assert '"filled": false' in json.dumps(spec)
    assert "<svg" in charts.to_svg(spec)


def test_nothing_of_it_stands_where_nothing_was_measured() -> None:
    """A page without ceilings and without predictions has no word of either."""
    bare = replace(lab.judged(record()), predictions=())
    page = build(bare)
    text = page_markdown(page) + lab.report_html(bare)[:200_000].partition("<script>")[0]
    assert not re.search(r"[Ss]hare of the bound|[Cc]eiling|foretold|roofline", text)
    assert "Rings" not in json.dumps(charts.specs(page))


def test_a_fault_is_told_in_sentence_and_table() -> None:
    """A ceiling that cases exceed cannot be one: both say so."""
    page = build(with_ceilings(replace(CARD, flops_per_s={"float32": 2e13})))
    assert any("the ceiling, or the count of the work, is wrong" in s
               for s in page.workloads[0].shares)  # fmt: skip
    assert any("256 % of the bound" in r[11] for r in _table(page, "Share of the bound"))
