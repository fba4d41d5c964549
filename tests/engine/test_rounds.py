"""One size of a round: how long it may take, and whether others on the GPU are seen."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from breakeven.engine import context as contexts
from breakeven.engine import messages
from breakeven.engine.context import Context
from breakeven.engine.plan import Effort
from breakeven.engine.rounds import UNSEEN, SizeRunner, Task
from breakeven.model.run import Agreement, Entry, Memory
from breakeven.model.spec import RunSpec, WorkloadSpec
from breakeven.workloads.matmul import Matmul
from records import machine

CUPY = Entry(id="cupy", backend="cupy", device="cuda:0")
SPEC = RunSpec(workloads=(WorkloadSpec(name="matmul", sizes=(2048, 8192)),), backends=("cupy",))


class _Unsaid:
    """Whatever a test does not need of a session: using it fails."""


def _context(monkeypatch: pytest.MonkeyPatch, left_s: float) -> Context:
    """Return a context at time 0 with a patience of 20 s, told nothing yet."""
    monkeypatch.setattr(contexts, "now", lambda: 0.0)
    unsaid: Any = _Unsaid()
    return Context(
        spec=SPEC, machine=machine(gpu=True), effort=Effort(slots=6), sink=unsaid, crew=unsaid,
        inputs=unsaid, scratch=unsaid, meter=unsaid, progress=lambda *_: None,
        deadline=left_s, patience_s=20.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("known", "size", "left_s", "seconds"),
    [
        ({2048: 0.5}, 2048, 600.0, 35.0),
        ({2048: 0.5}, 8192, 600.0, 980.0),
        ({}, 8192, 600.0, 620.0),
        ({}, 8192, 0.0, 20.0),
        ({8192: 30.0}, 64, 600.0, 20.0),
    ],
)
def test_a_call_counts_as_hung_by_what_was_foreseen(
    monkeypatch: pytest.MonkeyPatch,
    known: dict[int, float],
    size: int,
    left_s: float,
    seconds: float,
) -> None:
    """Thirty times what smaller sizes foretell; without any, as long as its work may take."""
    context = _context(monkeypatch, left_s)
    context.call_s.update({("cupy", "matmul", n): s for n, s in known.items()})
    assert context.deadline_s("cupy", Matmul(), size) == pytest.approx(seconds, abs=0.01)


@pytest.mark.parametrize(
    ("others", "real", "told"), [(None, True, [UNSEEN]), (None, False, []), (0, True, [])]
)
def test_a_gpu_whose_users_cannot_be_seen_is_told(
    monkeypatch: pytest.MonkeyPatch, others: int | None, real: bool, told: list[str]
) -> None:
    """A gate that cannot see says so, unless times are scripted and nobody can disturb them."""
    context = _context(monkeypatch, 600.0)
    remarks: list[str] = []
    monkeypatch.setattr(context, "remark", remarks.append)
    monkeypatch.setattr(context, "emit", lambda _: None)
    ready = messages.Ready(
        agreement=Agreement(error=1e-7, bound=1e-6, class_="float32", passed=True),
        memory=Memory(), losses=(), loss_epochs=(), call_s=1e-3, steady=True, compute_s=1e-3,
        gpu_others=others, real=real,
    )  # fmt: skip
    team: Any = SimpleNamespace(
        title="round 1", number=1, gpu_pids=lambda: (7,), ask_case=lambda *_: ready
    )
    task = Task(workload="matmul", size=2048, entries=("cupy",))
    seats = SizeRunner(context, team, set(), 6)._set_up(task, CUPY, Matmul(), "folder")
    assert [s.scope for s in seats] == ["resident", "transfer"]
    assert remarks == told
