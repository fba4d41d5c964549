"""A trace of steps: what is called in which order, what is kept, and why there is none."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from breakeven.errors import UnavailableError
from breakeven.trace.capture import WARM_STEPS, capture, plain_step_s
from breakeven.trace.chrome import read
from breakeven.trace.passes import traced
from breakeven.trace.steps import find_steps
from breakeven.trace.summary import NO_DEVICE_WORK
from trace_player import HEAD, TAIL, Making, Player


def played(making: Making, folder: Path, steps: int = 2) -> Path:
    """Trace steps that log themselves."""
    return capture(
        lambda: making.log.append("step"),
        lambda: making.log.append("wait"),
        steps,
        folder,
        maker=making,
    ).path


def test_nothing_is_awaited_between_the_steps_that_are_kept(tmp_path: Path) -> None:
    """Warm-up is awaited; then one step fills the queue, steps follow, and one wait ends them."""
    making = Making()
    played(making, tmp_path)
    warm = ["step", "wait", "next"] * WARM_STEPS
    marked = ["<breakeven.step", "step", ">", "next"]
    assert making.log == ["start", *warm, "step", "next", *marked, *marked, "wait", "next", "stop"]


def test_the_file_names_neither_the_machine_nor_a_folder(tmp_path: Path) -> None:
    """The rest of what the profiler wrote is kept as it is."""
    path = played(Making(), tmp_path)
    text = gzip.decompress(path.read_bytes()).decode()
    assert "somebody" not in text
    assert json.loads(text) == {
        "host_name": "",
        "schemaVersion": 1,
        "traceEvents": [],
        "traceName": "",
    }
    assert [p.name for p in tmp_path.iterdir()] == ["trace.json.gz"]


def test_the_same_trace_gives_the_same_bytes(tmp_path: Path) -> None:
    """The time of writing is no part of the file."""
    one, other = (played(Making(), tmp_path / name) for name in ("a", "b"))
    assert one.read_bytes() == other.read_bytes()


def test_a_profiler_that_does_not_start_is_a_reason(tmp_path: Path) -> None:
    """What CUPTI said stands in it, and what to try."""

    class Broken(Making):
        def __call__(self, kept: int, ready: Callable[[Any], None]) -> Player:  # noqa: ARG002
            raise RuntimeError("CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED\nat profiler.cpp:7")

    with pytest.raises(UnavailableError, match=r"CUPTI_ERROR_MULTIPLE_SUBSCR\w+; ") as caught:
        played(Broken(), tmp_path)
    assert "another profiler" in caught.value.fix


def test_an_error_of_the_step_stays_its_own(tmp_path: Path) -> None:
    """A step that runs out of memory is not taken for a profiler that failed."""

    def step() -> None:
        raise RuntimeError("CUDA out of memory")

    with pytest.raises(RuntimeError, match="CUDA out of memory"):
        capture(step, lambda: None, 2, tmp_path, maker=Making())
    assert not list(tmp_path.iterdir())


def test_a_file_that_the_step_misses_is_no_full_disk(tmp_path: Path) -> None:
    """A loader that cannot read an image says so itself."""

    def step() -> None:
        raise FileNotFoundError(2, "No such file or directory", "cat.png")

    with pytest.raises(FileNotFoundError, match=r"cat\.png"):
        capture(step, lambda: None, 2, tmp_path, maker=Making())


def test_a_profiler_that_kept_nothing_is_a_reason(tmp_path: Path) -> None:
    """Newer versions stop early when the driver's buffers are full, and hand nothing over."""

    class Silent(Making):
        def __call__(self, kept: int, ready: Callable[[Any], None]) -> Player:
            return super().__call__(kept + 1, ready)

    with pytest.raises(UnavailableError, match="kept no trace"):
        played(Silent(), tmp_path)


