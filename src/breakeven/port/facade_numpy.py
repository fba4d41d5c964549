"""NumPy under its own names, with the random streams that every library shares."""

from __future__ import annotations

import importlib
import types
from typing import Any

import numpy as np

from breakeven.backends.library import Library
from breakeven.port.facade import Facade
from breakeven.port.host_random import HostRandom


def numpy_facade(library: Library) -> Facade:
    """Return NumPy: every function is its own."""
    random = HostRandom(lambda array: array, lambda _: False)

    def namespaces(module: str) -> dict[str, Any] | None:
        if module == "numpy.random":
            return random.names()
        if module == "scipy":
            # Its parts are loaded as they are asked for.
            return {}
        try:
            found = importlib.import_module(module)
        except ImportError:
            return None
        # Modules below it are asked for by name; `random` is another one.
        names = {k: v for k, v in vars(found).items() if not k.startswith("__")}
        names = {k: v for k, v in names.items() if not _below(v, module)}
        return names | {"__version__": getattr(found, "__version__", None)}

    return Facade(
        family="numpy",
        library=library.about.name,
        namespaces=namespaces,
        array_type=np.ndarray,
        wrap=lambda array: array,
        unwrap=lambda array: array,
        reseed=random.reseed,
    )


def _below(value: object, module: str) -> bool:
    return isinstance(value, types.ModuleType) and value.__name__.startswith(f"{module}.")
