"""How each public harness times one call on a GPU, under the name of the clock that it reads.

What each one does was read in its source: torch.profiler of PyTorch 2.11, `triton/testing.py` of
Triton 3.9, `cupyx/profiler/_time.py` of CuPy 14.2, `torch/utils/benchmark/utils/timer.py`, and
NVBench as cuda-bench 0.3 brings it.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from breakeven.trace.kernels import median_call

Call = Callable[[], object]
NVBENCH_LIMIT_S = 150.0
CUPTI_S, CUPTI_LEAST, CUPTI_MOST = 0.1, 20, 200


class Clock(NamedTuple):
    """What a column of the table is.

    Attributes
    ----------
    clock : str
        The name of the clock that it really reads.
    times : str
        What lies between its two readings.
    """

    harness: str
    clock: str
    times: str


CLOCKS: dict[str, Clock] = {
    "cupti": Clock(
        "torch.profiler (CUPTI)",
        "device kernel time",
        "begin to end of each kernel by the device's own stamps, summed for a call",
    ),
    "queued": Clock(
        "Breakeven, device",
        "device time, full queue",
        "two events around many calls issued while a small kernel holds the stream, over the calls",
    ),
    "graph": Clock(
        "Breakeven, graph of 20",
        "device time, CUDA graph",
        "a replay of 20 captured calls behind a full queue, over 20",
    ),
    "nvbench_cold": Clock(
        "NVBench, cold",
        "event pair, full queue, L2 emptied",
        "two events around one call while a kernel holds the stream, L2 overwritten before it; "
        "the mean",
    ),
    "nvbench_batch": Clock(
        "NVBench, batch",
        "event pair around a batch",
        "two events around many calls, of which two are issued ahead; the launch where it is "
        "longer than the work; the mean",
    ),
    "do_bench": Clock(
        "triton.testing.do_bench",
        "event pair, L2 emptied",
        "two events around one call while the device overwrites 256 MB, so that the launch is "
        "mostly hidden; the median",
    ),
    "torch_benchmark": Clock(
        "torch.utils.benchmark",
        "wall with sync, a block of calls",
        "host clock around a block of calls with one synchronise, over the calls: throughput; "
        "the median",
    ),
    "cupyx": Clock(
        "cupyx.profiler.benchmark",
        "event pair with launch",
        "two events around one call on an idle device, so that the device waits for the launch; "
        "the median",
    ),
    "latency": Clock(
        "Breakeven, latency",
        "event pair with launch",
        "two events around one call on an idle device; the median",
    ),
    "wall": Clock(
        "Breakeven, wall",
        "wall with sync, one call",
        "host clock from an idle device to an idle device again: what a caller waits for",
    ),
}


class Reading(NamedTuple):
    """Seconds of one call; None with the reason where there are none."""

    seconds: float | None
    why: str | None = None


def attempted(read: Callable[[], float]) -> Reading:
    """Return what a harness read, or what it said when it failed."""
    try:
        return Reading(read())
    except ImportError as error:
        return Reading(None, f"not installed: {error.name or error}")
    except Exception as error:  # noqa: BLE001  a foreign harness may fail in any way: that is told
        return Reading(None, f"{type(error).__name__}: {_first(error)}")


def _first(error: BaseException) -> str:
    return (str(error).strip().splitlines() or ["no words"])[0][:200]


def per_call(spans: Sequence[tuple[float, float]], calls: int) -> float:
    """Return the seconds of a call from the spans of all kernels of some calls.

    Parameters
    ----------
    spans : sequence of tuple
        Start in any unit, and seconds.

    Raises
    ------
    ValueError
        If the device did nothing.
    """
    if not spans:
        message = "the profiler recorded no kernel"
        raise ValueError(message)
    return median_call(spans, calls).seconds


def cupti_calls(call_s: float) -> int:
    """Return how many calls are traced: some tenths of a second, within bounds."""
    return max(CUPTI_LEAST, min(CUPTI_MOST, int(CUPTI_S / max(call_s, 1e-9))))


def cupti_s(call: Call, synchronise: Call, calls: int) -> float:
    """Return the device seconds of a call as CUPTI stamps its kernels."""
    import torch
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile

    call()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as trace:
        for _ in range(calls):
            call()
        synchronise()
    spans = [
        (event.time_range.start, event.time_range.elapsed_us() * 1e-6)
        for event in trace.events()
        if event.device_type == DeviceType.CUDA and not event.is_user_annotation
    ]
    return per_call(spans, calls)


def do_bench_s(call: Call) -> float:
    """Return the median of `triton.testing.do_bench`."""
    from triton.testing import do_bench  # noqa: PLC0415  only where there is a GPU

    return float(do_bench(call, return_mode="median")) * 1e-3


def torch_benchmark_s(call: Call) -> float:
    """Return the median of `torch.utils.benchmark`'s blocked autorange."""
    from torch.utils.benchmark import Timer

    timer = Timer("call()", globals={"call": call})
    return float(timer.blocked_autorange(min_run_time=0.2).median)


