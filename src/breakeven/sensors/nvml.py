"""NVIDIA GPUs as their management library (NVML) describes them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from breakeven.errors import UnavailableError
from breakeven.model.machine import Gpu
from breakeven.sensors.base import GpuFacts
from breakeven.sensors.faults import explain, explain_end
from breakeven.sensors.visible import Choice, choose

# The bindings have no types, and tests hand in recorded answers.
NvmlAnswer: TypeAlias = Any


class Nvml:
    """A session with NVML, for the length of each question.

    Parameters
    ----------
    library : module, optional
        Answers like ``pynvml``; imported when not given.
    environ : mapping, optional
        Where ``CUDA_VISIBLE_DEVICES`` is looked up; this process's when not given.

    Raises
    ------
    UnavailableError
        The Python bindings of NVML are not installed.
    """

    def __init__(
        self, library: NvmlAnswer = None, environ: Mapping[str, str] | None = None
    ) -> None:
        self._nvml = bindings() if library is None else library
        self._environ = os.environ if environ is None else environ
        self._refused: dict[str, None] = {}

    def read_gpus(self) -> GpuFacts:
        """Return the GPUs that this process may use, in CUDA's order."""
        try:
            self._nvml.nvmlInit()
        except self._nvml.NVMLError as error:
            return GpuFacts(reason=explain(error), error=type(error).__name__)
        try:
            return self._read()
        except self._nvml.NVMLError as error:
            return GpuFacts(reason=explain(error), error=type(error).__name__)
        finally:
            self._nvml.nvmlShutdown()

    def _read(self) -> GpuFacts:
        nvml = self._nvml
        driver = _text(self._ask(nvml.nvmlSystemGetDriverVersion))
        number = self._ask(nvml.nvmlSystemGetCudaDriverVersion)
        cuda = None if number is None else f"{number // 1000}.{number % 1000 // 10}"
        found = [
            (gpu, parent)
            for position in range(nvml.nvmlDeviceGetCount())
            for gpu, parent in self._devices(position)
        ]
        choice = choose([(gpu, parent) for gpu, parent in found], self._environ)
        return msgspec.structs.replace(
            _facts(choice, driver, cuda),
            uuids=tuple(gpu.uuid for gpu, _ in found),
            boards=tuple(dict.fromkeys(parent for _, parent in found)),
            refused=tuple(self._refused),
            vgpu=self._shared() if found else None,
        )

    def _shared(self) -> bool | None:
        """Tell whether the first device is a share of a board that a hypervisor gives out."""
        nvml = self._nvml
        handle = self._ask(nvml.nvmlDeviceGetHandleByIndex, 0)
        mode = None if handle is None else self._ask(nvml.nvmlDeviceGetVirtualizationMode, handle)
        return None if mode is None else mode == nvml.NVML_GPU_VIRTUALIZATION_MODE_VGPU

    def _devices(self, position: int) -> Iterator[tuple[Gpu, str]]:
        """Give one device, or its instances where it is divided; each with the device's UUID."""
        nvml = self._nvml
        handle = self._ask(nvml.nvmlDeviceGetHandleByIndex, position)
        if handle is None:
            return
        whole = self._describe(handle, position)
        parent = whole.uuid
        if not whole.mig:
            yield whole, parent
            return
        for number in range(self._ask(nvml.nvmlDeviceGetMaxMigDeviceCount, handle) or 0):
            # Empty places among the instances answer NotFound.
            part = self._ask(nvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, number)
            uuid = None if part is None else _text(self._ask(nvml.nvmlDeviceGetUUID, part))
            if uuid is not None:
                memory = self._memory(part)
                yield (
                    msgspec.structs.replace(
                        whole,
                        uuid=uuid,
                        name=_text(self._ask(nvml.nvmlDeviceGetName, part)) or whole.name,
                        memory_bytes=None if memory is None else int(memory.total),
                        memory_used_bytes=None if memory is None else int(memory.used),
                        # The limit is the whole board's, shared with the other instances.
                        power_limit_w=None,
                    ),
                    parent,
                )

    def _describe(self, handle: NvmlAnswer, position: int) -> Gpu:
        nvml = self._nvml
        memory = self._memory(handle)
        capability = self._ask(nvml.nvmlDeviceGetCudaComputeCapability, handle)
        limit_mw = self._ask(nvml.nvmlDeviceGetEnforcedPowerLimit, handle)
        mig = self._ask(nvml.nvmlDeviceGetMigMode, handle)
        return Gpu(
            uuid=_text(self._ask(nvml.nvmlDeviceGetUUID, handle)) or f"unknown-{position}",
            name=_text(self._ask(nvml.nvmlDeviceGetName, handle)) or "NVIDIA GPU",
            index=position,
            memory_bytes=None if memory is None else int(memory.total),
            memory_used_bytes=None if memory is None else int(memory.used),
            compute_capability=None if capability is None else "{}.{}".format(*capability),
            power_limit_w=None if limit_mw is None else limit_mw / 1000,
            sm_clock_max_mhz=self._ask(nvml.nvmlDeviceGetMaxClockInfo, handle, nvml.NVML_CLOCK_SM),
            # The link runs slower while the GPU idles: what it can do is asked, not what it does.
            pcie_generation=self._ask(nvml.nvmlDeviceGetMaxPcieLinkGeneration, handle),
            pcie_width=self._ask(nvml.nvmlDeviceGetMaxPcieLinkWidth, handle),
            mig=None if mig is None else mig[0] == nvml.NVML_DEVICE_MIG_ENABLE,
        )

    def _memory(self, handle: NvmlAnswer) -> NvmlAnswer:
        """Return NVML's second form of memory facts, whose `used` leaves out the reserved part."""

        def nvmlDeviceGetMemoryInfo(device: NvmlAnswer) -> NvmlAnswer:  # noqa: N802  told if refused
            return self._nvml.nvmlDeviceGetMemoryInfo(device, version=self._nvml.nvmlMemory_v2)

        return self._ask(nvmlDeviceGetMemoryInfo, handle)

    def _ask(self, question: Callable[..., NvmlAnswer], *arguments: NvmlAnswer) -> NvmlAnswer:
        """Return the driver's answer; None when it does not know or does not support it."""
        try:
            return question(*arguments)
        except self._nvml.NVMLError as error:
            if type(error).__name__ == "NVMLError_NoPermission":
                name = getattr(question, "__name__", "")
                self._refused[name.removeprefix("nvmlDeviceGet")] = None
            return None


