"""One size of a round: how long it may take, and whether others on the GPU are seen."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from breakeven.engine import context as contexts
from breakeven.engine import messages
from breakeven.engine.case_remarks import UNSEEN, UNSEEN_AT_ALL
from breakeven.engine.context import BUILDING, COMPILING, DEADLINE_TIMES, Context
from breakeven.engine.costs import PARTS_S, Task, cost_s
from breakeven.engine.device_times import Reading
from breakeven.engine.plan import Effort, in_precision
from breakeven.engine.rounds import SizeRunner
from breakeven.model.event import CaseSet
from breakeven.model.run import Agreement, CacheTimes, DeviceTimes, Entry, GpuConditions, Memory
from breakeven.model.spec import RunSpec, TrainingSpec, WorkloadSpec
from breakeven.sensors.base import Look
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


@pytest.mark.parametrize(("compiled", "times"), [(False, BUILDING), (True, COMPILING)])
def test_a_job_has_time_to_be_built_however_quick_its_steps_are(
    monkeypatch: pytest.MonkeyPatch, *, compiled: bool, times: int
) -> None:
    """Each process reads the data and makes the model anew, also where steps are foreseen."""
    context = _context(monkeypatch, 600.0)
    spec = msgspec.structs.replace(context.spec, training=TrainingSpec(compile=compiled))
    context = dataclasses.replace(context, spec=spec)
    context.call_s["torch-cpu", "train", 64] = 0.1
    job: Any = SimpleNamespace(name="train", work=lambda *_: SimpleNamespace(flops=1.0))
    foreseen = context.deadline_s("torch-cpu", job, 64)
    assert foreseen == pytest.approx(20.0 * times + DEADLINE_TIMES * 0.1)


@pytest.mark.parametrize(
    ("others", "bytes_", "real", "told"),
    [
        (None, None, True, [UNSEEN_AT_ALL]),
        (None, 0, True, [UNSEEN]),
        (None, None, False, []),
        (0, None, True, []),
        (2, None, True, ["2 other process(es) used the GPU; slots do not count"]),
    ],
)
def test_a_gpu_whose_users_cannot_be_seen_is_told(
    monkeypatch: pytest.MonkeyPatch,
    others: int | None,
    bytes_: int | None,
    real: bool,
    told: list[str],
) -> None:
    """A gate that cannot see says so, unless times are scripted and nobody can disturb them."""
    context = _context(monkeypatch, 600.0)
    remarks: list[str] = []
    monkeypatch.setattr(context, "remark", remarks.append)
    monkeypatch.setattr(context, "emit", lambda _: None)
    ready = messages.Ready(
        agreement=Agreement(error=1e-7, bound=1e-6, class_="float32", passed=True),
        memory=Memory(), losses=(), loss_epochs=(), call_s=1e-3, steady=True, compute_s=1e-3,
        look=Look(conditions=GpuConditions(others=others)), real=real,
    )  # fmt: skip
    seen = GpuConditions(others=others, others_bytes=bytes_)
    team: Any = SimpleNamespace(
        title="round 1", number=1, gpu_pids=lambda: (7,), ask_case=lambda *_: ready,
        conditions=lambda *_, **__: seen,
    )  # fmt: skip
    task = Task(workload="matmul", size=2048, entries=("cupy",))
    seats = SizeRunner(context, team, set(), 6)._set_up(task, CUPY, Matmul(), "folder")
    assert [s.scope for s in seats] == ["resident", "transfer"]
    assert remarks == told
    assert [s.gpu_busy for s in seats] == [bool(others)] * 2


def _set_up(
    context: Context,
    monkeypatch: pytest.MonkeyPatch,
    entry: Entry,
    **detail: Any,  # noqa: ANN401  fields
) -> tuple[messages.SetUp, CaseSet, list[str]]:
    """Set a case up; return what was asked, what was kept, and what was remarked."""
    remarks: list[str] = []
    kept: list[Any] = []
    asked: list[Any] = []
    monkeypatch.setattr(context, "remark", remarks.append)
    monkeypatch.setattr(context, "emit", kept.append)
    ready = messages.Ready(
        agreement=Agreement(error=1e-7, bound=1e-6, class_="float32", passed=True),
        memory=Memory(), losses=(), loss_epochs=(), call_s=1e-3, steady=True, compute_s=1e-3,
        **detail,
    )  # fmt: skip

    def ask_case(*arguments: Any) -> messages.Ready:  # noqa: ANN401  whatever is asked
        asked.append(next(a for a in arguments if isinstance(a, messages.SetUp)))
        return ready

    team: Any = SimpleNamespace(
        title="round 1", number=1, gpu_pids=lambda: (7,), ask_case=ask_case,
        conditions=lambda *_, **__: None,
    )  # fmt: skip
    task = Task(workload="matmul", size=2048, entries=(entry.id,))
    SizeRunner(context, team, set(), 6)._set_up(task, entry, Matmul(), "folder")
    return asked[0], next(e for e in kept if isinstance(e, CaseSet)), remarks


def test_what_was_read_beside_the_slots_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clocks, caches and locked copies go into the case, with the graph that was read before."""
    context = _context(monkeypatch, 600.0)
    context.graphs["cupy", "matmul", 2048] = Reading(3e-6, None)
    context.graphs["cupy", "matmul", 8192] = Reading(None, "too long")
    caches = CacheTimes(hot_s=1e-5, cold_s=2e-5)
    asked, kept, remarks = _set_up(
        context, monkeypatch, CUPY, device=DeviceTimes(queued_s=8e-6), caches=caches,
        to_device_pinned_s=1e-3, pinned_why="no page could be locked",
    )  # fmt: skip
    assert asked.detail_s == context.effort.detail_s > 0
    assert kept.device == DeviceTimes(queued_s=8e-6, graph_s=3e-6)
    assert kept.caches == caches
    assert kept.phases is not None
    assert kept.phases.to_device_pinned_s == 1e-3
    assert kept.phases.pinned_why == "no page could be locked"
    assert remarks == []


