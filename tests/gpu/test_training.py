"""Training and inference on a CUDA device, beside the same on the CPU."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from breakeven.backends import registry
from breakeven.backends.failure import classify
from breakeven.model.spec import TrainingSpec
from breakeven.stats.losses import agreement
from breakeven.workloads.training.inference import InferenceJob
from breakeven.workloads.training.job import TrainingJob
from breakeven.workloads.training.launch import TeamPlan, launch
from breakeven.workloads.training.orders import Planted

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(600)]
MODELS = ("mlp", "cnn", "resnet18", "transformer")
DEVICE = "cuda:0"


@pytest.fixture(autouse=True)
def _torch_cuda() -> Iterator[None]:
    """Leave out what this machine cannot do; give the device's memory back afterwards."""
    info = registry.get("torch-cuda").find()
    if not info.available:
        pytest.skip(f"torch-cuda: {info.why_not}")
    yield
    import torch

    torch.cuda.empty_cache()


@pytest.mark.parametrize("model", MODELS)
def test_losses_agree_with_the_cpu(model: str) -> None:
    """The first ten losses are the same by the rule, from the same weights on the same images."""
    spec = TrainingSpec(model=model)
    cpu = TrainingJob(spec, 64, "cpu", 1)
    base = cpu.first_losses(10)
    probes = [cpu.first_losses(10, probe=n) for n in (1, 2)]
    gpu = TrainingJob(spec, 64, DEVICE, 1)
    found = agreement(gpu.first_losses(10), base, probes)
    assert found.passed, found
    gpu.close()


@pytest.mark.parametrize("model", MODELS)
def test_phases_add_up_to_the_step(model: str) -> None:
    """In the median of fifteen steps, within 5 %."""
    import torch

    job = TrainingJob(TrainingSpec(model=model, data="synthetic"), 64, DEVICE, 1)
    for _ in range(5):
        job.step()
    phases = [job.phased_step(torch.cuda.synchronize, time.perf_counter) for _ in range(15)]
    shares = sorted(p.sum_s / p.step_s for p in phases)
    assert 0.95 <= shares[7] <= 1.0
    job.close()


@pytest.mark.parametrize("model", ["cnn", "resnet18"])
def test_the_memory_that_was_predicted_is_taken(model: str) -> None:
    """Tensors take what was foretold; cuDNN's workspaces come on top, as much again at most."""
    import torch

    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    spec = TrainingSpec(model=model, data="synthetic", image_size=64)
    job = TrainingJob(spec, 512, DEVICE, 1)
    for _ in range(3):
        job.step()
    torch.cuda.synchronize()
    taken = torch.cuda.max_memory_allocated() - before
    assert job.facts.need is not None
    assert 0.95 < taken / job.facts.need.device < 2
    job.close()


def test_memory_that_runs_out_is_a_status() -> None:
    """A batch of large images that no GPU holds ends as out of memory, not as a crash."""
    import torch

    free, _ = torch.cuda.mem_get_info()
    spec = TrainingSpec(model="resnet18", data="synthetic", image_size=512)
    batch = min(16384, int(free / (60 << 20)) + 512)
    with pytest.raises(torch.OutOfMemoryError) as told:
        TrainingJob(spec, batch, DEVICE, 1).step()
    assert classify(told.value, (torch.OutOfMemoryError,))[0] == "out_of_memory"


def test_tf32_and_bfloat16_change_the_step_alone() -> None:
    """The first losses are those of float32 in either, and TF32 is off again afterwards."""
    import torch

    full = TrainingJob(TrainingSpec(model="cnn"), 64, DEVICE, 1)
    base = full.first_losses(3)
    full.close()
    for precision in ("tf32", "bf16"):
        job = TrainingJob(TrainingSpec(model="cnn", precision=precision), 64, DEVICE, 1)
        assert job.first_losses(3) == pytest.approx(base, rel=1e-4)
        job.step()
        job.close()
        assert torch.get_float32_matmul_precision() == "highest"


