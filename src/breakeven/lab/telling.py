"""What whoever measures tells its user while it does."""

from __future__ import annotations

from collections.abc import Callable

Say = Callable[[str], None]
Progress = Callable[[str, float], None]
WAITING = "another run is measuring on this machine: waiting for it"


def quiet(*_words: object) -> None:
    """Say nothing."""
