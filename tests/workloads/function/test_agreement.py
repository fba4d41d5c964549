"""An answer passes for NumPy's where an honest one would, and each planted fault is caught."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from workloads.function.conftest import Write, held_against

MATRIX = "rng.standard_normal((n, 8))"
FLAT = "rng.standard_normal(n)"
# What a wrong port gives in place of the right answer, none of it with an exception.
FAULTS: dict[str, tuple[str, str, Callable[..., Any]]] = {
    "ddof": ("return x.std(axis=0)", MATRIX, lambda x: x.std(axis=0, ddof=1)),
    "rowvar": ("return np.cov(x, rowvar=False)", MATRIX, np.cov),
    "narrowing": ("return x * 2", MATRIX, lambda x: (x * 2).astype(np.float32)),
    "float32 inside": (
        "return x @ x.T", MATRIX, lambda x: (x.astype(np.float32) @ x.T).astype(np.float64),
    ),
    "in place": ("x += 1\nreturn x.sum()", FLAT, lambda x: (x + 1).sum()),
    "ties": ("return np.argsort(x)", "rng.permutation(n)", lambda x: np.argsort(-x)),
    "nan": ("return np.sqrt(x)", "rng.random(n) - 0.5", lambda x: np.nan_to_num(np.sqrt(x))),
    "nan elsewhere": (
        "return np.where(x < 0, np.nan, x)", FLAT, lambda x: np.where(x > 0, np.nan, x),
    ),
    "stream": (
        "return np.random.default_rng(1).random(3) + x[:3]", FLAT,
        lambda x: np.random.default_rng(2).random(3) + x[:3],
    ),
    "overflow": (
        "return x.sum()", "rng.integers(2**30, 2**31, n)",
        lambda x: x.astype(np.int32).sum(dtype=np.int32).astype(np.int64),
    ),
    "shape": ("return x.sum(axis=0)", MATRIX, lambda x: x.sum(axis=0, keepdims=True)),
    "number of answers": ("return x, x", FLAT, lambda x: x),
    "labels": ("return np.argmax(x, axis=1)", MATRIX, lambda x: np.argmin(x, axis=1)),
    "transposed": ("return x[:8].T", MATRIX, lambda x: x[:8].copy()),
}  # fmt: skip


def lines(body: str) -> str:
    """Return a function `f` of one argument with that body."""
    return "def f(x):\n" + "".join(f"    {line}\n" for line in body.splitlines())


@pytest.mark.filterwarnings("ignore:invalid value encountered in sqrt")
@pytest.mark.parametrize("name", sorted(FAULTS))
def test_a_planted_fault_is_caught(write: Write, name: str) -> None:
    """Wrong answers of every sort do not pass, and something says what is wrong with them."""
    body, inputs, fault = FAULTS[name]
    written = write(lines(body), inputs)
    _, found = held_against(written, fault)
    assert not found.agreement.passed
    assert found.outside


@pytest.mark.filterwarnings("ignore:invalid value encountered in sqrt")
@pytest.mark.parametrize("name", sorted(FAULTS))
def test_the_right_answer_passes(write: Write, name: str) -> None:
    """The function itself, run once more, agrees with what was kept of its first run."""
    body, inputs, _ = FAULTS[name]
    written = write(lines(body), inputs)
    _, found = held_against(written, written.function)
    assert found.agreement.passed
    assert found.outside == ()


def test_another_order_of_a_sum_passes(write: Write) -> None:
    """A sum in float32 that is added up in another order errs as NumPy's own does, and passes."""
    written = write("def f(x):\n    return x.sum(axis=0)", MATRIX + ".astype('f4')")
    wanted, found = held_against(written, lambda x: x[::-1].sum(axis=0))
    assert wanted.rule == "three_way"
    assert found.agreement.passed
    assert found.agreement.class_ == "float32"


def test_float64_is_probed_by_an_ulp(write: Write) -> None:
    """In float64 what the last bit of an argument changes is the measure, not a fixed number."""
    written = write("def f(x):\n    return x @ x.T", MATRIX)
    wanted, found = held_against(written, lambda x: np.einsum("ik,jk->ij", x, x))
    assert wanted.rule == "probe"
    assert found.agreement.passed
    assert 0 < found.agreement.bound < 1e-12


def test_ill_conditioned_work_is_said_to_be(write: Write) -> None:
    """Where the last bit of an argument decides the answer, that is said beside it."""
    source = "def f(x):\n    for _ in range(60):\n        x = 4 * x * (1 - x)\n    return x"
    written = write(source, "rng.random(n)")
    wanted, found = held_against(written, written.function)
    assert wanted.ill
    assert "no point by point" in found.agreement.rule
    assert found.outside[0].startswith("ill-conditioned")


def test_ties_are_no_fault(write: Write) -> None:
    """Two orders that pick equal values of an argument are both right, and that is told."""
    written = write("def f(x):\n    return np.argsort(x)", "rng.integers(0, 3, n)")
    _, found = held_against(written, lambda x: np.argsort(x, kind="stable"))
    assert found.agreement.passed


def test_places_that_the_last_bit_decides_may_differ(write: Write) -> None:
    """One place in a thousand of a mask made from floats may differ, a hundredth may not."""
    written = write("def f(x):\n    return x > 0", FLAT)

    def flipped(count: int) -> Callable[..., Any]:
        return lambda x: (x > 0) ^ (np.arange(x.size) < count)

    assert held_against(written, flipped(2), size=3000)[1].agreement.passed
    assert not held_against(written, flipped(30), size=3000)[1].agreement.passed


def test_an_altered_argument_is_compared_as_well(write: Write) -> None:
    """A function that returns nothing is judged by what it did to its arguments."""
    written = write("def f(x):\n    x *= 2", FLAT)
    wanted, found = held_against(written, written.function)
    assert [leaf.path for leaf in wanted.leaves] == ["x"]
    assert wanted.fresh
    assert found.agreement.passed


def test_chance_is_compared_by_its_distribution(write: Write) -> None:
    """A function that draws anew in each call agrees in mean and deviation, or does not."""
    written = write("def f(n):\n    return np.random.default_rng().normal(2, 1, n)")
    wanted, found = held_against(written, written.function, size=4000)
    assert wanted.rule == "random"
    assert found.agreement.passed
    other = held_against(written, lambda n: np.random.default_rng().normal(3, 1, n), size=4000)[1]
    assert not other.agreement.passed


def test_the_users_tolerance_stands(write: Write) -> None:
    """With a relative tolerance of the user's, that alone decides about values."""
    written = write("def f(x):\n    return x * 2", FLAT)
    near: Callable[..., Any] = lambda x: x * 2.0001  # noqa: E731  one expression
    assert not held_against(written, near)[1].agreement.passed
    assert held_against(written, near, rtol=1e-3)[1].agreement.passed
