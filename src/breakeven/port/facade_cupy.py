"""CuPy under NumPy's names: its own functions, plus what NumPy code needs and CuPy names apart."""

from __future__ import annotations

from typing import Any

from breakeven.backends.library import Library
from breakeven.port import host_names
from breakeven.port.facade import Facade
from breakeven.port.host_random import HostRandom
from breakeven.port.names_cupy import OFFERED

# Types, looks and settings of NumPy that CuPy hands on, or that need no device.
_OURS = ("errstate", "seterr", "geterr", "broadcast_shapes", "isdtype", "einsum_path")


class CupyFacade:
    """Builds the facade of a library that has CuPy's names."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._cupy = library.module("cupy")
        self._random = HostRandom(library.to_device, library.holds)

    def facade(self) -> Facade:
        """Return it."""
        return Facade(
            family="cupy",
            library=_called(self._library),
            namespaces=self._names,
            array_type=self._cupy.ndarray,
            wrap=lambda array: array,
            unwrap=lambda array: array,
            reseed=self._random.reseed,
        )

    def _names(self, module: str) -> dict[str, Any] | None:
        if module == "numpy":
            return self._top()
        if module == "numpy.random":
            return self._random.names()
        if module in {"numpy.lib", "scipy"}:
            return {}
        if module not in OFFERED or module in {"ndarray", "ufunc", "Generator"}:
            return None
        top, _, rest = module.partition(".")
        real = f"cupy.{rest}" if top == "numpy" else f"cupyx.scipy.{rest}"
        try:
            found = self._library.module(real)
        except ImportError:
            return None
        return _taken(found, OFFERED[module].split())

    def _top(self) -> dict[str, Any]:
        offered = host_names.names()
        own = _taken(self._cupy, OFFERED["numpy"].split())
        # CuPy's types are NumPy's; `errstate` and the like it has elsewhere or not at all.
        kept = {name: offered[name] for name in _OURS if name in offered}
        return {**offered, **own, **kept, "ndarray": self._cupy.ndarray}


def _called(library: Library) -> str:
    return "CuPy" if library.about.name == "cupy" else f"CuPy (played by {library.about.name})"


def _taken(module: Any, names: list[str]) -> dict[str, Any]:
    found = {}
    for name in names:
        try:
            found[name] = getattr(module, name)
        except AttributeError:
            # Another release than the table's, or a stand-in that is told to lack it.
            continue
    return found