def cupyx_s(call: Call) -> float:
    """Return the median device time of `cupyx.profiler.benchmark`."""
    from cupyx.profiler import benchmark

    found = benchmark(call, (), n_repeat=2000, n_warmup=10, max_duration=0.3, name="call")
    return float(statistics.median(found.gpu_times[0].tolist()))


def nvbench_all(cases: Sequence[str]) -> dict[str, tuple[Reading, Reading]]:
    """Return NVBench's cold and batch mean of each torch case, from a process of its own.

    Its registry and its options belong to the whole process, and a call that waits for the device
    under its blocking kernel would never return: it is ended after a time.
    """
    script = Path(__file__).with_name("nvbench_calls.py")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "nvbench.json"
        why = _nvbench_process([sys.executable, str(script), str(path), *cases])
        found = read_nvbench(json.loads(path.read_text("utf-8"))) if path.exists() else {}
    missing = (Reading(None, why), Reading(None, why))
    return {case: found.get(case, missing) for case in cases}


def _nvbench_process(command: list[str]) -> str:
    """Run it; return what stands for a case without a figure."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=NVBENCH_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"it did not end within {NVBENCH_LIMIT_S:.0f} s"
    said = (done.stderr or done.stdout).strip().splitlines()
    if done.returncode:
        return said[-1][:200] if said else f"it ended with {done.returncode}"
    return "it gave no figure for this case"


def read_nvbench(document: dict[str, Any]) -> dict[str, tuple[Reading, Reading]]:
    """Return cold and batch means by case from what NVBench's ``--json`` wrote."""
    found = {}
    for benchmark in document["benchmarks"]:
        for state in benchmark["states"]:
            case = next(a["value"] for a in state["axis_values"] if a["name"] == "Case")
            if state.get("is_skipped"):
                skipped = Reading(None, f"skipped: {state.get('skip_reason')}")
                found[case] = (skipped, skipped)
                continue
            tags = {s["tag"]: s for s in state.get("summaries") or ()}
            found[case] = (
                _summary(tags, "nv/cold/time/gpu/mean"),
                _summary(tags, "nv/batch/time/gpu/mean"),
            )
    return found


def _summary(tags: dict[str, Any], tag: str) -> Reading:
    for value in tags.get(tag, {}).get("data", ()):
        if value["name"] == "value" and value.get("value") is not None:
            # It writes numbers as text, so that none loses digits.
            return Reading(float(value["value"]))
    return Reading(None, f"no {tag} in its file")


def listed() -> list[str]:
    """Return what each column of the table is, in lines of 80 characters."""
    lines = []
    for clock in CLOCKS.values():
        lines.append(f"{clock.harness}: {clock.clock}")
        lines += textwrap.wrap(clock.times, 76, initial_indent="    ", subsequent_indent="    ")
    return lines


if __name__ == "__main__":
    print("\n".join(listed()))
