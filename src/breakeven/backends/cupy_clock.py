"""The device clock of CuPy: its events, two kernels of our own, its graphs."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from breakeven.backends.device_clock import Call, DeviceClock

# The timer of the device counts nanoseconds. The rounds are counted too: should the timer ever
# stand still, the kernel ends all the same, since no round takes less than a nanosecond.
SOURCE = r"""
extern "C" __global__ void breakeven_hold(unsigned long long ns) {
    unsigned long long begin, now, rounds = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < ns && ++rounds < ns);
}
extern "C" __global__ void breakeven_empty() {}
"""
HOLD, EMPTY = "breakeven_hold", "breakeven_empty"
WARM_CALLS = 3


def cupy_clock(cupy: Any) -> DeviceClock:  # noqa: ANN401  a module
    """Return the tools of CuPy's current device; kernels are compiled when first used.

    Parameters
    ----------
    cupy : module
        CuPy, with a context on the device.
    """
    tools = _CupyTools(cupy)
    properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
    return DeviceClock(
        hold=tools.hold,
        mark=tools.mark,
        passed=lambda event: bool(event.done),
        between=lambda begin, end: float(cupy.cuda.get_elapsed_time(begin, end)) * 1e-3,
        empty=tools.empty,
        capture=tools.capture,
        sending=tools.sending,
        landing=tools.landing,
        l2_bytes=properties.get("l2CacheSize") or None,
    )


class _CupyTools:
    def __init__(self, cupy: Any) -> None:  # noqa: ANN401  a module
        self._cupy = cupy
        self._kernels: dict[str, Any] = {}

    def mark(self) -> Any:  # noqa: ANN401  an event
        event = self._cupy.cuda.Event()
        event.record()
        return event

    def empty(self) -> None:
        self._kernel(EMPTY)((1,), (1,), ())

    def hold(self, seconds: float) -> None:
        """Spin until the timer of the device says so; bounded by a count of rounds as well."""
        import numpy as np  # noqa: PLC0415  CuPy has brought it

        self._kernel(HOLD)((1,), (1,), (np.uint64(seconds * 1e9),))

    def _kernel(self, name: str) -> Any:  # noqa: ANN401  a kernel
        if not self._kernels:
            module = self._cupy.RawModule(code=SOURCE)
            self._kernels = {each: module.get_function(each) for each in (HOLD, EMPTY)}
        return self._kernels[name]

    def capture(self, call: Call) -> Call:
        """Capture on a side stream, whose part of the memory pool the warm calls have filled.

        The answer of the captured call is kept as long as what is returned: a replay writes there.
        """
        side = self._cupy.cuda.Stream(non_blocking=True)
        self._cupy.cuda.Device().synchronize()
        with side:
            for _ in range(WARM_CALLS):
                call()
            side.synchronize()
            side.begin_capture()
            try:
                answer = call()
            except BaseException:
                # A stream left in capture would refuse all later work. What the failed capture
                # itself says as it ends is less telling than what ended it.
                with suppress(Exception):
                    side.end_capture()
                raise
            graph = side.end_capture()

        def replay(kept: object = answer) -> object:
            graph.launch()
            return kept

        return replay

    def sending(self, array: Any) -> Call:  # noqa: ANN401  NumPy
        """Set a new array each time: `asarray` would copy through a buffer of its own first."""
        locked = self._locked(array)
        locked[...] = array

        def send() -> object:
            target = self._cupy.empty(locked.shape, dtype=locked.dtype)
            target.set(locked)
            return target

        return send

    def landing(self, array: Any) -> Call:  # noqa: ANN401  a CuPy array
        buffer = self._locked(array)
        return lambda: array.get(out=buffer)

    def _locked(self, array: Any) -> Any:  # noqa: ANN401  NumPy or CuPy in, NumPy out
        import cupyx

        return cupyx.empty_pinned(array.shape, dtype=array.dtype)
