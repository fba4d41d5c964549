"""What holds for every built-in workload beside training, on every backend."""

from __future__ import annotations

import sys
import tracemalloc

import numpy as np
import pytest

from breakeven.backends.failure import classify
from breakeven.model.run import Agreement
from breakeven.model.spec import DType, Precision
from breakeven.workloads import registry
from breakeven.workloads.base import ITEM_BYTES, computed_in, unlike
from breakeven.workloads.default_rule import SAMPLED, places
from workloads.opened import Opened

# Sizes of each: the least, one whose arrays are odd, and one with a sample of its own.
SIZES = {
    "elementwise": (1, 7, 100_003),
    "reduce": (1, 2, 301),
    "stencil": (1, 2, 3, 97),
    "pairwise": (1, 2, 201),
    "fft": (1, 2, 7, 4096, 140_000),
    "sort": (1, 2, 20_011),
    "solve": (1, 2, 300),
    "svd": (1, 2, 90),
}
LARGE = {name: sizes[-1] for name, sizes in SIZES.items()}
PRODUCTS = {"pairwise", "solve", "svd"}
LACKING_16_BITS = {"fft", "solve", "svd"}


def test_every_workload_is_tested_here() -> None:
    """A new built-in workload has sizes in this file."""
    assert set(registry.names()) >= set(SIZES)
    assert {"matmul", "mlp"} | set(SIZES) == set(registry._BUILT_IN)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", SIZES)
def test_every_backend_agrees_with_the_reference(backend: Opened, name: str, dtype: DType) -> None:
    """At every size an answer is within its bound, and its errors are those of its type."""
    for size in SIZES[name]:
        found = backend.agreement(registry.get(name), size, dtype)
        assert found.passed, (size, found)
        assert found.error <= found.bound
        assert found.class_ in ({"float64"} if dtype == "float64" else {"float32", "float64"})
        assert found.rule


