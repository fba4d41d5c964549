"""Ceilings of a device that is played: its rates are planted, its clock moves as they say."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from breakeven.backends.base import About, Opening
from breakeven.backends.device_clock import DeviceClock
from breakeven.engine import ceilings
from breakeven.engine.ceilings import NO_LAUNCH, NO_LINK, NO_PINNED, measure
from breakeven.engine.messages import MeasureCeilings

PEAK, BANDWIDTH, LINK_IN, LINK_OUT = 2e13, 3e12, 1e10, 4e9
LAUNCH_S, WAIT_S, COPY_S, EMPTY_S = 4e-6, 6e-6, 8e-6, 2e-6


class Array:
    """An array of which the shape is there, and the block that it repeats."""

    def __init__(self, shape: tuple[int, ...], itemsize: int = 4, block: Any = None) -> None:  # noqa: ANN401
        self.shape = shape
        self.itemsize = itemsize
        self.block = block

    def __getitem__(self, rows: slice) -> Any:  # noqa: ANN401
        """Return rows of a matrix of blocks, as NumPy would."""
        # A product is worked out when it is looked at: thousands are timed, and few are.
        block = self.block() if callable(self.block) else self.block
        n, k = self.shape[0], len(block)
        return np.tile(block[np.arange(n)[rows] % k], (1, n // k))

    @property
    def nbytes(self) -> int:
        """Bytes that it would take."""
        return math.prod(self.shape) * self.itemsize


class Card:
    """A device whose work waits in a queue: issuing costs the host, the rest is paid on waiting."""

    def __init__(self, device: str = "cuda:0") -> None:
        self.about = About(name="card", device=device, pools=False)
        self.now = self.queued = 0.0
        # What products are rounded to, whatever was asked for.
        self.computes: Callable[[Any], Any] = lambda values: values
        self.cases: list[tuple[str, int]] = []
        self.products: list[tuple[int, int]] = []

    def opening(self, tools: DeviceClock | None = None) -> Opening:
        """Return the device, opened, on its own clock."""
        return Opening(
            xp=self, version="1", import_s=0.0, context_s=0.0, clock=lambda: self.now,
            device_clock=tools, cast=lambda array: array.astype("float16"),
        )  # fmt: skip

    def tools(self) -> DeviceClock:
        """Return page-locked memory that is five times as quick, and a kernel without work."""

        def unused(*_: object) -> Any:  # noqa: ANN401
            raise AssertionError

        def empty() -> None:
            self.now += EMPTY_S

        return DeviceClock(
            hold=unused, mark=unused, passed=unused, between=unused, empty=empty, capture=unused,
            sending=self._sending, landing=self._landing,
        )  # fmt: skip

    def _sending(self, array: Any) -> Callable[[], object]:  # noqa: ANN401
        return lambda: self._issue(array.nbytes / (5 * LINK_IN))

    def _landing(self, array: Array) -> Callable[[], object]:
        return lambda: self._issue(array.nbytes / (5 * LINK_OUT))

    def begin_case(self, workload: str, size: int) -> None:
        """Take a note."""
        self.cases.append((workload, size))

    def to_device(self, array: Any) -> Array:  # noqa: ANN401
        """Copy at the planted rate; the host waits, as for pageable memory."""
        self.now += COPY_S + array.nbytes / LINK_IN
        return Array(array.shape, array.itemsize, array)

    def to_host(self, array: Any) -> Any:  # noqa: ANN401
        """Copy back."""
        self.now += COPY_S + array.nbytes / LINK_OUT
        return array

    def synchronise(self) -> None:
        """Let the queue run dry."""
        self.now += WAIT_S + self.queued
        self.queued = 0.0

    def _issue(self, seconds: float) -> None:
        self.now += LAUNCH_S
        self.queued += seconds

    def tile(self, array: Array, times: tuple[int, ...]) -> Array:
        """Repeat along each axis."""
        shape = tuple(a * b for a, b in zip(array.shape, times, strict=True))
        return Array(shape, array.itemsize, array.block)

    def matmul(self, a: Array, b: Array) -> Array:
        """Multiply; small products reach a part of the peak."""
        n = a.shape[0]
        self.products.append((n, a.itemsize))
        rate = PEAK * min(1.0, n / 4096) * (4 / a.itemsize)
        self._issue(2.0 * n**3 / rate)

        def block() -> Any:  # noqa: ANN401
            left, right = (self.computes(np.asarray(x.block, dtype=np.float64)) for x in (a, b))
            return ((n // len(left)) * (left @ right)).astype(f"f{a.itemsize}")

        return Array(a.shape, a.itemsize, block)

    def add(self, a: Array, b: Array, out: Array | None = None) -> Array:
        """Add: two arrays are read, one is written."""
        self._issue(3 * a.nbytes / BANDWIDTH)
        return out or b

    def multiply(self, a: Array, _b: float, out: Array) -> Array:
        """Scale at nine tenths of the rate: one array is read, one is written."""
        self._issue(2 * a.nbytes / (0.9 * BANDWIDTH))
        return out


def asked(part: str, card: Card | None = None, **fields: Any) -> Any:  # noqa: ANN401
    """Return what measuring one part says."""
    played = card or Card()
    request = MeasureCeilings(part=part, **fields)  # type: ignore[arg-type]
    return measure(played, played.opening(), request)  # type: ignore[arg-type]


def test_the_peak_is_that_of_the_best_size() -> None:
    """Sizes grow as long as the next product fits the time; the best rate of all stands."""
    card = Card()
    found = asked("product", card)
    assert found.flops_per_s == {"float32": pytest.approx(PEAK, rel=0.01)}
    assert [n for _, n in card.cases] == list(ceilings.PRODUCT_SIZES)
    assert {size for _, size in card.products} == {4}


def test_sizes_that_would_take_too_long_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a slow device the walk ends before the product that the time has no room for."""
    slow = Card()
    monkeypatch.setattr(slow, "matmul", lambda _a, b: (slow._issue(0.2), b)[1])
    asked("product", slow)
    # 0.2 s for the first: the next is foreseen at eight times that, and the part has 0.6 s.
    assert [n for _, n in slow.cases] == [ceilings.PRODUCT_SIZES[0]]


