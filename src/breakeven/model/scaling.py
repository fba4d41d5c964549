"""One training on several processes, a device each."""

from __future__ import annotations

import msgspec

from breakeven.model.study import Reading


class Rank(msgspec.Struct, frozen=True, kw_only=True):
    """One process of several.

    Attributes
    ----------
    device : str
        ``"cpu"``, ``"cuda:1"``.
    gpu : str or None
        UUID.
    busy_s : float
        Time of its own work in the stretch: computing, not waiting for others.
    wait_s : float
        Time that it waited for others in the stretch, measured before the exchange.
    exchange_s : float
        Time of the exchange itself.
    readings : tuple of Reading
        Of its device in the stretch.
    """

    rank: int
    device: str
    steps: int
    samples: int
    busy_s: float
    wait_s: float
    exchange_s: float
    gpu: str | None = None
    memory_peak_bytes: int | None = None
    readings: tuple[Reading, ...] = ()


class Team(msgspec.Struct, frozen=True, kw_only=True):
    """One stretch of steps on some number of processes, started afresh.

    Attributes
    ----------
    size : int
        Batch size of each process.
    backend : str
        Of the exchange: ``nccl`` or ``gloo``.
    hidden_share : float or None
        Share of the exchange that went on while the device computed; None where it is not known.
    planted : str or None
        What was made uneven on purpose.
    why : str or None
        Why it did not work out: the figures are not to be read then.
    begin_s, end_s : float or None
        Of the stretch, on the clock of the run's timeline; None where there was none.
    """

    workload: str
    size: int
    processes: int
    round: int
    backend: str
    strategy: str
    seconds: float
    samples: int
    ranks: tuple[Rank, ...]
    hidden_share: float | None = None
    planted: str | None = None
    why: str | None = None
    begin_s: float | None = None
    end_s: float | None = None
