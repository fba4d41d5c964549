"""Traces of a CUDA device: what the driver records is what was done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import busy_share
from breakeven.model.machine import Gpu
from breakeven.model.trace import TraceSummary
from breakeven.trace.passes import traced

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(300)]
STEPS, BATCH = 6, 64


@pytest.fixture
def torch(gpu: Gpu) -> ModuleType:
    """Return PyTorch with a device."""
    del gpu
    found: ModuleType = pytest.importorskip("torch")
    if not found.cuda.is_available():
        pytest.skip("PyTorch finds no CUDA device")
    return found


def seen(torch: ModuleType, step: Callable[[], object], folder: Path) -> TraceSummary:
    """Trace a step; what is always true of a trace is checked."""
    found = traced(step, torch.cuda.synchronize, STEPS, folder, device="cuda:0")
    assert found.why is None
    assert found.faults == ()
    assert found.steps == STEPS
    assert found.busy_share is not None
    assert found.idle is not None
    idle = found.idle
    parts = (idle.loader_s, idle.launch_s, idle.synchronise_s, idle.other_s)
    assert all(part >= 0 for part in parts)
    assert sum(parts) + found.busy_share * found.span_s == pytest.approx(found.span_s, rel=1e-6)
    return found


def training(torch: ModuleType, *, pinned: bool = False) -> Callable[[], object]:
    """Return a step of a training with a real loader, the loss left unread."""
    layers = torch.nn
    model = layers.Sequential(
        layers.Conv2d(1, 32, 3), layers.ReLU(), layers.Flatten(), layers.Linear(32 * 36, 10)
    ).cuda()
    rule = torch.optim.Adam(model.parameters())
    data = torch.utils.data.TensorDataset(
        torch.randn(40 * BATCH, 1, 8, 8), torch.randint(0, 10, (40 * BATCH,))
    )
    stream = iter(torch.utils.data.DataLoader(data, batch_size=BATCH, pin_memory=pinned))

    def step() -> object:
        images, labels = (t.cuda(non_blocking=pinned) for t in next(stream))
        loss = layers.functional.cross_entropy(model(images), labels)
        rule.zero_grad()
        loss.backward()
        rule.step()
        return loss.detach()

    return step


@pytest.mark.parametrize("pinned", [False, True])
def test_a_training_s_copies_are_told_with_their_memory(
    torch: ModuleType, tmp_path: Path, pinned: bool
) -> None:
    """Images and labels of every step go up, from the memory that the loader put them into."""
    found = seen(torch, training(torch, pinned=pinned), tmp_path)
    up = [c for c in found.copies if c.direction == "to_device"]
    batch_bytes = BATCH * (8 * 8 * 4 + 8)
    assert [(c.memory, c.bytes) for c in up] == [
        ("pinned" if pinned else "pageable", STEPS * batch_bytes)
    ]
    assert found.kernels >= 10 * STEPS
    assert found.kernels % STEPS == 0
    assert found.idle is not None
    assert found.idle.loader_s > 0
    named = {o.name: o for o in found.operators}
    assert (named["aten::copy_"].device_self_s or 0) > 0
    assert (named["aten::convolution_backward"].device_self_s or 0) > 0
    assert any(o.self_bytes for o in found.operators)


def test_the_busy_share_agrees_with_other_readings(torch: ModuleType, tmp_path: Path) -> None:
    """A grid and random instants of the same file, to 2 points."""
    seen(torch, training(torch), tmp_path)
    row = busy_share.beside(tmp_path / "trace.json.gz", None)
    apart = busy_share.apart(row)
    assert apart is not None
    assert apart < 0.02


@pytest.mark.parametrize(
    ("dtype", "tf32", "fp64", "tensor"),
    [
        ("float32", False, 0.0, 0.0),
        ("float32", True, 0.0, 1.0),
        ("bfloat16", False, 0.0, 1.0),
        ("float64", False, 1.0, None),
    ],
)
def test_products_are_told_by_their_kernels(
    torch: ModuleType,
    tmp_path: Path,
    dtype: str,
    tf32: bool,
    fp64: float,
    tensor: float | None,
) -> None:
    """What a large product is computed in is in its kernel's name."""
    if torch.cuda.get_device_capability()[0] < 8:
        pytest.skip("tensor cores for these types came with compute capability 8.0")
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = tf32
    try:
        a = torch.randn(2048, 2048, device="cuda").to(getattr(torch, dtype))
        found = seen(torch, lambda: a @ a, tmp_path)
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before
    assert found.fp64_share == pytest.approx(fp64, abs=0.05)
    if tensor is not None:
        assert found.tensor_core_share == pytest.approx(tensor, abs=0.05)


def test_a_device_that_works_through_is_busy(torch: ModuleType, tmp_path: Path) -> None:
    """Products that take longer than their launches leave next to no gap."""
    a = torch.randn(8192, 8192, device="cuda")
    found = seen(torch, lambda: [a @ a for _ in range(4)], tmp_path)
    assert found.busy_share is not None
    assert found.busy_share > 0.95


def test_small_kernels_are_waits_for_launches(torch: ModuleType, tmp_path: Path) -> None:
    """A device that is quicker than its host is idle for the launches, and for nothing else."""
    a = torch.ones(16, device="cuda")

    def step() -> object:
        b = a
        for _ in range(200):
            b = b + 1
        return b

    found = seen(torch, step, tmp_path)
    assert found.idle is not None
    idle = found.idle
    assert found.kernels == 200 * STEPS
    assert idle.launch_s > 0.8 * (idle.launch_s + idle.synchronise_s + idle.loader_s + idle.other_s)


def test_a_loss_that_is_read_makes_the_host_wait(torch: ModuleType, tmp_path: Path) -> None:
    """The host is far ahead, and loses what it had to gain: the gap after is the wait's."""
    a = torch.randn(4096, 4096, device="cuda")

    def step() -> object:
        return (a @ a).sum().item()

    found = seen(torch, step, tmp_path)
    assert found.idle is not None
    idle = found.idle
    assert idle.synchronise_s > 0.5 * (idle.launch_s + idle.synchronise_s + idle.other_s)
    down = [c for c in found.copies if c.direction == "to_host"]
    assert sum(c.number for c in down) == STEPS
    assert sum(c.bytes for c in down) == 4 * STEPS


def test_a_graph_s_kernels_are_all_counted(torch: ModuleType, tmp_path: Path) -> None:
    """One launch a step; every node of the graph is a kernel of the step that launched it."""
    a = torch.ones(1 << 20, device="cuda")
    warm = torch.cuda.Stream()
    with torch.cuda.stream(warm):
        for _ in range(3):
            a + 1
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        b = a
        for _ in range(20):
            b = b + 1
    found = seen(torch, graph.replay, tmp_path)
    assert found.kernels == 20 * STEPS
