"""A whole training and inference run on a CUDA device."""

from __future__ import annotations

from pathlib import Path

import pytest

import breakeven
from breakeven import lab
from breakeven.model.machine import Gpu
from breakeven.model.study import Study

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(900)]
EPOCHS = 20


@pytest.fixture(scope="module")
def trained(gpu: Gpu, tmp_path_factory: pytest.TempPathFactory) -> lab.Result:
    """Return a training of the cnn on digits, CPU and GPU, GPUs also in TF32, with all epochs."""
    del gpu
    return breakeven.run(
        "train",
        model="cnn",
        batch_sizes=[64, 128],
        epochs=EPOCHS,
        all_epochs=True,
        precision="fp32,tf32",
        budget="4m",
        store=tmp_path_factory.mktemp("trained"),
    )


def _study(result: lab.Result, backend: str, size: int) -> Study:
    entries = {e.id: e for e in result.record.entries}
    return next(
        s
        for s in result.record.studies
        if s.size == size
        and entries[s.entry].backend == backend
        and entries[s.entry].variant == "default"
    )


def test_cpu_and_gpu_train_the_same_network(trained: lab.Result) -> None:
    """Every case that was set up agrees with float64 over its first steps."""
    for case in trained.record.cases:
        assert case.status == "ok", case.why
    checked = [c for c in trained.record.cases if c.agreement is not None]
    backends = {e.id: e.backend for e in trained.record.entries}
    assert {backends[c.entry] for c in checked} == {"torch-cpu", "torch-cuda"}


def test_the_phases_of_a_step_add_up_to_it(trained: lab.Result) -> None:
    """Within 5 %, on the GPU as on the CPU."""
    for backend in ("torch-cpu", "torch-cuda"):
        for phases in _study(trained, backend, 64).phases:
            parts = (
                phases.loader_s, phases.to_device_s, phases.forward_s, phases.backward_s,
                phases.optimiser_s,
            )  # fmt: skip
            assert sum(p or 0.0 for p in parts) == pytest.approx(phases.step_s, rel=0.05)


def test_steps_under_the_sensors_have_power_and_a_busy_gpu(trained: lab.Result) -> None:
    """Each stretch on the GPU has readings of it, and the GPU was busier than when idle."""
    stretches = _study(trained, "torch-cuda", 128).stretches
    assert len(stretches) == 3
    for stretch in stretches:
        read = {r.sensor: r for r in stretch.readings}
        assert read["gpu0.power_w"].mean > 0
        assert read["gpu0.utilisation_share"].mean > 0
        energy = next(e for e in stretch.energies if e.device == "gpu0")
        assert energy.gross_j is not None, energy.why
        assert energy.net_j is not None, energy.why


def test_the_trace_saw_the_device(trained: lab.Result) -> None:
    """Its summary has a busy share, kernels, and the copies of the batches."""
    trace = _study(trained, "torch-cuda", 128).trace
    assert trace is not None
    assert trace.why is None, trace.why
    assert trace.busy_share is not None
    assert 0 < trace.busy_share <= 1
    assert trace.kernels > 0
    assert any(c.direction == "to_device" for c in trace.copies)


def test_both_sides_reach_the_same_accuracy(trained: lab.Result) -> None:
    """The cnn answers 98 % of the digits or more on each after all epochs."""
    for backend in ("torch-cpu", "torch-cuda"):
        (training,) = _study(trained, backend, 64).trainings
        assert len(training.epochs) == EPOCHS
        last = training.epochs[-1]
        assert last.correct >= 0.98 * last.total


def test_inference_tells_its_latencies(gpu: Gpu, tmp_path: Path) -> None:
    """Single requests of one image and of 64 have percentiles on the GPU."""
    del gpu
    result = breakeven.run("infer", model="mlp", batch_sizes=[1, 64], budget="90s", store=tmp_path)
    for size in (1, 64):
        latencies = _study(result, "torch-cuda", size).latencies
        assert latencies
        assert all(one.p50_s is not None for one in latencies)


def test_a_batch_that_the_gpu_cannot_hold_ends_one_case(gpu: Gpu, tmp_path: Path) -> None:
    """It is foreseen or met as out of memory, and the smaller one is measured."""
    del gpu
    result = breakeven.run(
        "train",
        model="resnet18",
        data="synthetic",
        image_size=224,
        batch_sizes=[8, 16384],
        backends=["torch-cuda"],
        budget="3m",
        store=tmp_path,
    )
    status = {c.size: c.status for c in result.record.cases if c.entry == "torch-cuda"}
    assert status[8] == "ok"
    assert status[16384] == "out_of_memory"
