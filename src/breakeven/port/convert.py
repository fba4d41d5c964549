"""Carries values between host and device: arrays wherever they are in what a function takes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

_DEEPEST = 12


ClassOf = Callable[[type], type]


def mapped(
    value: Any,
    turn: Callable[[Any], Any],
    is_array: Callable[[object], bool],
    class_of: ClassOf = lambda kind: kind,
) -> Any:
    """Return `value` with each array turned, in tuples, lists, dicts, sets of fields and objects.

    Containers are made anew, and objects are copied, so that the original is left as it was.

    Parameters
    ----------
    class_of : callable
        Returns the class that a copy is given: a module that is executed again has its own.
    """
    return _mapped(value, turn, is_array, class_of, 0)


def _mapped(
    value: Any,
    turn: Callable[[Any], Any],
    is_array: Callable[[object], bool],
    class_of: ClassOf,
    deep: int,
) -> Any:
    if is_array(value):
        return turn(value)
    if deep > _DEEPEST or isinstance(value, (str, bytes, type)) or callable(value):
        return value

    def inner(part: Any) -> Any:
        return _mapped(part, turn, is_array, class_of, deep + 1)

    if isinstance(value, (tuple, list, dict)):
        return _container(value, inner)
    fields = _fields(value)
    if not fields or all(inner(part) is part for part in fields.values()):
        return value
    twin: Any = object.__new__(class_of(type(value)))
    for name, part in fields.items():
        object.__setattr__(twin, name, inner(part))
    return twin


def _container(value: Any, inner: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        made = {key: inner(part) for key, part in value.items()}
        return made if type(value) is dict else _like(value, made)
    parts = [inner(part) for part in value]
    if isinstance(value, list):
        return parts
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def arrays(value: Any, is_array: Callable[[object], bool]) -> Iterator[tuple[str, Any]]:
    """Yield each array in `value` with its place in it, such as ``[0]['x'].y``."""
    yield from _arrays(value, is_array, "", 0)


def _arrays(
    value: Any, is_array: Callable[[object], bool], place: str, deep: int
) -> Iterator[tuple[str, Any]]:
    if is_array(value):
        yield place, value
        return
    if deep > _DEEPEST or isinstance(value, (str, bytes, type)) or callable(value):
        return
    parts: list[tuple[str, Any]] = []
    if isinstance(value, (tuple, list)):
        parts = [(f"[{number}]", part) for number, part in enumerate(value)]
    elif isinstance(value, dict):
        parts = [(f"[{key!r}]", part) for key, part in value.items()]
    else:
        parts = [(f".{name}", part) for name, part in _fields(value).items()]
    for step, part in parts:
        yield from _arrays(part, is_array, place + step, deep + 1)


def _fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass, or the attributes of a plain object of a user's class."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    kind = type(value)
    if kind.__module__ in {"builtins", "numpy"} or isinstance(value, np.generic):
        return {}
    found = getattr(value, "__dict__", None)
    return dict(found) if isinstance(found, dict) else {}


def _like(value: dict[Any, Any], made: dict[Any, Any]) -> Any:
    twin = value.copy()
    twin.update(made)
    return twin
