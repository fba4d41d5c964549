"""What is measured of a case beside its slots, on a device that takes the times it is told."""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from breakeven.backends.base import About, DeviceMemory, Opening
from breakeven.backends.numpy import NumpyBackend
from breakeven.engine import page_locked as locked
from breakeven.engine.bench import Bench
from breakeven.engine.detail import Detail
from breakeven.engine.messages import CaptureGraph, Ready, SetUp
from breakeven.engine.page_locked import Copies, page_locked
from breakeven.model.run import Agreement, DeviceTimes, Memory
from breakeven.workloads.base import Answer
from breakeven.workloads.matmul import Matmul
from engine.devices import Device

HOST = (np.arange(64, dtype=np.float32),)
READY = Ready(
    agreement=Agreement(error=0.0, bound=1.0, class_="float32", passed=True), memory=Memory(),
    losses=(), loss_epochs=(), call_s=1e-3, steady=True, compute_s=1e-3, device_s=2e-4,
    issue_s=1e-5,
)  # fmt: skip


class _Namespace:
    """NumPy, with copies that take the device 1 ns a byte."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever NumPy has
        return getattr(np, name)

    def negative(self, array: Any, out: Any) -> None:  # noqa: ANN401  arrays
        """Let the time of a copy pass."""
        assert out is array
        self._device.launch(array.nbytes * 1e-9)


class StandIn:
    """A backend on a device that is not there: NumPy computes, and the device's clock counts."""

    about = About(name="stand-in", device="cuda:0", pools=False)

    def __init__(self, device: Device) -> None:
        self.device = device
        self.opening = Opening(
            xp=_Namespace(device), version="", import_s=0.0, context_s=0.0, clock=device.clock,
            device_clock=device.tools,
        )  # fmt: skip

    def find(self) -> Any:  # noqa: ANN401  unused
        """Be found by nobody."""
        raise NotImplementedError

    def open(self) -> Opening:
        """Return what was made before."""
        return self.opening

    def begin_case(self, workload: str, size: int) -> None:
        """Free nothing."""

    def to_device(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Copy in 2 ms."""
        self.device.now += 2e-3
        return array.copy()

    def to_host(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Return the array."""
        return array

    def synchronise(self) -> None:
        """Wait for all streams."""
        self.device.wait()

    def memory(self) -> DeviceMemory:
        """Return nothing known."""
        return DeviceMemory()


def _request(**fields: Any) -> SetUp:  # noqa: ANN401  fields
    values = {"workload": "matmul", "size": 8, "folder": "", "warm_s": 0.1, "detail_s": 0.05}
    return SetUp(**(values | fields))


def _detailed(device: Device, request: SetUp, **work: Any) -> Ready:  # noqa: ANN401  fields
    seam = StandIn(device)
    call = device.work(1e-4, **work)

    def run(inputs: tuple[Any, ...]) -> Answer:
        call()
        return Answer(arrays=inputs)

    return Detail(seam, seam.opening).added(READY, request, run, HOST, HOST)


def test_nothing_is_measured_unless_it_is_asked_for() -> None:
    """A quick run, and every round but the first, leave a case as it was."""
    for request in (_request(detail_s=0.0), _request(parts=False)):
        device = Device()
        assert _detailed(device, request) is READY
        assert device.log == []


def test_the_clocks_of_the_device_stand_side_by_side() -> None:
    """Latency and issue are those read before; the queue's figure is the work of 100 us."""
    found = _detailed(Device(), _request())
    assert found.device == DeviceTimes(latency_s=2e-4, issue_s=1e-5, queued_s=pytest.approx(1e-4))
    assert found.caches is None


def test_work_on_another_stream_has_no_time_in_a_queue() -> None:
    """What the events saw is told, and no figure is made of it."""
    found = _detailed(Device(), _request(), stream="side").device
    assert found is not None
    assert "work on another stream" in str(found.other_stream)
    assert found.queued_s is None
    assert "would not see" in str(found.queued_why)


def test_a_call_that_waits_says_why_it_forms_no_queue() -> None:
    """The reason stands where the figure would."""
    found = _detailed(Device(), _request(), waits=True).device
    assert found is not None
    assert found.queued_s is None
    assert "waits for the device itself" in str(found.queued_why)


def test_locked_copies_stand_beside_pageable_ones() -> None:
    """Inputs are locked once and copied again and again; results land in locked memory."""
    device = Device()
    found = _detailed(device, _request())
    assert found.to_device_pinned_s == pytest.approx(5e-4)
    assert found.to_host_pinned_s == pytest.approx(1e-3)
    assert device.log.count("sending") == device.log.count("landing") == 1


def test_large_data_are_not_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a bound nothing is locked, and the reason is told."""
    monkeypatch.setattr(locked, "BYTES_MOST", 100)
    device = Device()
    seam = StandIn(device)
    found = page_locked(seam, seam.opening, device.tools, HOST, HOST, 0.1)
    assert found == Copies(why=found.why)
    assert "no more than 100 B are locked" in str(found.why)
    assert device.log == []


def test_a_part_that_fails_is_a_reason_and_the_others_go_on() -> None:
    """A library without memory for locked copies, or without a blocker, loses that part alone."""
    device = Device()
    seam = StandIn(device)

    def refuse(_: object) -> Any:  # noqa: ANN401  never returns
        raise MemoryError("no page can be locked\nand more")

    for name, broken in (("sending", "pinned_why"), ("hold", "queued_why")):
        tools = msgspec.structs.replace(device.tools, **{name: refuse})
        opening = msgspec.structs.replace(seam.opening, device_clock=tools)
        call = device.work(1e-4)
        found = Detail(seam, opening).added(
            READY, _request(), lambda inputs, call=call: Answer(arrays=(call(), *inputs)[1:]),
            HOST, HOST,
        )  # fmt: skip
        assert found.device is not None
        said = {"pinned_why": found.pinned_why, "queued_why": found.device.queued_why}
        assert "MemoryError: no page can be locked" in str(said.pop(broken))
        assert list(said.values()) == [None]


def test_both_sides_are_timed_cold_or_neither() -> None:
    """With cold caches asked for, the GPU's copies rotate beyond its own cache."""
    found = _detailed(Device(), _request(cold_caches=True)).caches
    assert found is not None
    assert found.why is None
    assert found.cold_bytes > 2 * (1 << 16)
    seam = NumpyBackend()
    opening = Opening(xp=np, version="", import_s=0.0, context_s=0.0, clock=Device().clock)
    unknown = Detail(seam, opening).added(
        READY, _request(cold_caches=True), lambda inputs: Answer(arrays=inputs), HOST, HOST
    )
    assert unknown.device is None
    assert unknown.caches is not None
    assert unknown.caches.why == "the size of the last cache is not known"


def _capture(
    tmp_path: Path,
    device: Device,
    *,
    misses: bool = False,
    **work: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401  a reply
    """Capture a product; one that `misses` leaves its result as it was."""
    made = Matmul().make(8, "float32", 42)
    for prefix, arrays in zip(("input", "reference"), made, strict=True):
        for place, (name, array) in enumerate(arrays.items()):
            np.save(tmp_path / f"{prefix}-{place}-{name}.npy", array)
    seam, call = StandIn(device), device.work(1e-4, **work)

    class Timed(Matmul):
        def run(self, xp: Any, inputs: tuple[Any, ...]) -> Answer:  # noqa: ANN401  any namespace
            call()
            answer = super().run(xp, inputs)
            if device.captures and misses:
                answer.arrays[0][:] = 0
            return answer

    request = CaptureGraph(workload="matmul", size=8, folder=str(tmp_path), seconds=0.02)
    return Bench(seam, seam.opening).captured(request, Timed())


def test_a_bench_times_a_call_as_a_graph(tmp_path: Path) -> None:
    """The replay's time comes back, with that of a call as it was."""
    found = _capture(tmp_path, Device())
    assert (found.seconds, found.why, found.broken) == (pytest.approx(3e-6), None, False)
    assert found.call_s == pytest.approx(1.1e-4)


def test_a_capture_that_missed_the_work_is_no_figure(tmp_path: Path) -> None:
    """A replay that leaves the result empty would be the quickest of all."""
    found = _capture(tmp_path, Device(), misses=True)
    assert (found.seconds, found.broken) == (None, False)
    assert "missed a part of the work" in found.why


def test_a_bench_tells_what_broke_a_capture(tmp_path: Path) -> None:
    """The first error is told and not the one that ends the capture; the process is broken."""
    found = _capture(tmp_path, Device(fault="not permitted when stream is capturing"))
    assert found.seconds is None
    assert found.broken
    assert found.why == "the capture failed: RuntimeError: not permitted when stream is capturing"


def test_a_call_that_waits_breaks_no_process(tmp_path: Path) -> None:
    """What was not tried leaves the process as it was."""
    found = _capture(tmp_path, Device(), waits=True)
    assert found.seconds is None
    assert not found.broken


def test_copies_are_timed_one_at_a_time(tmp_path: Path) -> None:
    """While inputs are copied anew the old ones are gone: the peak of memory is the case's own."""
    device, held = Device(), []
    for place in range(2):
        np.save(tmp_path / f"input-{place}-{'ab'[place]}.npy", np.eye(8, dtype=np.float32))
    np.save(tmp_path / "reference-0-rows.npy", np.arange(8))
    np.save(tmp_path / "reference-1-product.npy", np.eye(8))
    np.save(tmp_path / "reference-2-terms.npy", np.eye(8))

    class Counting(StandIn):
        def to_device(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
            made = super().to_device(array)
            held.append(weakref.ref(made))
            alive = sum(1 for x in held if x() is not None)
            assert alive <= 2
            return made

    seam = Counting(device)
    Bench(seam, seam.opening).set_up(_request(folder=str(tmp_path), detail_s=0.0), Matmul(), None)
    assert len(held) > 4


def test_an_empty_kernel_is_a_floor_where_it_is_asked_for() -> None:
    """A quick run reads the floors that it always did."""
    seam = StandIn(Device())
    bench = Bench(seam, seam.opening)
    assert bench.floors().empty_kernel_s is None
    assert bench.floors(detail=True).empty_kernel_s == pytest.approx(2e-6)
