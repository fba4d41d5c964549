"""The stop rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from breakeven.analysis.settle import settle
from breakeven.model.run import Agreement, RunRecord
from breakeven.model.settlement import PairState, Settlement
from records import CUPY, CURVES, NUMPY, TORCH_CPU, TWIN, Curve, entry, record

NEAR = tuple(round(600 * 1.19**i) for i in range(-4, 5))
NUMPY_TWIN = entry("numpy", 16, twin_of="numpy-16")


def scripted(sizes: Sequence[int] = NEAR, slope: float = 0.9, **fields: float) -> RunRecord:
    """Return a run in which CuPy overtakes NumPy at 620, in the resident scope."""

    def cpu(n: int) -> float:
        return n * 1e-6

    gpu: Curve = lambda n: n * 1e-6 * (n / 620) ** -slope  # noqa: E731
    curves = {"numpy-16": cpu, "numpy-16-twin": cpu, "cupy": gpu}
    return record((NUMPY, NUMPY_TWIN, CUPY), curves, sizes=sizes, **fields)  # type: ignore[arg-type]


def resident(state: Settlement) -> PairState:
    """Return the state of the resident pair."""
    return next(p for p in state.pairs if p.scope == "resident")


def test_scouting_alone_gives_a_first_estimate() -> None:
    """Before any round the crossing is placed from scouting, and nothing is settled."""
    state = settle(scripted((64, 256, 1024, 4096), rounds=0))
    assert (state.rounds, state.next_look, state.settled) == (0, 3, False)
    pair = resident(state)
    assert pair.estimate == pytest.approx(620, rel=0.15)
    assert (pair.low, pair.high, pair.closed) == (None, None, False)
    assert state.workloads[0].open_sizes == (64, 256, 1024, 4096)


@pytest.mark.parametrize("rounds", [1, 2])
def test_one_or_two_rounds_move_the_estimate(rounds: int) -> None:
    """The estimate is there from the first round on, the bracket from the third."""
    pair = resident(settle(scripted(rounds=rounds)))
    assert pair.estimate == pytest.approx(620, rel=0.1)
    assert pair.rounds == rounds
    assert pair.factor is None


def test_a_quiet_grid_closes_at_a_factor_of_1_2() -> None:
    """With little noise on the x1.19 grid the bracket closes, with settled sizes on either side."""
    pair = resident(settle(scripted(rounds=8, spread=0.01, slot_noise=0.01)))
    assert pair.closed
    assert pair.factor is not None
    assert pair.factor <= 1.2
    assert pair.low is not None
    assert pair.high is not None
    assert pair.low <= 620 <= pair.high


def test_a_noisy_grid_stays_open() -> None:
    """With much noise the bracket is wide and the search goes on."""
    pair = resident(settle(scripted(rounds=5, spread=0.05)))
    assert pair.factor is not None
    assert 1.2 < pair.factor < 2
    assert not pair.closed


def test_a_coarse_bracket_is_open_unless_the_sizes_were_given() -> None:
    """On the user's own sizes there is no grid: settled sizes close the search."""
    run = scripted((64, 256, 1024, 4096), slope=1.5, rounds=8, spread=0.02)
    assert not resident(settle(run)).closed
    given = tuple(replace(w, given=True) for w in run.spec.workloads)
    assert resident(settle(replace(run, spec=replace(run.spec, workloads=given)))).closed


def test_an_entry_that_always_wins_is_settled() -> None:
    """Nothing crosses and every size is settled: the run may end."""
    quick = {"numpy-16": 4.0, "torch-cpu-16": 1.0, "torch-cpu-16-twin": 1.0}
    curves = {e: (lambda n, f=f: f * 1e-6 * n) for e, f in quick.items()}
    state = settle(record((NUMPY, TORCH_CPU, TWIN), curves, rounds=3))
    assert state.settled
    assert [p.base_kind for p in state.pairs] == ["numpy"]
    assert state.workloads[0].settled_sizes == (128, 512, 2048, 8192)


def test_a_reason_that_rounds_cannot_mend_is_settled(edit_case: Callable[..., RunRecord]) -> None:
    """A wrong answer stays wrong: no further round is spent on that size."""
    run = record(rounds=1)
    wrong = Agreement(error=0.7, bound=1e-5, class_="wrong", passed=False)
    for e in ("cupy", "torch-cuda", "torch-cpu-16"):
        run = edit_case(run, e, 8192, agreement=wrong)
    state = settle(run)
    assert 8192 not in {s.size for p in state.pairs for s in p.sizes if not s.settled}
    assert 128 in state.workloads[0].open_sizes


def test_a_busy_machine_is_not_settled() -> None:
    """Voided slots may be mended by later rounds: the sizes stay open."""
    state = settle(record(voided="busy"))
    assert not state.settled
    assert state.workloads[0].open_sizes == (128, 512, 2048, 8192)


def test_open_sizes_tell_how_many_rounds_they_need() -> None:
    """A size near the crossing asks for a later look, or says that none would do."""
    pair = resident(settle(scripted(rounds=5, spread=0.02)))
    open_sizes = [s for s in pair.sizes if not s.settled]
    assert open_sizes
    assert all(s.rounds_needed in {None, 8, 12, 20} for s in open_sizes)
    assert all(s.rounds_needed is None for s in pair.sizes if s.settled)


def test_looks_follow_the_rounds() -> None:
    """After five rounds the next look is at eight, after twenty there is none."""
    assert settle(scripted(rounds=5)).next_look == 8
    assert settle(scripted((600,), rounds=20)).next_look is None


def test_bases_are_told_by_size() -> None:
    """The engine learns which CPU entry goes on at each size."""
    one = entry("numpy", 1)
    curves = CURVES | {"numpy-1": lambda n: 2e-6 + n**3 * 2e-11}
    state = settle(record((one, NUMPY, CUPY), curves, sizes=(32, 2048), spread=0.0, rounds=0))
    assert state.workloads[0].bases == {32: "numpy-1", 2048: "numpy-16"}


def test_a_quick_run_ends_after_its_round() -> None:
    """Nothing more is settled by a second round of a quick run."""
    run = scripted(rounds=1)
    assert settle(replace(run, spec=replace(run.spec, effort="quick"))).settled
