"""A function is tried before it is measured: its sizes, its memory, its time."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import pytest

from breakeven.engine import function_plan, messages
from breakeven.engine.function_plan import tried
from breakeven.errors import DeadlineError, InputError, NothingMeasuredError
from breakeven.model.ported import FunctionSpec
from breakeven.workloads.function.facts import PlannedFunction, Seen
from records import machine


class Worker:
    """Answers as a process that calls the function would, from a cost by size."""

    def __init__(self, **fields: Any) -> None:  # noqa: ANN401  of several types
        self.fields = {"sized": True, "printed": "", "per_size": 1e-6, "bytes_per_size": 8} | fields
        self.asked: list[int] = []

    def receive(self, deadline_s: float) -> messages.Reply:
        """Open."""
        del deadline_s
        return messages.Opened(version="2", import_s=0.0, context_s=0.0)

    def ask(self, request: messages.TryFunction, deadline_s: float) -> messages.Reply:
        """Answer, or hang, or fail, as the fields say."""
        self.asked.append(request.size)
        if request.size >= self.fields.get("hangs", 1 << 40):
            raise DeadlineError(f"no answer within {deadline_s:.0f} s")
        if request.size >= self.fields.get("fails", 1 << 40):
            return messages.Failed(status=self.fields.get("status", "unsupported"), why="it fails")
        size = request.size
        return messages.Tried(
            call_s=size * self.fields["per_size"], in_bytes=size * self.fields["bytes_per_size"],
            out_bytes=8, held_bytes=0, sized=self.fields["sized"], source="--inputs",
            dtype="float32", printed=self.fields["printed"],
        )  # fmt: skip


class Crew:
    """Starts that worker."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """End."""

    def start(self, *_: object, **__: object) -> Worker:
        """Return the worker."""
        return self._worker


def plan(
    worker: Worker,
    monkeypatch: pytest.MonkeyPatch,
    sizes: tuple[int, ...] | None = None,
    budget_s: float = 60.0,
) -> function_plan.FunctionPlan:
    """Try the worker's function."""
    monkeypatch.setattr(function_plan, "crew", lambda: Crew(worker))
    spec = FunctionSpec(target=f"{Path(__file__)}:f")
    return tried(spec, sizes, seed=1, budget_s=budget_s, machine=machine(gpu=False))


def test_sizes_are_chosen_by_the_time_of_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without sizes each is four times the last, up to a call of a four-hundredth of the budget."""
    found = plan(Worker(per_size=1e-5), monkeypatch)
    assert found.sizes == (64, 256, 1024, 4096)
    assert found.dtype == "float32"


def test_many_sizes_are_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many sizes every second is measured, the largest among them."""
    found = plan(Worker(per_size=1e-9), monkeypatch)
    assert len(found.sizes) <= function_plan.MOST_SIZES
    assert max(found.sizes) == max(found.seen)


def test_a_function_without_a_size_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arguments that do not depend on a size make one size, and no list of them."""
    assert plan(Worker(sized=False), monkeypatch).sizes == (64,)
    with pytest.raises(InputError, match="do not depend on a size"):
        plan(Worker(sized=False), monkeypatch, sizes=(8, 16))


def test_what_memory_is_too_short_for_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """A size that would need more memory than there is is foreseen, kept, and never tried."""
    worker = Worker(bytes_per_size=1 << 30)
    found = plan(worker, monkeypatch, sizes=(1, 100_000))
    assert worker.asked == [1]
    assert found.sizes == (1, 100_000)
    assert "foreseen: one process needs about" in found.too_large[100_000]


def test_memory_that_runs_out_is_told_of_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """A size that met the end of memory is kept with the reason, larger ones are not tried."""
    worker = Worker(fails=32, status="out_of_memory")
    found = plan(worker, monkeypatch, sizes=(8, 32, 64))
    assert set(found.too_large) == {32, 64}
    assert worker.asked == [8, 32]
    with pytest.raises(NothingMeasuredError, match="more memory than there is at n = 8"):
        plan(Worker(fails=8, status="out_of_memory"), monkeypatch, sizes=(8,))


def test_what_never_ends_is_no_input_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A smallest size that does not end leaves nothing to measure; a larger one is remarked."""
    with pytest.raises(NothingMeasuredError, match="did not end at n = 8"):
        plan(Worker(hangs=8), monkeypatch, sizes=(8, 16))
    found = plan(Worker(hangs=16), monkeypatch, sizes=(8, 16))
    assert "did not end at n = 16" in found.remarks[0]


def test_what_raises_at_its_smallest_size_is_the_users_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An error at the first size is an input error; at a later one it is remarked."""
    with pytest.raises(InputError, match="it fails"):
        plan(Worker(fails=8), monkeypatch, sizes=(8,))
    assert plan(Worker(fails=16), monkeypatch, sizes=(8, 16)).remarks == ("at n = 16: it fails",)


def test_times_between_sizes_are_foreseen() -> None:
    """Between two sizes the line in logarithms is read; beyond them work grows with the size."""
    planned = PlannedFunction("f", {10: Seen(call_s=1e-3), 1000: Seen(call_s=1e-1)})
    assert planned.work(100, "float64").flops == pytest.approx(1e7)
    assert planned.work(2000, "float64").flops == pytest.approx(2e8)
    flat = PlannedFunction("f", {10: Seen(call_s=1e-3), 20: Seen(call_s=1e-3)})
    assert flat.work(40, "float64").flops == pytest.approx(2e6)
