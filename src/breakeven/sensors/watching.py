"""One GPU as its driver sees it between slots: clocks, power, temperature, reasons, neighbours."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

from breakeven.errors import UnavailableError
from breakeven.model.held import reasons_of
from breakeven.model.run import GpuConditions
from breakeven.sensors.base import GpuWatch, Look
from breakeven.sensors.faults import explain
from breakeven.sensors.nvml import bindings
from breakeven.sensors.replay import VARIABLE, ReplayWatch, read_recording

# The bindings have no types, and tests hand in recorded answers.
NvmlAnswer: TypeAlias = Any


class NvmlWatch:
    """A session with NVML that stays open: opening one takes longer than all questions together.

    Parameters
    ----------
    uuid : str
        As in `Gpu.uuid`.
    library : module, optional
        Answers like ``pynvml``; imported when not given.

    Raises
    ------
    UnavailableError
        The bindings are missing, the driver refuses, or no device has that UUID.
    """

    def __init__(self, uuid: str, library: NvmlAnswer = None) -> None:
        self._nvml = bindings() if library is None else library
        try:
            self._nvml.nvmlInit()
        except self._nvml.NVMLError as error:
            raise UnavailableError(explain(error)) from error
        self._device = self._ask("nvmlDeviceGetHandleByUUID", uuid)
        if self._device is None:
            self.close()
            raise UnavailableError(f"the driver has no device {uuid}")
        # The parts of a divided GPU share clocks, power and temperature: those are the board's.
        part = self._ask("nvmlDeviceIsMigDeviceHandle", self._device)
        board = self._ask("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", self._device)
        self._board = board if part and board is not None else self._device

    def look(self, own_pids: Collection[int]) -> Look:
        """Return how the GPU is now."""
        nvml = self._nvml
        mask = self._reasons()
        memory = self._ask_memory()
        read = {
            "SM clock": self.sm_clock_mhz(),
            "memory clock": self._ask("nvmlDeviceGetClockInfo", self._board, nvml.NVML_CLOCK_MEM),
            "power": self._power_w(),
            "temperature": self._ask(
                "nvmlDeviceGetTemperature", self._board, nvml.NVML_TEMPERATURE_GPU
            ),
            "reasons of slow clocks": mask,
            "memory in use": None if memory is None else int(memory.used),
        }
        return Look(
            conditions=GpuConditions(
                sm_clock_mhz=_number(read["SM clock"]),
                memory_clock_mhz=_number(read["memory clock"]),
                power_w=_number(read["power"]),
                temperature_c=_number(read["temperature"]),
                reasons=None if mask is None else reasons_of(mask),
                others=self._others(own_pids),
            ),
            memory_used_bytes=read["memory in use"],
            unknown=tuple(name for name, value in read.items() if value is None),
        )

    def sm_clock_mhz(self) -> float | None:
        """Return the SM clock now."""
        return _number(self._ask("nvmlDeviceGetClockInfo", self._board, self._nvml.NVML_CLOCK_SM))

    def close(self) -> None:
        """End the session."""
        self._nvml.nvmlShutdown()

    def _reasons(self) -> int | None:
        """Return the mask of reasons, under the name that this driver has for it."""
        for name in (
            "nvmlDeviceGetCurrentClocksEventReasons",
            "nvmlDeviceGetCurrentClocksThrottleReasons",
        ):
            mask = self._ask(name, self._board)
            if mask is not None:
                return int(mask)
        return None

    def _power_w(self) -> float | None:
        """Return the power at this moment; where only its average over a second is told, that."""
        field = getattr(self._nvml, "NVML_FI_DEV_POWER_INSTANT", None)
        if field is not None:
            found = self._ask("nvmlDeviceGetFieldValues", self._board, [field])
            if found is not None and found[0].nvmlReturn == self._nvml.NVML_SUCCESS:
                return float(found[0].value.uiVal) / 1000
        milliwatts = self._ask("nvmlDeviceGetPowerUsage", self._board)
        return None if milliwatts is None else float(milliwatts) / 1000

    def _ask_memory(self) -> NvmlAnswer:
        # The second form, whose `used` leaves out what the driver reserves.
        nvml = self._nvml
        try:
            return nvml.nvmlDeviceGetMemoryInfo(self._device, version=nvml.nvmlMemory_v2)
        except Exception:  # noqa: BLE001  bindings older than this form raise what they like
            return None

    def _others(self, own_pids: Collection[int]) -> int | None:
        """Return how many processes that are not ours compute on the GPU.

        None when the driver's list does not name one of ours: it then counts in another process
        namespace, or hides processes, as virtual machines do, and an empty list proves nothing.
        """
        running = self._ask("nvmlDeviceGetComputeRunningProcesses", self._device)
        if running is None:
            return None
        pids, own = {int(process.pid) for process in running}, set(own_pids)
        return len(pids - own) if pids & own else None

    def _ask(self, question: str, *arguments: NvmlAnswer) -> NvmlAnswer:
        """Return the driver's answer; None when it does not know or does not support it."""
        ask: Callable[..., NvmlAnswer] | None = getattr(self._nvml, question, None)
        if ask is None:
            return None
        try:
            return ask(*arguments)
        except Exception:  # noqa: BLE001  bindings older or newer than the driver raise what they like
            return None


class NoWatch:
    """Stands for a GPU that cannot be looked at, with the reason.

    Parameters
    ----------
    why : str
        What to tell.
    """

    def __init__(self, why: str) -> None:
        self._why = why

    def look(self, own_pids: Collection[int]) -> Look:
        """Return nothing but the reason."""
        del own_pids
        return Look(why=self._why)

    def sm_clock_mhz(self) -> None:
        """Return that it is unknown."""
        return

    def close(self) -> None:
        """Do nothing: no session is open."""


def open_watch(uuid: str | None, environ: Mapping[str, str] = os.environ) -> GpuWatch:
    """Return what looks at a GPU; one that only gives a reason where none can.

    Parameters
    ----------
    uuid : str or None
        As in `Gpu.uuid`; None where the machine has no GPU that a driver knows.
    environ : mapping
        Where ``BREAKEVEN_REPLAY`` may name a recording that is played instead.

    Raises
    ------
    InputError
        If the recording cannot be read.
    """
    if name := environ.get(VARIABLE):
        return ReplayWatch(read_recording(name))
    if uuid is None:
        return NoWatch("no driver knows this device")
    try:
        return NvmlWatch(uuid)
    except UnavailableError as error:
        return NoWatch(str(error))


def _number(value: NvmlAnswer) -> float | None:
    return None if value is None else float(value)
