"""What one device reaches at best, measured inside a worker: products, memory, link, launches."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial
from typing import Any

from breakeven.backends.base import Backend, Opening
from breakeven.engine import true_product
from breakeven.engine.loop import Call, no_collection, repeats
from breakeven.engine.messages import MeasureCeilings
from breakeven.model.machine import Ceilings, LinkRate

SEED = 42
# Products from small to large: a library reaches its peak where the work hides all else.
PRODUCT_SIZES = (512, 1024, 2048, 4096, 8192)
BLOCK = 512
COPY_SIZES = (4 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20)
# Calls behind each other, so that one wait for the device does not weigh on short ones.
QUEUED, ISSUED = 8, 200
ITEM = 4
# Precisions that arrays are made in; the others are cast by a backend that was opened for them.
AS_MADE = frozenset({"float32", "float64"})
NO_LINK = "the device shares the memory of the host: nothing travels"
NO_PINNED = "this backend lends no page-locked memory"
NO_LAUNCH = "a call on the CPU is no launch"


def measure(backend: Backend, opening: Opening, request: MeasureCeilings) -> Ceilings:
    """Measure one part; a part that the device does not have is told, not measured.

    Every figure is the best of its repeats: a ceiling is what was reached, not what is usual.
    """
    on_device = backend.about.device != "cpu"
    gauge = _Gauge(backend, opening, request.seconds)
    why: dict[str, str] = {}
    fields: dict[str, Any] = {}
    match request.part:
        case "product":
            fields["flops_per_s"] = gauge.product(request.precision, why)
        case "memory":
            fields["memory_bytes_per_s"] = gauge.memory(request.extent_bytes)
        case "link" if on_device:
            fields["link"] = gauge.link()
            if opening.device_clock is None:
                why["pinned"] = NO_PINNED
        case "link":
            why["link"] = NO_LINK
        case "launch" if on_device:
            launch, wait = gauge.launch()
            fields |= {"launch_s": launch, "synchronise_s": wait}
        case "launch":
            why["launch"] = NO_LAUNCH
    return Ceilings(
        device=backend.about.device, backend=backend.about.name, why=why, **fields
    )  # fmt: skip


class _Gauge:
    """One opened backend with the time that a part may take."""

    def __init__(self, backend: Backend, opening: Opening, seconds: float) -> None:
        self._backend = backend
        self._opening = opening
        self._seconds = seconds
        # A scripted wait passes the time of one call, whatever was issued before it.
        self._queued = QUEUED if opening.real else 1

    def product(self, precision: str, why: dict[str, str]) -> dict[str, float]:
        """Return the best operations a second of square products, each size 2 n^3.

        Sizes grow until the next product would take longer than the part may. Each is told under
        what it was truly computed in, which its error says; `why` gets the reason where that is
        not what was asked for.
        """
        short: tuple[type[BaseException], ...] = (MemoryError, *self._opening.out_of_memory)
        best: dict[str, float] = {}
        predicted_s, begun = 0.0, False
        for n in PRODUCT_SIZES:
            if begun and predicted_s > self._seconds:
                break
            self._backend.begin_case(f"ceiling-{precision}", n)
            try:
                product = partial(
                    self._opening.xp.matmul, self._matrix(n, precision), self._matrix(n, precision)
                )
                call_s = self._best(product)
                error = self._error(product(), n, precision)
            except short:
                # A larger product than the memory holds takes nothing back from the smaller ones.
                if not begun:
                    raise
                break
            begun, predicted_s = True, 8 * call_s
            truly = true_product.computed_in(error, precision)
            if truly != precision:
                why[precision] = true_product.said(error, precision, truly)
            if truly is not None:
                best[truly] = max(best.get(truly, 0.0), 2.0 * n**3 / call_s)
        return best

    def _error(self, made: Any, n: int, precision: str) -> float:  # noqa: ANN401  the library's own
        """Return the relative error of some rows of a product, against float64."""
        from breakeven.stats.agreement import relative_error  # noqa: PLC0415  it loads NumPy

        plain = self._opening.plain or (lambda array: array)
        rows = plain(self._backend.to_host(made[true_product.sampled(n)]))
        return relative_error(rows, true_product.exact_rows(_block(precision), n))

    def memory(self, extent: int) -> float:
        """Return the best bytes a second, read and written, of a sum and of a scaling.

        The sum reads two arrays and writes a third, the scaling reads one and writes one, as in
        STREAM (McCalpin 1995); lines that a CPU fetches before it writes them are not counted.
        """
        xp, count = self._opening.xp, max(BLOCK, extent // ITEM)
        self._backend.begin_case("ceiling-memory", extent)
        block = self._backend.to_device(_random(BLOCK, "float32"))
        a = xp.tile(block, (-(-count // BLOCK),))
        b, out = xp.tile(block, (-(-count // BLOCK),)), xp.tile(block, (-(-count // BLOCK),))
        size = float(a.shape[0] * ITEM)
        total = self._best(lambda: xp.add(a, b, out=out), self._queued)
        scaled = self._best(lambda: xp.multiply(a, 0.5, out=out), self._queued)
        return max(3 * size / total, 2 * size / scaled)

    def link(self) -> tuple[LinkRate, ...]:
        """Return the best rates of copies by size, pageable and page-locked, each way."""
        return tuple(self._copies(size) for size in COPY_SIZES)

    def _copies(self, size: int) -> LinkRate:
        self._backend.begin_case("ceiling-link", size)
        host = _random(size // ITEM, "float32")
        there = self._backend.to_device(host)
        calls: dict[str, Call] = {
            "to_device": lambda: self._backend.to_device(host),
            "to_host": lambda: self._backend.to_host(there),
        }
        if (tools := self._opening.device_clock) is not None:
            calls["to_device_pinned"] = tools.sending(host)
            calls["to_host_pinned"] = tools.landing(there)
        part = self._seconds / (len(calls) * len(COPY_SIZES))
        rates = {name: size / self._best(call, seconds=part) for name, call in calls.items()}
        return LinkRate(bytes=size, **rates)

    def launch(self) -> tuple[float, float]:
        """Return the host seconds of issuing the smallest kernel, and of waiting for nothing.

        An empty kernel where the backend lends one, else a sum of one element.
        """
        xp, clock = self._opening.xp, self._opening.clock
        self._backend.begin_case("ceiling-launch", 1)
        one = self._backend.to_device(_random(1, "float32"))
        out = xp.add(one, one)
        tools = self._opening.device_clock
        issue: Call = (lambda: xp.add(one, one, out=out)) if tools is None else tools.empty
        issue()
        self._backend.synchronise()
        issued = []
        with no_collection():
            for _ in range(max(3, int(self._seconds / 2e-2))):
                begin = clock()
                for _ in range(ISSUED):
                    issue()
                issued.append((clock() - begin) / ISSUED)
                self._backend.synchronise()
        waits = repeats(lambda: None, self._backend.synchronise, clock, self._seconds / 20)
        return min(issued), statistics.median(waits)

    def _matrix(self, n: int, precision: str) -> Any:  # noqa: ANN401  the library's own
        """Return an n x n matrix of random values on the device, made of random blocks."""
        block = _block(precision)
        if precision not in AS_MADE:
            if self._opening.cast is None:
                raise NotImplementedError(f"this backend is not made for {precision}")
            block = self._opening.cast(block)
        block = self._backend.to_device(block)
        return self._opening.xp.tile(block, (n // BLOCK, n // BLOCK))

    def _best(self, call: Call, calls: int = 1, *, seconds: float | None = None) -> float:
        """Return the shortest time of one call among repeats, after one that warms up."""
        wait, clock = self._backend.synchronise, self._opening.clock
        repeated = _several(call, calls)
        repeated()
        wait()
        part = self._seconds / len(PRODUCT_SIZES) if seconds is None else seconds
        times = repeats(repeated, wait, clock, part)
        return max(min(times) / calls, 1e-12)


def _several(call: Call, calls: int) -> Callable[[], None]:
    def repeated() -> None:
        for _ in range(calls):
            call()

    return repeated


def _block(precision: str) -> Any:  # noqa: ANN401  a NumPy array
    """Return the values that a matrix repeats, as they are before a cast."""
    return _random(BLOCK * BLOCK, precision).reshape(BLOCK, BLOCK)


def _random(count: int, precision: str) -> Any:  # noqa: ANN401  a NumPy array
    """Return standard normal values: zeros are multiplied with less power than any others."""
    import numpy as np  # noqa: PLC0415  after the backend was opened

    rng = np.random.default_rng(SEED)
    if precision == "float64":
        return rng.standard_normal(count)
    return np.resize(rng.standard_normal(min(count, 1 << 20), dtype=np.float32), count)
