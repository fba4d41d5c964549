"""The words for small, middle and large sizes."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from breakeven.analysis.bands import bands
from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.pairs import Line
from breakeven.model.run import RunRecord
from breakeven.model.verdict import Band
from records import CUPY, NUMPY, TORCH_CUDA, Curve, entry, record

TWIN = entry("numpy", 16, twin_of="numpy-16")
SIZES = (64, 256, 1024, 4096, 16384)


def scripted(ratios: Sequence[float], other: Curve | None = None, **fields: float) -> RunRecord:
    """Return a run in which CuPy is `ratios` times as fast as NumPy, size by size."""

    def cpu(n: int) -> float:
        return n * 1e-6

    def gpu(n: int) -> float:
        return cpu(n) / ratios[SIZES.index(n)]

    curves = {"numpy-16": cpu, "numpy-16-twin": cpu, "cupy": gpu, "torch-cuda": other or gpu}
    entries = (NUMPY, TWIN, CUPY, TORCH_CUDA) if other else (NUMPY, TWIN, CUPY)
    return record(entries, curves, sizes=SIZES, **fields)  # type: ignore[arg-type]


def told(run: RunRecord) -> tuple[Band, ...]:
    """Return the bands of the resident scope."""
    found = Comparisons(run)
    line = Line("matmul", "resident", "best-cpu", "cupy")
    return bands(found.times, found.twins, line.entry, found.alongside(line))


def kinds(found: Sequence[Band]) -> list[tuple[str, str, int, int]]:
    """Return what is compared of each band."""
    return [(b.name, b.kind, b.from_size, b.to_size) for b in found]


def test_small_middle_and_large() -> None:
    """The CPU wins small sizes, nothing is told apart in the middle, the GPU wins large ones."""
    assert kinds(told(scripted((0.3, 0.3, 1.02, 4.0, 9.0)))) == [
        ("small", "base", 64, 256), ("middle", "open", 1024, 1024), ("large", "entry", 4096, 16384),
    ]  # fmt: skip


def test_two_bands_have_no_middle() -> None:
    """Where one size hands over to the next there is small and large."""
    assert kinds(told(scripted((0.3, 0.3, 3.0, 4.0, 9.0)))) == [
        ("small", "base", 64, 256), ("large", "entry", 1024, 16384),
    ]  # fmt: skip


def test_one_band_holds_for_all() -> None:
    """A GPU that wins everywhere has one band."""
    assert kinds(told(scripted((3.0, 3.0, 3.0, 4.0, 9.0)))) == [("all", "entry", 64, 16384)]


def test_alternating_outcomes_make_no_false_band() -> None:
    """With outcomes that alternate, what lies between first and last is open: no word is true."""
    found = told(scripted((0.3, 3.0, 0.3, 3.0, 0.3)))
    assert kinds(found) == [
        ("small", "base", 64, 64), ("middle", "open", 256, 4096), ("large", "base", 16384, 16384),
    ]  # fmt: skip
    assert found[1].entries == ()
    assert found[1].ratio_low is not None
    assert found[1].ratio_high is not None
    assert found[1].ratio_low < 1 < found[1].ratio_high


def test_equal_work_is_alike() -> None:
    """Quiet rounds over many sizes show parity, and name both."""
    found = told(scripted((1.0,) * 5, rounds=20, spread=0.01, slot_noise=0.01))
    assert kinds(found) == [("all", "alike", 64, 16384)]
    assert set(found[0].entries) == {"numpy-16", "cupy"}


def test_winners_that_were_not_told_apart_stand_together() -> None:
    """Two GPU libraries of the same speed share the band; one that is thrice as slow does not."""
    same = told(scripted((3.0,) * 5, lambda n: n * 1e-6 / 3.0))
    assert set(same[0].entries) == {"cupy", "torch-cuda"}
    slower = told(scripted((9.0,) * 5, lambda n: n * 1e-6 / 3.0))
    assert slower[0].entries == ("cupy",)


def test_a_band_shows_the_range_of_its_ratios() -> None:
    """The ratios of a winning band are those that were settled."""
    band = told(scripted((0.3, 0.3, 3.0, 4.0, 9.0)))[1]
    assert band.ratio_low is not None
    assert band.ratio_high is not None
    assert 2.5 < band.ratio_low < 3.5
    assert 8.0 < band.ratio_high < 10.0


def test_a_quick_run_leaves_all_open() -> None:
    """Without verdicts there is no band that anyone wins."""
    run = scripted((0.3, 0.3, 3.0, 4.0, 9.0), rounds=1)
    run = replace(run, spec=replace(run.spec, effort="quick"))
    assert kinds(told(run)) == [("all", "open", 64, 16384)]


def test_nothing_compared_makes_no_band() -> None:
    """Without a comparison there are no words."""
    assert bands(Comparisons(scripted((1.0,) * 5)).times, None, "cupy", ()) == ()  # type: ignore[arg-type]
