"""One device of NVML, and the questions that it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from breakeven.model.machine import Gpu
from breakeven.model.sensing import Absent
from breakeven.sensors.base import Sample, Tier
from breakeven.sensors.thrift import Asked

# The bindings have no types, and tests hand in recorded answers.
NvmlAnswer: TypeAlias = Any
Ask = Callable[[], list[Sample]]

# Places of a value in the union that a field is answered with, by the type named beside it.
MEMBERS = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")
STEADY = frozenset({"power_w", "power_average_w", "power_plain_w", "energy_j"})
"""Read more rarely than ten times a second, no energy could be told from them."""
UNTOLD = "the driver does not tell it on this device"


class Question:
    """Something to ask again and again.

    Parameters
    ----------
    names : sequence of str
        The sensors that an answer is about.
    ask : callable
        Gives the readings, or raises what the bindings raise.
    """

    def __init__(self, names: Sequence[str], tier: Tier, period_s: float, ask: Ask) -> None:
        self.names, self.tier, self.ask = tuple(names), tier, ask
        steady = any(name.partition(".")[2] in STEADY for name in names)
        self.asked = Asked(period_s, steady=steady)
        self.failures = 0
        self.since_s: float | None = None


class Device:
    """What is asked, and why other things are not, while the questions are put together.

    Parameters
    ----------
    gpu : Gpu
        Found by its UUID.
    library : module
        Answers like ``pynvml``.
    periods : mapping
        Seconds between readings of each tier.
    clock : callable
        Seconds.
    """

    def __init__(
        self,
        gpu: Gpu,
        library: NvmlAnswer,
        periods: Mapping[Tier, float],
        clock: Callable[[], float],
    ) -> None:
        self.nvml, self.periods, self.clock = library, periods, clock
        self.name = f"gpu{gpu.index}"
        self.handle = library.nvmlDeviceGetHandleByUUID(gpu.uuid)
        self.board = self.handle
        if gpu.mig and gpu.uuid.startswith("MIG-"):
            # Power, clocks and heat are the whole board's, of which an instance is a part.
            self.board = library.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(self.handle)
        self.questions: list[Question] = []
        self.absent: list[Absent] = []

    def add(self, tier: Tier, names: Sequence[str], ask: Ask) -> bool:
        """Ask once; keep the question where it is answered, the reason where it is not."""
        sensors = [f"{self.name}.{name}" for name in names]
        try:
            ask()
        except Exception as error:  # noqa: BLE001  bindings older or newer than the driver raise what they like
            self.absent += [absence(sensor, error) for sensor in sensors]
            return False
        self.questions.append(Question(sensors, tier, self.periods[tier], ask))
        return True

    def one(self, tier: Tier, name: str, ask: Callable[[], float | None]) -> bool:
        """Add a question with one number for an answer."""
        sensor = f"{self.name}.{name}"
        return self.add(tier, [name], lambda: [Sample(sensor, ask())])

    def call(self, question: str, *arguments: NvmlAnswer) -> Callable[[], NvmlAnswer]:
        """Return a call of the library; one that it lacks raises when it is made."""

        def ask() -> NvmlAnswer:
            return getattr(self.nvml, question)(self.board, *arguments)

        return ask

    def field(self, number: int) -> tuple[float, int]:
        """Return value and type of a field; raise where it is not told."""
        return self.told(self.nvml.nvmlDeviceGetFieldValues(self.board, [number])[0])

    def told(self, field: NvmlAnswer) -> tuple[float, int]:
        """Return value and type that a field was answered with."""
        if field.nvmlReturn != self.nvml.NVML_SUCCESS:
            raise self.nvml.NVMLError(field.nvmlReturn)
        return float(getattr(field.value, MEMBERS[field.valueType])), int(field.valueType)


def works(ask: Callable[[], object]) -> bool:
    """Tell whether a question is answered now."""
    try:
        ask()
    except Exception:  # noqa: BLE001  bindings older or newer than the driver raise what they like
        return False
    return True


def absence(sensor: str, error: Exception) -> Absent:
    """Return why a sensor cannot be read, from what the bindings raised."""
    if type(error).__name__ == "NVMLError_NoPermission":
        return Absent(
            sensor=sensor,
            why="this user may not ask the driver for it",
            fix="ask the administrator, or run where profiling is open to all users",
        )
    return Absent(sensor=sensor, why=UNTOLD)
