"""Where the inputs of a case lie in memory: at a cache line, which one is left to chance.

A product of 96 float32 takes a tenth longer when its arrays begin beside a cache line and not at
one. Where they begin hangs on everything that a process allocated before: two processes of the same
code may then differ for good, and rounds only confirm it (Mytkowicz et al., Producing wrong data
without doing anything obviously wrong, 2009). So all begin at a line, as PyTorch allocates; NumPy
promises 16 bytes and is no slower for it. Which line of its page is random, so that what is left of
the effect differs from round to round (Curtsinger and Berger, Stabilizer, 2013).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEP, PAGE = 64, 4096
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


def _room(size: int, choose: Choose) -> NDArray[Any]:
    """Return bytes that begin at a random step in a page."""
    import numpy as np  # noqa: PLC0415  after the backend was opened

    raw = np.empty(size + 2 * PAGE, dtype=np.uint8)
    begin = -raw.ctypes.data % PAGE + STEP * choose(PAGE // STEP)
    return raw[begin : begin + size]
