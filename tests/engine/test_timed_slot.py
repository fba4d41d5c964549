"""Slots of steps whose batches were loaded ahead."""

from __future__ import annotations

import pytest

from breakeven.engine import timed_slot as timing
from breakeven.engine.timed_slot import PREFETCH, loaded_slot, timed_slot

READY_S, LOADED_S, WORKERS = 1e-3, 1e-2, 3


class Loading:
    """Steps that are short as long as batches lie ready, and come in bursts after that."""

    def __init__(self, ready: int) -> None:
        self.now, self.steps, self._ready = 0.0, 0, ready

    def step(self) -> None:
        """Take a step: what lies ready is quick, then one of three waits for all three."""
        self.steps += 1
        waits = self.steps > self._ready and (self.steps - self._ready) % WORKERS == 0
        self.now += WORKERS * LOADED_S if waits else READY_S

    def wait(self) -> None:
        """Have nothing to wait for."""

    def clock(self) -> float:
        """Return the time."""
        return self.now


def test_batches_that_lay_ready_are_not_timed() -> None:
    """A slot tells the mean of steps that had to be loaded, over several turns of the loader."""
    job = Loading(PREFETCH * WORKERS)
    turn_s = (WORKERS * LOADED_S + (WORKERS - 1) * READY_S) / WORKERS
    slot = loaded_slot(job.step, job.wait, job.clock, 0.0, call_s=turn_s, workers=WORKERS)
    assert slot.repeats >= 4 * WORKERS
    assert slot.median_s == pytest.approx(turn_s, rel=0.05)
    plain = Loading(PREFETCH * WORKERS)
    wrong = timed_slot(plain.step, plain.wait, plain.clock, 0.0, call_s=turn_s)
    assert wrong.median_s == READY_S


def test_the_cores_of_a_loader_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """What its processes work is work of the step, though this process only waits."""
    spent = iter((5.0, 5.0 + 1e6))
    monkeypatch.setattr(timing, "family_cpu_seconds", lambda _pid: next(spent))
    job = Loading(0)
    slot = loaded_slot(job.step, job.wait, job.clock, 0.0, call_s=READY_S, workers=1)
    assert slot.cores_used is not None
    assert slot.cores_used > 1e3
