"""A model without chance: what it drops depends on the device's own generator."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def without_dropout(model: Any) -> Iterator[None]:  # noqa: ANN401  a module
    """Drop nothing while it lasts, in layers of dropout and of attention."""
    from torch import nn
    from torch.nn.modules.dropout import _DropoutNd

    before: list[tuple[Any, str, float]] = []
    for module in model.modules():
        name = None
        if isinstance(module, _DropoutNd):
            name = "p"
        elif isinstance(module, nn.MultiheadAttention):
            name = "dropout"
        if name is not None:
            before.append((module, name, getattr(module, name)))
            setattr(module, name, 0.0)
    try:
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)
