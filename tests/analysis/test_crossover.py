"""Where an entry overtakes its base, on scripted cost curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.crossover import crossover, first_estimate
from breakeven.analysis.pairs import Line
from breakeven.model.run import Agreement, RunRecord
from breakeven.model.verdict import Crossover
from records import CUPY, NUMPY, Curve, entry, record

TWIN = entry("numpy", 16, twin_of="numpy-16")
LINE = Line("matmul", "resident", "best-cpu", "cupy")
COARSE = (64, 256, 1024, 4096, 16384)
NEAR_600 = tuple(round(600 * 1.19**i) for i in range(-4, 5))


def scripted(cpu: Curve, gpu: Curve, sizes: Sequence[int] = COARSE, **fields: float) -> RunRecord:
    """Return a run of NumPy, its twin and CuPy whose times are given."""
    curves = {"numpy-16": cpu, "numpy-16-twin": cpu, "cupy": gpu}
    return record((NUMPY, TWIN, CUPY), curves, sizes=sizes, **fields)  # type: ignore[arg-type]


def located(run: RunRecord, line: Line = LINE) -> Crossover:
    """Return the crossover of a line."""
    return crossover(line, Comparisons(run).by_line[line])


def linear(n: int) -> float:
    """Return the seconds of a CPU whose time grows with the size."""
    return n * 1e-6


def crossing_at(where: float) -> Curve:
    """Return the cost of a GPU that overtakes `linear` at a size, with slope 0.9 in log."""
    return lambda n: n * 1e-6 * (n / where) ** -0.9


@pytest.mark.parametrize("seed", range(8))
def test_one_crossing_is_bracketed(seed: int) -> None:
    """On the fine grid the bracket holds the scripted crossing, the estimate is within 5 %."""
    found = located(scripted(linear, crossing_at(620.0), NEAR_600, rounds=8, seed=seed))
    assert found.kind == "bracket"
    assert found.low is not None
    assert found.high is not None
    assert found.low <= 620 <= found.high
    assert found.estimate is not None
    assert found.estimate.value == pytest.approx(620, rel=0.05)
    assert found.estimate.low <= 620 <= found.estimate.high
    assert found.low <= found.estimate.value <= found.high
    assert list(found.changes) == [pytest.approx(found.estimate.value)]
    assert found.sizes == NEAR_600


def test_quiet_rounds_close_the_bracket_to_its_cell() -> None:
    """With next to no noise the bracket is the grid cell that holds the estimate, no less."""
    run = scripted(linear, crossing_at(620.0), NEAR_600, rounds=8, spread=0.001, slot_noise=0.001)
    found = located(run)
    assert (found.low, found.high) == (600.0, 714.0)
    assert found.why is None


def test_a_coarse_bracket_says_that_it_is_wide() -> None:
    """On sizes x4 apart the bracket is a cell of x4, and says what would narrow it."""
    found = located(scripted(linear, crossing_at(620.0)))
    assert (found.low, found.high) == (256.0, 1024.0)
    assert found.why is not None
    assert "factor of 4.00: no size between its ends was measured" in found.why


def test_sizes_in_the_bracket_with_too_few_rounds_are_told() -> None:
    """A size measured in 2 rounds is not said to be unmeasured: more time would let it count."""
    run = scripted(linear, crossing_at(620.0), (64, 256, 512, 1024, 4096))
    cases = tuple(
        replace(c, rounds=tuple(r for r in c.rounds if r.round < 3)) if c.size == 512 else c
        for c in run.cases
    )
    found = located(replace(run, cases=cases))
    assert (found.low, found.high) == (256.0, 1024.0)
    assert found.why is not None
    assert "sizes between its ends have fewer than 3 rounds; more time (--budget)" in found.why
    assert "no size between" not in found.why


def test_a_noisy_bracket_says_that_rounds_would_narrow_it() -> None:
    """On the fine grid it is noise that keeps the bracket wide."""
    found = located(scripted(linear, crossing_at(620.0), NEAR_600, rounds=3, spread=0.05))
    assert found.low is not None
    assert found.high is not None
    assert found.high > 1.2 * found.low
    assert found.why is not None
    assert "after 3 rounds; more rounds would narrow it" in found.why


def test_claims_are_settled_sizes_only() -> None:
    """Wins and losses name measured sizes with a settled verdict; the bracket may be tighter."""
    found = located(scripted(linear, crossing_at(620.0), NEAR_600, rounds=8))
    assert found.wins_from in NEAR_600
    assert found.loses_to in NEAR_600
    assert found.wins_to == max(NEAR_600)
    assert found.loses_to is not None
    assert found.wins_from is not None
    assert found.loses_to < 620 < found.wins_from


def test_an_entry_that_always_wins() -> None:
    """Where every size wins the kind is always, with sizes tested and best ratio."""
    found = located(scripted(linear, lambda n: n * 3e-7))
    assert found.kind == "always"
    assert found.sizes == COARSE
    assert found.best_ratio == pytest.approx(3.33, rel=0.1)
    assert found.low is None
    assert found.wins_from == 64


def test_an_entry_that_never_wins() -> None:
    """Where every size loses the kind is never, and the trend is told without extrapolation."""
    found = located(scripted(linear, lambda n: 0.1 + n * 1e-7))
    assert found.kind == "never"
    assert found.best_size == 16384
    assert found.estimate is None
    assert found.why is not None
    assert "still rises" in found.why
    assert found.loses_to == 16384


def test_several_crossings_are_all_listed() -> None:
    """A GPU that wins in the middle alone crosses twice."""

    def hill(n: int) -> float:
        return n * 1e-6 * (3.0 if n < 100 or n > 3000 else 0.3)

    found = located(scripted(linear, hill))
    assert found.kind == "several"
    assert len(found.changes) == 2
    assert 64 < found.changes[0] < 256
    assert 1024 < found.changes[1] < 4096
    assert (found.wins_from, found.wins_to) == (256, 1024)


def test_a_lead_that_is_lost_is_not_an_overtaking() -> None:
    """A GPU that wins at small sizes and loses at large ones is told in words."""
    found = located(scripted(linear, lambda n: n * 1e-6 * (n / 600) ** 0.9))
    assert found.kind == "several"
    assert found.why is not None
    assert "ahead at the smallest sizes, behind beyond about" in found.why
    assert len(found.changes) == 1


@pytest.mark.parametrize("seed", range(20))
def test_a_flat_curve_crosses_nowhere(seed: int) -> None:
    """Identical work at every size is undecided, however many sizes are looked at."""
    run = scripted(linear, linear, NEAR_600, rounds=8, spread=0.1, seed=seed)
    assert located(run).kind == "undecided"


def test_an_open_small_end_is_one_sided() -> None:
    """Where the smallest sizes are too close, only the upper end is claimed."""

    def level(n: int) -> float:
        return n * 1e-6 * (1.0 if n < 300 else 0.4)

    found = located(scripted(linear, level))
    assert found.kind == "bracket"
    assert found.low is None
    assert found.high is not None
    assert 256 < found.high <= 1024
    assert found.why is not None
    assert "not told apart at 64, 256" in found.why


def test_a_lead_at_the_smallest_size_alone_has_no_crossing() -> None:
    """Ahead at the smallest size and open beyond: no place of overtaking was seen."""

    def level(n: int) -> float:
        return n * 1e-6 * (0.4 if n < 100 else 1.0)

    found = located(scripted(linear, level))
    assert (found.kind, found.low, found.high) == ("undecided", None, None)
    assert found.why is not None
    assert found.why.startswith("ahead at 64; not told apart at 256")
    assert found.wins_from == 64


def test_two_rounds_decide_nothing() -> None:
    """Below three rounds there is no crossover, and it says why."""
    found = located(scripted(linear, crossing_at(620.0), rounds=2))
    assert found.kind == "undecided"
    assert found.why is not None
    assert "fewer than 3 rounds" in found.why


def test_a_size_that_ran_out_of_memory_is_named(edit_case: Callable[..., RunRecord]) -> None:
    """The edge of the range is left out, with the reason."""
    run = scripted(linear, crossing_at(620.0))
    run = edit_case(run, "cupy", 16384, status="out_of_memory", why="needs 200 GiB")
    found = located(run)
    assert found.kind == "bracket"
    assert 16384 not in found.sizes
    assert found.why is not None
    assert "left out: 16384 (CuPy: out of memory (needs 200 GiB))" in found.why


def test_disagreeing_sizes_do_not_count(edit_case: Callable[..., RunRecord]) -> None:
    """A size with a wrong answer neither wins nor brackets."""
    wrong = Agreement(error=0.5, bound=1e-5, class_="wrong", passed=False)
    run = scripted(linear, crossing_at(620.0))
    for size in COARSE:
        run = edit_case(run, "cupy", size, agreement=wrong)
    found = located(run)
    assert (found.kind, found.sizes, found.best_ratio) == ("undecided", (), None)
    assert found.why is not None
    assert "disagrees" in found.why


def test_a_busy_machine_finds_no_crossover() -> None:
    """Where every slot is void nothing is located."""
    busy = replace(scripted(linear, crossing_at(620.0)), cases=record(
        (NUMPY, TWIN, CUPY), dict.fromkeys(("numpy-16", "numpy-16-twin", "cupy"), linear),
        sizes=COARSE, voided="busy").cases)  # fmt: skip
    assert located(busy).kind == "undecided"


def test_without_an_aa_pair_nothing_is_claimed() -> None:
    """Without a settled verdict the bracket is shown, but the kind stays undecided."""
    run = record((NUMPY, CUPY), {"numpy-16": linear, "cupy": crossing_at(620.0)}, sizes=COARSE)
    found = located(run)
    assert found.kind == "undecided"
    assert found.why is not None
    assert "no size has a settled verdict" in found.why


def test_the_first_estimate_needs_one_reading_a_size() -> None:
    """The search starts from medians of a single round, at the last rise through equality."""
    assert first_estimate([(1024, 0.5), (256, -0.5)]) == pytest.approx(512)
    assert first_estimate([(64, -1), (128, 1), (256, -1), (512, 1)]) == pytest.approx(362, rel=0.01)
    assert first_estimate([(256, 0.5), (1024, 0.6)]) is None
    assert first_estimate([]) is None