def test_a_step_hides_no_wait() -> None:
    """Steps are issued sooner than the device can do them: nothing in them waits for it."""
    import torch

    spec = TrainingSpec(model="resnet18", data="synthetic", image_size=128)
    job = TrainingJob(spec, 128, DEVICE, 1)
    for _ in range(3):
        job.resident_step()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(5):
        job.resident_step()
    issued = time.perf_counter() - begin
    torch.cuda.synchronize()
    assert issued < 0.8 * (time.perf_counter() - begin)
    job.close()


def test_an_inference_answers_as_the_cpu_does() -> None:
    """The classes of the first request are the same on both, and lie on the host."""
    import torch

    spec = TrainingSpec(model="cnn")
    cpu, gpu = (InferenceJob(spec, 32, device, 1) for device in ("cpu", DEVICE))
    ours, theirs = cpu.step(), gpu.step()
    assert isinstance(ours, torch.Tensor)
    assert isinstance(theirs, torch.Tensor)
    assert theirs.device.type == "cpu"
    assert torch.equal(ours, theirs)
    assert gpu.first_losses(4) == pytest.approx(cpu.first_losses(4), rel=1e-4)
    gpu.close()


def test_a_compiled_step_agrees() -> None:
    """Compiling takes a time of its own at each of two batch sizes, and changes no loss by rule."""
    for batch in (64, 128):
        plain = TrainingJob(TrainingSpec(model="cnn"), batch, DEVICE, 1)
        base = plain.first_losses(10)
        probes = [plain.first_losses(10, probe=n) for n in (1, 2)]
        plain.close()
        try:
            job = TrainingJob(TrainingSpec(model="cnn", compile=True), batch, DEVICE, 1)
        except NotImplementedError as error:
            pytest.skip(str(error))
        assert job.facts.compile_s is not None
        assert job.facts.compile_s > 0
        found = agreement(job.first_losses(10), base, probes)
        assert found.passed, found
        job.step()
        job.close()


def test_one_gpu_alone_trains_through_torchrun(tmp_path: Path) -> None:
    """The base of all teams: one process, its GPU named."""
    plan = TeamPlan(steps=6, warm_steps=2)
    team = launch(TrainingSpec(model="cnn"), 32, 1, "cuda", tmp_path, 1, plan)
    assert team.why is None
    assert team.backend == "nccl"
    assert team.ranks[0].gpu is not None
    assert (team.ranks[0].memory_peak_bytes or 0) > 0


def test_two_gpus_share_a_training_and_a_slow_one_is_waited_for(tmp_path: Path) -> None:
    """NCCL carries the gradients; the planted rank works longest."""
    import torch

    asked = 2
    plan = TeamPlan(steps=6, warm_steps=2, planted=Planted(rank=1, slow=8))
    spec = TrainingSpec(model="resnet18", data="synthetic")
    team = launch(spec, 32, asked, "cuda", tmp_path, 1, plan)
    if torch.cuda.device_count() < asked:
        assert team.why == "2 GPUs were asked for, and 1 GPU is visible here"
        return
    assert team.why is None
    first, slow = team.ranks
    assert first.gpu != slow.gpu
    assert slow.busy_s > 3 * first.busy_s
    assert first.wait_s > slow.wait_s


def test_a_rank_that_hangs_on_a_gpu_is_named(tmp_path: Path) -> None:
    """NCCL's watchdog ends the one that waited; the other is to blame."""
    import torch

    if torch.cuda.device_count() < 2:
        pytest.skip("there is one GPU")
    plan = TeamPlan(steps=6, warm_steps=2, timeout_s=20, planted=Planted(rank=1, hangs=True))
    team = launch(TrainingSpec(model="cnn"), 32, 2, "cuda", tmp_path, 1, plan)
    assert team.why is not None
    assert team.why.startswith("rank 1 hung")
