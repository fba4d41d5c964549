"""The device clock of PyTorch: its events, its spinning kernel, its graphs."""

from __future__ import annotations

from typing import Any

from breakeven.backends.device_clock import Call, DeviceClock

# Cycles of the kernel that tells how long a cycle lasts: half a millisecond, about.
CALIBRATION_CYCLES = 1_000_000
# A rate read while the clocks are still low would hold too short. No chip is quicker than this, and
# holding longer than was asked for does no harm.
LEAST_CYCLES_PER_S = 2.5e9
WARM_CALLS = 3


def torch_clock(torch: Any) -> DeviceClock:  # noqa: ANN401  a module
    """Return the tools of PyTorch's current CUDA device.

    Parameters
    ----------
    torch : module
        PyTorch, with a context on the device.
    """
    tools = _TorchTools(torch)
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    return DeviceClock(
        hold=tools.hold,
        mark=tools.mark,
        passed=lambda event: bool(event.query()),
        between=lambda begin, end: float(begin.elapsed_time(end)) * 1e-3,
        empty=tools.empty,
        capture=tools.capture,
        sending=tools.sending,
        landing=tools.landing,
        l2_bytes=getattr(properties, "L2_cache_size", None) or None,
    )


class _TorchTools:
    def __init__(self, torch: Any) -> None:  # noqa: ANN401  a module
        self._torch = torch
        self._cycles_per_s: float | None = None

    def mark(self) -> Any:  # noqa: ANN401  an event
        event = self._torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def empty(self) -> None:
        # The spinning kernel, told to spin for no cycle: one thread that ends at once.
        self._torch.cuda._sleep(0)  # noqa: SLF001  PyTorch has no public kernel without work

    def hold(self, seconds: float) -> None:
        """Spin for a number of cycles: bounded whatever the clock does meanwhile."""
        cycles = int(seconds * self._rate())
        self._torch.cuda._sleep(cycles)  # noqa: SLF001  PyTorch has no public kernel that waits

    def _rate(self) -> float:
        """Return cycles a second, read once between two events around the kernel itself."""
        if self._cycles_per_s is None:
            self.empty()
            begin = self.mark()
            self._torch.cuda._sleep(CALIBRATION_CYCLES)  # noqa: SLF001  as above
            end = self.mark()
            end.synchronize()
            took_s = float(begin.elapsed_time(end)) * 1e-3
            rate = CALIBRATION_CYCLES / took_s if took_s > 0 else 0.0
            self._cycles_per_s = max(rate, LEAST_CYCLES_PER_S)
        return self._cycles_per_s

    def capture(self, call: Call) -> Call:
        """Capture on a side stream; the graph keeps its memory in a pool of its own.

        The answer of the captured call is kept as long as what is returned: a replay writes there.
        """
        cuda = self._torch.cuda
        side = cuda.Stream()
        side.wait_stream(cuda.current_stream())
        with cuda.stream(side):
            for _ in range(WARM_CALLS):
                call()
        cuda.current_stream().wait_stream(side)
        graph = cuda.CUDAGraph()
        with cuda.graph(graph, stream=side):
            answer = call()

        def replay(kept: object = answer) -> object:
            graph.replay()
            return kept

        return replay

    def sending(self, array: Any) -> Call:  # noqa: ANN401  NumPy, or a tensor
        on_host = array if self._torch.is_tensor(array) else self._torch.from_numpy(array)
        locked = on_host.pin_memory()
        return lambda: locked.to("cuda", non_blocking=True)

    def landing(self, array: Any) -> Call:  # noqa: ANN401  a tensor
        buffer = self._torch.empty(
            tuple(array.shape), dtype=array.dtype, device="cpu", pin_memory=True
        )
        return lambda: buffer.copy_(array, non_blocking=True)
