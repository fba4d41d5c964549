"""The device clocks of PyTorch and CuPy, on stand-ins that write down what is asked of them."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from breakeven.backends.cupy_clock import SOURCE, cupy_clock
from breakeven.backends.torch_clock import CALIBRATION_CYCLES, torch_clock


class _TorchEvent:
    def __init__(self, log: list[object], *, enable_timing: bool) -> None:
        assert enable_timing
        self._log = log

    def record(self) -> None:
        self._log.append("record")

    def query(self) -> bool:
        return False

    def synchronize(self) -> None:
        self._log.append("await event")

    def elapsed_time(self, end: object) -> float:
        """Return half a millisecond, in milliseconds."""
        assert end is not self
        return 0.5


class _Stream:
    def __init__(self, log: list[object], name: str) -> None:
        self._log = log
        self.name = name

    def wait_stream(self, other: _Stream) -> None:
        self._log.append(f"{self.name} waits for {other.name}")


def _torch(log: list[object], **properties: int) -> Any:  # noqa: ANN401  a module
    main = _Stream(log, "main")

    @contextmanager
    def on(stream: _Stream) -> Any:  # noqa: ANN401  a context
        log.append(f"on {stream.name}")
        yield
        log.append(f"off {stream.name}")

    @contextmanager
    def graph(made: object, stream: _Stream) -> Any:  # noqa: ANN401  a context
        assert made is not None
        log.append(f"begin on {stream.name}")
        yield
        log.append("end")

    cuda = SimpleNamespace(
        Event=lambda **kwargs: _TorchEvent(log, **kwargs),
        Stream=lambda: _Stream(log, "side"),
        current_stream=lambda: main,
        current_device=lambda: 0,
        get_device_properties=lambda _: SimpleNamespace(**properties),
        _sleep=log.append,
        stream=on,
        graph=graph,
        CUDAGraph=lambda: SimpleNamespace(replay=lambda: log.append("replay")),
    )
    return SimpleNamespace(cuda=cuda)


def test_torch_holds_for_a_number_of_cycles_read_once() -> None:
    """A chip read at 2 GHz may rise: it is held as for 2.5 GHz, 25 million cycles for 10 ms."""
    log: list[object] = []
    clock = torch_clock(_torch(log))
    clock.hold(1e-2)
    assert log == [0, "record", CALIBRATION_CYCLES, "record", "await event", 25_000_000]
    log.clear()
    clock.hold(1e-3)
    clock.empty()
    assert log == [2_500_000, 0]


def test_torch_captures_on_a_side_stream_after_warm_calls() -> None:
    """Three calls warm the stream up, main and side wait for each other, and one is captured."""
    log: list[object] = []
    replay = torch_clock(_torch(log)).capture(lambda: log.append("call"))
    assert log == [
        "side waits for main", "on side", "call", "call", "call", "off side",
        "main waits for side", "begin on side", "call", "end",
    ]  # fmt: skip
    log.clear()
    replay()
    assert log == ["replay"]


def test_torch_events_are_milliseconds_made_seconds() -> None:
    """Elapsed time comes in milliseconds; an event that was not reached has not passed."""
    clock = torch_clock(_torch([]))
    begin, end = clock.mark(), clock.mark()
    assert clock.between(begin, end) == pytest.approx(5e-4)
    assert not clock.passed(begin)


@pytest.mark.parametrize(("told", "known"), [({"L2_cache_size": 52}, 52), ({}, None)])
def test_torch_tells_its_cache_or_that_it_does_not(told: dict[str, int], known: int | None) -> None:
    """Older versions do not say how large the cache is."""
    assert torch_clock(_torch([], **told)).l2_bytes == known


def test_torch_sends_from_memory_that_it_locked_once() -> None:
    """A NumPy array becomes a tensor first; each sending copies the locked one to the device."""
    sent: list[object] = []
    locked = SimpleNamespace(to=lambda device, *, non_blocking: sent.append((device, non_blocking)))
    made: list[object] = []

    def tensor() -> Any:  # noqa: ANN401  a tensor
        made.append("pinned")
        return locked

    torch = _torch([])
    torch.is_tensor = lambda array: isinstance(array, SimpleNamespace)
    torch.from_numpy = lambda _: SimpleNamespace(pin_memory=tensor)
    clock = torch_clock(torch)
    for array in (np.ones(2), SimpleNamespace(pin_memory=tensor)):
        send = clock.sending(array)
        send()
        send()
    assert made == ["pinned"] * 2
    assert sent == [("cuda", True)] * 4


class _CupyStream:
    def __init__(self, log: list[object]) -> None:
        self._log = log

    def __enter__(self) -> None:
        self._log.append("on side")

    def __exit__(self, *_: object) -> None:
        self._log.append("off side")

    def synchronize(self) -> None:
        self._log.append("await side")

    def begin_capture(self) -> None:
        self._log.append("begin")

    def end_capture(self) -> Any:  # noqa: ANN401  a graph
        self._log.append("end")
        return SimpleNamespace(launch=lambda: self._log.append("launch"))


def _cupy(log: list[object]) -> Any:  # noqa: ANN401  a module
    def function(name: str) -> Any:  # noqa: ANN401  a kernel
        return lambda grid, block, arguments: log.append((name, grid, block, arguments))

    def module(code: str) -> Any:  # noqa: ANN401  a module
        assert code == SOURCE
        log.append("compile")
        return SimpleNamespace(get_function=function)

    def stream(*, non_blocking: bool) -> _CupyStream:
        assert non_blocking
        return _CupyStream(log)

    device = SimpleNamespace(id=0, synchronize=lambda: log.append("await device"))
    cuda = SimpleNamespace(
        Device=lambda: device, Stream=stream, get_elapsed_time=lambda _begin, _end: 0.25,
        Event=lambda: SimpleNamespace(record=lambda: log.append("record"), done=True),
        runtime=SimpleNamespace(getDeviceProperties=lambda _: {"l2CacheSize": 50 << 20}),
    )  # fmt: skip
    return SimpleNamespace(cuda=cuda, RawModule=module)


def test_cupy_compiles_its_kernels_once_and_when_they_are_used() -> None:
    """Opening compiles nothing; one module holds both, each of one thread."""
    log: list[object] = []
    clock = cupy_clock(_cupy(log))
    assert log == []
    clock.empty()
    clock.hold(2e-3)
    assert log == [
        "compile",
        ("breakeven_empty", (1,), (1,), ()),
        ("breakeven_hold", (1,), (1,), (np.uint64(2_000_000),)),
    ]


def test_the_kernel_that_holds_is_bounded_twice() -> None:
    """It ends by the device's timer, and by a count of its rounds if that stood still."""
    assert "now - begin < ns && ++rounds < ns" in SOURCE


