"""Builds the facade of a library, by the family whose names it follows."""

from __future__ import annotations

from breakeven.backends.library import Library
from breakeven.port.facade import Facade
from breakeven.port.facade_cupy import CupyFacade
from breakeven.port.facade_numpy import numpy_facade


def facade_of(library: Library) -> Facade:
    """Return the library under NumPy's names."""
    match library.about.family:
        case "numpy":
            return numpy_facade(library)
        case "cupy":
            return CupyFacade(library).facade()
        case "torch":
            # Its arrays bind the PyTorch that this process opened: nothing imports them before.
            from breakeven.port.facade_torch import torch_facade  # noqa: PLC0415  see above

            return torch_facade(library)
