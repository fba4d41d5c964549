"""Whether device memory appears that no process of ours holds: another tenant of the GPU."""

from __future__ import annotations

from collections.abc import Collection

from breakeven.model.run import GpuConditions

# What libraries take beside their allocators while slots run: workspaces, buffers of the driver.
SLOT_BYTES = 128 << 20
# While cases are set up kernels are loaded as well. A context of another process is larger.
SET_UP_BYTES = 384 << 20


class Tenancy:
    """Device memory of one round, ours told from that of others.

    A driver in a container or a virtual machine names no process of other tenants, yet counts
    their memory. What is in use beyond our allocators when our processes have opened the device is
    theirs, the driver's and perhaps a tenant's who was there before; growth beyond it is a
    tenant's, once it is more than libraries take without telling.
    """

    def __init__(self) -> None:
        self._held: dict[str, int] = {}
        self._base: int | None = None

    def others_bytes(
        self,
        entry: str,
        *,
        used: int | None,
        held: int | None,
        alive: Collection[str],
        set_up: bool = False,
    ) -> int | None:
        """Return the bytes of another tenant after one reading; 0 without sign of one.

        Parameters
        ----------
        entry : str
            Whose worker looked.
        used : int or None
            Device memory in use by everyone.
        held : int or None
            What the allocator of that worker holds.
        alive : collection of str
            Entries whose workers live: an ended one holds nothing any more.
        set_up : bool
            Whether kernels may have been loaded since the last reading.

        Returns
        -------
        int or None
            None where the driver, or the backend, does not tell what it must.
        """
        if used is None or held is None:
            return None
        self._held[entry] = held
        unclaimed = used - sum(h for e, h in self._held.items() if e in alive)
        if self._base is None or unclaimed < self._base:
            self._base = unclaimed
        grown = unclaimed - self._base
        if grown > (SET_UP_BYTES if set_up else SLOT_BYTES):
            return grown
        if set_up:
            self._base = unclaimed
        return 0


def is_shared(gpu: GpuConditions | None) -> bool:
    """Tell whether a look shows somebody else on the GPU: a process, or memory that none holds."""
    return gpu is not None and bool(gpu.others or gpu.others_bytes)


def can_tell(gpu: GpuConditions | None) -> bool:
    """Tell whether a look would have shown somebody else."""
    return gpu is not None and (gpu.others is not None or gpu.others_bytes is not None)


def void_reason(gpu: GpuConditions | None, *, shared_before: bool) -> str | None:
    """Return why a slot does not count by the look after it; None when it counts.

    Parameters
    ----------
    shared_before : bool
        Whether somebody else was on the GPU when the case was set up: it stands for looks that
        cannot tell.
    """
    if is_shared(gpu) or (shared_before and not can_tell(gpu)):
        return "gpu_busy"
    return "thermal" if gpu is not None and "thermal" in (gpu.reasons or ()) else None
