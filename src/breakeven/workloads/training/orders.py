"""What one process of several is told, and what it writes down."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from breakeven.model.spec import TrainingSpec

Stage = Literal["started", "joined", "warm", "stretch", "apart", "alone", "done"]
"""How far a process has come, in this order."""

Strategy = Literal["ddp", "data_parallel"]


class Planted(msgspec.Struct, frozen=True, kw_only=True):
    """What is made uneven on purpose, to show that it is found.

    Attributes
    ----------
    rank : int
        The process that it is done to.
    slow : int
        Times that it computes each step instead of once.
    idle : bool
        Whether it computes nothing, and only takes part in the exchange.
    dies : bool
        Whether it kills itself in the stretch.
    hangs : bool
        Whether it never reaches the exchange of the stretch.
    """

    rank: int
    slow: int = 1
    idle: bool = False
    dies: bool = False
    hangs: bool = False

    def __str__(self) -> str:
        """Return it in words."""
        if self.idle:
            return f"rank {self.rank} without work"
        if self.dies:
            return f"rank {self.rank} killed"
        if self.hangs:
            return f"rank {self.rank} hung"
        return f"rank {self.rank} computes each step {self.slow} times"


class TeamOrder(msgspec.Struct, frozen=True, kw_only=True):
    """One stretch of steps for all processes of a team.

    Attributes
    ----------
    batch_size : int
        Of each process.
    device : str
        ``cpu`` or ``cuda``.
    cores : tuple of tuple of int
        Of each local process on a CPU; empty leaves the system's choice.
    timeout_s : float
        Longest wait for the others before a process gives up.
    gpus : int
        That one process drives under ``data_parallel``.
    """

    spec: TrainingSpec
    batch_size: int
    device: Literal["cpu", "cuda"]
    seed: int
    steps: int
    warm_steps: int
    timeout_s: float
    strategy: Strategy = "ddp"
    cores: tuple[tuple[int, ...], ...] = ()
    gpus: int = 1
    planted: Planted | None = None


class RankFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What one process found, or what stopped it.

    Attributes
    ----------
    begin_s, end_s : float or None
        Of the stretch, on the monotonic clock of its machine; None where it did not get there.
    synced_s, alone_s : float
        Of all steps with the exchange, and of as many without.
    why : str or None
        What stopped it, one line.
    waited : bool
        Whether that was a wait for the others: they are to blame, then.
    """

    rank: int
    device: str
    backend: str
    steps: int = 0
    samples: int = 0
    begin_s: float | None = None
    end_s: float | None = None
    synced_s: float = 0.0
    alone_s: float = 0.0
    busy_s: float = 0.0
    wait_s: float = 0.0
    exchange_s: float = 0.0
    gpu: str | None = None
    memory_peak_bytes: int | None = None
    why: str | None = None
    waited: bool = False


ORDER = "order.json"


def facts_file(folder: Path, rank: int) -> Path:
    """Return where a process writes what it found."""
    return folder / f"rank-{rank}.json"


def stage_file(folder: Path, rank: int) -> Path:
    """Return where a process writes how far it is."""
    return folder / f"rank-{rank}.stage"


def write(path: Path, text: bytes) -> None:
    """Write a file whole: a reader sees all of it or nothing."""
    draft = path.with_suffix(".draft")
    draft.write_bytes(text)
    draft.replace(path)