def test_cupy_reads_events_and_cache() -> None:
    """Elapsed time comes in milliseconds; the properties name the cache."""
    log: list[object] = []
    clock = cupy_clock(_cupy(log))
    assert clock.between(clock.mark(), clock.mark()) == pytest.approx(2.5e-4)
    assert clock.passed(clock.mark())
    assert log == ["record"] * 3
    assert clock.l2_bytes == 50 << 20


def test_cupy_captures_on_a_stream_of_its_own() -> None:
    """The warm calls fill that stream's part of the pool; then one call is captured."""
    log: list[object] = []
    replay = cupy_clock(_cupy(log)).capture(lambda: log.append("call"))
    assert log == [
        "await device", "on side", "call", "call", "call", "await side", "begin", "call", "end",
        "off side",
    ]  # fmt: skip
    log.clear()
    replay()
    assert log == ["launch"]


def test_cupy_ends_a_capture_that_fails() -> None:
    """The stream does not stay in capture, and the error that ended it is the one that is seen."""
    log: list[object] = []

    def call() -> None:
        log.append("call")
        if "begin" in log:
            raise NotImplementedError("calling cuBLAS API during stream capture")

    with pytest.raises(NotImplementedError, match="cuBLAS"):
        cupy_clock(_cupy(log)).capture(call)
    assert log[-4:] == ["begin", "call", "end", "off side"]


def test_cupy_locks_memory_and_lands_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The locked copy has the same values; results are copied to memory that was locked before."""
    locked: list[Any] = []

    def empty_pinned(shape: tuple[int, ...], dtype: Any) -> Any:  # noqa: ANN401  an array
        locked.append(np.empty(shape, dtype))
        return locked[-1]

    monkeypatch.setitem(sys.modules, "cupyx", SimpleNamespace(empty_pinned=empty_pinned))
    cupy, sets = _cupy([]), []
    cupy.empty = lambda shape, dtype: SimpleNamespace(shape=shape, dtype=dtype, set=sets.append)
    clock = cupy_clock(cupy)
    host = np.arange(6, dtype=np.float32).reshape(2, 3)
    send: Any = clock.sending(host)
    assert send() is not send()
    assert sets[0] is sets[1] is locked[0]
    assert np.array_equal(locked[0], host)
    got: list[Any] = []
    array = SimpleNamespace(shape=(4,), dtype=np.float64, get=lambda *, out: got.append(out))
    land = clock.landing(array)
    land()
    land()
    assert got[0] is got[1] is locked[1]