def read_gpus(library: NvmlAnswer = None) -> GpuFacts:
    """Return the GPUs that this process may use; this loads the driver's library.

    Parameters
    ----------
    library : module, optional
        Answers like ``pynvml``; imported when not given.

    Returns
    -------
    GpuFacts
        Empty with a reason when there is no driver, no permission or no device.
    """
    try:
        return Nvml(library).read_gpus()
    except UnavailableError as error:
        return GpuFacts(reason=str(error))


def probe_gpus(timeout_s: float = 20.0, command: Sequence[str] | None = None) -> GpuFacts:
    """Return the GPUs, read in a process of its own, so that this one loads no driver.

    Parameters
    ----------
    timeout_s : float
        Seconds until a driver that does not answer is given up.
    command : sequence of str, optional
        What to start instead, for tests.

    Returns
    -------
    GpuFacts
        Empty with a reason when the child failed; it never raises for that.
    """
    # -P keeps the user's folder, with whatever it calls msgspec.py, off the child's path.
    words = [sys.executable, "-P", "-m", __name__] if command is None else list(command)
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout_s, check=False
        )
    except subprocess.TimeoutExpired:
        return GpuFacts(
            reason=f"the NVIDIA driver did not answer within {timeout_s:g} s; run nvidia-smi: if "
            "that hangs too, the driver needs a reboot"
        )
    except OSError as error:
        return GpuFacts(reason=f"the GPU probe could not be started: {error}")
    if done.returncode != 0:
        return GpuFacts(reason=explain_end(done.returncode, done.stderr))
    try:
        return msgspec.json.decode(done.stdout, type=GpuFacts)
    except msgspec.DecodeError as error:
        return GpuFacts(reason=f"the GPU probe answered with something unreadable: {error}")


def bindings() -> NvmlAnswer:
    """Return the Python bindings of NVML.

    Raises
    ------
    UnavailableError
        They are not installed.
    """
    try:
        import pynvml
    except ImportError as error:
        what = f"the Python bindings of NVML cannot be imported: {error}"
        raise UnavailableError(what, "pip install nvidia-ml-py") from error
    return pynvml


def _facts(choice: Choice, driver: str | None, cuda: str | None) -> GpuFacts:
    gpus = tuple(msgspec.structs.replace(gpu, index=index) for index, gpu in enumerate(choice.gpus))
    return GpuFacts(
        gpus=gpus,
        driver=driver,
        cuda_driver=cuda,
        reason=None if gpus else choice.reason,
        remarks=choice.remarks,
    )


def _text(value: object) -> str | None:
    """Return text whether the bindings gave text or, as old ones do, bytes."""
    if value is None:
        return None
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(read_gpus()))
