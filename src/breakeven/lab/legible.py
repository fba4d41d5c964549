"""Words of a command line as they can be stored and shown."""

from __future__ import annotations

import os
from collections.abc import Sequence


def legible(words: Sequence[str]) -> tuple[str, ...]:
    """Return `words` with a replacement character for each byte that is no UTF-8.

    Names on a disk may be any bytes; the system is handed them as they are, and a document holds
    text.
    """
    return tuple(os.fsencode(word).decode("utf-8", "replace") for word in words)
