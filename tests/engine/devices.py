"""A device that is not there: streams, events and a blocker on one clock that nothing else moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from breakeven.backends.device_clock import DeviceClock


class Mark(NamedTuple):
    """An event: when its stream reaches it."""

    at_s: float


class Device:
    """A host and a device that take the times they are told.

    Work is issued at the host's time, and begins when its stream is free. Events stand on the
    main stream. `log` holds what was asked for, in order.

    Parameters
    ----------
    issue_s : float
        Host seconds of one launch.
    fault : str or None
        What ends a capture.
    """

    def __init__(self, issue_s: float = 1e-5, fault: str | None = None) -> None:
        self.now = 0.0
        self.log: list[str] = []
        self.holds: list[float] = []
        self.captures = 0
        self._issue_s = issue_s
        self._fault = fault
        self._free: dict[str, float] = {}

    @property
    def tools(self) -> DeviceClock:
        """What a backend would lend of this device."""
        return DeviceClock(
            hold=self._hold,
            mark=self._mark,
            passed=self._passed,
            between=lambda begin, end: end.at_s - begin.at_s,
            empty=lambda: self.launch(2e-6),
            capture=self._capture,
            sending=self._sending,
            landing=self._landing,
            l2_bytes=1 << 16,
        )

    def clock(self) -> float:
        """Return the host's time."""
        return self.now

    def launch(self, seconds: float, stream: str = "main") -> None:
        """Issue work of so many seconds."""
        self.now += self._issue_s
        self._free[stream] = max(self._free.get(stream, 0.0), self.now) + seconds

    def wait(self) -> None:
        """Wait for all streams."""
        self.log.append("wait")
        self.now = max([self.now, *self._free.values()])

    def work(
        self, seconds: float, *, waits: bool = False, stream: str = "main", kernels: int = 1
    ) -> Callable[[], None]:
        """Return a call of `kernels` launches; one that `waits` reads its result back."""

        def call() -> None:
            self.log.append("call")
            for _ in range(kernels):
                self.launch(seconds / kernels, stream)
            if waits:
                self.now = max(self.now, self._free[stream])

        return call

    def _hold(self, seconds: float) -> None:
        self.log.append("hold")
        self.holds.append(seconds)
        self.launch(seconds)

    def _mark(self) -> Mark:
        self.log.append("mark")
        return Mark(max(self._free.get("main", 0.0), self.now))

    def _passed(self, mark: Mark) -> bool:
        self.log.append("passed?")
        return mark.at_s <= self.now

    def _capture(self, call: Callable[[], object]) -> Callable[[], object]:
        self.log.append("capture")
        self.captures += 1
        if self._fault is not None:
            try:
                raise RuntimeError(self._fault)
            finally:
                # What ends a capture that failed says less than what failed.
                raise RuntimeError("the capture was invalidated") from None
        now, free, said = self.now, dict(self._free), len(self.log)
        answer = call()
        # Nothing is done while a call is recorded: neither clock has moved.
        self.now, self._free = now, free
        del self.log[said:]
        replayed = self.work(3e-6)

        def replay() -> object:
            replayed()
            return answer

        return replay

    def _sending(self, array: Any) -> Callable[[], object]:  # noqa: ANN401  an array
        self.log.append("sending")
        locked = array.copy()

        def send() -> object:
            self.now += 5e-4
            return locked.copy()

        return send

    def _landing(self, array: Any) -> Callable[[], object]:  # noqa: ANN401  an array
        self.log.append("landing")
        buffer = np.empty_like(array)

        def land() -> None:
            buffer[...] = array
            self.now += 1e-3

        return land
