"""What a call moves between host and device, and what it waits for, told from its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from breakeven.port.ledger import Tally
    from breakeven.port.proxy import Recorder

# Make an array of what lies on the host, unless it is one of the device already.
UPLOADS = frozenset(
    f"numpy.{name}"
    for name in (
        "array asarray asanyarray ascontiguousarray asfortranarray asarray_chkfinite frombuffer"
        " fromiter fromstring fromfile fromfunction load loadtxt genfromtxt"
    ).split()
)
# Read values on the host: they wait for the device, and fetch.
READS = frozenset(
    "ndarray.item ndarray.tolist ndarray.tobytes ndarray.dump ndarray.dumps ndarray.tofile"
    " ndarray.__contains__ numpy.save numpy.savez numpy.savez_compressed numpy.savetxt"
    " numpy.array2string numpy.array_str numpy.array_repr numpy.array_equal".split()
)
# Give as many elements as the values say: their size must be known before they return.
WAITS = frozenset(
    "numpy.nonzero numpy.flatnonzero numpy.argwhere numpy.unique numpy.extract numpy.compress"
    " numpy.bincount numpy.union1d numpy.intersect1d numpy.setdiff1d numpy.setxor1d"
    " numpy.unique_all numpy.unique_counts numpy.unique_inverse numpy.unique_values"
    " numpy.histogram numpy.trim_zeros ndarray.nonzero ndarray.compress numpy.place"
    " numpy.linalg.matrix_rank numpy.linalg.lstsq numpy.linalg.eig numpy.linalg.eigvals".split()
)


def crossed(tally: Tally, name: str, taken: list[Any], result: Any, recorder: Recorder) -> None:
    """Add what a call crossed.

    Parameters
    ----------
    taken : list
        Its arguments as the library had them, the array first whose method it is.
    """
    random = name.startswith(("numpy.random.", "ndarray.random"))
    if (name in UPLOADS or random) and not recorder.on_device(taken):
        tally.to_device += recorder.nbytes(result)
    if name in READS:
        tally.synchronised += 1
        tally.to_host += recorder.nbytes(taken)
    elif (
        name in WAITS
        or (name == "numpy.where" and len(taken) == 1)
        or (name in {"ndarray.__getitem__", "ndarray.__setitem__"} and _masked(taken, recorder))
    ):
        tally.synchronised += 1


def read(tally: Tally, array: Any) -> None:
    """Add a read of a whole array by the host, which waits for the device."""
    tally.synchronised += 1
    tally.to_host += int(array.nbytes)


def _masked(taken: list[Any], recorder: Recorder) -> bool:
    """Say whether an index is a mask whose count must be known, as no scalar is written by it."""
    index = taken[1] if isinstance(taken[1], tuple) else (taken[1],)
    masks = [part for part in index if recorder.on_device(part) and str(part.dtype) == "bool"]
    scalar = len(taken) == 3 and not (recorder.on_device(taken[2]) and taken[2].ndim)
    return bool(masks) and not scalar
