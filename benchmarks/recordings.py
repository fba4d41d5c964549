"""Recordings of identical work, read into the log ratios of rounds and drawn again.

Four forms are read, a JSON object a line, gzip'd or not; a line without times describes the rest.
``fresh``: ``r[n] = [median, minimum, repeats]`` of one fresh process. ``pairs``: slots ``a`` and
``b`` of two processes of one round. ``mixed``: slots of several kinds in one round. Times are
seconds.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from breakeven.analysis.gates import LOST_SHARE
from breakeven.engine.states import stalled

Array = npt.NDArray[np.float64]
Mode = Literal["consecutive", "random"]
FOLDER = Path(__file__).resolve().parent / "data"
LEAST_ROUNDS = 10
# Value of a round, None where it does not count, with the share of turns that each side lost.
_Round = tuple[float | None, float, float]
MIXED_KINDS = ("numpy", "torch-resident", "torch-transfer")


class Cell(NamedTuple):
    """Identical work of one kind at one size on one machine.

    Attributes
    ----------
    source, kind, size
        File (without its ending), what ran, and its size.
    values : ndarray, shape (rounds,)
        Log ratio of each round, its truth 0; for `single` the log time of each process.
    single : bool
        Whether the rounds are still to be made, of two processes each.
    crossed : bool
        Whether two kinds were compared: centred, so the sign of a round means something.
    lost : float
        Largest share of turns that one side lost to slots that do not count.
    """

    source: str
    kind: str
    size: int
    values: Array
    single: bool = False
    crossed: bool = False
    lost: float = 0.0

    @property
    def withheld(self) -> bool:
        """Whether the gate on lost turns shuts: no word is said about this cell."""
        return self.lost > LOST_SHARE

    @property
    def most_rounds(self) -> int | None:
        """Rounds of a window that still says something about the truth; None without a limit.

        The rounds of a crossed cell were centred on their own mean: a window of most of them has
        a mean near 0 whatever the noise.
        """
        return len(self.values) // 2 if self.crossed else None

    @property
    def spread(self) -> float:
        """Standard deviation of a round's log ratio, its rounds drawn at random."""
        scale = np.sqrt(2.0) if self.single else 1.0
        return float(scale * self.values.std(ddof=1))


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a recording that hold times."""
    raw = path.read_bytes()
    text = gzip.decompress(raw) if path.suffix == ".gz" else raw
    for line in text.decode().splitlines():
        row = json.loads(line)
        if "machine" not in row:
            yield row


def cells_of(path: Path, *, gated: bool = True) -> list[Cell]:
    """Return the cells of a recording that have enough rounds to draw from.

    Parameters
    ----------
    gated : bool
        Whether slots in which two threads shared a core are left out, as the engine does.

    Raises
    ------
    ValueError
        If the file is in none of the forms.
    """
    source, rows = path.name.partition(".")[0], list(lines(path))
    if all("r" in row for row in rows):
        found = [*_fresh(source, rows)]
    elif all("a" in row and "b" in row for row in rows):
        found = [*_pairs(source, rows, gated=gated)]
    elif all(any(k in row for k in MIXED_KINDS) for row in rows):
        found = [*_mixed(source, rows, gated=gated)]
    else:
        raise ValueError(f"{path.name} is no recording of identical work")
    return [c for c in found if len(c.values) >= LEAST_ROUNDS]


def sound(slots: Sequence[float | None], *, gated: bool) -> npt.NDArray[np.bool_]:
    """Return which slots of one process in one round count.

    Parameters
    ----------
    slots : sequence of float or None
        Seconds; None where a slot did not count when it was recorded.
    """
    known = np.array([s is not None and s > 0 for s in slots])
    if not gated or not known.any():
        return known
    times = [s for s in slots if s is not None and s > 0]
    return np.array([s in times and not stalled(s, min(times)) for s in slots])


def round_value(
    base: Sequence[float | None], entry: Sequence[float | None], *, gated: bool
) -> _Round:
    """Return the log ratio of a round, and the share of turns that either side lost.

    The value is None where over half of the turns were lost: such a round does not count.
    """
    one, other = sound(base, gated=gated), sound(entry, gated=gated)
    both = one & other
    lost = 1.0 - float(one.mean()), 1.0 - float(other.mean())
    if 2 * both.sum() < len(both):
        return None, *lost
    a = np.array([s for s, k in zip(base, both, strict=True) if k])
    b = np.array([s for s, k in zip(entry, both, strict=True) if k])
    return float(np.median(np.log(a / b))), *lost


def _fresh(source: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Cell]:
    times: dict[tuple[str, int], list[float]] = defaultdict(list)
    for row in rows:
        for size, (median, _least, _repeats) in row["r"].items():
            times[row["kind"], int(size)].append(np.log(median))
    for (kind, size), logs in times.items():
        yield Cell(source, kind, size, np.array(logs), single=True)
    for (kind, size), logs in times.items():
        if kind != "numpy" and (base := times.get(("numpy", size))):
            many = min(len(base), len(logs))
            ratio = np.array(base[:many]) - np.array(logs[:many])
            yield Cell(source, f"numpy/{kind}", size, ratio - ratio.mean(), crossed=True)


def _made(
    source: str,
    found: Mapping[tuple[str, int], Sequence[_Round]],
    *,
    crossed: bool = False,
) -> Iterator[Cell]:
    for (kind, size), rounds in found.items():
        values = np.array([v for v, _, _ in rounds if v is not None])
        lost = max(float(np.mean([r[side] for r in rounds])) for side in (1, 2))
        centred = values - values.mean() if crossed and len(values) else values
        yield Cell(source, kind, size, centred, crossed=crossed, lost=lost)


def _pairs(source: str, rows: Sequence[Mapping[str, Any]], *, gated: bool) -> Iterator[Cell]:
    found: dict[tuple[str, int], list[_Round]] = defaultdict(list)
    for row in rows:
        kind = row["kind"] if "workload" not in row else f"{row['workload']} {row['kind']}"
        found[kind, row["n"]].append(round_value(row["a"], row["b"], gated=gated))
    yield from _made(source, found)
    yield from _made(source, _across(rows, gated=gated), crossed=True)


def _across(
    rows: Sequence[Mapping[str, Any]], *, gated: bool
) -> dict[tuple[str, int], list[_Round]]:
    """Return the rounds of NumPy against the other kinds of its session, each session centred.

    A claim holds within a session: how far sessions differ is another figure.
    """
    known = {(r["session"], r["i"], r["n"], r["kind"]): r for r in rows if "session" in r}
    sessions: dict[tuple[str, int, str], list[_Round]] = defaultdict(list)
    for (session, i, n, base), row in known.items():
        for kind in dict.fromkeys(k for *_, k in known):
            other = known.get((session, i, n, kind))
            if base.startswith("numpy") and not kind.startswith("numpy") and other is not None:
                value = round_value(row["a"], other["a"], gated=gated)
                sessions[f"{row['workload']} {base}/{kind}", n, session].append(value)
    found: dict[tuple[str, int], list[_Round]] = defaultdict(list)
    for (kind, n, _), rounds in sessions.items():
        values = [v for v, _, _ in rounds if v is not None]
        middle = float(np.mean(values)) if values else 0.0
        found[kind, n] += [(None if v is None else v - middle, a, b) for v, a, b in rounds]
    return found


def _mixed(source: str, rows: Sequence[Mapping[str, Any]], *, gated: bool) -> Iterator[Cell]:
    found: dict[tuple[str, int], list[_Round]] = defaultdict(list)
    for row in rows:
        for kind in MIXED_KINDS[1:]:
            key = f"numpy/{kind}, frozen {row['mode']}", row["n"]
            found[key].append(round_value(row["numpy"], row[kind], gated=gated))
    yield from _made(source, found, crossed=True)


def draw(cell: Cell, rounds: int, trials: int, rng: np.random.Generator, mode: Mode) -> Array:
    """Draw comparisons of identical work from a cell.

    Parameters
    ----------
    mode : str
        ``"consecutive"`` takes a window of the recording, round its end if need be, and so keeps
        what drifts; ``"random"`` takes rounds in any order, each once as long as they last.

    Returns
    -------
    ndarray, shape (trials, rounds)
        Log ratios whose truth is 0.
    """
    need = 2 * rounds if cell.single else rounds
    # An odd number of processes makes new pairs on the second lap of a window.
    have = len(cell.values) - (1 if cell.single and len(cell.values) % 2 == 0 else 0)
    if mode == "consecutive":
        places = (rng.integers(0, have, (trials, 1)) + np.arange(need)) % have
    else:
        laps = -(-need // have)
        shuffled = [np.argsort(rng.random((trials, have)), axis=1) for _ in range(laps)]
        places = np.concatenate(shuffled, axis=1)[:, :need]
    drawn = cell.values[places]
    if cell.single:
        drawn = drawn[:, 1::2] - drawn[:, 0::2]
    if cell.crossed:
        return np.asarray(drawn)
    # The order of a round is drawn, so either side may be the one that is called the base.
    return np.asarray(drawn * rng.choice([-1.0, 1.0], (trials, rounds)))
