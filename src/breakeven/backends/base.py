"""The seam of a backend: where work runs, and how it is reached, timed and left tidy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from breakeven.backends.device_clock import DeviceClock
from breakeven.model.machine import BackendInfo


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What a backend is.

    Attributes
    ----------
    device : str
        ``"cpu"`` or ``"cuda:0"``.
    pools : bool
        Whether it computes on CPU thread pools, whose count and places matter.
    compiles : bool
        Whether it keeps kernels that it compiled in folders that variables of the environment
        name, so that a first call without them takes longer.
    trains : str or None
        The kind of training job that runs on it; None for a library of arrays alone.
    """

    name: str
    device: str
    pools: bool
    compiles: bool = False
    trains: str | None = None


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """An opened backend.

    Attributes
    ----------
    xp : module or object
        Array namespace that workloads compute with.
    clock : callable
        Host seconds, monotonic.
    device_seconds : callable or None
        Runs a callable between two events of the device: seconds between them, launch included.
    device_clock : DeviceClock or None
        Tools to read the device's own time with; None where there are none.
    import_s, context_s : float
        Seconds to import the library; to make the device ready for a first call.
    first_call_s : float
        Seconds that a scripted start adds to a first call; 0 where calls are real.
    real : bool
        Whether times are measured, so that a busy machine spoils them; scripted ones are not, and
        depend on the case that was begun last.
    out_of_memory : tuple of exception types
        What the library raises when memory runs out, beside `MemoryError`.
    cast : callable or None
        Returns a host array in the precision that the backend was asked for, still on the host;
        raises NotImplementedError where it has none. None for a backend that takes arrays as
        they are made (float32, float64) and multiplies them in full.
    plain : callable or None
        Returns what `to_host` gave as a NumPy array that a check can read: 16 bits as float32.
    address : callable or None
        Returns where a result begins in host memory; None where results lie on a device, or
        always begin at a cache line, as PyTorch's do.
    remark : str or None
        What weakens the figures of this process, such as a setting that did not take.
    """

    xp: Any
    version: str
    import_s: float
    context_s: float
    clock: Callable[[], float]
    device_seconds: Callable[[Callable[[], object]], float] | None = None
    device_clock: DeviceClock | None = None
    first_call_s: float = 0.0
    real: bool = True
    out_of_memory: tuple[type[BaseException], ...] = ()
    cast: Callable[[Any], Any] | None = None
    plain: Callable[[Any], Any] | None = None
    address: Callable[[Any], int] | None = None
    remark: str | None = None


class DeviceMemory(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes of device memory; None where there is no device or no counter.

    Attributes
    ----------
    peak_bytes : int or None
        Peak of the library's allocator since the case began.
    used_bytes : int or None
        In use by everyone.
    held_bytes : int or None
        What the library's allocator has taken from the device and not given back.
    """

    peak_bytes: int | None = None
    used_bytes: int | None = None
    held_bytes: int | None = None


class Backend(Protocol):
    """Where work runs.

    Host arrays are NumPy arrays; device arrays are the library's own. `open` is called once, in a
    process of its own, before anything but `find`.
    """

    about: About

    def find(self) -> BackendInfo:
        """Say whether it can run here, without importing the library."""
        ...

    def open(self) -> Opening:
        """Import the library and make its device ready.

        Raises
        ------
        UnavailableError
            If the library is there but does not work, with what it said.
        """
        ...

    def begin_case(self, workload: str, size: int) -> None:
        """Free what earlier cases held, and reset peak counters."""
        ...

    def to_device(self, array: Any) -> Any:  # noqa: ANN401  NumPy in, the library's own out
        """Return a host array as an array of the library, on its device."""
        ...

    def to_host(self, array: Any) -> Any:  # noqa: ANN401  the library's own in, NumPy out
        """Return a device array as a NumPy array."""
        ...

    def synchronise(self) -> None:
        """Wait until the whole device is idle."""
        ...

    def memory(self) -> DeviceMemory:
        """Return device memory of the case begun last."""
        ...