@pytest.mark.parametrize(("precision", "itemsize"), [("float64", 8), ("float16", 2)])
def test_a_product_is_made_in_its_precision(precision: str, itemsize: int) -> None:
    """Arrays have the width that was asked for, and the rate is told under its name."""
    card = Card()
    found = asked("product", card, precision=precision)
    assert {size for _, size in card.products} == {itemsize}
    assert found.flops_per_s == {precision: pytest.approx(PEAK * 4 / itemsize, rel=0.02)}


def test_the_bandwidth_counts_what_is_read_and_written() -> None:
    """Of a sum and a scaling the better rate stands, whatever one wait costs."""
    found = asked("memory", extent_bytes=1 << 30)
    assert found.memory_bytes_per_s == pytest.approx(BANDWIDTH, rel=0.02)
    assert found.flops_per_s == {}


def test_the_link_is_measured_each_way_by_size() -> None:
    """Large copies reach the rate of their direction; small ones pay for each copy."""
    found = asked("link")
    assert [r.bytes for r in found.link] == list(ceilings.COPY_SIZES)
    last = found.link[-1]
    assert last.to_device == pytest.approx(LINK_IN, rel=0.01)
    assert last.to_host == pytest.approx(LINK_OUT, rel=0.01)
    assert found.link[0].to_device == pytest.approx(4096 / (COPY_S + WAIT_S + 4096 / LINK_IN))


def test_issuing_and_waiting_are_told_apart() -> None:
    """The launch is the host's time for one kernel, the wait that for an idle device."""
    found = asked("launch")
    assert found.launch_s == pytest.approx(LAUNCH_S)
    assert found.synchronise_s == pytest.approx(WAIT_S)


def test_what_a_backend_lends_is_measured_as_well() -> None:
    """Page-locked copies stand beside pageable ones; an empty kernel gives the launch."""
    card = Card()
    link = measure(card, card.opening(card.tools()), MeasureCeilings(part="link"))  # type: ignore[arg-type]
    last = link.link[-1]
    assert last.to_device == pytest.approx(LINK_IN, rel=0.01)
    assert last.to_device_pinned == pytest.approx(5 * LINK_IN, rel=0.01)
    assert last.to_host_pinned == pytest.approx(5 * LINK_OUT, rel=0.01)
    assert link.why == {}
    launch = measure(card, card.opening(card.tools()), MeasureCeilings(part="launch"))  # type: ignore[arg-type]
    assert launch.launch_s == pytest.approx(EMPTY_S)
    assert asked("link").why == {"pinned": NO_PINNED}


def test_a_cpu_has_neither_link_nor_launch() -> None:
    """Both are told with their reason instead of a 0."""
    for part, why in (("link", NO_LINK), ("launch", NO_LAUNCH)):
        found = asked(part, Card("cpu"))
        assert found.why == {part: why}
        assert found.link == ()
        assert found.launch_s is None


def _tf32(values: Any) -> Any:  # noqa: ANN401
    """Round to the ten bits of TF32, as tensor cores take float32."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x1000) & 0xFFFFE000).astype(np.uint32).view(np.float32).astype(np.float64)


def test_an_overridden_product_is_told_under_what_it_was_computed_in() -> None:
    """With TF32 forced on, the rate is no float32 peak: it is that of TF32, with the reason."""
    card = Card()
    card.computes = _tf32
    found = asked("product", card)
    assert found.flops_per_s == {"tf32": pytest.approx(PEAK, rel=0.01)}
    assert "err by" in found.why["float32"]
    assert "as tf32 does" in found.why["float32"]


def test_float64_that_is_computed_in_float32_is_no_float64_peak() -> None:
    """The same holds one step up."""
    card = Card()
    card.computes = lambda values: values.astype(np.float32).astype(np.float64)
    found = asked("product", card, precision="float64")
    assert set(found.flops_per_s) == {"float32"}
    assert "float64" in found.why


def test_a_product_that_is_wrong_has_no_peak() -> None:
    """A quick product of something else is no ceiling of anything."""
    card = Card()
    card.computes = lambda values: 2 * values
    found = asked("product", card)
    assert found.flops_per_s == {}
    assert "wrong by" in found.why["float32"]


class _Small(Card):
    """A card that fails beyond the smallest product, in the way it is told."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def matmul(self, a: Array, b: Array) -> Any:  # noqa: ANN401
        if a.shape[0] > ceilings.PRODUCT_SIZES[0]:
            raise self._error
        return super().matmul(a, b)


def test_a_product_beyond_the_memory_keeps_the_peak_of_smaller_ones() -> None:
    """Memory that runs out ends the walk; any other failure is told, not passed over."""
    request = MeasureCeilings(part="product", precision="float32")
    short = _Small(MemoryError())
    assert measure(short, short.opening(), request).flops_per_s["float32"] > 0
    broken = _Small(RuntimeError("an illegal memory access"))
    with pytest.raises(RuntimeError, match="illegal"):
        measure(broken, broken.opening(), request)
