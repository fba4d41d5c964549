"""What coordinator and worker say to each other."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterator

import msgspec
import pytest

from breakeven.engine import messages
from breakeven.model.run import Agreement, CacheTimes, DeviceTimes, Memory

SET_UP = messages.SetUp(workload="matmul", size=8, folder="/x", warm_s=0.1, own_pids=(1, 2))
FAILED = messages.Failed(status="crashed", why="w" * 300_000, fix=None)


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """Return both ends of a pipe, to read from and to write to."""
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            continue  # the test closed it


def test_messages_arrive_whole_and_in_order(pipe: tuple[int, int]) -> None:
    """What is longer than a pipe holds, and what follows it, is read as it was written."""
    sent = [FAILED, messages.Done(), FAILED]
    writer = threading.Thread(target=lambda: [messages.write(pipe[1], m) for m in sent])
    writer.start()
    got = [messages.decode_reply(messages.read(pipe[0]) or b"") for _ in sent]
    writer.join()
    assert got == sent


def test_a_closed_pipe_is_the_end(pipe: tuple[int, int]) -> None:
    """Nothing more to read is None, not an empty message."""
    messages.write(pipe[1], SET_UP)
    os.close(pipe[1])
    assert messages.decode_request(messages.read(pipe[0]) or b"") == SET_UP
    assert messages.read(pipe[0]) is None


@pytest.mark.parametrize("kept", [2, 4, 20])
def test_a_message_cut_short_is_the_end(pipe: tuple[int, int], kept: int) -> None:
    """A writer that dies inside a message leaves no half message behind."""
    body = messages.encode(SET_UP)
    os.write(pipe[1], (len(body).to_bytes(4, "big") + body)[:kept])
    os.close(pipe[1])
    assert messages.read(pipe[0]) is None


def test_a_wrong_answer_is_told_whatever_its_error() -> None:
    """An infinite error and losses that are no numbers arrive as they are."""
    ready = messages.Ready(
        agreement=Agreement(error=math.inf, bound=1e-6, class_="wrong"),
        memory=Memory(), losses=(math.nan, 0.5), loss_epochs=(0, 2),
        call_s=1e-3, steady=True, compute_s=1e-3,
    )  # fmt: skip
    got = messages.decode_reply(messages.encode(ready))
    assert isinstance(got, messages.Ready)
    assert got.agreement == ready.agreement
    assert [math.isnan(x) for x in got.losses] == [True, False]


MOON = msgspec.msgpack.encode({"type": "measure", "scope": "moon", "seconds": 1})


@pytest.mark.parametrize("body", [b"\x80", MOON, b"\xc1"])
def test_what_is_no_message_is_refused(body: bytes) -> None:
    """A body of another kind is an error, not a guess."""
    with pytest.raises(msgspec.DecodeError):
        messages.decode_request(body)


def test_what_is_read_of_a_device_arrives_as_it_was_sent() -> None:
    """A request for a graph, its answer, and a case with clocks and caches come out unchanged."""
    request = messages.CaptureGraph(workload="matmul", size=8, folder="/x", seconds=0.1)
    assert messages.decode_request(messages.encode(request)) == request
    captured = messages.Captured(seconds=None, why="no", call_s=1e-3, broken=True)
    ready = messages.Ready(
        agreement=Agreement(error=0.0, bound=1.0, class_="float32", passed=True), memory=Memory(),
        losses=(), loss_epochs=(), call_s=1e-3, steady=True, compute_s=1e-3,
        device=DeviceTimes(queued_s=8e-6, graph_why="no"), caches=CacheTimes(why="unproven"),
        to_device_pinned_s=1e-3, pinned_why="no",
    )  # fmt: skip
    for reply in (captured, ready):
        assert messages.decode_reply(messages.encode(reply)) == reply
