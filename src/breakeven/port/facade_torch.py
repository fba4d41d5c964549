"""PyTorch under NumPy's names: own arrays and functions, the long tail by PyTorch's own shim."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from breakeven.backends.library import Library
from breakeven.errors import RefusedError
from breakeven.port import host_names
from breakeven.port.facade import Facade
from breakeven.port.host_random import HostRandom
from breakeven.port.names_torch import SLOW
from breakeven.port.tensors import bound


def torch_facade(library: Library) -> Facade:
    """Return the facade over the PyTorch that the library opened, on its device."""
    bound.bind(library.module("torch"), library.about.device)
    from breakeven.port.tensors.array import Array  # noqa: PLC0415  once PyTorch is bound

    tables = _tables(library)

    def upload(values: Any) -> Any:
        return Array(library.to_device(values))

    random = HostRandom(upload, lambda value: isinstance(value, Array))

    def namespaces(module: str) -> dict[str, Any] | None:
        if module == "numpy.random":
            return random.names()
        return tables.get(module)

    return Facade(
        family="torch",
        library="PyTorch",
        namespaces=namespaces,
        array_type=Array,
        wrap=Array,
        unwrap=lambda array: array.t,
        slow=frozenset(f"{module}.{n}" for module, text in SLOW.items() for n in text.split()),
        reseed=random.reseed,
    )


def _tables(library: Library) -> dict[str, dict[str, Any]]:
    from breakeven.port.tensors import methods  # noqa: PLC0415  once PyTorch is bound

    own = methods.functions()
    top = host_names.names() | own["numpy"]
    shim = {name: _slow(library, name) for name in SLOW.get("numpy", "").split()}
    return {**own, "numpy": shim | top}


def _slow(library: Library, name: str) -> Callable[..., Any]:
    """Return a function of PyTorch's own NumPy shim, which takes tens of microseconds a call."""
    from breakeven.port.tensors.array import Array  # noqa: PLC0415  once PyTorch is bound

    @functools.cache
    def shim() -> Any:
        return library.module("torch._numpy")

    def bare(value: Any) -> Any:
        if isinstance(value, Array):
            return shim().ndarray(value.t)
        if isinstance(value, (tuple, list)):
            return type(value)(bare(part) for part in value)
        if isinstance(value, np.ndarray):
            raise RefusedError("an array of the host", f"numpy.{name}", None, "host-array-mixed-in")
        return value

    def given(value: Any) -> Any:
        if isinstance(value, shim().ndarray):
            return Array(value.tensor)
        if isinstance(value, (tuple, list)):
            return type(value)(given(part) for part in value)
        return value

    def call(*args: Any, **kwargs: Any) -> Any:
        taken = {key: bare(value) for key, value in kwargs.items()}
        return given(getattr(shim(), name)(*map(bare, args), **taken))

    call.__name__ = name
    return call
