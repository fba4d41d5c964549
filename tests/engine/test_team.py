"""The workers of one round: whether their pools have the threads that were asked for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from breakeven.engine import messages
from breakeven.engine.plan import in_precision
from breakeven.engine.team import Team
from breakeven.model.machine import Blas
from breakeven.model.run import Entry
from breakeven.sensors.base import Look
from records import CUPY, NUMPY


@pytest.mark.parametrize(
    ("entry", "counts", "told"),
    [
        (NUMPY, (16, 16), []),
        (NUMPY, (None,), []),
        (NUMPY, (8, 16, 4), ["numpy-16: its pools have 4, 8 threads instead of 16"]),
        (CUPY, (2,), []),
    ],
)
def test_threads_are_verified_once_a_library_is_there(
    entry: Entry, counts: tuple[int | None, ...], told: list[str]
) -> None:
    """A library that was built for fewer threads than it is told to take is found out."""
    remarks: list[str] = []
    context: Any = SimpleNamespace(remark=remarks.append, emit=lambda _: None)
    pools = tuple(Blas(library="openblas", user_api="blas", threads=n) for n in counts)
    opened = messages.Opened(version="1", import_s=0.1, context_s=0.0, blas=pools)
    team = Team(context, 1, [entry])
    worker: Any = SimpleNamespace(receive=lambda _: opened)
    team._workers[entry.id] = worker
    assert team._open(entry)
    assert remarks == told


@pytest.mark.parametrize("has_clock", [True, False])
def test_every_worker_that_opens_tells_whether_its_device_has_a_clock(*, has_clock: bool) -> None:
    """Of a precision variant, and of a run that goes on, no first call has told it."""
    context: Any = SimpleNamespace(remark=lambda _: None, emit=lambda _: None, device_clocks=set())
    opened = messages.Opened(version="1", import_s=0.1, context_s=0.0, device_clock=has_clock)
    variant = in_precision(CUPY, "tf32")
    team = Team(context, 1, [variant])
    worker: Any = SimpleNamespace(receive=lambda _: opened)
    team._workers[variant.id] = worker
    assert team._open(variant)
    assert context.device_clocks == ({variant.id} if has_clock else set())


def test_what_a_failed_case_left_on_the_gpu_is_ours() -> None:
    """After a refusal the worker is asked what it holds: its memory is no other tenant's."""
    asked: list[messages.Request] = []
    context: Any = SimpleNamespace(
        remark=lambda _: None, emit=lambda _: None, patience_s=1.0, gpu_uuid=lambda _: "GPU-1"
    )
    answers = [
        messages.Failed(status="out_of_memory", why="no memory is left"),
        messages.Looked(look=Look(memory_used_bytes=7), held_bytes=5),
    ]

    def ask(request: messages.Request, _deadline_s: float) -> messages.Reply:
        asked.append(request)
        return answers[len(asked) - 1]

    team = Team(context, 1, [CUPY])
    worker: Any = SimpleNamespace(ask=ask, pid=1)
    team._workers[CUPY.id] = worker
    request = messages.Measure(scope="resident", seconds=0.1)
    assert team.ask_case(CUPY, "matmul", 64, request, 1.0) is None
    assert [type(r).__name__ for r in asked] == ["Measure", "LookAtGpu"]
