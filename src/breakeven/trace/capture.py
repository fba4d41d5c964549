"""A trace of a few steady steps, taken with PyTorch's profiler in a pass of its own."""

from __future__ import annotations

import gzip
import os
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from breakeven._installed import pip_line
from breakeven.errors import UnavailableError
from breakeven.trace.steps import MARK

# The first trace of a process sets up the driver's tracing, which takes seconds: steps under the
# profiler, thrown away, before the first that is kept.
WARM_STEPS = 3
# What the profiler writes about the machine and its folders; a trace is kept and handed on.
_PRIVATE = re.compile(rb'^(\s*(?:\],)?\s*"(?:host_name|traceName)"\s*:\s*)"(?:[^"\\]|\\.)*"')

Call = Callable[[], object]
# Makes a profiler from a schedule's number of steps kept, and what it does when it has them.
Maker = Callable[[int, Callable[[Any], None]], AbstractContextManager[Any]]


class Captured(NamedTuple):
    """A trace that was taken.

    Attributes
    ----------
    path : Path
        The Chrome file, gzip.
    step_s : float
        Mean seconds of a step under the profiler, from an idle device to an idle device.
    """

    path: Path
    step_s: float


def capture(
    step: Call,
    wait: Call,
    steps: int,
    folder: Path,
    *,
    device: str = "cpu",
    name: str = "trace",
    memory: bool = False,
    maker: Maker | None = None,
) -> Captured:
    """Trace a few steps as they follow each other; nothing is awaited between them.

    Before the steps that are marked as such, one more is recorded, so that the device's queue is
    filled as in the middle of a run; after them the device is awaited within the recording.
    Shapes, stacks and FLOPs are not recorded: they cost time and make large files.

    Parameters
    ----------
    step, wait : callable
        One step, which may return before the device is done; returns when it is.
    steps : int
        How many are marked.
    folder : Path
        Where ``NAME.json.gz`` is written.
    device : str
        ``"cpu"``, or a CUDA device.
    memory : bool
        Whether memory is recorded, which slows every operator that allocates.
    maker : callable, optional
        Makes the profiler; that of PyTorch where none is given.

    Raises
    ------
    UnavailableError
        If there is no profiler for the device, it does not start, or its file cannot be written.
    """
    made = maker or _maker(device, memory=memory)
    raw, path = folder / f".{name}.json", folder / f"{name}.json.gz"
    mark = _marker(maker)
    saved = []

    def save(profiler: Any) -> None:  # noqa: ANN401  PyTorch's own
        with _writing():
            folder.mkdir(parents=True, exist_ok=True)
            profiler.export_chrome_trace(str(raw))
        saved.append(raw)

    try:
        with ExitStack() as stack, warnings.catch_warnings():
            # PyTorch tells users of its own tables what its file, the one read here, is not cut by.
            warnings.filterwarnings("ignore", message=".*Profiler clears events")
            profiler = _guarded(lambda: stack.enter_context(made(steps + 2, save)))
            for _ in range(WARM_STEPS):
                step()
                wait()
                _guarded(profiler.step)
            begin = perf_counter()
            step()
            _guarded(profiler.step)
            for number in range(steps):
                with mark(f"{MARK}{number}"):
                    step()
                _guarded(profiler.step)
            wait()
            step_s = (perf_counter() - begin) / (steps + 1)
            _guarded(profiler.step)
        if not saved:
            raise UnavailableError("the profiler kept no trace", "take fewer steps")
        with _writing():
            _pack(raw, path, name)
    finally:
        raw.unlink(missing_ok=True)
    return Captured(path, step_s)


def plain_step_s(step: Call, wait: Call, steps: int) -> float:
    """Return the mean seconds of a step without a profiler, clocked as `capture` clocks."""
    wait()
    begin = perf_counter()
    for _ in range(steps + 1):
        step()
    wait()
    return (perf_counter() - begin) / (steps + 1)


def _guarded(call: Call) -> Any:  # noqa: ANN401  whatever the call returns
    """Call the profiler; its failure is a reason and not a crash."""
    try:
        return call()
    except RuntimeError as error:
        said = str(error).partition("\n")[0] or type(error).__name__
        raise UnavailableError(
            f"PyTorch's profiler failed: {said}",
            "another profiler may hold the device's tracing (CUPTI): end it",
        ) from error


@contextmanager
def _writing() -> Iterator[None]:
    """Map what a disk refuses; an error of the same kind in a step stays the step's own."""
    try:
        yield
    except OSError as error:
        raise UnavailableError(
            f"the trace cannot be written: {error.strerror or error}", "make room on the disk"
        ) from error


def _pack(raw: Path, path: Path, name: str) -> None:
    """Compress a trace, without the names of the machine and of its folders."""
    part = path.with_suffix(".part")
    try:
        with raw.open("rb") as lines, part.open("wb") as out:
            # No time of writing in the file: the same trace gives the same bytes.
            with gzip.GzipFile(name, "wb", 6, out, mtime=0) as packed:
                packed.writelines(_PRIVATE.sub(rb'\1""', line) for line in lines)
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _marker(maker: Maker | None) -> Callable[[str], AbstractContextManager[Any]]:
    """Return what marks a span: PyTorch's, or that of the profiler that stands in for it."""
    marked: Callable[[str], AbstractContextManager[Any]] | None = getattr(maker, "mark", None)
    if marked is not None:
        return marked
    import torch

    found: Callable[[str], AbstractContextManager[Any]] = torch.profiler.record_function
    return found


def _maker(device: str, *, memory: bool) -> Maker:
    try:
        import torch
        from torch.profiler import ProfilerActivity, profile, schedule
    except ImportError as error:
        raise UnavailableError(f"a trace needs PyTorch ({error})", pip_line("cpu")) from error
    activities = [ProfilerActivity.CPU]
    if device != "cpu":
        supported: Any = torch.profiler.supported_activities
        if not torch.cuda.is_available() or ProfilerActivity.CUDA not in supported():
            raise UnavailableError(
                f"PyTorch {torch.__version__} cannot trace a CUDA device",
                "install a CUDA build of PyTorch",
            )
        activities.append(ProfilerActivity.CUDA)

    def made(kept: int, ready: Callable[[Any], None]) -> AbstractContextManager[Any]:
        profiler: AbstractContextManager[Any] = profile(
            activities=activities,
            schedule=schedule(wait=0, warmup=WARM_STEPS, active=kept, repeat=1),
            on_trace_ready=ready,
            record_shapes=False,
            profile_memory=memory,
            with_stack=False,
            with_flops=False,
        )
        return profiler

    return made
