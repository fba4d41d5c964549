"""The operators of an array by the name of their method."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

_COMPARE = "eq ne lt le gt ge".split()
_ARITHMETIC = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
_UNARY = "neg pos abs invert".split()


def _table() -> dict[str, Callable[..., Any]]:
    found: dict[str, Callable[..., Any]] = {
        "__getitem__": operator.getitem,
        "__setitem__": operator.setitem,
        "__divmod__": divmod,
        "__rdivmod__": divmod,
        "__round__": round,
    }
    for name in (*_COMPARE, *_UNARY, *_ARITHMETIC):
        found[f"__{name}__"] = getattr(operator, f"__{name}__")
    for name in _ARITHMETIC:
        found[f"__r{name}__"] = getattr(operator, f"__{name}__")
        found[f"__i{name}__"] = getattr(operator, f"__i{name}__")
    return found


OPERATORS = _table()
REFLECTED = frozenset(f"__r{name}__" for name in (*_ARITHMETIC, "divmod"))
IN_PLACE = frozenset(f"__i{name}__" for name in _ARITHMETIC)
