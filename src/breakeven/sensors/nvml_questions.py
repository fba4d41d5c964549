"""What is asked of NVML about one GPU, how often, and what an answer means."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from breakeven.errors import UnavailableError
from breakeven.model.machine import Gpu
from breakeven.model.sensing import Absent
from breakeven.sensors.base import Sample, Tier
from breakeven.sensors.thrift import Asked

# The bindings have no types, and tests hand in recorded answers.
NvmlAnswer: TypeAlias = Any
Ask = Callable[[], list[Sample]]

# Field numbers that have been the same since each came in; the bindings' names for others have
# pointed elsewhere in some driver versions.
ENERGY, AVERAGE, INSTANT, TO_HOST, TO_DEVICE = 83, 185, 186, 197, 198
# Places of a value in the union that a field is answered with, by the type named beside it.
MEMBERS = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")
NARROW = (1, 5, 6)
"""Types of 32 bits and less."""
POLICIES = {"power_cap": 0, "thermal": 1, "board_limit": 3}
"""NVML's performance policies, whose violations are counted in nanoseconds."""
POWER_SAMPLES = 0
OLDEST_S = 30.0
"""The driver's buffer holds a few seconds; a sample that seems older has another clock."""
_UNTOLD = "the driver does not tell it on this device"
_WRAPS = "the driver counts in 32 bits, which wraps between two readings"
_SECOND = "the driver does not tell the power of the moment; {name} holds {what}"
_FASTER = "the driver's figure grows faster than time: it is no count of seconds"


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
        self.asked = Asked(period_s)
        self.failures = 0
        self.since_s: float | None = None


class _Device:
    """What is known of the device while the questions are put together."""

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
            self.absent += [_absent(sensor, error) for sensor in sensors]
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


def of(
    gpu: Gpu, library: NvmlAnswer, periods: Mapping[Tier, float], clock: Callable[[], float]
) -> tuple[list[Question], list[Absent]]:
    """Return what can be asked about a GPU, with the reasons for what cannot.

    ``nvmlDeviceGetPcieThroughput`` is not among it: it waits for 20 ms, and sees no more than that.

    Raises
    ------
    Exception
        Of the library, when the device cannot be found.
    """
    device = _Device(gpu, library, periods, clock)
    _power_and_energy(device)
    _use(device)
    _heat(device)
    _copies(device)
    _held(device)
    _history(device)
    _ends(device)
    return device.questions, device.absent


def _power_and_energy(device: _Device) -> None:
    """Ask for both in one call where fields hold both: it costs a tenth of two calls."""
    fields: dict[str, tuple[int, float]] = {}
    why: list[str] = []
    if _works(lambda: device.field(INSTANT)):
        fields["power_w"] = (INSTANT, 1e-3)
    elif _works(lambda: device.field(AVERAGE)):
        fields["power_average_w"] = (AVERAGE, 1e-3)
        why.append(_SECOND.format(name=f"{device.name}.power_average_w", what="its average"))
    else:
        call = device.call("nvmlDeviceGetPowerUsage")
        if device.one("fast", "power_plain_w", lambda: call() / 1000):
            told = "an average on newer GPUs, the moment on older ones"
            why.append(_SECOND.format(name=f"{device.name}.power_plain_w", what=told))
    device.absent += [Absent(sensor=f"{device.name}.power_w", why=text) for text in why]
    if _works(lambda: device.field(ENERGY)):
        fields["energy_j"] = (ENERGY, 1e-3)
    else:
        energy = device.call("nvmlDeviceGetTotalEnergyConsumption")
        device.one("fast", "energy_j", lambda: energy() / 1000)
    if fields:
        device.add("fast", list(fields), lambda: _fields(device, fields))


def _fields(device: _Device, wanted: Mapping[str, tuple[int, float]]) -> list[Sample]:
    numbers = [number for number, _ in wanted.values()]
    answers = device.nvml.nvmlDeviceGetFieldValues(device.board, numbers)
    return [
        Sample(f"{device.name}.{name}", device.told(answer)[0] * scale)
        for (name, (_, scale)), answer in zip(wanted.items(), answers, strict=True)
    ]


def _use(device: _Device) -> None:
    """Ask what is in use: share of time with a kernel, with memory traffic; bytes; clocks; why."""
    nvml, name = device.nvml, device.name
    rates = device.call("nvmlDeviceGetUtilizationRates")

    def use() -> list[Sample]:
        found = rates()
        return [
            Sample(f"{name}.utilisation_share", found.gpu / 100),
            Sample(f"{name}.memory_busy_share", found.memory / 100),
        ]

    def memory() -> float:
        # The second form, whose `used` leaves out what the driver reserves.
        return float(nvml.nvmlDeviceGetMemoryInfo(device.handle, version=nvml.nvmlMemory_v2).used)

    device.add("fast", ["utilisation_share", "memory_busy_share"], use)
    device.one("fast", "memory_bytes", memory)
    device.one("fast", "sm_clock_mhz", _number(device, "nvmlDeviceGetClockInfo", 1))
    device.one("fast", "memory_clock_mhz", _number(device, "nvmlDeviceGetClockInfo", 2))
    for call in (
        "nvmlDeviceGetCurrentClocksEventReasons",
        "nvmlDeviceGetCurrentClocksThrottleReasons",
    ):
        if _works(device.call(call)):
            device.one("fast", "held_by", _number(device, call))
            return
    device.absent.append(Absent(sensor=f"{name}.held_by", why=_UNTOLD))


