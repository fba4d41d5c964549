"""Our device clock beside a trace, with a stand-in for the worker."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.engine import messages
from breakeven.engine.device_check import CALLS, read_device_clocks, read_one
from breakeven.model.run import Agreement, DeviceTimes, Memory
from engine.casts import actor, gpu, script
from records import entry

CUPY = entry("cupy", default=True)
AGREED = Agreement(error=1e-7, bound=1e-5, class_="float32", passed=True)


def ready(**fields: object) -> messages.Ready:
    """Return what a worker says of a case that is set up."""
    told = {"agreement": AGREED, "memory": Memory(), "losses": (), "loss_epochs": (),
            "call_s": 1e-3, "steady": True, "compute_s": 1e-3} | fields  # fmt: skip
    return messages.Ready(**told)  # type: ignore[arg-type]


class Asked:
    """Answers one prepared reply after the other, and keeps what was asked."""

    def __init__(self, *replies: messages.Reply) -> None:
        self._replies = list(replies)
        self.requests: list[messages.Request] = []

    def __call__(self, request: messages.Request, deadline_s: float) -> messages.Reply:
        """Answer."""
        assert deadline_s > 0
        self.requests.append(request)
        return self._replies.pop(0)


def test_a_case_that_fails_says_why() -> None:
    """Out of memory at set-up is the reason, and no trace is asked for."""
    asked = Asked(messages.Failed(status="out_of_memory", why="no memory"))
    found = read_one(asked, CUPY, 512, "folder")
    assert (found.ours_s, found.traced_s, found.why) == (None, None, "no memory")
    assert len(asked.requests) == 1


def test_latency_is_not_held_against_kernels() -> None:
    """A backend that has no clock behind a full queue is told so, with no figure."""
    found = read_one(Asked(ready(device_s=1e-4)), CUPY, 512, "folder")
    assert (found.ours_s, found.traced_s) == (None, None)
    assert found.why


def test_the_clock_is_read_before_and_after_the_trace() -> None:
    """The mean of both readings stands beside the kernels: a GPU that warms up moves neither."""
    first, last = (ready(device=DeviceTimes(queued_s=s)) for s in (1.00e-4, 1.02e-4))
    traced = messages.Traced(seconds=1.005e-4, kernels=2)
    asked = Asked(first, traced, last)
    found = read_one(asked, CUPY, 512, "folder")
    assert (found.ours_s, found.traced_s) == (pytest.approx(1.01e-4), 1.005e-4)
    assert (found.backend, found.size, found.kernels, found.why) == ("cupy", 512, 2, None)
    set_up, trace, again = asked.requests
    assert isinstance(set_up, messages.SetUp)
    assert set_up == again
    assert set_up.detail_s > 0
    assert trace == messages.Trace(calls=CALLS)


def test_what_the_clock_or_the_trace_cannot_read_is_told() -> None:
    """A queue that cannot be filled and a trace without kernels are reasons, each with its words."""
    slow = ready(device=DeviceTimes(queued_why="the host was too slow to fill the queue"))
    assert "too slow" in (read_one(Asked(slow), CUPY, 512, "folder").why or "")
    fine = ready(device=DeviceTimes(queued_s=1e-4))
    found = read_one(Asked(fine, messages.Traced(why="no kernel"), fine), CUPY, 512, "folder")
    assert (found.ours_s, found.traced_s, found.why) == (pytest.approx(1e-4), None, "no kernel")
    failed = messages.Failed(status="crashed", why="the profiler fell over")
    assert read_one(Asked(fine, failed), CUPY, 512, "folder").why == failed.why


def test_entries_on_a_cpu_are_passed_over() -> None:
    """They have no device clock; no process is started for them."""
    assert read_device_clocks([entry("numpy", 2)], 42, lambda *_: None) == ()


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (gpu({8: 1e-3}), ""),
        (gpu({8: 1e-3}, fails="its driver is broken"), "its driver is broken"),
        (actor({8: 1e-3}, device="cuda:0", faults={8: "crash"}), "exit code 3"),
    ],
)
def test_each_backend_answers_from_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: dict[str, object], words: str
) -> None:
    """Every size has a reading with a reason where there is no figure, whatever the worker does."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    backend = f"{script(tmp_path, one=made)}#one"
    found = read_device_clocks([entry(backend, device="cuda:0")], 42, lambda *_: None, sizes=(8,))
    assert [f.size for f in found] == [8]
    assert found[0].traced_s is None
    assert words in (found[0].why or "")
    assert found[0].why
    assert CALLS > 1
