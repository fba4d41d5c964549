"""Which sizes the next round measures."""

from __future__ import annotations

import math

import msgspec
import pytest

from breakeven.engine.plan import effort_of, in_precision
from breakeven.engine.search import Grid, Search, aligned
from breakeven.model.settlement import PairState, Settlement, WorkloadState
from breakeven.model.spec import RunSpec, WorkloadSpec
from breakeven.model.verdict import Scope
from records import CUPY, NUMPY, TORCH_CPU, TORCH_CUDA, TWIN

ENTRIES = (NUMPY, TORCH_CPU, CUPY, TORCH_CUDA, TWIN)
SPEC = RunSpec(
    workloads=(WorkloadSpec(name="matmul", sizes=(128, 512, 2048, 8192)),),
    backends=("numpy", "torch-cpu", "cupy", "torch-cuda"),
)


LONG = msgspec.structs.replace(SPEC, budget_s=300.0)


def _search(spec: RunSpec = SPEC) -> Search:
    return Search(spec, effort_of(spec, gpu=True))


def _pair(estimate: float | None, *, scope: Scope = "resident", **fields: object) -> PairState:
    values = {"rounds": 1, "base_kind": "best-cpu", "entry": "cupy"} | fields
    return PairState(workload="matmul", scope=scope, estimate=estimate, sizes=(), **values)  # type: ignore[arg-type]


def _state(*pairs: PairState, rounds: int = 1, settled: tuple[int, ...] = ()) -> Settlement:
    sizes = SPEC.workloads[0].sizes
    return Settlement(
        pairs=pairs,
        workloads=(
            WorkloadState(
                workload="matmul",
                open_sizes=tuple(s for s in sizes if s not in settled),
                settled_sizes=settled,
                bases=dict.fromkeys(sizes, "torch-cpu-16"),
            ),
        ),
        rounds=rounds,
        next_look=3,
        settled=False,
    )


def test_a_grid_is_nine_sizes_around_its_centre() -> None:
    """Neighbours lie a factor of 1.19 apart, as multiples of 8 from 64 on."""
    sizes = Grid(640.0).sizes(1, 10_000)
    assert len(sizes) == 9
    assert 640 in sizes
    assert all(s % 8 == 0 for s in sizes)
    assert sizes[-1] / sizes[0] == pytest.approx(1.19**8, rel=0.02)


def test_a_grid_stays_within_what_is_measured() -> None:
    """Nothing beyond the ends is tried: there is no extrapolation."""
    assert max(Grid(8000.0).sizes(64, 8192)) <= 8192
    assert min(Grid(70.0).sizes(64, 8192)) >= 64


def test_small_sizes_are_whole_and_large_ones_aligned() -> None:
    """Below 64 every whole size may be asked for, and none is below one."""
    assert [aligned(x) for x in (0.2, 13.4, 63.4, 64.4, 101.0)] == [1, 13, 63, 64, 104]


def test_the_first_round_measures_the_planned_sizes_in_parts() -> None:
    """Every GPU entry, each library's default and the twin take part, smallest size first."""
    planned, on_grids = _search().tasks(_state(_pair(None), rounds=0), ENTRIES)
    assert [t.size for t in planned] == [128, 512, 2048, 8192]
    assert all(t.parts and t.entries == tuple(e.id for e in ENTRIES) for t in planned)
    assert not on_grids


def test_a_settled_size_leaves_the_plan() -> None:
    """Time goes to what is open; a number of rounds that the user gave is kept at every size."""
    state = _state(_pair(None), settled=(128, 8192))
    planned, _ = _search().tasks(state, ENTRIES)
    assert [t.size for t in planned] == [512, 2048]
    given = msgspec.structs.replace(SPEC, rounds=3)
    planned, _ = _search(given).tasks(state, ENTRIES)
    assert [t.size for t in planned] == [128, 512, 2048, 8192]


