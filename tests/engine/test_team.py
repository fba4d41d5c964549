"""The workers of one round: whether their pools have the threads that were asked for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from breakeven.engine import messages
from breakeven.engine.team import Team
from breakeven.model.machine import Blas
from breakeven.model.run import Entry
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
