"""What was read of a computer's set-up, before anybody says what is wrong with it."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.machine import BackendInfo, Machine

Stage = Literal["import", "device", "kernel", "done"]


class LibraryTrial(msgspec.Struct, frozen=True, kw_only=True):
    """How far a library came in a process of its own that tried one small kernel.

    Attributes
    ----------
    library : str
        ``torch`` or ``cupy``.
    stage : str
        Where it ended: at its import, at finding a device, at the kernel; ``done`` when the
        kernel gave the right answer.
    error : str or None
        What it said there, in one line.
    cuda : str or None
        CUDA version that it was built with; None for a build without.
    hip : str or None
        ROCm version that it was built with.
    architectures : tuple of str or None
        What its kernels were compiled for, such as ``sm_90``; None where it does not tell.
    """

    library: Literal["torch", "cupy"]
    stage: Stage
    error: str | None = None
    version: str | None = None
    cuda: str | None = None
    hip: str | None = None
    architectures: tuple[str, ...] | None = None


class MachineFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All that a set-up is judged by; a default says that it was not read.

    Attributes
    ----------
    machine : Machine
        Processor, GPUs that this process may use, driver, thread pools, settings.
    system : str or None
        Name of the Linux distribution, as ``/etc/os-release`` gives it.
    container, wsl : bool
        Whether this runs in a container; in the Windows Subsystem for Linux.
    nvml_error : str or None
        Name of NVML's error class, where it gave no answer at all.
    nvml_refused : tuple of str
        Questions that NVML refused for want of permission.
    uuids, boards : tuple of str or None
        All devices and instances of the driver; the boards alone. Both know nothing of
        ``CUDA_VISIBLE_DEVICES``.
    vgpu : bool or None
        Whether the GPU is a share that a hypervisor gives out.
    pci_gpus : tuple of str or None
        Addresses of NVIDIA display controllers on the bus.
    device_nodes : tuple of str or None
        The ``/dev/nvidia*`` that are there, with ``/dev/dxg`` of WSL.
    closed_nodes : tuple of str
        Those of them that this user may not open.
    shared_libraries : tuple of str or None
        Of the driver and the toolkit, such as ``libnvrtc.so.12``.
    distributions : dict or None
        Installed version by name, of those that bring CuPy, PyTorch, CUDA or NVML.
    installers : dict
        What installed a distribution: ``pip``, ``uv``, ``conda``.
    environment : dict
        Variables that decide which GPU is seen; None when unset.
    """

    machine: Machine
    system: str | None = None
    container: bool = False
    wsl: bool = False
    nvml_error: str | None = None
    nvml_refused: tuple[str, ...] = ()
    uuids: tuple[str, ...] | None = None
    boards: tuple[str, ...] | None = None
    vgpu: bool | None = None
    pci_gpus: tuple[str, ...] | None = None
    device_nodes: tuple[str, ...] | None = None
    closed_nodes: tuple[str, ...] = ()
    shared_libraries: tuple[str, ...] | None = None
    distributions: dict[str, str] | None = None
    installers: dict[str, str] = {}
    environment: dict[str, str | None] = {}
    trials: tuple[LibraryTrial, ...] = ()
    backends: tuple[BackendInfo, ...] = ()

    def trial(self, library: str) -> LibraryTrial | None:
        """Return the trial of one library; None where it was not tried."""
        return next((t for t in self.trials if t.library == library), None)
