"""What a worker does with a request, on a bench that writes down what it is asked."""

from __future__ import annotations

from typing import Any

from breakeven.engine import messages
from breakeven.engine.worker import _in_fresh_process


class _Bench:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def cold(self, workload: Any, size: int, folder: str) -> str:  # noqa: ANN401  a workload
        self.asked.append(f"cold {workload.name} {size} {folder}")
        return "cold"

    def shoot(self, workload: Any, size: int, folder: str) -> str:  # noqa: ANN401  a workload
        self.asked.append(f"shoot {workload.name} {size} {folder}")
        return "shot"

    def captured(self, request: messages.CaptureGraph, workload: Any) -> str:  # noqa: ANN401
        self.asked.append(f"capture {workload.name} {request.size} {request.folder}")
        return "captured"


def test_each_request_of_a_fresh_process_is_answered_by_its_own_measurement() -> None:
    """First calls, a graph and a careless shot reach the bench with workload, size and folder."""
    bench: Any = _Bench()
    place: dict[str, Any] = {"workload": "matmul", "size": 8, "folder": "/x"}
    requests = (
        messages.MeasureCold(**place),
        messages.CaptureGraph(**place, seconds=0.1),
        messages.ShootNaively(**place),
    )
    replies: list[Any] = [_in_fresh_process(bench, r) for r in requests]
    assert replies == ["cold", "captured", "shot"]
    assert bench.asked == ["cold matmul 8 /x", "capture matmul 8 /x", "shoot matmul 8 /x"]
