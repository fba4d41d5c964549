"""A value as its arrays, in order, with what holds them: tuples, lists, dicts, dataclasses."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

DEEPEST = 24


class Leaf(NamedTuple):
    """One array, or one number, inside a value.

    Attributes
    ----------
    path : str
        Where it stands, as Python would write it after the value's name: ``[0].weights``.
    """

    path: str
    value: Any


class Node(NamedTuple):
    """What holds arrays: rebuilt from others of the same shape.

    Attributes
    ----------
    kind : str
        ``array`` (a place), ``constant``, ``tuple``, ``list``, ``dict``, ``named`` (a named tuple)
        or ``fields`` (a dataclass, or any object with a ``__dict__`` that holds arrays).
    held : object
        The constant; keys of a dict; the object whose type and other attributes are kept.
    """

    kind: str
    held: Any = None
    children: tuple[Node, ...] = ()


def is_array(value: Any) -> bool:  # noqa: ANN401  any value
    """Tell whether a value is an array of some library: it has a shape, a type and a rank."""
    return hasattr(value, "shape") and hasattr(value, "dtype") and hasattr(value, "ndim")


def _is_scalar(value: Any) -> bool:  # noqa: ANN401  any value
    """Tell whether it is a number of NumPy rather than an array: 0-d, and cannot be written to."""
    return is_array(value) and not hasattr(value, "__setitem__") and value.ndim == 0


def taken_apart(value: Any, *, numbers: bool = False) -> tuple[list[Leaf], Node]:  # noqa: ANN401
    """Return the arrays in a value, in order, with what holds them.

    Parameters
    ----------
    numbers : bool
        Whether Python's and NumPy's numbers count as arrays too, as they do in an answer; in
        arguments they are constants.
    """
    leaves: list[Leaf] = []
    return leaves, _apart(value, "", leaves, numbers, 0)


def _apart(value: Any, path: str, leaves: list[Leaf], numbers: bool, depth: int) -> Node:  # noqa: ANN401, FBT001
    counted = isinstance(value, (bool, int, float, complex)) or _is_scalar(value)
    if (counted and numbers) or (is_array(value) and not _is_scalar(value)):
        leaves.append(Leaf(path, value))
        return Node("array")
    if depth >= DEEPEST or counted:
        return Node("constant", value)
    children = list(_children(value, path))
    if not children and not isinstance(value, (tuple, list, dict)):
        return Node("constant", value)
    made = tuple(_apart(v, p, leaves, numbers, depth + 1) for p, v in children)
    kind, held = _holder(value)
    return Node(kind, held, made)


def _holder(value: Any) -> tuple[str, Any]:  # noqa: ANN401  any value
    match value:
        case tuple() if hasattr(value, "_fields"):
            return "named", type(value)
        case tuple():
            return "tuple", None
        case list():
            return "list", None
        case dict():
            return "dict", tuple(value)
        case _:
            return "fields", value


def _children(value: Any, path: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401  any value
    match value:
        case tuple() if hasattr(value, "_fields"):
            yield from ((f"{path}.{n}", v) for n, v in zip(value._fields, value, strict=True))
        case tuple() | list():
            yield from ((f"{path}[{i}]", v) for i, v in enumerate(value))
        case dict():
            yield from ((f"{path}[{k!r}]", v) for k, v in value.items())
        case _:
            yield from ((f"{path}.{n}", getattr(value, n)) for n in field_names(value))


def field_names(value: Any) -> tuple[str, ...]:  # noqa: ANN401  any value
    """Return the attributes of an object that may hold arrays; none of a class or a module."""
    if isinstance(value, type) or callable(value):
        return ()
    if dataclasses.is_dataclass(value):
        return tuple(f.name for f in dataclasses.fields(value) if hasattr(value, f.name))
    if type(value).__module__ in {"builtins", "numpy", "random"} or not hasattr(value, "__dict__"):
        return ()
    return tuple(
        n for n, v in vars(value).items() if is_array(v) or isinstance(v, (list, dict, tuple))
    )


def put_together(
    node: Node,
    arrays: Sequence[Any],
    class_of: Callable[[type], type] = lambda found: found,
) -> Any:  # noqa: ANN401  any value
    """Return a value like the one that `node` was taken from, with other arrays in it.

    Containers are made anew, so that a function which alters them alters no other call's.

    Parameters
    ----------
    class_of : callable
        Returns the class that stands for one of the user's: a module that is run again has
        classes of its own.
    """
    return _together(node, iter(arrays), class_of)


def _together(node: Node, arrays: Iterator[Any], class_of: Callable[[type], type]) -> Any:  # noqa: ANN401
    if node.kind == "array":
        return next(arrays)
    if node.kind == "constant":
        return node.held
    made = [_together(child, arrays, class_of) for child in node.children]
    makers: dict[str, Callable[[], Any]] = {
        "tuple": lambda: tuple(made),
        "list": lambda: made,
        "dict": lambda: dict(zip(node.held, made, strict=True)),
        "named": lambda: class_of(node.held)(*made),
        "fields": lambda: _like(node.held, made, class_of),
    }
    return makers[node.kind]()


def _like(held: Any, made: list[Any], class_of: Callable[[type], type]) -> Any:  # noqa: ANN401
    """Return an object like `held` whose attributes are replaced; its constructor is not run."""
    kind = class_of(type(held))
    copy: Any = object.__new__(kind)
    for name, value in getattr(held, "__dict__", {}).items():
        object.__setattr__(copy, name, value)
    for name, value in zip(field_names(held), made, strict=True):
        # A frozen dataclass refuses the plain way.
        object.__setattr__(copy, name, value)
    return copy


def nbytes(leaves: Sequence[Leaf]) -> int:
    """Return the bytes of the arrays among `leaves`."""
    return sum(int(getattr(leaf.value, "nbytes", 0)) for leaf in leaves)
