"""Text broken into lines without tearing a number from its unit."""

from __future__ import annotations

import re
import textwrap

# A space beside "=", and between a number and its unit.
_GLUE = re.compile(
    r"(?<==) (?=\d)|(?<=\w) (?==)"
    r"|(?<=[0-9]) (?=%|(?:[num]?s|min|[KMGT]iB|B|[kMGT]?FLOP/s|[kMGT]?B/s|[mk]?J|[WCh])\b)"
    r"|(?<=[0-9]) (?=(?:°C|images|epochs?)\b)"
    r"|(?<=[0-9]) (?=(?:cores?|rounds?|calls|sizes)\b)"
)
_INTERVAL = re.compile(r"\[([^\[\] ]+), ([^\[\] ]+)\]")
_FIRM = "\u00a0"


def wrapped(text: str, width: int, *, first: str = "", rest: str | None = None) -> list[str]:
    """Return `text` in lines of at most `width` columns.

    Parameters
    ----------
    first, rest : str
        What the first line and the others begin with; `rest` is blank as wide as `first`.
    """
    lines = textwrap.wrap(
        glued(plain(text)),
        width,
        initial_indent=first,
        subsequent_indent=" " * len(first) if rest is None else rest,
        break_on_hyphens=False,
        break_long_words=True,
    )
    return [line.replace(_FIRM, " ") for line in lines] or [first.rstrip()]


def glued(text: str) -> str:
    """Return `text` with a space that does not break between a number and what it belongs to."""
    return _GLUE.sub(_FIRM, _INTERVAL.sub(rf"[\1,{_FIRM}\2]", text))


def plain(text: str) -> str:
    """Return text without control characters: a name must not steer a terminal."""
    return "".join(c if c.isprintable() else " " for c in text)
