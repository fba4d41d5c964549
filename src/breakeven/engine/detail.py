"""What is measured of a case beside its slots: clocks of the device, locked copies, cold caches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from breakeven.backends.base import Backend, Opening
from breakeven.backends.found import first_line
from breakeven.engine.cold_caches import Rate, cold_times, copy_rate
from breakeven.engine.device_times import Queue, other_stream
from breakeven.engine.messages import Ready, SetUp
from breakeven.engine.page_locked import Copies, page_locked
from breakeven.model.run import CacheTimes, DeviceTimes
from breakeven.workloads.base import Answer

Part = TypeVar("Part")
Inputs = tuple[Any, ...]


class Detail:
    """Measures the parts of cases of one worker, each within its share of time.

    A part that fails says why, and the case goes on: none of them decides anything.
    """

    def __init__(self, backend: Backend, opening: Opening) -> None:
        self._backend = backend
        self._opening = opening
        self._rates: dict[int, Rate] = {}

    def added(
        self,
        ready: Ready,
        request: SetUp,
        call: Callable[[Inputs], Answer],
        host: Inputs,
        device: Inputs,
    ) -> Ready:
        """Return a reply with the parts that were asked for.

        Parameters
        ----------
        call : callable
            The work, given its inputs on the device.
        host, device : tuple of array
            Its inputs on both sides.
        """
        if not request.parts or request.detail_s <= 0:
            return ready
        times, copies = None, Copies()
        if self._opening.device_clock is not None:
            times = self._device_times(ready, lambda: call(device), request.detail_s)
            copies = self._copies(call, host, device, request.detail_s)
        caches = self._caches(call, host, device, request)
        self._backend.synchronise()
        return msgspec.structs.replace(
            ready,
            device=times,
            caches=caches,
            to_device_pinned_s=copies.to_device_s,
            to_host_pinned_s=copies.to_host_s,
            pinned_why=copies.why,
        )

    def _device_times(
        self, ready: Ready, call: Callable[[], object], budget_s: float
    ) -> DeviceTimes:
        tools, wait, clock = self._opening.device_clock, self._backend.synchronise, self._opening
        assert tools is not None
        known = DeviceTimes(latency_s=ready.device_s, issue_s=ready.issue_s)

        def measured() -> DeviceTimes:
            seen = other_stream(tools, call, wait, clock.clock, budget_s)
            if seen is not None:
                why = "events around the calls would not see work on another stream"
                return msgspec.structs.replace(known, other_stream=seen, queued_why=why)
            queue = Queue(tools, wait, clock.clock)
            queued = queue.seconds(call, ready.issue_s or ready.call_s, budget_s)
            return msgspec.structs.replace(known, queued_s=queued.seconds, queued_why=queued.why)

        return _or_why(
            measured, lambda why: msgspec.structs.replace(known, queued_why=f"it failed: {why}")
        )

    def _copies(
        self, call: Callable[[Inputs], Answer], host: Inputs, device: Inputs, seconds: float
    ) -> Copies:
        tools = self._opening.device_clock
        assert tools is not None

        def measured() -> Copies:
            results = call(device).arrays
            return page_locked(self._backend, self._opening, tools, host, results, seconds)

        return _or_why(measured, lambda why: Copies(why=why))

    def _caches(
        self, call: Callable[[Inputs], Answer], host: Inputs, device: Inputs, request: SetUp
    ) -> CacheTimes | None:
        """Time hot beside cold; None where the run does not ask for it on either side."""
        if not request.cold_caches:
            return None
        tools, size = self._opening.device_clock, request.cache_bytes
        if self._backend.about.device != "cpu":
            size = tools.l2_bytes if tools is not None else None
        if not self._opening.real:
            return None
        if size is None:
            return CacheTimes(why="the size of the last cache is not known")

        def rate() -> Rate:
            if size not in self._rates:
                self._rates[size] = copy_rate(self._backend, self._opening, size)
            return self._rates[size]

        def measured() -> CacheTimes:
            return cold_times(
                call, host, device, self._backend, self._opening,
                cache_bytes=size, rate=rate, seconds=request.detail_s,
            )  # fmt: skip

        return _or_why(measured, lambda why: CacheTimes(why=why))


def _or_why(measure: Callable[[], Part], otherwise: Callable[[str], Part]) -> Part:
    try:
        return measure()
    except Exception as error:  # noqa: BLE001  a library may raise anything; it is told as a reason
        return otherwise(first_line(error))
