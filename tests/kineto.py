"""Traces as PyTorch's profiler writes them of a GPU run, drawn by hand with a truth known ahead.

Names and fields are those of kineto: a kernel carries the correlation of the call that launched
it, device, stream and graph node; a copy says in its name which way it goes and what the host's
side lies in; calls lie on the host's threads, device work on rows of its own.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

BASE_US = 5_208_952_628_170.162
PID = 9826
AMPERE = {"id": 0, "name": "NVIDIA A100-SXM4-40GB", "computeMajor": 8, "computeMinor": 0}
HOPPER = {"id": 0, "name": "NVIDIA H200", "computeMajor": 9, "computeMinor": 0}


class Sketch:
    """A trace that is drawn event by event; all times are microseconds from its begin."""

    def __init__(self, properties: dict[str, Any] | None = AMPERE) -> None:
        self.events: list[dict[str, Any]] = []
        self.head: dict[str, Any] = {
            "schemaVersion": 1,
            "deviceProperties": [] if properties is None else [properties],
        }
        self._ids = 0

    def _x(
        self,
        category: str,
        name: str,
        begin: float,
        took: float,
        row: tuple[int, int],
        args: dict[str, Any],
    ) -> None:
        pid, tid = row
        self.events.append(
            {
                "ph": "X",
                "cat": category,
                "name": name,
                "pid": pid,
                "tid": tid,
                "ts": BASE_US + begin,
                "dur": took,
                "args": args,
            }
        )

    def _next(self) -> int:
        self._ids += 1
        return self._ids

    def mark(self, name: str, begin: float, took: float, tid: int = PID) -> None:
        """Draw an annotation."""
        self._x("user_annotation", name, begin, took, (PID, tid), {"External id": self._next()})

    def steps(self, ends: list[float], name: str = "breakeven.step#") -> None:
        """Draw steps one after the other, from 0."""
        begin = 0.0
        for number, end in enumerate(ends):
            self.mark(f"{name}{number}", begin, end - begin)
            begin = end

    def operator(self, name: str, begin: float, took: float, tid: int = PID) -> int:
        """Draw an operator; return its id."""
        found = self._next()
        self._x("cpu_op", name, begin, took, (PID, tid), {"External id": found, "Ev Idx": found})
        return found

    def call(self, name: str, begin: float, took: float, tid: int = PID) -> int:
        """Draw a call of the runtime; return its correlation."""
        found = self._next()
        args = {"cbid": 211, "correlation": found}
        self._x("cuda_runtime", name, begin, took, (PID, tid), args)
        return found

    def work(
        self,
        begin: float,
        took: float,
        correlation: int | None = None,
        *,
        name: str = "void at::native::vectorized_elementwise_kernel<4, float>(int, float)",
        category: str = "kernel",
        stream: int = 7,
        device: int = 0,
        **args: object,
    ) -> None:
        """Draw device work: a kernel where no other category is named."""
        if correlation is not None:
            args["correlation"] = correlation
        more: dict[str, object] = {"device": device, "context": 1, "stream": stream, **args}
        if category == "kernel":
            more = {"queued": 0, "grid": [128, 1, 1], "graph id": 0, "graph node id": 0, **more}
        self._x(category, name, begin, took, (device, stream), more)

    def launched(self, at: float, begin: float, took: float, tid: int = PID, **more: Any) -> None:  # noqa: ANN401  handed on to `work`
        """Draw a kernel and the call that launched it, which takes a microsecond."""
        self.work(begin, took, self.call("cudaLaunchKernel", at, 1.0, tid), **more)

    def copied(
        self, name: str, at: float, begin: float, took: float, size: int, awaited: float = 1.0
    ) -> None:
        """Draw a copy, and its call, which takes ``awaited`` microseconds."""
        correlation = self.call("cudaMemcpyAsync", at, awaited)
        bandwidth = {"memory bandwidth (GB/s)": size / took / 1000}
        more: dict[str, Any] = {"bytes": size, **bandwidth}
        self.work(begin, took, correlation, name=name, category="gpu_memcpy", **more)

    def memory(self, at: float, size: int, device: int = -1, tid: int = PID) -> None:
        """Draw memory that is taken, or given back."""
        args = {"Bytes": size, "Device Id": device, "Device Type": int(device >= 0)}
        self.events.append(
            {
                "ph": "i",
                "cat": "cpu_instant_event",
                "s": "t",
                "name": "[memory]",
                "pid": PID,
                "tid": tid,
                "ts": BASE_US + at,
                "args": args,
            }
        )

    def text(self) -> str:
        """Return the file's text, with rows that no reader needs, as kineto adds them."""
        row = {"ph": "M", "name": "process_name", "ts": BASE_US, "pid": PID, "tid": 0}
        flow = {"ph": "s", "id": 7, "pid": PID, "tid": PID, "ts": BASE_US, "cat": "ac2g"}
        span = {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans"}
        rest = [row, flow, span | {"tid": "PyTorch Profiler", "ts": BASE_US - 99.0, "dur": 1e6}]
        return json.dumps({**self.head, "traceEvents": [*rest, *self.events]}, indent=1)

    def write(self, path: Path) -> Path:
        """Write the file, compressed where its name says so; return where it lies."""
        text = self.text().encode()
        path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
        return path
