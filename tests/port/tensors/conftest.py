"""The facade over PyTorch on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from breakeven.backends.libraries import library
from breakeven.port import convert
from breakeven.port.facade import Modules
from breakeven.port.facades import facade_of

Values = dict[str, Any]


def values(seed: int = 0) -> Values:
    """Return host arrays by the names that calls use."""
    rng = np.random.default_rng(seed)
    s = rng.normal(size=(4, 4)) + 4 * np.eye(4)
    n = rng.normal(size=6)
    n[2] = np.nan
    return {
        "a": rng.normal(size=(4, 5)), "b": rng.normal(size=(4, 5)), "v": rng.normal(size=6),
        "w": rng.normal(size=6), "i": rng.integers(1, 5, (4, 5)), "m": rng.random((4, 5)) > 0.5,
        "s": s, "p": rng.random(6) + 0.1, "z": rng.normal(size=6) + 1j * rng.normal(size=6),
        "n": n, "k": rng.integers(1, 5, 20).astype(np.int8).reshape(4, 5)[0],
        "f": rng.normal(size=5).astype(np.float32), "t3": rng.normal(size=(2, 3, 4)),
    }  # fmt: skip


class Side:
    """The facade, with ways to and from it."""

    def __init__(self) -> None:
        self.library = library("torch-cpu")
        self.facade = facade_of(self.library)
        self.np = Modules(self.facade)("numpy")

    def given(self, value: Any) -> Any:
        """Return `value` with its host arrays on the device."""
        return convert.mapped(
            value,
            lambda array: self.facade.wrap(self.library.to_device(array)),
            lambda part: isinstance(part, np.ndarray),
        )

    def fetched(self, value: Any) -> Any:
        """Return `value` with its arrays on the host."""
        return convert.mapped(
            value,
            lambda array: self.library.to_host(self.facade.unwrap(array)),
            lambda part: isinstance(part, self.facade.array_type),
        )

    def both(self, call: Callable[[Any, Values], Any], seed: int = 0) -> tuple[Any, Any]:
        """Return what a call gives on NumPy, and on the facade."""
        host = values(seed)
        return call(np, values(seed)), self.fetched(call(self.np, self.given(host)))


@pytest.fixture(scope="session")
def side() -> Side:
    """Return the facade."""
    return Side()


def parts(value: Any) -> list[Any]:
    """Return the arrays and numbers of a result, in order."""
    if isinstance(value, (tuple, list)):
        return [inner for part in value for inner in parts(part)]
    return [value]