def _heat(device: _Device) -> None:
    device.one("slow", "temperature_c", _number(device, "nvmlDeviceGetTemperature", 0))
    # Newer GPUs tell how far they are from slowing down, rather than at how many degrees they do.
    device.one("slow", "temperature_margin_c", _number(device, "nvmlDeviceGetMarginTemperature"))


def _copies(device: _Device) -> None:
    """Ask how many bytes went over PCIe; sent and received are told from the GPU's side."""
    for name, number in (("to_device_bytes", TO_DEVICE), ("to_host_bytes", TO_HOST)):
        try:
            _, kind = device.field(number)
        except Exception as error:  # noqa: BLE001  as in `add`
            device.absent.append(_absent(f"{device.name}.{name}", error))
            continue
        if kind in NARROW:
            device.absent.append(Absent(sensor=f"{device.name}.{name}", why=_WRAPS))
            continue
        device.one("slow", name, _later_of(device, number))
    device.one("slow", "processes", _processes(device))


def _later_of(device: _Device, number: int) -> Callable[[], float]:
    return lambda: device.field(number)[0]


def _processes(device: _Device) -> Callable[[], float]:
    def ask() -> float:
        return float(len(device.nvml.nvmlDeviceGetComputeRunningProcesses(device.handle)))

    return ask


def _held(device: _Device) -> None:
    """Ask for how long clocks were held down, by cause: the mask misses what is over in between."""
    for name, policy in POLICIES.items():
        device.one("slow", f"held_{name}_total_s", _Seconds(device, policy))


class _Seconds:
    """A count of nanoseconds; one that outruns the clock is something else, and raises."""

    def __init__(self, device: _Device, policy: int) -> None:
        self._ask = device.call("nvmlDeviceGetViolationStatus", policy)
        self._clock = device.clock
        self._first: tuple[float, float] | None = None

    def __call__(self) -> float:
        now = self._clock()
        seconds = float(self._ask().violationTime) / 1e9
        if self._first is None:
            self._first = (now, seconds)
        # The counter may be a second behind, and catch up at once.
        if seconds - self._first[1] > 1.1 * (now - self._first[0]) + 2.0:
            raise UnavailableError(_FASTER)
        return seconds


def _history(device: _Device) -> None:
    """Ask for the power samples that the driver keeps itself, which lie closer than ours."""
    device.add("slow", ["power_history_w"], _History(device))


class _History:
    """Gives each sample of the driver's buffer once, at its own time."""

    def __init__(self, device: _Device) -> None:
        self._device = device
        self._seen = 0
        self._probed = False

    def __call__(self) -> list[Sample]:
        nvml, device = self._device.nvml, self._device
        try:
            kind, samples = nvml.nvmlDeviceGetSamples(device.board, POWER_SAMPLES, self._seen)
        except Exception as error:
            if self._probed and type(error).__name__ == "NVMLError_NotFound":
                # Nothing has come in since.
                return []
            raise
        if not self._probed:
            # What lies in the buffer before the recording begins is no part of it.
            self._probed = True
            self._seen = max((int(s.timeStamp) for s in samples), default=0)
            return []
        now = device.clock()
        # The driver's stamps are of the calendar's clock, in microseconds.
        shift = now - time.clock_gettime(time.CLOCK_REALTIME)
        found = []
        for sample in samples:
            stamp = int(sample.timeStamp)
            t_s = stamp / 1e6 + shift
            if stamp > self._seen and now - OLDEST_S < t_s <= now:
                watts = float(getattr(sample.sampleValue, MEMBERS[kind])) / 1000
                found.append(Sample(f"{device.name}.power_history_w", watts, t_s))
        self._seen = max((int(s.timeStamp) for s in samples), default=self._seen)
        return found


def _ends(device: _Device) -> None:
    """Ask what hardly changes: limits and the link as it is under this load."""
    watts = device.call("nvmlDeviceGetEnforcedPowerLimit")
    device.one("ends", "power_limit_w", lambda: watts() / 1000)
    device.one("ends", "link_generation", _number(device, "nvmlDeviceGetCurrPcieLinkGeneration"))
    device.one("ends", "link_width", _number(device, "nvmlDeviceGetCurrPcieLinkWidth"))


def _number(device: _Device, question: str, *arguments: NvmlAnswer) -> Callable[[], float]:
    call = device.call(question, *arguments)
    return lambda: float(call())


def _works(ask: Callable[[], object]) -> bool:
    try:
        ask()
    except Exception:  # noqa: BLE001  as in `add`
        return False
    return True


def _absent(sensor: str, error: Exception) -> Absent:
    if type(error).__name__ == "NVMLError_NoPermission":
        return Absent(
            sensor=sensor,
            why="this user may not ask the driver for it",
            fix="ask the administrator, or run where profiling is open to all users",
        )
    return Absent(sensor=sensor, why=_UNTOLD)