def test_a_device_without_a_clock_keeps_no_times_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph alone makes no record: nothing was read in the round."""
    context = _context(monkeypatch, 600.0)
    context.graphs["cupy", "matmul", 2048] = Reading(3e-6, None)
    assert _set_up(context, monkeypatch, CUPY)[1].device is None


@pytest.mark.parametrize("variant", ["twin", "planted"])
def test_an_entry_that_repeats_another_is_not_read_again(
    monkeypatch: pytest.MonkeyPatch,
    variant: Any,  # noqa: ANN401  a literal
) -> None:
    """A twin does what its entry does: its clocks are known."""
    twin = Entry(id="again", backend="cupy", device="cuda:0", variant=variant, twin_of="cupy")
    assert _set_up(_context(monkeypatch, 600.0), monkeypatch, twin)[0].detail_s == 0.0


def test_the_clocks_of_a_device_are_foreseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """They cost time in the round that reads them, where there is a device clock, and in no other."""
    context = _context(monkeypatch, 600.0)
    record = SimpleNamespace(entries=(CUPY,))
    context.sink = SimpleNamespace(record=lambda: record)  # type: ignore[assignment]
    first = Task(workload="matmul", size=2048, entries=("cupy",))
    later = Task(workload="matmul", size=2048, entries=("cupy",), parts=False)
    assert cost_s(context, first, 6) - cost_s(context, later, 6) == pytest.approx(PARTS_S)
    context.device_clocks.add("cupy")
    extra = cost_s(context, first, 6) - cost_s(context, later, 6)
    # Three matrices of 16 MiB are locked.
    assert extra == pytest.approx(PARTS_S + 4 * context.effort.detail_s + 3 * 2048**2 * 4 / 1e9)


def test_a_variant_is_foreseen_and_a_twin_repeats_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A precision variant has clocks of its own; a twin has none that are read."""
    context = _context(monkeypatch, 600.0)
    variant = in_precision(CUPY, "tf32")
    twin = Entry(id="again", backend="cupy", device="cuda:0", variant="twin", twin_of="cupy")
    record = SimpleNamespace(entries=(CUPY, variant, twin))
    context.sink = SimpleNamespace(record=lambda: record)  # type: ignore[assignment]
    context.device_clocks.update({"cupy", variant.id, "again"})

    def extra(entry: str) -> float:
        first = Task(workload="matmul", size=2048, entries=(entry,))
        later = msgspec.structs.replace(first, parts=False)
        return cost_s(context, first, 6) - cost_s(context, later, 6)

    assert extra(variant.id) == pytest.approx(extra("cupy"))
    assert extra("again") == pytest.approx(PARTS_S)


@pytest.mark.parametrize(("cache", "seconds"), [(None, 0.0), (1 << 28, 0.3 + 2 * (1 << 28) / 1e9)])
def test_cold_caches_are_foreseen_by_the_size_of_the_cache(
    monkeypatch: pytest.MonkeyPatch, cache: int | None, seconds: float
) -> None:
    """Copies of twice a cache of 256 MiB take half a second; where no cache is known, nothing."""
    context = _context(monkeypatch, 600.0)
    context.effort = Effort(slots=6, detail_s=0.1, cold_caches=True)
    caches = {} if cache is None else {"L3": cache}
    cpu = msgspec.structs.replace(context.machine.cpu, caches_bytes=caches)
    context.machine = msgspec.structs.replace(context.machine, cpu=cpu)
    entry = Entry(id="numpy-2", backend="numpy", device="cpu", threads=2)
    context.sink = SimpleNamespace(  # type: ignore[assignment]
        record=lambda: SimpleNamespace(entries=(entry,))
    )
    first = Task(workload="matmul", size=2048, entries=("numpy-2",))
    later = msgspec.structs.replace(first, parts=False)
    assert cost_s(context, first, 6) - cost_s(context, later, 6) == pytest.approx(seconds)
