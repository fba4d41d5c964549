"""Work and memory of a training job, foreseen from what two small batches were counted at."""

from __future__ import annotations

import pytest

from breakeven.errors import InputError
from breakeven.workloads import registry
from breakeven.workloads.base import Need
from breakeven.workloads.jobs import DEVICE_BYTES, HOST_BYTES, SIZES, JobWorkload
from breakeven.workloads.training.base import Facts

FIXED, EACH = 1000, 10


def _facts(batch: int, *, counted: bool = True) -> Facts:
    return Facts(
        model="m", data="d", classes=2, image=(1, 8, 8), batch_size=batch, steps_per_epoch=1,
        samples_per_epoch=batch, train_samples=10_000, test_samples=10, parameters=50,
        flops=7 * batch if counted else None,
        bytes=FIXED + EACH * batch if counted else None,
        need=Need(host=FIXED + EACH * batch, device=0) if counted else None,
    )  # fmt: skip


def test_a_job_is_a_workload_over_batch_sizes() -> None:
    """It has a name, an axis and sizes before anything is known of its model."""
    for name in ("train", "infer"):
        found = registry.planned(name)
        assert (found.name, found.axis, found.sizes) == (name, "batch", SIZES)


def test_array_code_is_planned_as_before() -> None:
    """A plan asks one place for both kinds; a name that nobody has is refused there."""
    assert registry.planned("matmul").axis == "N"
    with pytest.raises(InputError, match="'trian'") as caught:
        registry.planned("trian")
    assert "train" in caught.value.fix


@pytest.mark.parametrize("size", [8, 16, 24, 1024])
def test_what_grows_with_the_batch_is_read_from_a_line(size: int) -> None:
    """Weights stay, activations grow: two counts tell both apart."""
    job = JobWorkload("train", {8: _facts(8), 16: _facts(16)})
    assert job.counted
    assert job.work(size, "float32").flops == pytest.approx(7 * size)
    assert job.work(size, "float32").bytes == pytest.approx(FIXED + EACH * size)
    need = job.need(size, "float32")
    assert need.device == DEVICE_BYTES + FIXED + EACH * size
    assert need.host == HOST_BYTES + FIXED + EACH * size


def test_a_job_on_a_gpu_holds_its_weights_there() -> None:
    """The host has the framework alone; counted on the CPU, it lies on the device as it did."""
    job = JobWorkload("train", {8: _facts(8), 16: _facts(16)})
    need = job.need(1024, "float32")
    assert job.host_bytes_of(need, "cpu") == need.host
    assert job.host_bytes_of(need, "cuda:0") == HOST_BYTES


def test_a_smaller_batch_never_needs_less_than_its_part() -> None:
    """A line through two counts is not followed below zero."""
    job = JobWorkload("train", {64: _facts(64), 128: _facts(128)})
    assert job.work(1, "float32").flops == pytest.approx(7)


def test_a_model_that_could_not_be_counted_is_planned_by_its_weights() -> None:
    """Such a figure sets deadlines and is stored nowhere."""
    job = JobWorkload("train", {8: _facts(8, counted=False)})
    assert not job.counted
    assert job.work(16, "float32").flops == 6 * 50 * 16
    assert JobWorkload("infer", {8: _facts(8, counted=False)}).work(8, "float32").flops == 800
