"""Calls captured as graphs, and what is done about those that cannot be."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from breakeven.engine import graphs, messages
from breakeven.engine.first_calls import ColdStarts
from breakeven.engine.graphs import capture_graphs, replay_seconds
from breakeven.engine.inputs import CannotMakeError
from breakeven.engine.plan import Effort, in_precision
from breakeven.errors import WorkerError
from breakeven.model.run import DeviceTimes, Entry
from breakeven.model.spec import WorkloadSpec
from breakeven.workloads import registry
from engine.devices import Device
from records import CUPY, TORCH_CUDA, record

GPU = Entry(id="torch-cuda", backend="torch-cuda", device="cuda:0")
SPEC = WorkloadSpec(name="matmul", sizes=(64, 128, 256, 512))


def _replayed(device: Device, call: Any) -> graphs.Reading:  # noqa: ANN401  a callable
    return replay_seconds(device.tools, call, device.wait, device.clock, 0.05)


def test_a_replay_is_timed_behind_a_full_queue() -> None:
    """The stand-in replays in 3 us, which its launches of 10 us do not hide."""
    device = Device()
    found = _replayed(device, device.work(2e-4, kernels=20))
    assert found.why is None
    assert found.seconds == pytest.approx(3e-6)
    after = device.log[device.log.index("capture") :]
    assert after.index("wait") < after.index("hold")


@pytest.mark.parametrize(
    ("fields", "said"),
    [({"waits": True}, "waits for the device itself"), ({"stream": "side"}, "another stream")],
)
def test_what_cannot_be_captured_is_not_tried(fields: dict[str, Any], said: str) -> None:
    """A call that waits, or works on another stream, is told before a capture could fail."""
    device = Device()
    found = _replayed(device, device.work(1e-3, **fields))
    assert found.seconds is None
    assert said in str(found.why)
    assert device.captures == 0


def test_a_capture_that_fails_is_passed_on() -> None:
    """The process is unfit for more: that is for its caller to know."""
    device = Device(fault="operation not permitted when stream is capturing")
    with pytest.raises(RuntimeError):
        _replayed(device, device.work(1e-3))


def test_a_replay_whose_answer_is_wrong_is_not_timed() -> None:
    """A capture that missed a part of the work would be quick for that."""
    device = Device()
    found = replay_seconds(
        device.tools, device.work(2e-4), device.wait, device.clock, 0.05,
        fault=lambda _answer: "the answer is wrong",
    )  # fmt: skip
    assert found == graphs.Reading(None, "not timed: the answer is wrong")


class _Session:
    """A context and a worker whose answers are given."""

    def __init__(self, *answers: object, graphs_s: float = 10.0) -> None:
        self.asked: list[int] = []
        self._answers = list(answers)
        self.context: Any = SimpleNamespace(
            effort=Effort(slots=6, graphs_s=graphs_s), graphs={}, device_clocks=set(), tell=lambda _: None,
            left_s=lambda: 100.0, workload=registry.get,
            inputs=SimpleNamespace(folder_of=lambda _workload, size: f"folder-{size}"),
        )  # fmt: skip
        self.worker: Any = SimpleNamespace(ask=self._ask)

    def _ask(self, request: messages.CaptureGraph, _deadline: float) -> object:
        self.asked.append(request.size)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def walk(self) -> dict[int, tuple[float | None, str | None]]:
        """Return what is kept, by size."""
        capture_graphs(self.context, self.worker, GPU, SPEC)
        return {key[2]: tuple(value) for key, value in self.context.graphs.items()}


def _captured(call_s: float = 1e-4, **fields: Any) -> messages.Captured:  # noqa: ANN401  fields
    values = {"seconds": 5e-6, "why": None} | fields
    return messages.Captured(call_s=call_s, **values)


def test_every_size_is_captured_in_turn() -> None:
    """The readings are kept by entry, workload and size."""
    session = _Session(*[_captured(seconds=n * 1e-6) for n in range(1, 5)])
    assert session.walk() == {s: (pytest.approx(n * 1e-6), None)
                              for n, s in enumerate(SPEC.sizes, 1)}  # fmt: skip
    assert set(session.context.graphs) == {("torch-cuda", "matmul", s) for s in SPEC.sizes}


def test_nothing_is_asked_after_a_capture_that_failed() -> None:
    """The library may be unfit: larger sizes carry the reason of the one that failed."""
    failed = _captured(seconds=None, why="the capture failed: no", broken=True)
    session = _Session(_captured(), failed)
    found = session.walk()
    assert session.asked == [64, 128]
    assert found[128] == (None, "the capture failed: no")
    assert found[512] == (None, "not tried after size 128: the capture failed: no")


@pytest.mark.parametrize(
    "answer",
    [
        WorkerError("the worker ended"),
        CannotMakeError("the disk is full"),
        messages.Failed(status="out_of_memory", why="no memory is left"),
    ],
)
def test_a_process_that_ends_is_a_reason_and_no_more(answer: Any) -> None:  # noqa: ANN401
    """A worker that dies, inputs that cannot be made, a refusal: each is told in one line."""
    found = _Session(answer).walk()
    what = answer.why if isinstance(answer, messages.Failed) else answer.what
    assert {why for _, why in found.values()} == {f"not captured: {what}"}


def test_a_size_whose_calls_must_be_long_is_not_even_made() -> None:
    """From 1 ms at 64 follow 8 ms at 128: no inputs are made for that, and the reason is told."""
    session = _Session(_captured(call_s=1e-3))
    found = session.walk()
    assert session.asked == [64]
    assert "8.00 ms" in str(found[128][1])


def test_long_calls_end_the_walk() -> None:
    """A call of 6 ms has no launches to save: larger sizes are told so without being asked."""
    session = _Session(_captured(), _captured(call_s=6e-3))
    found = session.walk()
    assert session.asked == [64, 128]
    assert found[128][0] is not None
    assert "6.00 ms" in str(found[256][1])


OPENED = messages.Opened(version="1", import_s=1.0, context_s=0.1, device_clock=True)
COLD = messages.ColdCalls(calls_s=(0.3, 2e-3, 1e-3))


@pytest.mark.parametrize(
    ("opened", "reply", "captured"),
    [
        (OPENED, COLD, True),
        (messages.Opened(version="1", import_s=1.0, context_s=0.1), COLD, False),
        (OPENED, messages.Failed(status="crashed", why="no"), False),
    ],
)
def test_graphs_are_captured_in_the_first_process_of_a_workload(
    opened: messages.Opened, reply: messages.Reply, captured: bool
) -> None:
    """After its first calls, if they worked and the device has a clock; never a second time."""
    session = _Session(*[_captured()] * 4)
    starts = ColdStarts(session.context, [GPU])
    for _ in range(2):
        starts._capture(session.worker, GPU, SPEC, opened, reply)
    assert session.asked == (list(SPEC.sizes) if captured else [])
    assert session.context.device_clocks == ({"torch-cuda"} if opened.device_clock else set())


def test_a_case_without_a_graph_has_a_reason() -> None:
    """A variant is told apart from an entry whose process never got so far."""
    variant = in_precision(CUPY, "tf32")
    assert graphs.why_no_graph(variant) == graphs.NOT_OF_VARIANTS
    assert graphs.why_no_graph(CUPY) == graphs.NO_PROCESS


def test_a_run_that_goes_on_knows_the_graphs_that_it_has_read() -> None:
    """Readings and reasons are taken from its cases; a case without either is not known."""
    made = record((CUPY,), sizes=(128, 512, 2048))
    seen = (DeviceTimes(graph_s=3e-6), DeviceTimes(graph_why="long"), DeviceTimes(queued_s=1e-6))
    cases = tuple(replace(c, device=d) for c, d in zip(made.cases, seen, strict=True))
    assert graphs.known_graphs(replace(made, cases=cases)) == {
        ("cupy", "matmul", 128): graphs.Reading(3e-6, None),
        ("cupy", "matmul", 512): graphs.Reading(None, "long"),
    }


@pytest.mark.parametrize("known", [SPEC.sizes[:2], SPEC.sizes])
def test_graphs_that_an_interruption_lost_are_captured_again(known: tuple[int, ...]) -> None:
    """First calls that were done before are not repeated; a process for the graphs alone is."""
    session = _Session(*[_captured()] * 4)
    made = record((TORCH_CUDA,), sizes=known)
    cases = tuple(replace(c, device=DeviceTimes(graph_s=3e-6)) for c in made.cases)
    started: list[int] = []

    def start_worker(_entry: object, **_fields: object) -> object:
        started.append(1)
        return SimpleNamespace(ask=session.worker.ask, receive=lambda _: OPENED)

    session.context.sink = SimpleNamespace(record=lambda: replace(made, cases=cases))
    session.context.start_worker = start_worker
    session.context.crew = SimpleNamespace(end=lambda _: None)
    ColdStarts(session.context, [GPU])._graphs_again([SPEC])
    lost = known != SPEC.sizes
    assert len(started) == int(lost)
    assert session.asked == (list(SPEC.sizes) if lost else [])
    assert set(session.context.graphs) == {("torch-cuda", "matmul", s) for s in SPEC.sizes}


def test_the_walk_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """After its share of the budget no further size is asked for."""
    times = iter([0.0, 0.5, 1.5, 2.5])
    monkeypatch.setattr(graphs, "now", lambda: next(times))
    session = _Session(_captured(), _captured(), graphs_s=1.0)
    found = session.walk()
    assert session.asked == [64]
    assert "budget" in str(found[128][1])
