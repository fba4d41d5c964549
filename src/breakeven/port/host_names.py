"""What of NumPy touches no array of a device: constants, types, settings."""

from __future__ import annotations

from typing import Any

import numpy as np

CONSTANTS = "e euler_gamma inf nan newaxis pi little_endian".split()
TYPES = (
    "bool_ bool byte short intc int_ long longlong intp int8 int16 int32 int64 ubyte ushort uintc"
    " uint ulong ulonglong uintp uint8 uint16 uint32 uint64 half single double float16 float32"
    " float64 csingle cdouble complex64 complex128 longdouble clongdouble generic number integer"
    " signedinteger unsignedinteger inexact floating complexfloating flexible character object_"
    " bytes_ str_ void datetime64 timedelta64 dtype finfo iinfo True_ False_ ScalarType typecodes"
    " sctypeDict"
).split()
LOOKS = (
    "broadcast_shapes issubdtype isscalar promote_types min_scalar_type mintypecode isdtype"
    " typename binary_repr base_repr format_float_positional format_float_scientific"
    " set_printoptions get_printoptions printoptions einsum_path"
).split()
_DEFAULTS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}


class ErrState:
    """``numpy.errstate``: a device does not report the errors of its arithmetic."""

    def __init__(self, **settings: object) -> None:
        del settings

    def __enter__(self) -> None:
        return None

    def __exit__(self, *about: object) -> None:
        return None

    def __call__(self, function: Any) -> Any:
        """Return the function as it is."""
        return function


def names() -> dict[str, Any]:
    """Return these names of NumPy."""
    wanted = (*CONSTANTS, *TYPES, *LOOKS)
    offered = {name: getattr(np, name) for name in wanted if hasattr(np, name)}
    offered |= {
        "errstate": ErrState,
        "seterr": lambda **_: dict(_DEFAULTS),
        "geterr": lambda: dict(_DEFAULTS),
        "__version__": np.__version__,
        "exceptions": np.exceptions,
    }
    return offered
