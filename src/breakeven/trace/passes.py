"""The passes that a trace takes beside the timed ones: plain, traced, and with memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from breakeven.errors import UnavailableError
from breakeven.model.trace import TraceSummary
from breakeven.trace.capture import WARM_STEPS, Maker, capture, plain_step_s
from breakeven.trace.summary import summarise

Call = Callable[[], object]


def traced(
    step: Call,
    wait: Call,
    steps: int,
    folder: Path,
    *,
    device: str = "cpu",
    name: str = "trace",
    memory: bool = True,
    maker: Maker | None = None,
) -> TraceSummary:
    """Trace steady steps and say what the trace says, or why there is none.

    Steps without the profiler are clocked before and after those with it, so that what tracing
    costs is known and a drift of the machine is no part of it. Memory is recorded in a pass of its
    own, since it slows what it records; that file is not kept.

    Parameters
    ----------
    step, wait, steps, folder, device, name, maker
        As in `breakeven.trace.capture.capture`.
    memory : bool
        Whether there is a pass that records memory.
    """
    for _ in range(WARM_STEPS):
        step()
    plain = plain_step_s(step, wait, steps)
    try:
        found = capture(step, wait, steps, folder, device=device, name=name, maker=maker)
    except UnavailableError as error:
        return TraceSummary(plain_step_s=plain, why=str(error))
    plain = (plain + plain_step_s(step, wait, steps)) / 2
    sizes = _with_memory(step, wait, steps, folder, device, name, maker) if memory else None
    try:
        return summarise(
            found.path,
            memory=sizes,
            on_device=device != "cpu",
            plain_step_s=plain,
            traced_step_s=found.step_s,
        )
    finally:
        if sizes is not None:
            sizes.unlink(missing_ok=True)


def _with_memory(
    step: Call,
    wait: Call,
    steps: int,
    folder: Path,
    device: str,
    name: str,
    maker: Maker | None,
) -> Path | None:
    """Return a trace with memory; None where it cannot be taken, and bytes are then unknown."""
    try:
        return capture(
            step,
            wait,
            steps,
            folder,
            device=device,
            name=f"{name}-memory",
            memory=True,
            maker=maker,
        ).path
    except UnavailableError:
        return None
