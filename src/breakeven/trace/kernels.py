"""How long the kernels of a call take, as the driver's own tracing records them."""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

from breakeven.errors import UnavailableError

# What a device works on, by the categories of the trace format; launches on the host are not.
DEVICE_WORK = frozenset({"kernel", "gpu_memcpy", "gpu_memset"})
WARM_CALLS = 3

Call = Callable[[], object]
Profiler = Callable[[], AbstractContextManager[Any]]


class Kernels(NamedTuple):
    """Device work of one call: seconds that its kernels take together, and how many they are."""

    seconds: float
    number: int


def traced(call: Call, wait: Call, calls: int, profiler: Profiler | None = None) -> Kernels:
    """Trace a call of any library in this process, after a first trace that is thrown away.

    The first trace of a process sets up the driver's tracing, which slows what it records.

    Parameters
    ----------
    call, wait : callable
        The work; returns when the device is idle.
    calls : int
        How often it is called in the trace.
    profiler : callable, optional
        Makes the context manager that records, with ``export_chrome_trace``; that of PyTorch
        where none is given.

    Raises
    ------
    UnavailableError
        If there is no profiler for a CUDA device, or it recorded no device work.
    """
    made = profiler or _profiler()
    _trace(made, call, wait, WARM_CALLS)
    return per_call(_trace(made, call, wait, calls), calls)


def per_call(document: dict[str, Any], calls: int) -> Kernels:
    """Return the device work of one call, from a trace of several calls of the same work.

    Raises
    ------
    UnavailableError
        If the trace holds no device work.
    """
    work = [
        (float(e["ts"]), float(e["dur"]) * 1e-6)
        for e in document.get("traceEvents", ())
        if e.get("ph") == "X" and e.get("cat") in DEVICE_WORK
    ]
    if not work:
        raise UnavailableError(
            "the trace holds no kernel",
            "the driver may keep its counters from users (NVreg_RestrictProfilingToAdminUsers)",
        )
    return median_call(work, calls)


def median_call(spans: Sequence[tuple[float, float]], calls: int) -> Kernels:
    """Return the device work of one call from the spans of the kernels of several.

    Durations are added call by call, and the median call is taken. Where the number of kernels is
    no multiple of the calls, calls cannot be told apart: the mean is taken.

    Parameters
    ----------
    spans : sequence of tuple
        Start in any unit, and seconds; one at least.
    """
    seconds = [took for _, took in sorted(spans)]
    count, rest = divmod(len(seconds), calls)
    if rest or not count:
        return Kernels(sum(seconds) / calls, max(1, round(len(seconds) / calls)))
    sums = [sum(seconds[i : i + count]) for i in range(0, len(seconds), count)]
    return Kernels(statistics.median(sums), count)


def _trace(profiler: Profiler, call: Call, wait: Call, calls: int) -> dict[str, Any]:
    wait()
    with profiler() as seen:
        for _ in range(calls):
            call()
        wait()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        seen.export_chrome_trace(str(path))
        document: dict[str, Any] = json.loads(path.read_text())
    return document


def _profiler() -> Profiler:
    """Return what makes PyTorch's profiler of the device alone."""
    try:
        import torch
        from torch.profiler import ProfilerActivity, profile
    except ImportError as error:
        raise UnavailableError(
            f"a trace needs PyTorch ({error})", "install a CUDA build of PyTorch"
        ) from error
    if not torch.cuda.is_available():
        raise UnavailableError(
            f"PyTorch {torch.__version__} cannot trace a CUDA device",
            "install a CUDA build of PyTorch",
        )
    return lambda: profile(activities=[ProfilerActivity.CUDA])
