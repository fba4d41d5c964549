"""Steps of a five-point stencil over a square grid."""

from __future__ import annotations

import numpy as np
import pytest

from breakeven.workloads.stencil import STEPS, Stencil
from workloads.faults import Array, Fault, judge, right
from workloads.opened import rounded

W = Stencil()
N = 60


def _steps(u: Array, steps: int, weight: float = 0.25) -> Array:
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] = np.float32(weight) * (
            u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        )
    return u


def _one_by_one(u: Array) -> Array:
    """Use new values as soon as they are there: the method of Gauss and Seidel."""
    u = u.copy()
    for _ in range(STEPS):
        for i in range(1, len(u) - 1):
            for j in range(1, len(u) - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return u


def _periodic(u: Array) -> Array:
    for _ in range(STEPS):
        u = np.float32(0.25) * sum(np.roll(u, s, a) for s in (1, -1) for a in (0, 1))
    return u


def _one_point(u: Array) -> Array:
    u = right(W, u)
    u[N // 2, 7] += 1e-4
    return u


FAULTS: dict[str, Fault] = {
    "a step too few": lambda u: _steps(u, STEPS - 1),
    "a step too many": lambda u: _steps(u, STEPS + 1),
    "the start": lambda u: u,
    "new values used at once": _one_by_one,
    "no rim": _periodic,
    "a weight of 0.25001": lambda u: _steps(u, STEPS, 0.25001),
    "TF32 inputs": lambda u: right(W, rounded(u, 10)),
    "transposed": lambda u: right(W, u.T.copy()),
    "one point": _one_point,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_fails(fault: str) -> None:
    """What is not ten steps in float32 does not pass for them."""
    assert not judge(W, N, FAULTS[fault]).passed


def test_another_order_of_the_sum_passes() -> None:
    """Neighbours may be added in any order, or weighed one by one."""

    def weighed(u: Array) -> Array:
        u = u.copy()
        for _ in range(STEPS):
            u[1:-1, 1:-1] = (0.25 * u[1:-1, 2:] + 0.25 * u[1:-1, :-2]) + (
                0.25 * u[2:, 1:-1] + 0.25 * u[:-2, 1:-1]
            )
        return u

    assert judge(W, N, weighed).passed


@pytest.mark.parametrize("size", [3, 12, 23, 200])
def test_references_from_bands_are_those_of_the_whole_grid(size: int) -> None:
    """A sampled row depends on ten rows to each side: its band gives it to the last bit."""
    inputs, reference = W.make(size, "float32", 42)
    whole = W.run(np, (inputs["grid"].astype(np.float64),)).arrays[0]
    assert np.array_equal(reference["want"], whole[reference["rows"]])
    assert {0, size // 2, size - 1} <= set(reference["rows"].tolist())


def test_the_rim_is_kept() -> None:
    """Boundary values are those of the start, after every step."""
    inputs, _ = W.make(N, "float32", 42)
    end = right(W, inputs["grid"])
    for rim in (np.s_[0], np.s_[-1], np.s_[:, 0], np.s_[:, -1]):
        assert np.array_equal(end[rim], inputs["grid"][rim])
    assert np.std(end[1:-1, 1:-1]) < 0.5 * np.std(inputs["grid"])


def test_work_is_counted_by_hand() -> None:
    """4 x 4: four inner points of four operations, ten times; sixteen elements copied before."""
    assert W.work(4, "float32").flops == 10 * 4 * 4
    assert W.work(4, "float32").bytes == (10 * 4 * (3 + 3 + 3 + 2 + 2) + 2 * 16) * 4
    assert W.need(10, "float64").host == 5 * 800
