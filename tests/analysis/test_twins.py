"""What a session can tell apart."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from breakeven.analysis.times import Times
from breakeven.analysis.twins import Twins
from breakeven.model.run import RunRecord
from breakeven.stats.intervals import SAME, interval
from records import CUPY, CURVES, NUMPY, TORCH_CPU, TWIN, entry, record


@pytest.mark.parametrize("seed", range(6))
def test_the_margin_is_the_far_bound_after_as_many_rounds(seed: int) -> None:
    """The margin comes from the first rounds, on whichever side the interval reaches further."""
    times = Times(record(rounds=8, spread=0.1, seed=seed))
    values = times.paired("matmul", 512, "resident", "torch-cpu-16", "torch-cpu-16-twin")
    twins = Twins(times)
    for look in (3, 8):
        seen = interval([values[r] for r in sorted(values)][:look])
        expected = max(SAME, seen.high, -seen.low)
        assert twins.margin("matmul", 512, "transfer", look) == pytest.approx(expected)


def test_the_margin_is_never_below_five_percent() -> None:
    """A session so quiet that its A/A interval is nothing still has a margin of 1.05."""
    twins = Twins(Times(record(rounds=8, spread=0.0, slot_noise=0.0)))
    assert twins.margin("matmul", 512, "resident", 8) == pytest.approx(math.log(1.05))


def test_without_a_twin_or_three_rounds_there_is_no_margin() -> None:
    """What a session can tell apart is unknown before the A/A pair has three rounds."""
    assert Twins(Times(record((NUMPY, CUPY)))).margin("matmul", 512, "resident", 3) is None
    two = Twins(Times(record(rounds=2)))
    assert two.margin("matmul", 512, "resident", 3) is None
    assert [c.word for c in two.checks()] == ["withheld"] * 4


def test_a_biased_twin_names_itself() -> None:
    """An entry that measures 1.5 times slower than itself is found out."""
    biased = CURVES | {"torch-cpu-16-twin": lambda n: 1.5 * CURVES["torch-cpu-16"](n)}
    twins = Twins(Times(record(curves=biased)))
    assert twins.winner("matmul", 512, "transfer") == "torch-cpu-16"
    assert {c.word for c in twins.checks()} == {"slower"}


def test_a_calm_session_names_none() -> None:
    """Twins that only differ by noise name no winner, and each size has its row."""
    twins = Twins(Times(record()))
    assert all(twins.winner("matmul", s, "resident") is None for s in (128, 512, 2048, 8192))
    assert [c.size for c in twins.checks()] == [128, 512, 2048, 8192]
    assert all(c.ratio is not None and c.rounds == 5 for c in twins.checks())


def test_a_gpu_twin_bears_on_its_own_scope(edit_case: Callable[..., RunRecord]) -> None:
    """A GPU twin that drifts while data travels does not withhold resident comparisons."""
    twin = entry("cupy", twin_of="cupy")
    run = record((NUMPY, TORCH_CPU, TWIN, CUPY, twin), CURVES | {"cupy-twin": CURVES["cupy"]})
    for size in (128, 512, 2048, 8192):
        case = next(c for c in run.cases if c.entry == "cupy-twin" and c.size == size)
        slower = tuple(
            replace(r, slots=tuple(replace(s, median_s=2 * s.median_s) for s in r.slots))
            if r.scope == "transfer"
            else r
            for r in case.rounds
        )
        run = edit_case(run, "cupy-twin", size, rounds=slower)
    twins = Twins(Times(run))
    assert twins.winner("matmul", 512, "transfer") == "cupy"
    assert twins.winner("matmul", 512, "resident") is None
    rows = [c for c in twins.checks() if c.twin == "cupy-twin"]
    assert {c.word for c in rows} == {"slower"}
    assert len(rows) == 4
