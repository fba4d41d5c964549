"""Facts about a computer: processor, memory, GPUs, libraries."""

from __future__ import annotations

import msgspec

BUSY = "busy"


class Blas(msgspec.Struct, frozen=True, kw_only=True):
    """One thread pool that a library brought: a BLAS or an OpenMP runtime."""

    library: str
    user_api: str
    version: str | None = None
    core_type: str | None = None
    threads: int | None = None
    threading: str | None = None


class Cpu(msgspec.Struct, frozen=True, kw_only=True):
    """The processor, and how much of it this process may use.

    Attributes
    ----------
    cores_online : int
        Logical CPUs of the machine.
    affinity : tuple of int
        Logical CPUs that this process may run on.
    quota_cores : float or None
        Cores' worth of time that the control group allows; None without a limit.
    cores_usable : int
        The smaller of affinity and quota, at least 1.
    caches_bytes : dict
        By level and kind, as the first usable CPU sees them.
    last_caches_bytes : int or None
        All last-level caches that the CPUs of `affinity` reach, together: a machine may have one
        for each group of cores. None where the system does not tell.
    """

    model: str | None
    cores_online: int
    cores_physical: int | None
    affinity: tuple[int, ...]
    quota_cores: float | None
    cores_usable: int
    features: tuple[str, ...] = ()
    caches_bytes: dict[str, int] = {}
    last_caches_bytes: int | None = None
    governor: str | None = None
    virtual: str | None = None


class Gpu(msgspec.Struct, frozen=True, kw_only=True):
    """One GPU, as its driver describes it; None means that the driver did not say.

    Attributes
    ----------
    memory_used_bytes : int or None
        Device memory in use when the machine was read, before the run had a process on it.
    """

    uuid: str
    name: str
    index: int
    memory_bytes: int | None = None
    memory_used_bytes: int | None = None
    compute_capability: str | None = None
    power_limit_w: float | None = None
    sm_clock_max_mhz: int | None = None
    pcie_generation: int | None = None
    pcie_width: int | None = None
    mig: bool | None = None


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """This computer: what a result must be read beside.

    Attributes
    ----------
    libraries : dict
        Installed version by distribution name; None when it is not installed.
    blas : dict
        Thread pools by backend name, read in the worker after import.
    environment : dict
        Variables that change how fast libraries are; None when unset.
    no_gpu_reason : str or None
        Why `gpus` is empty; None when it is not.
    """

    cpu: Cpu
    memory_bytes: int | None
    memory_available_bytes: int | None
    gpus: tuple[Gpu, ...]
    no_gpu_reason: str | None
    driver: str | None
    cuda_driver: str | None
    platform: str
    kernel: str
    python: str
    libraries: dict[str, str | None]
    blas: dict[str, tuple[Blas, ...]]
    environment: dict[str, str | None]
    breakeven: str


class BackendInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a backend can run here; if not, why, with what to do about it.

    Attributes
    ----------
    device : str
        ``"cpu"``, or ``"cuda:0"``.
    """

    name: str
    device: str
    available: bool
    version: str | None = None
    why_not: str | None = None
    fix: str | None = None


class LinkRate(msgspec.Struct, frozen=True, kw_only=True):
    """Copies of one size between host and device, bytes a second; None where not measured.

    Attributes
    ----------
    bytes : int
        Of one copy.
    """

    bytes: int
    to_device: float | None = None
    to_host: float | None = None
    to_device_pinned: float | None = None
    to_host_pinned: float | None = None


class Ceilings(msgspec.Struct, frozen=True, kw_only=True):
    """What one device reached in our own measurement: the most that a case can hope for.

    Attributes
    ----------
    device : str
        ``"cpu"`` or ``"cuda:0"``.
    backend : str
        What it was measured with.
    flops_per_s : dict
        Peak of a large matrix product by precision (``tf32`` beside ``float32``).
    memory_bytes_per_s : float or None
        Read and write together of a sum or a scaling of arrays beyond the caches.
    link : tuple of LinkRate
        By size of the copy; empty on a CPU.
    launch_s, synchronise_s : float or None
        Host time of issuing an empty kernel; of waiting for an idle device.
    why : dict
        For what could not be measured, the reason; under ``busy`` and the name of a part what
        disturbed that part (in older documents ``busy`` alone, of all parts).
    measured : str or None
        Day and time, UTC; None when it was in the session of the run that holds it.
    """

    device: str
    backend: str
    flops_per_s: dict[str, float] = {}
    memory_bytes_per_s: float | None = None
    link: tuple[LinkRate, ...] = ()
    launch_s: float | None = None
    synchronise_s: float | None = None
    why: dict[str, str] = {}
    measured: str | None = None

    def disturbed(self, part: str) -> str | None:
        """Return what disturbed a part: a precision, ``memory``, ``link`` or ``launch``."""
        return self.why.get(f"{BUSY} {part}", self.why.get(BUSY))

    def unmeasured(self) -> dict[str, str]:
        """Return why parts could not be measured, without what disturbed those that were."""
        return {k: v for k, v in self.why.items() if k.partition(" ")[0] != BUSY}
