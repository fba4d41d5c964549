"""The PyTorch that this process opened, and the device that new arrays lie on."""

from __future__ import annotations

from typing import Any


class Bound:
    """What the modules of this package compute with.

    They are imported once PyTorch is bound, since none of them may import it: a process has one.
    The device may be bound again.
    """

    torch: Any = None
    device: Any = None


def bind(torch: Any, device: str) -> None:
    """Bind PyTorch and a device."""
    Bound.torch = torch
    Bound.device = torch.device(device)


def bound_torch() -> Any:
    """Return the PyTorch that was bound.

    Raises
    ------
    RuntimeError
        If a module of this package is imported before.
    """
    if Bound.torch is None:
        raise RuntimeError("bind PyTorch before its facade is imported")
    return Bound.torch
