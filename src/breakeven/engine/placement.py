"""Where the inputs of a case lie in memory: at random, so that no process has the better place.

A product of 96 float32 takes a tenth longer when its arrays begin beside a cache line and not at
one. Where they begin hangs on everything that a process allocated before, down to the length of its
command line: two processes of the same code then differ for good, and rounds only confirm it.
(Mytkowicz et al., Producing wrong data without doing anything obviously wrong, 2009; the cure is
that of Curtsinger and Berger, Stabilizer, 2013.)
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What an allocator promises on 64-bit systems, and so the finest step between places.
STEP, PAGE = 16, 4096
# Small results come from the heap that this shifts; larger ones are mapped, each at a page.
BALLAST_BYTES = 1 << 16
Choose = Callable[[int], int]


def read_placed(path: Path, choose: Choose = secrets.randbelow) -> NDArray[Any]:
    """Return the array of a .npy file, beginning at a random multiple of 16 bytes in a page.

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


def _room(size: int, choose: Choose) -> NDArray[Any]:
    """Return bytes that begin at a random step in a page."""
    import numpy as np  # noqa: PLC0415  after the backend was opened

    raw = np.empty(size + 2 * PAGE, dtype=np.uint8)
    begin = -raw.ctypes.data % PAGE + STEP * choose(PAGE // STEP)
    return raw[begin : begin + size]


def ballast(choose: Choose = secrets.randbelow) -> bytearray:
    """Return bytes of a random length, to be held while a case lasts: results move by as much."""
    return bytearray(STEP * (1 + choose(BALLAST_BYTES // STEP)))