def test_a_full_disk_is_a_reason_and_leaves_nothing(tmp_path: Path) -> None:
    """Neither the profiler's own file nor half a compressed one stays behind."""

    class Full(Player):
        def export_chrome_trace(self, path: str) -> None:
            super().export_chrome_trace(path)
            raise OSError(28, "No space left on device")

    class Filling(Making):
        def __call__(self, kept: int, ready: Callable[[Any], None]) -> Player:
            return Full(self.log, ready, kept, "{")

    with pytest.raises(UnavailableError, match="No space left on device"):
        played(Filling(), tmp_path)
    assert not list(tmp_path.iterdir())


def training(torch: ModuleType) -> Callable[[], object]:
    """Return a step of a small training with a real loader."""
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
    rule = torch.optim.Adam(model.parameters())
    data = torch.utils.data.TensorDataset(torch.randn(96, 16), torch.randint(0, 4, (96,)))
    loader = torch.utils.data.DataLoader(data, batch_size=8)
    stream = iter(loader)

    def step() -> object:
        nonlocal stream
        batch = next(stream, None)
        if batch is None:
            stream = iter(loader)
            batch = next(stream)
        loss = torch.nn.functional.cross_entropy(model(batch[0]), batch[1])
        rule.zero_grad()
        loss.backward()
        rule.step()
        return loss.detach()

    return step


def test_a_real_trace_of_a_training_holds_its_steps(tmp_path: Path) -> None:
    """Every marked step is found, with its waits for the loader, and lies within the trace."""
    torch = pytest.importorskip("torch")
    path = capture(training(torch), lambda: None, 3, tmp_path).path
    trace = read(path)
    steps = find_steps(trace)
    assert (steps.how, [s.number for s in steps.steps]) == ("marked", [0, 1, 2])
    loads = [a for a in trace.annotations if a.name.startswith("enumerate(DataLoader)#")]
    # One before the first step that is marked, and one in each.
    assert len(loads) == 4
    assert trace.incomplete == 0
    assert not trace.work


def test_the_passes_of_a_real_training_agree(tmp_path: Path) -> None:
    """Operators are counted by step, own times fit into the span, and bytes come from a pass."""
    torch = pytest.importorskip("torch")
    found = traced(training(torch), lambda: None, 3, tmp_path)
    assert (found.why, found.faults, found.steps) == (None, (), 3)
    named = {o.name: o for o in found.operators}
    # Two linear layers forward; the first needs no gradient of its input.
    assert named["aten::addmm"].calls == 6
    assert named["aten::mm"].calls == 9
    assert sum(o.host_self_s for o in found.operators) <= found.span_s
    # One row of 32 and one of 4 float32 for each of 8 images, in three steps.
    assert named["aten::addmm"].self_bytes == 3 * 8 * (32 + 4) * 4
    assert found.busy_share is None
    assert found.idle is None
    assert found.operators[0].device_self_s is None
    assert found.plain_step_s is not None
    assert found.traced_step_s is not None
    assert [p.name for p in tmp_path.iterdir()] == ["trace.json.gz"]


def test_without_a_device_the_reason_is_told(tmp_path: Path) -> None:
    """A trace of a GPU where PyTorch has none is a sentence and not a crash."""
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("this machine has a device")
    found = traced(lambda: None, lambda: None, 2, tmp_path, device="cuda")
    assert "cannot trace a CUDA device" in str(found.why)
    assert found.plain_step_s is not None
    assert found.file is None


def test_a_trace_of_a_gpu_run_without_device_work_is_a_reason(tmp_path: Path) -> None:
    """CUPTI that does not start leaves a trace of the host alone: no share is made of it."""
    event = '{"ph":"X","cat":"user_annotation","name":"breakeven.step#0","pid":1,"tid":1,"ts":%d,"dur":9}'
    making = Making(HEAD + event % 5 + TAIL)
    found = traced(
        lambda: None, lambda: None, 1, tmp_path, device="cuda", memory=False, maker=making
    )
    assert found.why == NO_DEVICE_WORK
    assert found.busy_share is None


def test_plain_steps_are_clocked_from_idle_to_idle() -> None:
    """One step more than is asked for, as in the pass with the profiler."""
    log: list[str] = []
    assert plain_step_s(lambda: log.append("step"), lambda: log.append("wait"), 2) > 0
    assert log == ["wait", "step", "step", "step", "wait"]
