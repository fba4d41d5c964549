"""Breakeven: does a GPU pay for this Python code, and from where on?"""

from __future__ import annotations

from breakeven._version import __version__

__all__ = ["__version__"]
