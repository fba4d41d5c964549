"""What each library offers of NumPy and SciPy, told from names alone."""

from __future__ import annotations

from functools import cache
from typing import Literal

from breakeven.backends.library import Family
from breakeven.port import names_cupy, names_torch
from breakeven.port.host_names import CONSTANTS, LOOKS, TYPES
from breakeven.port.host_random import LEGACY

Offer = Literal["yes", "slow", "no"]
_HOST = frozenset((*CONSTANTS, *TYPES, *LOOKS, "errstate", "seterr", "geterr", "ndarray"))
_STREAM = frozenset(
    (
        *LEGACY,
        *"default_rng RandomState Generator PCG64 MT19937 Philox SFC64 SeedSequence".split(),
        *"integers random standard_normal spawn".split(),
    )
)


def offered(full: str, family: Family, version: str | None = None) -> Offer:
    """Say whether a library has a name, at full speed or by a slow way.

    Parameters
    ----------
    full : str
        NumPy's or SciPy's full name, such as ``numpy.linalg.norm`` or ``ndarray.sum``.
    version : str or None
        Of the library; None takes the newest that is known.
    """
    if family == "numpy":
        return "yes"
    module, _, name = full.rpartition(".")
    if module == "numpy" and name in _HOST:
        return "yes"
    if module in {"numpy.random", "Generator"}:
        return "yes" if name in _STREAM else "no"
    fast, slow = _table(family, _old(version) if family == "cupy" else False)
    # A method of a ufunc, such as ``numpy.add.reduce``.
    above, _, ufunc = module.rpartition(".")
    of_ufunc = above == "numpy" and ufunc in fast.get("numpy", ())
    if name in fast.get("ufunc" if of_ufunc else module, ()):
        return "yes"
    return "slow" if name in slow.get(module, ()) else "no"


def has_module(name: str, family: Family, version: str | None = None) -> bool:
    """Say whether a library has anything of a module."""
    fast, slow = _table(family, _old(version))
    return family == "numpy" or name in fast or name in slow or name in {"scipy", "numpy.random"}


def _old(version: str | None) -> bool:
    head = (version or "").partition(".")[0]
    return head.isdigit() and int(head) == 13


Names = dict[str, frozenset[str]]


@cache
def _table(family: Family, old: bool) -> tuple[Names, Names]:  # noqa: FBT001  kept by it
    if family == "torch":
        return _read(names_torch.OFFERED), _read(names_torch.SLOW)
    if family == "cupy":
        newest = _read(names_cupy.OFFERED)
        if not old:
            return newest, {}
        new = _read(names_cupy.SINCE_14)
        return {m: names - new.get(m, frozenset()) for m, names in newest.items()}, {}
    return {}, {}


def _read(table: dict[str, str]) -> Names:
    return {module: frozenset(text.split()) for module, text in table.items()}
