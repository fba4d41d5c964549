"""Tests of the knee: where throughput stops growing, and what is not sure of it."""

from __future__ import annotations

import random

import pytest

from breakeven.analysis.questions.knee import knee

SIZES = (32, 64, 128, 256, 512, 1024)


def rates(stops: int, *, noise: float = 0.0, rounds: int = 5) -> dict[int, dict[int, float]]:
    """Return throughput that doubles with the batch up to `stops`, and stands from there on."""
    rng = random.Random(3)
    process = [1 + rng.gauss(0, 0.1) for _ in range(rounds)]
    return {
        s: {r + 1: min(s, stops) * 100.0 * process[r] * (1 + rng.gauss(0, noise))
            for r in range(rounds)}
        for s in SIZES
    }  # fmt: skip


@pytest.mark.parametrize("stops", [64, 256, 512])
def test_the_planted_knee_is_found(stops: int) -> None:
    """Throughput that stops growing at a batch has its knee there, sure in both directions."""
    found = knee(rates(stops))
    assert found is not None
    assert (found.size, found.low, found.high, found.reached) == (stops, stops, stops, True)


def test_what_still_grows_has_no_knee() -> None:
    """Where only the largest batch is near the best, throughput still grows."""
    found = knee(rates(1 << 20))
    assert found is not None
    assert not found.reached
    assert found.size == found.best == SIZES[-1]


def test_a_slow_process_does_not_move_the_knee() -> None:
    """Rounds that differ by a tenth, each with all its sizes, leave the ratios exact."""
    found = knee(rates(256))
    assert found is not None
    assert found.ratios[128].low == pytest.approx(found.ratios[128].high)


def test_noise_widens_the_knee_instead_of_moving_it_silently() -> None:
    """On a curve that bends softly, noise of a tenth leaves the knee between batches."""
    rng = random.Random(5)
    soft = {s: {r: s / (s + 40) * (1 + rng.gauss(0, 0.1)) for r in range(1, 6)} for s in SIZES}
    found = knee(soft)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    # Without noise 512 is the smallest within 5 % of 1024.
    assert found.low <= 512 <= found.high
    assert found.low < found.high


def test_one_round_gives_no_interval() -> None:
    """A single round finds a knee without claiming how sure it is."""
    found = knee(rates(256, rounds=1))
    assert found is not None
    assert (found.size, found.low, found.high) == (256, None, None)


def test_one_size_shows_no_knee() -> None:
    """A curve of one point has no bend."""
    assert knee({64: {1: 10.0}}) is None
    assert knee({64: {1: 10.0}, 128: {}}) is None


def test_a_largest_batch_that_is_best_by_chance_settles_nothing() -> None:
    """Flat throughput under noise may have its best anywhere: nobody is told that it grows."""
    rng = random.Random(2)
    unsure = 0
    for _ in range(40):
        flat = {s: {r: 100.0 * (1 + rng.gauss(0, 0.2)) for r in range(1, 4)} for s in SIZES}
        found = knee(flat)
        assert found is not None
        unsure += not found.sure
        assert found.reached or not found.sure
    assert unsure > 0
