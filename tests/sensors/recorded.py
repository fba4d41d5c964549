"""A stand-in for the driver's bindings that plays recorded answers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


class NVMLError(Exception):
    """Base of the driver's errors."""


class NVMLError_LibraryNotFound(NVMLError):  # noqa: N801, N818  the library's own name
    """There is no driver."""


class NVMLError_DriverNotLoaded(NVMLError):  # noqa: N801, N818  the library's own name
    """There is a driver, and it does not run."""


class NVMLError_NoPermission(NVMLError):  # noqa: N801, N818  the library's own name
    """This user may not ask."""


class NVMLError_NotSupported(NVMLError):  # noqa: N801, N818  the library's own name
    """This device does not know."""


class NVMLError_Unknown(NVMLError):  # noqa: N801, N818  the library's own name
    """Something else."""


H200 = {
    "UUID": "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6",
    "Name": "NVIDIA H200",
    "CudaComputeCapability": (9, 0),
    "EnforcedPowerLimit": 700_000,
    "MaxClockInfo": 1980,
    "MaxPcieLinkGeneration": 5,
    "MaxPcieLinkWidth": 16,
    "MigMode": (0, 0),
    "memory": (150_754_820_096, 1_200_000_000),
    "pids": (),
    "clock 1": 1965,
    "clock 2": 3201,
    "Temperature": 41,
    "PowerUsage": 312_500,
    "field 186": (0, 455_250),
    "CurrentClocksEventReasons": 0x4,
}


class Recorded:
    """Answers like ``pynvml`` for the devices given; what a device does not hold is unsupported.

    Parameters
    ----------
    devices : dict
        Answers of each device by the end of the question's name.
    init_error : Exception, optional
        What the driver says when it is asked for at all.
    """

    NVMLError = NVMLError
    NVML_SUCCESS = 0
    NVML_CLOCK_SM = 1
    NVML_CLOCK_MEM = 2
    NVML_TEMPERATURE_GPU = 0
    NVML_FI_DEV_POWER_INSTANT = 186
    NVML_DEVICE_MIG_ENABLE = 1
    nvmlMemory_v2 = 33554472  # noqa: N815  the library's own name

    def __init__(self, *devices: dict[str, Any], init_error: Exception | None = None) -> None:
        self.devices = devices
        self.init_error = init_error
        self.open = 0
        self.loads = 0

    def nvmlInit(self) -> None:  # noqa: N802  the library's own name
        """Open a session, as often as it is asked for."""
        if self.init_error is not None:
            raise self.init_error
        self.open += 1
        self.loads += 1

    def nvmlShutdown(self) -> None:  # noqa: N802  the library's own name
        """Close a session."""
        self.open -= 1

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  any question
        """Return the question called `name`, which checks that a session is open."""

        def ask(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401  any answer
            assert self.open == 1, f"{name} was asked outside a session"
            return self.answer(name.removeprefix("nvml"), arguments, options)

        return ask

    def answer(self, name: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:  # noqa: ANN401, PLR0911  any answer
        """Return the recorded answer to one question."""
        if name == "SystemGetDriverVersion":
            return b"580.159.04"
        if name == "SystemGetCudaDriverVersion":
            return 13000
        if name == "DeviceGetCount":
            return len(self.devices)
        if name == "DeviceGetHandleByIndex":
            return self.devices[arguments[0]]
        if name == "DeviceGetHandleByUUID":
            return self.by_uuid(arguments[0])
        device = arguments[0]
        if name == "DeviceGetMigDeviceHandleByIndex":
            return self.known(device["parts"], arguments[1])
        if name == "DeviceGetMemoryInfo":
            assert options == {"version": self.nvmlMemory_v2}, (
                "the first form counts reserved memory"
            )
            total, used = self.known(device, "memory")
            return SimpleNamespace(total=total, used=used)
        if name == "DeviceGetComputeRunningProcesses":
            return [SimpleNamespace(pid=pid) for pid in self.known(device, "pids")]
        return self.reading(device, name.removeprefix("DeviceGet"), arguments[1:])

    def reading(self, device: dict[str, Any], name: str, which: tuple[Any, ...]) -> Any:  # noqa: ANN401  any answer
        """Return what a device says of itself; some questions say which of several is meant."""
        if name == "ClockInfo":
            return self.known(device, f"clock {which[0]}")
        if name == "FieldValues":
            status, value = self.known(device, f"field {which[0][0]}")
            return [SimpleNamespace(nvmlReturn=status, value=SimpleNamespace(uiVal=value))]
        return self.known(device, name)

    def by_uuid(self, uuid: str) -> dict[str, Any]:
        """Return the device with this UUID."""
        for device in self.devices:
            for one in (device, *device.get("parts", {}).values()):
                if one["UUID"] == uuid:
                    return one
        raise NVMLError_NotSupported

    def known(self, answers: dict[Any, Any], key: object) -> Any:  # noqa: ANN401  any answer
        """Return an answer, or raise what the driver raises without one."""
        if key not in answers:
            raise NVMLError_NotSupported
        return answers[key]
