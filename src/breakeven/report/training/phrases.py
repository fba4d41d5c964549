"""Parts of a sentence put together."""

from __future__ import annotations

from collections.abc import Sequence


def at_batch(size: int | None, parts: Sequence[str]) -> str:
    """Return parts as a sentence about one batch size; empty without any."""
    return sentence(f"at batch {size}, {'; '.join(parts)}") if parts else ""


def sentence(text: str) -> str:
    """Return text with a capital and a full stop; empty as it is."""
    return f"{text[0].upper()}{text[1:]}." if text else ""