@pytest.mark.parametrize("name", SIZES)
def test_answers_are_of_the_type_of_the_inputs(backend: Opened, name: str) -> None:
    """float32 gives float32 or complex64, float64 their doubles: the same work everywhere."""
    workload = registry.get(name)
    for dtype, wanted in (
        ("float32", {"float32", "complex64"}),
        ("float64", {"float64", "complex128"}),
    ):
        inputs, _ = workload.make(SIZES[name][-1] // 3, dtype, 42)  # type: ignore[arg-type]
        assert {a.dtype.name for a in inputs.values()} == {dtype}
        arrays, _ = backend.run(workload, tuple(inputs.values()))
        assert {a.dtype.name for a in arrays} <= wanted


@pytest.mark.parametrize("name", SIZES)
def test_inputs_are_left_as_they_are(backend: Opened, name: str) -> None:
    """A repeat computes from what the first call had, and gives the same again."""
    workload = registry.get(name)
    inputs, _ = workload.make(LARGE[name], "float32", 42)
    before = {key: array.copy() for key, array in inputs.items()}
    first, _ = backend.run(workload, tuple(inputs.values()))
    second, _ = backend.run(workload, tuple(inputs.values()))
    assert all(np.array_equal(inputs[key], before[key]) for key in inputs)
    for one, two in zip(first, second, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("precision", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", SIZES)
def test_sixteen_bits_are_honest_or_unsupported(name: str, precision: Precision) -> None:
    """On PyTorch's CPU: errors of that type where it has the operation, else a reason in a line."""
    torch = pytest.importorskip("torch")
    workload = registry.get(name)
    inputs, reference = workload.make(LARGE[name], "float32", 42)
    cast = tuple(torch.from_numpy(a).to(getattr(torch, precision)) for a in inputs.values())

    def compute() -> Agreement:
        made = workload.run(torch, cast).arrays
        return workload.check(tuple(a.float().numpy() for a in made), (), reference, precision)

    if name in LACKING_16_BITS:
        with pytest.raises(Exception) as caught:  # noqa: PT011  whatever PyTorch raises
            compute()
        status, why = classify(caught.value)
        assert status == "unsupported", why
        assert "\n" not in why
        return
    found = compute()
    assert found.passed, found
    assert not workload.check(
        tuple(a.float().numpy() for a in workload.run(torch, cast).arrays), (), reference, "float32"
    ).passed


@pytest.mark.parametrize("name", SIZES)
def test_full_arithmetic_passes_where_tf32_is_on(name: str) -> None:
    """TF32 allows products to err more: work without any is as exact as before, and must be."""
    workload = registry.get(name)
    inputs, reference = workload.make(LARGE[name], "float32", 42)
    arrays = workload.run(np, tuple(inputs.values())).arrays
    found = workload.check(arrays, (), reference, "tf32")
    assert found.passed
    plain = workload.check(arrays, (), reference, "float32")
    assert found.bound == plain.bound if name not in PRODUCTS else found.bound > plain.bound


@pytest.mark.parametrize("name", SIZES)
def test_the_wrong_shape_and_a_nan_anywhere_fail(name: str) -> None:
    """Samples do not hide a row that is missing, or one value that is no number."""
    workload = registry.get(name)
    inputs, reference = workload.make(LARGE[name], "float32", 42)
    arrays = workload.run(np, tuple(inputs.values())).arrays
    assert workload.check(arrays, (), reference, "float32").passed
    for place in range(len(arrays)):
        for spoil in ("short", np.nan, np.inf):
            made = [a.copy() for a in arrays]
            if spoil == "short":
                made[place] = made[place][:-1]
            else:
                made[place].flat[made[place].size // 3] = spoil
            found = workload.check(tuple(made), (), reference, "float32")
            assert (found.passed, found.class_) == (False, "wrong")


@pytest.mark.parametrize("name", SIZES)
def test_zeros_are_no_answer(name: str) -> None:
    """What a library that did nothing would leave does not pass."""
    workload = registry.get(name)
    inputs, reference = workload.make(LARGE[name], "float32", 42)
    made = tuple(np.zeros_like(a) for a in workload.run(np, tuple(inputs.values())).arrays)
    assert not workload.check(made, (), reference, "float32").passed


@pytest.mark.parametrize("name", SIZES)
def test_a_wider_answer_is_other_work(name: str) -> None:
    """float64 where float32 was asked for is refused as unsupported, not timed as if it were."""
    workload = registry.get(name)
    inputs, reference = workload.make(SIZES[name][1], "float32", 42)
    wide = workload.run(np, tuple(a.astype(np.float64) for a in inputs.values())).arrays
    with pytest.raises(NotImplementedError, match=r"float64|complex128") as caught:
        workload.check(wide, (), reference, "float32")
    assert classify(caught.value)[0] == "unsupported"


@pytest.mark.parametrize("name", SIZES)
def test_a_float32_answer_is_no_float64_answer(name: str) -> None:
    """Arithmetic in half the digits fails where all were asked for."""
    workload = registry.get(name)
    inputs, reference = workload.make(LARGE[name], "float64", 42)
    low = workload.run(np, tuple(a.astype(np.float32) for a in inputs.values())).arrays
    wide = tuple(a.astype(np.complex128 if a.dtype.kind == "c" else np.float64) for a in low)
    found = workload.check(wide, (), reference, "float64")
    assert (found.passed, found.class_) == (False, "float32")


@pytest.mark.parametrize("name", SIZES)
def test_the_same_seed_makes_the_same_case_in_every_type(name: str) -> None:
    """Inputs and references follow from seed and size; types hold the same values, rounded."""
    workload, size = registry.get(name), LARGE[name]
    one, two = (workload.make(size, "float32", 42) for _ in range(2))
    for left, right in zip(one, two, strict=True):
        assert all(np.array_equal(left[key], right[key]) for key in left)
    wide = workload.make(size, "float64", 42)[0]
    for key, values in one[0].items():
        np.testing.assert_allclose(values, wide[key], rtol=2e-7, atol=0)
        assert np.any(values != wide[key])
        assert np.any(workload.make(size, "float32", 43)[0][key] != values)
        # Nothing that a library could skip: no zeros, no value twice.
        assert np.all(values != 0)
        assert len(np.unique(values)) > 0.9 * values.size


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", SIZES)
def test_a_call_holds_no_more_than_foreseen(name: str, dtype: DType) -> None:
    """Inputs, temporaries and two answers fit the need; it is not far too large either."""
    workload, size = registry.get(name), 3 * LARGE[name]
    inputs = tuple(workload.make(size, dtype, 42)[0].values())
    given = sum(a.nbytes for a in inputs)
    last = workload.run(np, inputs)
    answer = sum(a.nbytes for a in last.arrays)
    tracemalloc.start()
    try:
        again = workload.run(np, inputs)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sys.getrefcount(last)
    assert sys.getrefcount(again)
    need = workload.need(size, dtype)
    assert given + answer + peak <= 1.02 * need.host + 20_000
    assert need.host <= 6 * (given + answer + peak)
    assert need.device <= need.host


@pytest.mark.parametrize("name", SIZES)
def test_work_is_above_zero_and_grows(name: str) -> None:
    """From the smallest size on: times are foreseen by its ratio, which must exist."""
    workload = registry.get(name)
    sizes = sorted({1, 2, *workload.sizes})
    flops = [workload.work(s, "float32").flops for s in sizes]
    assert flops[0] > 0
    assert flops[1:] == sorted(flops[1:])
    assert flops[-1] > 100 * flops[1]
    for size in sizes:
        small, large = (workload.work(size, d).bytes for d in ("float32", "float64"))
        assert large == 2 * small


@pytest.mark.parametrize("name", SIZES)
def test_default_sizes_lie_apart_and_fit_a_small_machine(name: str) -> None:
    """Neighbours differ by 2 at least; all processes of a size fit 8 GiB, its files 1 GiB."""
    workload = registry.get(name)
    assert 4 <= len(workload.sizes) <= 5
    assert all(b >= 2 * a for a, b in zip(workload.sizes, workload.sizes[1:], strict=False))
    assert workload.need(workload.sizes[-1], "float32").host <= 2**30


def test_a_sample_of_places_has_both_ends() -> None:
    """All places of a short axis; of a long one so many, each once, ascending."""
    assert np.array_equal(places(5, 42), np.arange(5))
    found = places(1_000_000, 42)
    assert 0.99 * SAMPLED <= len(found) <= SAMPLED
    assert (found[0], found[-1]) == (0, 999_999)
    assert np.all(np.diff(found) > 0)
    assert not np.array_equal(found, places(1_000_000, 43))


def test_types_that_were_not_asked_for_are_named() -> None:
    """The reason says what came and what was wanted; 16 bits arrive on the host as float32."""
    computed_in(np.ones(1, np.float32), "bfloat16")
    computed_in(np.ones(1, np.complex128), "float64")
    with pytest.raises(NotImplementedError, match="complex128 where float32"):
        computed_in(np.ones(1, np.complex128), "float32")
    with pytest.raises(NotImplementedError, match="float32 where float64"):
        computed_in(np.ones(1, np.float32), "float64")


class _Lacking:
    """NumPy without some of its functions."""

    def __init__(self, *missing: str) -> None:
        self._missing = missing

    def __getattr__(self, name: str) -> object:
        if name in self._missing:
            raise AttributeError(f"module 'other' has no attribute {name!r}")
        return getattr(np, name)


@pytest.mark.parametrize(
    ("name", "function"),
    [("fft", "fft"), ("sort", "sort"), ("solve", "linalg"), ("svd", "linalg"),
     ("stencil", "empty_like"), ("reduce", "sum"), ("elementwise", "sqrt"), ("pairwise", "clip")],
)  # fmt: skip
def test_a_namespace_without_the_function_does_not_support_it(name: str, function: str) -> None:
    """The case is unsupported, and the reason names what is missing."""
    workload = registry.get(name)
    inputs, _ = workload.make(16, "float32", 42)
    with pytest.raises(AttributeError) as caught:
        workload.run(_Lacking(function), tuple(inputs.values()))
    status, why = classify(caught.value)
    assert status == "unsupported"
    assert repr(function) in why


def test_item_bytes_are_those_of_numpy() -> None:
    """Bytes are counted as arrays hold them."""
    for dtype in ("float16", "float32", "float64"):
        assert ITEM_BYTES[dtype] == np.dtype(dtype).itemsize


@pytest.mark.parametrize("name", ["solve", "svd"])
def test_numpy_widens_where_a_workload_says_so(name: str) -> None:
    """Its answer for float32 is that for float64, rounded, bit by bit."""
    workload = registry.get(name)
    assert [(o.backend, o.computes_in) for o in unlike(workload)] == [("numpy", "float64")]
    inputs, _ = workload.make(64, "float32", 3)
    narrow = workload.run(np, tuple(inputs.values())).arrays
    wide = workload.run(np, tuple(a.astype(np.float64) for a in inputs.values())).arrays
    for got, want in zip(narrow, wide, strict=True):
        assert got.dtype == np.float32
        assert np.array_equal(got, want.astype(np.float32))


def test_pytorch_sorts_places_beside_values() -> None:
    """What it returns is a pair, the second of 8 bytes an element, which the workload declares."""
    torch = pytest.importorskip("torch")
    _, places_ = torch.sort(torch.tensor([2.0, 1.0]))
    assert places_.element_size() == 8
    assert {o.backend for o in unlike(registry.get("sort"))} == {"torch-cpu", "torch-cuda"}
    assert unlike(registry.get("matmul")) == ()
