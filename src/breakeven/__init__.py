"""Breakeven: does a GPU pay for this Python code, and from where on?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from breakeven._version import __version__

if TYPE_CHECKING:
    from breakeven.lab import Result, Watch, compare, load_result, measure, run, watch

__all__ = [
    "Result", "Watch", "__version__", "compare", "load_result", "measure", "run", "watch",
]  # fmt: skip
_LOADED = frozenset(__all__) - {"__version__"}


def __getattr__(name: str) -> Any:  # noqa: ANN401  any public name
    """Load the front door when it is first used: importing the package costs next to nothing."""
    if name in _LOADED:
        from breakeven import lab  # noqa: PLC0415  loaded when it is first used

        return getattr(lab, name)
    raise AttributeError(f"module 'breakeven' has no attribute {name!r}")
