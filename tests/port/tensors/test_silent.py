"""Faults that would give wrong answers without an error: each is handled as NumPy does, or refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.errors import HostArrayError, RefusedError
from port.tensors.conftest import Side


def same(side: Side, source: str) -> None:
    """Run statements that set `r`, on NumPy and on the facade, and compare what they set."""
    results = []
    for namespace in (np, side.np):
        names: dict[str, object] = {"np": namespace}
        exec(source, names)
        results.append(side.fetched(names["r"]))
    left, right = (np.asarray(result) for result in results)
    assert left.dtype == right.dtype
    np.testing.assert_allclose(right, left, rtol=1e-12)


PLANTS = {
    "ddof": "r = np.array([1.0, 2.0, 4.0]).std()",
    "rowvar": "r = np.cov(np.arange(12.0).reshape(6, 2) ** 2, rowvar=False)",
    "rowvar of correlations": "r = np.corrcoef(np.arange(12.0).reshape(6, 2) ** 2, rowvar=False)",
    "int over int": "r = np.arange(1, 4) / np.arange(2, 5)",
    "int and float32": "r = np.arange(3) * np.ones(3, dtype=np.float32)",
    "default type": "r = np.zeros(3) + np.array([1.0, 2.0, 3.0])",
    "width of a scalar": "r = np.float64(2) * np.ones(3, dtype=np.float32)",
    "no width of a number": "r = 2.0 * np.ones(3, dtype=np.float32)",
    "overlap, same order": "r = np.arange(6.0)\nr[1:] += r[:-1]",
    "overlap, a copy": "r = np.arange(6.0)\nr[1:] = r[:-1]",
    "overlap, two axes": "r = np.arange(16.0).reshape(4, 4)\nr[1:, 1:] += r[:-1, :-1]",
    "overlap with itself turned": "r = np.arange(9.0).reshape(3, 3)\nr += r.T",
    "overlap through out": "r = np.arange(6.0)\nnp.add(r[:-1], r[1:], out=r[1:])",
    "written view": "r = np.zeros(6)\nv = r[2:4]\nv += 5",
    "written row": "r = np.zeros((3, 2))\nr[1][0] = 4",
    "written transpose": "r = np.zeros((3, 2))\nr.T[1] = 4",
    "written reshape": "r = np.zeros(6)\nr.reshape(2, 3)[1] = 4",
    "written reversed view": "r = np.arange(5.0)\nv = r[::-1]\nv[0] = 9\nv[1:3] += 1",
    "read reversed view": "a = np.arange(5.0)\nr = a[::-1]\na[0] = 9",
    "written copy of a mask": "r = np.arange(5.0)\nv = r[r > 1]\nv[:] = 0",
    "written copy of places": "r = np.arange(5.0)\nv = r[[1, 2]]\nv[:] = 0",
    "copy by array": "r = np.arange(5.0)\nv = np.array(r)\nv[:] = 0",
    "no copy by asarray": "r = np.arange(5.0)\nv = np.asarray(r)\nv[:] = 0",
    "copy by astype": "r = np.arange(5.0)\nv = r.astype(np.float64)\nv[:] = 0",
    "copy by flatten": "r = np.ones((2, 2))\nr.flatten()[:] = 0",
    "view by ravel": "r = np.ones((2, 2))\nr.ravel()[:] = 0",
    "iterated rows": "r = np.zeros((3, 2))\nfor row in r:\n    row += 1",
    "unique of ties": "r = np.unique(np.array([3, 1, 3, 2]), return_index=True)[1]",
    "stable ties": "r = np.argsort(np.array([2, 1, 2, 1, 2]), kind='stable')",
    "first of ties": "r = np.argmax(np.array([1, 7, 3, 7]))",
    "first smallest of ties": "r = np.argmin(np.array([[4, 1, 1], [0, 0, 5]]), axis=1)",
    "NaN rules a maximum": "r = np.max(np.array([1.0, np.nan, 3.0]))",
    "place of NaN": "r = np.argmin(np.array([1.0, np.nan, 0.0, np.nan]))",
    "NaN sorted": "r = np.sort(np.array([np.nan, 2.0, 1.0]))",
    "one NaN among different": "r = np.unique(np.array([np.nan, 1.0, np.nan]))",
    "median of two": "r = np.median(np.array([4.0, 1.0, 3.0, 2.0]))",
    "drawn numbers": "r = np.random.default_rng(7).normal(size=5)",
    "legacy numbers": "np.random.seed(3)\nr = np.random.rand(4)",
    "drawn order": "r = np.random.default_rng(7).permutation(np.arange(9))",
    "shuffled": "r = np.arange(9)\nnp.random.default_rng(7).shuffle(r)",
    "chosen": "r = np.random.default_rng(7).choice(np.arange(9.0), 4)",
    "wrapped integers": "r = np.array([120, 100], dtype=np.int8) + np.array([10, 100], dtype=np.int8)",
    "sum of narrow integers": "r = np.full(300, 100, dtype=np.int16).sum()",
    "mean of narrow integers": "r = np.full(300, 100, dtype=np.int8).mean()",
    "division by 0": "r = np.array([7, -7]) // np.array([2, 2])",
    "rest of negatives": "r = np.array([7, -7]) % np.array([-3, 3])",
    "where of numbers": "r = np.where(np.array([True, False]), 1, 0)",
    "where of a number and narrow floats": "r = np.where(np.array([True, False]), np.ones(2, dtype=np.float32), 0.0)",
    "clip widens": "r = np.clip(np.arange(5), 0.5, 3)",
    "clip keeps": "r = np.clip(np.ones(3, dtype=np.float32), 0.0, 0.5)",
    "numbers beside places": "r = np.arange(24).reshape(2, 3, 4)[0, :, [1, 2]]",
    "bytes are no mask": "r = np.arange(4)[np.array([0, 1, 1], dtype=np.uint8)]",
    "written repeated sums": "r = np.zeros(3)\nnp.add.at(r, np.array([0, 0, 2]), 1.0)",
    "float into integers": "r = np.zeros(2, dtype=int)\nr[0] = 2.7",
    "written with a mask": "r = np.arange(4.0)\nr[r > 1] *= 10",
    "not where": "r = np.ones(3)\nnp.divide(np.ones(3), np.array([0.0, 1.0, 2.0]), out=r, where=np.array([False, True, True]))",
    "norm of a matrix": "r = np.linalg.norm(np.arange(4.0).reshape(2, 2))",
    "vectors of a stack": "r = np.linalg.solve(np.stack([np.eye(2)] * 2) * 2.0, np.ones((2, 2)))",
}


@pytest.mark.parametrize("plant", PLANTS)
def test_plant(side: Side, plant: str) -> None:
    """What PyTorch would do otherwise is done as NumPy does it."""
    same(side, PLANTS[plant])


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("np.ones(3) + h", HostArrayError),
        ("h + np.ones(3)", HostArrayError),
        ("np.ones(3)[h.astype(int)]", HostArrayError),
        ("np.add(np.ones(3), h)", HostArrayError),
        ("real.asarray(np.ones(3))", HostArrayError),
        ("np.arange(3).__iadd__(np.ones(3))", TypeError),
        ("np.array([1, 2]) ** np.array([-1, 1])", ValueError),
        ("np.ones(3, dtype=np.int8) + 300", OverflowError),
        ("np.ones(3) - np.ones(3)[::-1].reshape(3).__setitem__(0, 1)", RefusedError),
        ("np.array(['a'])", RefusedError),
        ("np.array([1, None])", RefusedError),
        ("bool(np.ones(2))", ValueError),
        ("-np.array([True])", TypeError),
        ("np.ones(3)[5]", IndexError),
    ],
)
def test_refused(side: Side, source: str, error: type[Exception]) -> None:
    """What cannot be done as NumPy does it is refused, never done otherwise."""
    with pytest.raises(error):
        eval(source, {"np": side.np, "real": np, "h": np.ones(3)})


TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "float32", "float64", "complex64")
OPERATORS = ("+", "*", "/", "//", "%", "<", "==", "&", "-", "**")


@given(
    st.sampled_from(TYPES), st.sampled_from(TYPES), st.sampled_from(OPERATORS),
    st.lists(st.integers(1, 5), min_size=3, max_size=3),
)  # fmt: skip
def test_promotion(one: str, other: str, operator: str, numbers: list[int]) -> None:
    """Two types meet in NumPy's type, with NumPy's values, or neither takes them."""
    side = Side()
    a, b = np.array(numbers).astype(one), np.array(numbers[::-1]).astype(other)
    source = f"a {operator} b"
    try:
        expected = eval(source, {"a": a, "b": b})
    except TypeError:
        with pytest.raises((TypeError, RuntimeError)):
            eval(source, {"a": side.given(a), "b": side.given(b)})
        return
    if operator == "<" and "complex64" in {one, other}:
        # PyTorch has no order of complex numbers, and says so.
        with pytest.raises(NotImplementedError):
            eval(source, {"a": side.given(a), "b": side.given(b)})
        return
    found = side.fetched(eval(source, {"a": side.given(a), "b": side.given(b)}))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=2e-3 if expected.dtype == np.float16 else 1e-5)


_PLACES = st.one_of(
    st.integers(-4, 3),
    st.builds(
        slice,
        st.one_of(st.none(), st.integers(-6, 6)),
        st.one_of(st.none(), st.integers(-6, 6)),
        st.one_of(st.none(), st.sampled_from([-3, -2, -1, 1, 2, 3])),
    ),
    st.none(),
    st.lists(st.integers(-4, 3), min_size=2, max_size=2),
)


@given(st.lists(_PLACES, max_size=4))
def test_indexing(key: list[object]) -> None:
    """Any index gives NumPy's elements, and writing by it writes where NumPy writes."""
    side = Side()
    host = np.arange(64.0).reshape(4, 4, 4)
    index = tuple(key)
    try:
        expected = host[index]
    except IndexError:
        with pytest.raises(IndexError):
            side.given(host)[index]
        return
    own = side.given(host)
    np.testing.assert_array_equal(side.fetched(own[index]), expected)
    host[index] += 100
    try:
        own[index] += 100
    except RefusedError:
        return
    np.testing.assert_array_equal(side.fetched(own), host)
