"""Simulated sessions of one comparison: slots with a kind of noise, and the gates at work."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from breakeven.analysis.gates import LOST_SHARE
from breakeven.engine.conditions import is_busy
from breakeven.engine.states import TIMES_BEST, stalled
from breakeven.stats.intervals import LOOKS

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
# A call of 0.3 ms: ten times less than a time slice, so that a stall can be told.
CALL_S, SLICE_S = 3e-4, 4e-3
SLOTS, SLOT_NOISE = 8, 0.03
# Rounds that do not count are replaced: so many are simulated.
SIMULATED = LOOKS[-1] + 5
LAG_ONE = 0.4
WINDOW_S = 0.4


class Kind(NamedTuple):
    """A kind of noise.

    Attributes
    ----------
    one_sided : bool
        Whether the base alone has it, as a CPU beside a calm GPU.
    """

    words: str
    one_sided: bool = False


KINDS = {
    "normal": Kind("processes differ by a normal effect"),
    "drift": Kind("both sides slow down and speed up together from round to round"),
    "memory": Kind("the ratio remembers the last round (lag-one correlation 0.4)"),
    "spikes": Kind("one slot in ten takes longer, by a factor of 2.7 on average"),
    "skew": Kind("processes are slowed by an exponential effect"),
    "skew on one side": Kind("the base's processes alone are slowed so", one_sided=True),
    "two states": Kind("one slot in ten of a process is stalled by whole time slices"),
    "neighbour": Kind("others take up to a core in one turn of five, some of it all the time"),
}


class Session(NamedTuple):
    """Rounds of one session.

    Attributes
    ----------
    values : list of float
        Log ratio of each round that counts.
    lost : float
        Larger share of turns that a side lost to slots that do not count.
    """

    values: list[float]
    lost: float

    @property
    def withheld(self) -> bool:
        """Whether the gate on lost turns shuts."""
        return self.lost > LOST_SHARE


def sessions(
    kind: str,
    spread: float,
    count: int,
    rng: np.random.Generator,
    *,
    one_sided: bool | None = None,
) -> list[Session]:
    """Simulate sessions of identical work.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    spread : float
        Standard deviation of the log ratio from process pair to process pair, without spikes,
        stalls and neighbours, which come on top.
    one_sided : bool, optional
        In place of what the kind says: an A/A pair has its noise on both sides.
    """
    single = KINDS[kind].one_sided if one_sided is None else one_sided
    effect = _effects(kind, spread, count, rng)
    if single:
        effect[1] = 0.0
    logs = effect[..., np.newaxis] + rng.normal(0.0, SLOT_NOISE, (*effect.shape, SLOTS))
    times = CALL_S * np.exp(logs)
    void = np.zeros(times.shape, dtype=bool)
    if kind == "spikes":
        times *= np.where(rng.random(times.shape) < 0.1, 1 + rng.exponential(1.7, times.shape), 1)
    if kind == "two states":
        slices = SLICE_S * rng.integers(1, 5, times.shape)
        times = np.where(rng.random(times.shape) < 0.1, slices, times)
    if kind == "neighbour":
        times, void = _disturbed(times, rng)
    sound = ~(void | stalls(times, void))
    return _rounds(times, sound)


def _effects(kind: str, spread: float, count: int, rng: np.random.Generator) -> Array:
    """Return the log effect of each process, shape (2, sessions, rounds)."""
    shape, side = (2, count, SIMULATED), spread / np.sqrt(2.0)
    if kind in {"skew", "skew on one side"}:
        # On one side the whole spread is that side's.
        scale = spread if kind == "skew on one side" else side
        return np.asarray(scale * rng.exponential(1.0, shape))
    effect = side * rng.normal(0.0, 1.0, shape)
    if kind == "memory":
        fresh = np.sqrt(1.0 - LAG_ONE**2)
        for r in range(1, SIMULATED):
            effect[..., r] = LAG_ONE * effect[..., r - 1] + fresh * effect[..., r]
    if kind == "drift":
        walk = np.cumsum(rng.normal(0.0, spread, (count, SIMULATED)), axis=1)
        effect += walk
    return np.asarray(effect)


def _disturbed(times: Array, rng: np.random.Generator) -> tuple[Array, Flags]:
    """Return times beside neighbours, and which slots the busy gate voids.

    A turn is one window of that gate: all of its slots are void where others took too much.
    """
    shape = times.shape[1:]
    cores = np.where(rng.random(shape) < 0.2, rng.uniform(0.0, 1.0, shape), 0.0)
    cores += rng.uniform(0.0, 0.05, shape)
    busy = np.vectorize(is_busy, otypes=[bool])(cores, WINDOW_S)
    slowed = times * (1.0 + cores * rng.random(times.shape))
    return slowed, np.broadcast_to(busy, times.shape)


def stalls(times: Array, void: Flags) -> Flags:
    """Return the slots that read as a stall beside the best slot of their process.

    Parameters
    ----------
    times : ndarray, shape (..., slots)
        Seconds.
    void : ndarray of bool
        Slots that do not count already.
    """
    best = np.where(void, np.inf, times).min(axis=-1, keepdims=True)
    found = np.zeros(times.shape, dtype=bool)
    # Few slots are long enough to be asked about one by one.
    asked = np.argwhere((times >= TIMES_BEST * best) & ~void)
    for place in map(tuple, asked):
        found[place] = stalled(float(times[place]), float(best[place[:-1]][0]))
    return found


def _rounds(times: Array, sound: Flags) -> list[Session]:
    """Return the rounds that count, one session a row."""
    both = sound[0] & sound[1]
    with np.errstate(invalid="ignore"):
        ratios = np.where(both, np.log(times[0] / times[1]), np.nan)
    counts = 2 * both.sum(axis=-1) >= SLOTS
    values = np.full(counts.shape, np.nan)
    values[counts] = np.nanmedian(ratios[counts], axis=-1)
    lost = 1.0 - sound.mean(axis=(2, 3)).min(axis=0)
    return [
        Session(row[kept].tolist(), float(share))
        for row, kept, share in zip(values, counts, lost, strict=True)
    ]
