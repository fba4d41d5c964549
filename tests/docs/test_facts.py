"""Figures and formulas in the documentation are those of the source."""

from __future__ import annotations

import re

import pytest

import compare_reference
from breakeven.analysis.bases import ALIKE
from breakeven.analysis.crossover import CLOSED
from breakeven.analysis.gates import FLOOR_TIMES, HOT_SHARE
from breakeven.engine import conditions, loop, plan, room, search, states, steadiness, tenancy
from breakeven.stats import intervals
from breakeven.workloads.mlp import FEATURES, ROWS, Mlp
from docs.pages import ROOT

HOW = (ROOT / "docs" / "how-numbers-are-made.md").read_text(encoding="utf-8")
FLAT = " ".join(HOW.split())


@pytest.mark.parametrize(
    "words",
    [
        "after {}, {}, {}, {} and {} rounds".format(*intervals.LOOKS),
        f"t({intervals.LEVEL})",
        f"t({intervals.READING})",
        f"sqrt(({intervals.PRIOR_DF} x {intervals.PRIOR_SD:.2f}²",
        f"*n* < {intervals.PRIOR_BELOW} and *s* <= {intervals.WIDE_SD:.2f}",
        f"takes under {FLOOR_TIMES} times its empty call",
        f"the last {['', '', '', '', '', 'five'][loop.STEADY_REPEATS]} blocks differ by under "
        f"{loop.STEADY_SPREAD:.0%}".replace("%", " %"),
        f"steps of {search.COARSE}",
        f"a factor of {search.FINE} apart",
        f"stops at a factor of {CLOSED}",
        f"From {search.ALIGNED_FROM} on its sizes are multiples of {search.ALIGNMENT}",
        f"of settings within {ALIKE - 1:.0%} of it".replace("%", " %"),
        f"within {states.NEAR:.0%} of a whole multiple".replace("%", " %"),
        f"fit into {room.MEMORY_SHARE:.0%} of the free host memory".replace("%", " %"),
        f"over {HOT_SHARE:.0%} of a side's slots".replace("%", " %"),
        f"{['', '', '', '', 'four'][steadiness.READINGS]} readings of the SM clock",
        f"{steadiness.READ_EVERY_S * 1e3:.0f} ms apart and more",
        f"{tenancy.SLOT_BYTES >> 20} MiB in slots, {tenancy.SET_UP_BYTES >> 20} MiB at set-up",
    ],
)
def test_constants_are_those_of_the_source(words: str) -> None:
    """The page about the numbers states each constant as the source has it."""
    assert words in FLAT


def test_efforts_are_those_of_the_source() -> None:
    """Slots, windows and scouting stand in the page as the plan has them."""
    assert conditions.WINDOW_S == 0.5
    assert conditions.BUSY_CORES == 0.10
    assert plan.thread_counts(16, 16) == (1, 8, 15, 16)
    assert "6 slots (8 on a machine without a GPU, 4 in a quick run)" in FLAT


@pytest.mark.parametrize("hidden", [64, 256])
def test_formulas_of_the_network_hold(hidden: int) -> None:
    """The formulas in the page about workloads give what the workload counts."""
    page = (ROOT / "docs" / "workloads.md").read_text(encoding="utf-8")
    section = page.partition("## mlp")[2]
    values = {"m": ROWS, "d": FEATURES, "h": hidden}
    counted = Mlp().work(hidden, "float32")
    assert value_of(section, "operations", values) == counted.flops
    assert 4 * value_of(section, "bytes", values) == counted.bytes


def value_of(section: str, row: str, values: dict[str, int]) -> float:
    """Return the value of the formula in a table's row: written as in books, 2 a b for 2*a*b."""
    cell = re.search(rf"^\| {row} \| (?:.*: )?(.*?)(?: elements)? \|$", section, re.MULTILINE)
    assert cell is not None
    formula = cell[1].replace(" x ", " ")
    product = re.sub(r"(?<=[\w)]) (?=[\w(])", "*", formula)
    return float(eval(product, {"__builtins__": {}}, values))


def test_every_large_difference_from_the_reference_is_explained() -> None:
    """The comparison with the hand-written figures ends well: no difference lacks a reason."""
    assert compare_reference.main([str(ROOT / "examples" / "h200" / "tour.json")]) == 0


def test_a_difference_without_a_reason_is_seen() -> None:
    """A figure ten times the reference's has no reason ready, whatever it is."""
    row = compare_reference.Row("idle sync", "torch-cuda", "-", None, 59e-6, 5.9e-6)
    assert row.apart
    assert compare_reference.letter_of(row) is None