def test_a_crossover_is_searched_nearest_its_centre_first() -> None:
    """The best GPU entry meets the best CPU entry, with the twin's pair, in its scope alone."""
    _, on_grids = _search().tasks(_state(_pair(640.0)), ENTRIES)
    assert on_grids[0].size == 640
    off = [abs(math.log(t.size / 640)) for t in on_grids]
    assert off == pytest.approx(sorted(off), abs=0.02)
    assert set(on_grids[0].entries) == {"cupy", "torch-cpu-16", "torch-cpu-16-twin"}
    assert on_grids[0].scopes == ("resident",)
    assert not any(t.size in SPEC.workloads[0].sizes for t in on_grids)


def test_a_size_on_two_grids_is_measured_once_in_both_scopes() -> None:
    """Two crossovers at one place share their sizes."""
    pairs = _pair(640.0), _pair(640.0, scope="transfer")
    _, on_grids = _search().tasks(_state(*pairs), ENTRIES)
    sizes = [t.size for t in on_grids]
    assert len(sizes) == len(set(sizes))
    assert all(t.scopes == ("resident", "transfer") for t in on_grids)


def test_a_closed_bracket_is_left_alone() -> None:
    """Within a factor of 1.2 there is nothing more to find."""
    _, on_grids = _search().tasks(_state(_pair(640.0, factor=1.19)), ENTRIES)
    assert not on_grids


def test_a_grid_follows_its_estimate_for_three_rounds_only() -> None:
    """An estimate that moves far moves the grid; later it stays, so that rounds add up."""
    search = _search(LONG)

    def centre(estimate: float) -> int:
        _, on_grids = search.tasks(_state(_pair(estimate, factor=2.0)), ENTRIES)
        return on_grids[0].size

    assert centre(640.0) == 640
    assert centre(700.0) == 640
    assert centre(1200.0) == 1200
    assert centre(3000.0) == 1200


def test_a_short_run_measures_few_sizes_in_all_of_its_rounds() -> None:
    """Five sizes a factor of 1.41 apart, that stay while the estimate is among them."""
    search = _search()
    first = [t.size for t in search.tasks(_state(_pair(1200.0, factor=2.0)), ENTRIES)[1]]
    second = [t.size for t in search.tasks(_state(_pair(700.0, factor=2.0)), ENTRIES)[1]]
    assert len(first) == 5
    assert max(first) / min(first) == pytest.approx(1.41**4, rel=0.02)
    assert first == second


def test_a_bracket_that_does_not_close_gets_wider_steps() -> None:
    """After three rounds with an open end the grid reaches twice as far."""
    search = _search(LONG)
    spans = []
    for _ in range(4):
        _, on_grids = search.tasks(_state(_pair(1024.0, factor=None)), ENTRIES)
        spans.append(max(t.size for t in on_grids) / min(t.size for t in on_grids))
    assert spans[0] == spans[1] == spans[2]
    assert spans[3] > spans[0] * 1.5


def test_a_long_run_measures_every_gpu_on_the_grid() -> None:
    """With time to spend, the other GPU libraries are read between the planned sizes too."""
    long = msgspec.structs.replace(SPEC, budget_s=600.0)
    _, on_grids = _search(long).tasks(_state(_pair(640.0)), ENTRIES)
    assert {"cupy", "torch-cuda"} <= set(on_grids[0].entries)
    assert on_grids[0].scopes == ("resident", "transfer")


def test_variants_are_measured_at_planned_sizes_alone() -> None:
    """A precision variant is in every planned task, and on no grid however long the run."""
    variants = (in_precision(CUPY, "tf32"), in_precision(NUMPY, "float64"))
    found, on_grids = _search(LONG).tasks(_state(_pair(640.0)), (*ENTRIES, *variants))
    assert on_grids
    for task in found:
        assert {"cupy-tf32", "numpy-16-float64"} <= set(task.entries)
    for task in on_grids:
        assert "torch-cuda" in task.entries
        assert not {"cupy-tf32", "numpy-16-float64"} & set(task.entries)
