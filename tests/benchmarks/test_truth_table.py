"""The tables of docs/truth.md: a miss shows as a miss, and what was not measured says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import truth_table
from truth_table import clocks, crossovers, results, table


def result(row: str, **changes: Any) -> dict[str, Any]:  # noqa: ANN401  fields of a file
    """Return a result as its file holds it."""
    values = {
        "row": row, "claim": "the claim", "target": "under 1 %", "figure": "0.4 %", "met": True,
        "machine": {"name": "NVIDIA H200, 16-core virtual machine", "gpu": "NVIDIA H200"},
        "date": "2026-12-01T10:00:00Z", "command": "python benchmarks/x.py --out there",
        "details": {},
    }  # fmt: skip
    return values | changes


def block(lines: list[str], title: str) -> str:
    """Return the lines of one row."""
    return "\n".join(lines).partition(title)[2].partition("\n\n")[0]


def test_a_miss_is_shown_as_a_miss_with_its_figure() -> None:
    """What did not meet its target says MISSED, and the figure stands beside it."""
    lines = table([result("wall_clock", met=False, figure="2.6 % at most")])
    own = block(lines, "The wall clock is true")
    assert "MISSED  NVIDIA H200" in own
    assert "2.6 % at most" in own
    assert "met " not in own


def test_what_was_not_measured_says_where() -> None:
    """A row that was met on a GPU alone is not yet measured on a CPU, and the reverse."""
    own = block(table([result("wall_clock")]), "The wall clock is true")
    assert "met     NVIDIA H200" in own
    assert "not yet measured on a CPU-only machine" in own
    assert "not yet measured on a machine with an NVIDIA GPU" not in own
    none = block(table([]), "The device clock is true")
    assert none.strip() == "not yet measured on a machine with an NVIDIA GPU"


def test_an_open_row_is_neither_met_nor_missed() -> None:
    """A figure that settles nothing is told as open, one of a busy machine as that."""
    own = block(table([result("own_cost", met=None, details={"busy": True})]), "Own cost")
    assert "open    NVIDIA H200" in own
    assert "other work ran meanwhile" in " ".join(own.split())


def test_a_computed_row_needs_one_machine_alone() -> None:
    """What is computed, and not measured, is shown wherever it was computed."""
    own = block(table([result("intervals_cover")]), "Intervals cover")
    assert "not yet measured" not in own
    assert "it is computed" in block(table([]), "Intervals cover")


def test_a_row_that_the_table_does_not_know_is_shown_too() -> None:
    """No result is left out for want of a title."""
    assert "the claim" in table([result("something_new")])


def test_lines_fit_a_page_and_say_how_to_repeat() -> None:
    """80 characters at most; the command comes without the folder that was written to."""
    lines = table([result("own_cost", figure="word " * 60 + "0.25 % " * 40)])
    assert not any(line.strip().startswith("%") for line in lines)
    assert all(len(line) <= 80 for line in lines)
    assert any(line.strip() == "python benchmarks/x.py" for line in lines)


def test_only_results_are_read(tmp_path: Path) -> None:
    """Other files of the folder are passed over."""
    (tmp_path / "a.json").write_text(json.dumps(result("own_cost")))
    (tmp_path / "b.json").write_text(json.dumps({"rows": []}))
    assert [r["row"] for r in results(tmp_path)] == ["own_cost"]


def test_clocks_stand_side_by_side_with_reasons() -> None:
    """Each case is a line of microseconds by clock; a clock without a figure says why, once."""
    rows = [
        {"library": "torch", "case": "matmul-128", "seconds": {"cupti": 4.16e-6, "queued": None},
         "why": {"queued": "it waits"}},
        {"library": "torch", "case": "add-10000", "seconds": {"cupti": 1.09e-6},
         "why": {"queued": "it waits"}},
    ]  # fmt: skip
    lines = clocks([result("device_clock", details={"rows": rows})])
    assert lines[2].split()[:3] == ["torch", "matmul-1", "4.16"] or "4.16" in lines[2]
    assert lines.count("queued: it waits") == 1
    assert clocks([]) == ["not yet measured on a machine with an NVIDIA GPU"]


def test_scripted_crossovers_show_kinds_and_noise() -> None:
    """A kind without brackets has none to hold, and shares are counted, not rounded up."""
    figures = {"brackets": 10, "held": 9, "near_share": 0.7777, "median_factor": 1.46}
    none = {"brackets": 0, "held": 0, "near_share": None, "median_factor": None}
    details = {
        "by_kind": [
            {"effort": "short", "kind": "one", "right_kind": 10, "crossings": 10} | figures,
            {"effort": "short", "kind": "flat", "right_kind": 4, "crossings": 4} | none,
        ],
        "by_noise": [{"effort": "short", "spread": 0.03} | figures],
    }
    lines = crossovers([result("crossover_right", details=details)])
    assert lines[1].split() == "short one 10 of 10 9 of 10 77.8 % 1.46".split()
    assert lines[2].split() == "short flat 4 of 4 - - -".split()
    assert "it is computed" in crossovers([])[0]


def test_the_page_has_a_row_for_each_of_ours() -> None:
    """Every row that a benchmark here writes has its title in the table."""
    import answer_quick
    import crossover_right
    import dense_reference
    import device_clock
    import own_cost
    import wall_clock

    names = {row.name for row in truth_table.ROWS}
    ours = (answer_quick, crossover_right, dense_reference, device_clock, own_cost, wall_clock)
    assert {module.ROW for module in ours} <= names
