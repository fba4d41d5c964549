"""What is asked of NVML about one GPU, how often, and what an answer means."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from breakeven.errors import UnavailableError
from breakeven.model.machine import Gpu
from breakeven.model.sensing import Absent
from breakeven.sensors.base import Sample, Tier
from breakeven.sensors.nvml_device import (
    MEMBERS,
    UNTOLD,
    Device,
    NvmlAnswer,
    Question,
    absence,
    works,
)

# Field numbers that have been the same since each came in; the bindings' names for others have
# pointed elsewhere in some driver versions.
ENERGY, AVERAGE, INSTANT, TO_HOST, TO_DEVICE = 83, 185, 186, 197, 198
NARROW = (1, 5, 6)
"""Types of 32 bits and less."""
POLICIES = {"power_cap": (0, 74), "thermal": (1, 75), "board_limit": (3, 77)}
"""NVML's performance policies, whose violations are counted in nanoseconds, with the fields that
hold the same where the call is not answered."""
POWER_SAMPLES = 0
OLDEST_S = 30.0
"""The driver's buffer holds a few seconds; a sample that seems older has another clock."""
_WRAPS = "the driver counts in 32 bits, which wraps between two readings"
_SECOND = "the driver does not tell the power of the moment; {name} holds {what}"
_HIDDEN = "the driver listed no process; in a container or a virtual machine it may hide them"
_FASTER = "the driver's figure grows faster than time: it is no count of seconds"


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
    device = Device(gpu, library, periods, clock)
    _power_and_energy(device)
    _use(device)
    _heat(device)
    _copies(device)
    _held(device)
    _history(device)
    _ends(device)
    return device.questions, device.absent


def _power_and_energy(device: Device) -> None:
    """Ask for both in one call where fields hold both: it costs a tenth of two calls."""
    fields: dict[str, tuple[int, float]] = {}
    why: list[str] = []
    if works(lambda: device.field(INSTANT)):
        fields["power_w"] = (INSTANT, 1e-3)
    elif works(lambda: device.field(AVERAGE)):
        fields["power_average_w"] = (AVERAGE, 1e-3)
        why.append(_SECOND.format(name=f"{device.name}.power_average_w", what="its average"))
    else:
        call = device.call("nvmlDeviceGetPowerUsage")
        if device.one("fast", "power_plain_w", lambda: call() / 1000):
            told = "an average on newer GPUs, the moment on older ones"
            why.append(_SECOND.format(name=f"{device.name}.power_plain_w", what=told))
    device.absent += [Absent(sensor=f"{device.name}.power_w", why=text) for text in why]
    if works(lambda: device.field(ENERGY)):
        fields["energy_j"] = (ENERGY, 1e-3)
    else:
        energy = device.call("nvmlDeviceGetTotalEnergyConsumption")
        device.one("fast", "energy_j", lambda: energy() / 1000)
    if fields:
        device.add("fast", list(fields), lambda: _fields(device, fields))


def _fields(device: Device, wanted: Mapping[str, tuple[int, float]]) -> list[Sample]:
    numbers = [number for number, _ in wanted.values()]
    answers = device.nvml.nvmlDeviceGetFieldValues(device.board, numbers)
    return [
        Sample(f"{device.name}.{name}", device.told(answer)[0] * scale)
        for (name, (_, scale)), answer in zip(wanted.items(), answers, strict=True)
    ]


def _use(device: Device) -> None:
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
        if works(device.call(call)):
            device.one("fast", "held_by", _number(device, call))
            return
    device.absent.append(Absent(sensor=f"{name}.held_by", why=UNTOLD))


def _heat(device: Device) -> None:
    device.one("slow", "temperature_c", _number(device, "nvmlDeviceGetTemperature", 0))
    # Newer GPUs tell how far they are from slowing down, rather than at how many degrees they do.
    device.one("slow", "temperature_margin_c", _number(device, "nvmlDeviceGetMarginTemperature"))


def _copies(device: Device) -> None:
    """Ask how many bytes went over PCIe; sent and received are told from the GPU's side."""
    for name, number in (("to_device_bytes", TO_DEVICE), ("to_host_bytes", TO_HOST)):
        try:
            _, kind = device.field(number)
        except Exception as error:  # noqa: BLE001  whatever the binding raises is the reason told
            device.absent.append(absence(f"{device.name}.{name}", error))
            continue
        if kind in NARROW:
            device.absent.append(Absent(sensor=f"{device.name}.{name}", why=_WRAPS))
            continue
        device.one("slow", name, _later_of(device, number))
    _processes(device)


def _later_of(device: Device, number: int) -> Callable[[], float]:
    return lambda: device.field(number)[0]


def _processes(device: Device) -> None:
    """Ask how many processes compute; an empty list is no count until one was ever seen."""
    name = f"{device.name}.processes"
    unseen = Absent(sensor=name, why=_HIDDEN)
    seen = False

    def ask() -> list[Sample]:
        nonlocal seen
        count = len(device.nvml.nvmlDeviceGetComputeRunningProcesses(device.handle))
        if count and not seen:
            seen = True
            device.absent[:] = [a for a in device.absent if a is not unseen]
        return [Sample(name, float(count))] if seen else []

    if device.add("slow", ["processes"], ask) and not seen:
        device.absent.append(unseen)


def _held(device: Device) -> None:
    """Ask for how long clocks were held down, by cause: the mask misses what is over in between."""
    for name, (policy, number) in POLICIES.items():
        call = device.call("nvmlDeviceGetViolationStatus", policy)
        by_call, by_field = _violation_of(call), _later_of(device, number)
        count = by_call if works(by_call) or not works(by_field) else by_field
        device.one("slow", f"held_{name}_total_s", _Seconds(count, device.clock))


def _violation_of(call: Callable[[], NvmlAnswer]) -> Callable[[], float]:
    return lambda: float(call().violationTime)


class _Seconds:
    """A count of nanoseconds; one that outruns the clock is something else, and raises."""

    def __init__(self, count: Callable[[], float], clock: Callable[[], float]) -> None:
        self._count, self._clock = count, clock
        self._first: tuple[float, float] | None = None

    def __call__(self) -> float:
        now = self._clock()
        seconds = self._count() / 1e9
        if self._first is None:
            self._first = (now, seconds)
        # The counter may be a second behind, and catch up at once.
        if seconds - self._first[1] > 1.1 * (now - self._first[0]) + 2.0:
            raise UnavailableError(_FASTER)
        return seconds


def _history(device: Device) -> None:
    """Ask for the power samples that the driver keeps itself, which lie closer than ours."""
    device.add("slow", ["power_history_w"], _History(device))


class _History:
    """Gives each sample of the driver's buffer once, at its own time."""

    def __init__(self, device: Device) -> None:
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


def _ends(device: Device) -> None:
    """Ask what hardly changes: limits and the link as it is under this load."""
    watts = device.call("nvmlDeviceGetEnforcedPowerLimit")
    device.one("ends", "power_limit_w", lambda: watts() / 1000)
    device.one("ends", "link_generation", _number(device, "nvmlDeviceGetCurrPcieLinkGeneration"))
    device.one("ends", "link_width", _number(device, "nvmlDeviceGetCurrPcieLinkWidth"))


def _number(device: Device, question: str, *arguments: NvmlAnswer) -> Callable[[], float]:
    call = device.call(question, *arguments)
    return lambda: float(call())
