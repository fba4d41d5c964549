"""Has NumPy do on the host what a library cannot do on its device."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from breakeven.backends.library import Library
from breakeven.port import convert
from breakeven.port.facade import Facade


def bridge(library: Library, facade: Facade) -> Callable[..., Any]:
    """Return what does one call by NumPy: arguments are fetched, the result is sent back.

    If NumPy fails as well, the fault is the function's own, and NumPy's error is raised.
    """

    def is_seen(value: object) -> bool:
        return isinstance(value, facade.array_type)

    def fetch(array: Any) -> Any:
        return library.to_host(facade.unwrap(array))

    def send(array: Any) -> Any:
        return facade.wrap(library.to_device(np.asarray(array)))

    def on_host(full: str, found: Any, args: Any, kwargs: Any) -> Any:
        taken = [convert.mapped(value, fetch, is_seen) for value in args]
        named = {key: convert.mapped(value, fetch, is_seen) for key, value in kwargs.items()}
        result = host_function(full, found)(*taken, **named)
        # What NumPy wrote in place is written back.
        for before, after in zip((*args, *kwargs.values()), (*taken, *named.values()), strict=True):
            if is_seen(before) and isinstance(after, np.ndarray) and _may_write(full, kwargs):
                before[...] = send(after)
                if result is after:
                    result = before
        return convert.mapped(result, send, lambda part: isinstance(part, (np.ndarray, np.generic)))

    return on_host


def host_function(full: str, found: Any) -> Callable[..., Any]:
    """Return NumPy's or SciPy's own function of that full name; operators are as they are."""
    if full.startswith("ndarray.__"):
        operator: Callable[..., Any] = found
        return operator
    if full.startswith("ndarray."):
        name = full.removeprefix("ndarray.")
        return lambda array, *args, **kwargs: getattr(array, name)(*args, **kwargs)
    if full.startswith("numpy.random.Generator."):
        # Drawn on the host as it is, from the stream of the function.
        drawn: Callable[..., Any] = found
        return drawn
    top, *rest = full.split(".")
    value: Any = importlib.import_module(top)
    for number, part in enumerate(rest):
        if not hasattr(value, part):
            importlib.import_module(".".join((top, *rest[: number + 1])))
        value = getattr(value, part)
    function: Callable[..., Any] = value
    return function


def _may_write(full: str, kwargs: dict[str, Any]) -> bool:
    name = full.rpartition(".")[2]
    writes = {"at", "put", "place", "putmask", "copyto", "fill_diagonal", "put_along_axis"}
    in_place = name.startswith("__i") and name != "__invert__"
    return (
        in_place or name in writes | {"__setitem__", "sort", "fill", "partition"} or "out" in kwargs
    )
