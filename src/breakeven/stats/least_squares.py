"""Least squares with coefficients that cannot be negative, for a handful of unknowns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

# Fewer digits than this in a pivot: the columns say the same thing.
_LEAST_PIVOT = 1e-10


def solve(rows: Sequence[Sequence[float]], values: Sequence[float]) -> tuple[float, ...] | None:
    """Return the coefficients of least squares; None when the columns do not tell them apart.

    Parameters
    ----------
    rows : sequence of sequence of float
        One row of features for each value.

    Notes
    -----
    Normal equations of columns scaled to unit length, by elimination with pivoting.
    """
    width = len(rows[0])
    scale = [sum(row[j] ** 2 for row in rows) ** 0.5 for j in range(width)]
    if min(scale) == 0:
        return None
    unit = [[row[j] / scale[j] for j in range(width)] for row in rows]
    table = [
        [sum(u[i] * u[j] for u in unit) for j in range(width)]
        + [sum(u[i] * v for u, v in zip(unit, values, strict=True))]
        for i in range(width)
    ]
    for i in range(width):
        pivot = max(range(i, width), key=lambda k: abs(table[k][i]))
        table[i], table[pivot] = table[pivot], table[i]
        if abs(table[i][i]) < _LEAST_PIVOT:
            return None
        for k in range(width):
            if k != i:
                factor = table[k][i] / table[i][i]
                table[k] = [a - factor * b for a, b in zip(table[k], table[i], strict=True)]
    return tuple(table[i][width] / table[i][i] / scale[i] for i in range(width))


def nonnegative(
    rows: Sequence[Sequence[float]], values: Sequence[float], most: int | None = None
) -> tuple[float, ...]:
    """Return the coefficients of least squares among those that are not negative.

    Every set of columns is tried: the best solution is the plain one of the columns that it uses
    (Lawson and Hanson, *Solving Least Squares Problems*, chapter 23), and there are few.

    Parameters
    ----------
    most : int or None
        Columns that may be used at once; None allows all.

    Returns
    -------
    tuple of float
        One for each column; 0 for those that are not used.
    """
    width = len(rows[0])
    best = (0.0,) * width
    least = sum(v * v for v in values)
    for count in range(1, min(width, len(rows), most or width) + 1):
        for used in combinations(range(width), count):
            found = solve([[row[j] for j in used] for row in rows], values)
            if found is None or min(found) < 0:
                continue
            full = [0.0] * width
            for j, coefficient in zip(used, found, strict=True):
                full[j] = coefficient
            error = squared_error(rows, values, full)
            # A column more has to earn its place beyond what rounding gives it.
            if error < least * (1 - 1e-9):
                best, least = tuple(full), error
    return best


def squared_error(
    rows: Sequence[Sequence[float]], values: Sequence[float], coefficients: Sequence[float]
) -> float:
    """Return the sum of squared differences."""
    return sum(
        (v - sum(a * c for a, c in zip(row, coefficients, strict=True))) ** 2
        for row, v in zip(rows, values, strict=True)
    )
