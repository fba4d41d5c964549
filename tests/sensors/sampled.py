"""A stand-in for the driver's bindings whose GPU works, heats, copies, and may vanish."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from sensors.recorded import H200, NVMLError, NVMLError_NotSupported, Recorded

LONG = 3
"""NVML's type of a field of 64 bits without a sign."""
NARROW = 1


class NVMLError_GpuIsLost(NVMLError):  # noqa: N801, N818  the library's own name
    """The device has fallen off the bus."""


class NVMLError_NotFound(NVMLError):  # noqa: N801, N818  the library's own name
    """Nothing new is in the buffer."""


class Working(Recorded):
    """Answers like ``pynvml`` for GPUs that draw 400 W since the clock's zero.

    Parameters
    ----------
    clock : callable
        Seconds; what a question costs is added by `cost`.
    lacks : set of str or int
        Questions, and fields, that the device does not answer.
    narrow : set of int
        Fields that are told in 32 bits.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        lacks: set[str | int] | None = None,
        narrow: set[int] | None = None,
        devices: tuple[dict[str, Any], ...] = (H200 | {"pids": (4242,)},),
    ) -> None:
        super().__init__(*devices)
        self.clock, self.lacks, self.narrow = clock, lacks or set(), narrow or set()
        self.asked: list[str] = []
        self.fails: dict[str, Exception] = {}
        self.lost: Exception | None = None
        self.policy_scale = 1.0
        self.realtime = lambda: clock() + 1_700_000_000.0

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  any question
        """Return the question called `name`, which checks that a session is open."""

        def ask(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401  any answer
            assert self.open >= 1, f"{name} was asked outside a session"
            question = name.removeprefix("nvmlDeviceGet")
            self.asked.append(question)
            if self.lost is not None:
                raise self.lost
            if question in self.fails:
                raise self.fails[question]
            if question in self.lacks:
                raise NVMLError_NotSupported
            return self.answer(name.removeprefix("nvml"), arguments, options)

        return ask

    def reading(self, device: dict[str, Any], name: str, which: tuple[Any, ...]) -> Any:  # noqa: ANN401, PLR0911  any answer
        """Return what a working device says of itself."""
        now = self.clock()
        if name == "FieldValues":
            return [self.field(number, now) for number in which[0]]
        if name == "UtilizationRates":
            return SimpleNamespace(gpu=75, memory=30)
        if name == "ViolationStatus":
            # A tenth of the time at the power limit, never hot.
            share = 0.1 if which[0] == 0 else 0.0
            return SimpleNamespace(violationTime=int(now * share * 1e9 * self.policy_scale))
        if name == "TotalEnergyConsumption":
            return int(now * 400_000)
        if name == "MarginTemperature":
            return 46
        if name == "Samples":
            return self.samples(which[1], now)
        if name in {"CurrPcieLinkGeneration", "CurrPcieLinkWidth"}:
            return {"CurrPcieLinkGeneration": 5, "CurrPcieLinkWidth": 16}[name]
        return super().reading(device, name, which)

    def field(self, number: int, now: float) -> SimpleNamespace:
        """Return one field, with the type that it is told in."""
        if number in self.lacks:
            return SimpleNamespace(nvmlReturn=3, valueType=0, value=SimpleNamespace())
        value = {
            74: int(now * 0.2 * 1e9), 75: 0, 77: 0, 83: int(now * 400_000), 185: 390_000, 186: 400_000,
            197: int(now * 2e9), 198: int(now * 10e9),
        }[number]  # fmt: skip
        kind = NARROW if number in self.narrow else LONG
        member = "uiVal" if kind == NARROW else "ullVal"
        return SimpleNamespace(
            nvmlReturn=0, valueType=kind, value=SimpleNamespace(**{member: value})
        )

    def samples(self, seen: int, now: float) -> tuple[int, list[SimpleNamespace]]:
        """Return the driver's own power samples of the last two seconds, 20 ms apart."""
        newest = int(self.realtime() * 50)
        stamps = [n * 20_000 for n in range(newest - 100, newest + 1) if n * 20_000 > seen]
        if not stamps:
            raise NVMLError_NotFound
        del now
        return NARROW, [
            SimpleNamespace(timeStamp=s, sampleValue=SimpleNamespace(uiVal=400_000)) for s in stamps
        ]
