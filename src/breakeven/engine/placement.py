"""Where the arrays of a case lie in memory: what a library leaves to chance is left to chance.

A product of 96 float32 takes a tenth longer when its arrays begin beside a cache line and not at
one. Where they begin hangs on everything that a process allocated before: two processes of the same
code may then differ for good, and rounds only confirm it (Mytkowicz et al., Producing wrong data
without doing anything obviously wrong, 2009). So all begin at a line, as PyTorch allocates; NumPy
promises 16 bytes and is no slower for it. Which line of its page is random, so that what is left of
the effect differs from round to round (Curtsinger and Berger, Stabilizer, 2013).

Results are placed by the library. Where two threads write halves of each row, a result that begins
beside a line has a line in every row that both write to: a product of 160 on two threads then takes
1.2 times as long. NumPy's results begin at any multiple of 16 bytes, always the same one in a
process that repeats itself, so one process had it for good and its twin had not. From slot to slot
they are moved to another, so that each slot's place is drawn anew.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEP, PAGE = 64, 4096
# What the system's allocator promises; smaller pieces it serves from bins of their own.
GRAIN, LEAST = 16, 1040
TRIES = 16
Choose = Callable[[int], int]


def read_placed(path: Path, choose: Choose = secrets.randbelow) -> NDArray[Any]:
    """Return the array of a .npy file, beginning at a random cache line of a page.

    It is read straight to its place: a copy would count as the case's own memory.

    Parameters
    ----------
    choose : callable
        Returns a whole number from 0 to below its argument.

    Returns
    -------
    ndarray
        Shape, dtype and order as stored.
    """
    from numpy.lib import format as npy  # noqa: PLC0415  after the backend was opened

    with path.open("rb") as file:
        major, _ = npy.read_magic(file)
        header = npy.read_array_header_1_0 if major == 1 else npy.read_array_header_2_0
        shape, fortran, dtype = header(file)
        flat = _room(prod(shape) * dtype.itemsize, choose)
        file.readinto(flat.data)
    values = flat.view(dtype)
    return values.reshape(shape[::-1]).T if fortran else values.reshape(shape)


def placed(array: NDArray[Any], choose: Choose = secrets.randbelow) -> NDArray[Any]:
    """Return a copy of an array that begins at a random cache line of a page.

    One that does not lie in one piece keeps its strides, and is copied as NumPy does.
    """
    if not array.flags.c_contiguous or array.dtype.hasobject or array.nbytes == 0:
        return array.copy(order="K")
    made: NDArray[Any] = _room(array.nbytes, choose).view(array.dtype).reshape(array.shape)
    made[...] = array
    return made


def _room(size: int, choose: Choose) -> NDArray[Any]:
    """Return bytes that begin at a random step in a page."""
    import numpy as np  # noqa: PLC0415  after the backend was opened

    raw = np.empty(size + 2 * PAGE, dtype=np.uint8)
    begin = -raw.ctypes.data % PAGE + STEP * choose(PAGE // STEP)
    return raw[begin : begin + size]


class Places:
    """Places of results within a cache line, drawn anew from slot to slot.

    Parameters
    ----------
    address : callable
        Returns where an array begins in host memory.
    choose : callable
        Returns a whole number from 0 to below its argument.
    """

    def __init__(self, address: Callable[[Any], int], choose: Choose = secrets.randbelow) -> None:
        self._address = address
        self._choose = choose
        self._ballast: list[NDArray[Any]] = []

    def move(
        self, run: Callable[[], Sequence[Any]], clock: Callable[[], float], seconds: float
    ) -> bool:
        """Hold some untouched memory until the first result begins where chance wants it.

        Parameters
        ----------
        run : callable
            Computes once; returns the result arrays.
        clock : callable
            Host seconds.
        seconds : float
            After which no further place is tried.

        Returns
        -------
        bool
            Whether it begins there; small results come from elsewhere and are left.
        """
        import numpy as np  # noqa: PLC0415  after the backend was opened

        self.let_go()
        wanted = GRAIN * self._choose(STEP // GRAIN)
        end = clock() + seconds
        for _ in range(TRIES):
            results = run()
            if not results or results[0].nbytes < LEAST:
                return False
            begin, size = self._address(results[0]) % STEP, int(results[0].nbytes)
            del results
            if begin == wanted:
                return True
            if clock() >= end:
                return False
            # One piece takes the place that the result had, the other moves what comes after it.
            for piece in (size, LEAST + GRAIN * self._choose(PAGE // GRAIN)):
                self._ballast.append(np.empty(piece, dtype=np.uint8))
        return False

    def let_go(self) -> None:
        """Give the memory back."""
        self._ballast.clear()
