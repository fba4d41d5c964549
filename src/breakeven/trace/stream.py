"""One JSON document read piece by piece, so that a trace of any size fits into little memory."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from codecs import getincrementaldecoder
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from breakeven.errors import InputError

CHUNK_BYTES = 1 << 20
# An object that is still unfinished after so many characters is broken, not long.
LARGEST = 8 << 20
GZIP = b"\x1f\x8b"
_BLANK = re.compile(r"[ \t\n\r]*")
_NEXT_OBJECT = re.compile(r"\}\s*,\s*(?=\{)")
# Names of kernels and paths come into traces with raw control characters: not strict.
_decode = json.JSONDecoder(strict=False).raw_decode


class Document:
    """A Chrome trace: what stands around its events, and the events one after the other.

    Parameters
    ----------
    path : Path
        Plain or gzip, told apart by the first bytes.

    Attributes
    ----------
    header : dict of str to object
        What stands beside the list of events; whole once all events were read.
    ended_early : bool
        The file stops in the middle.
    broken : int
        Pieces that are no JSON and were passed over.

    Raises
    ------
    InputError
        If the file cannot be opened, or is no Chrome trace.
    """

    def __init__(self, path: Path) -> None:
        self.header: dict[str, Any] = {}
        self.ended_early = False
        self.broken = 0
        self._path = path
        self._text = ""
        self._at = 0
        self._chunks = _chunks(path)

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield the events in the order of the file; what is no object is passed over."""
        first = self._peek()
        if first == "[":
            yield from self._items()
            return
        if first != "{":
            raise self._no_trace("it does not begin like one")
        found = False
        self._at += 1
        while (sign := self._peek()) not in {"}", ""}:
            if sign == ",":
                self._at += 1
                continue
            try:
                key = self._value()
                if self._peek() == ":":
                    self._at += 1
                if key == "traceEvents" and self._peek() == "[":
                    found = True
                    yield from self._items()
                else:
                    self.header[str(key)] = self._value()
            except json.JSONDecodeError as error:
                if not found:
                    raise self._no_trace(f"its head is not JSON: {error}") from error
                self.ended_early = True
                return
        self.ended_early = self.ended_early or sign == ""
        if not found:
            raise self._no_trace("it holds no traceEvents")

    def _no_trace(self, why: str) -> InputError:
        return InputError(
            f"{self._path.name} is no Chrome trace: {why}",
            "give a file that torch.profiler's export_chrome_trace wrote",
        )

    def _items(self) -> Iterator[dict[str, Any]]:
        self._at += 1
        while (sign := self._peek()) != "]":
            if sign == ",":
                self._at += 1
                continue
            if sign == "":
                self.ended_early = True
                return
            try:
                item = self._value()
            except json.JSONDecodeError:
                if not self._skip():
                    self.ended_early = True
                    return
                continue
            if isinstance(item, dict):
                yield item
        self._at += 1

    def _skip(self) -> bool:
        """Go on at the next object; return whether there is one."""
        while True:
            if found := _NEXT_OBJECT.search(self._text, self._at + 1):
                self._at = found.end()
                self.broken += 1
                return True
            if not self._more():
                return False

    def _value(self) -> Any:  # noqa: ANN401  what JSON holds
        self._peek()
        while True:
            try:
                value, end = _decode(self._text, self._at)
            except json.JSONDecodeError:
                if len(self._text) - self._at > LARGEST or not self._more():
                    raise
                continue
            # A number that touches the end of what was read may go on.
            if end == len(self._text) and self._more():
                continue
            self._at = end
            return value

    def _peek(self) -> str:
        """Return the next character that is no blank; nothing at the end of the file."""
        while True:
            blank = _BLANK.match(self._text, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _more(self) -> bool:
        try:
            chunk = next(self._chunks, None)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            # A compressed file that was cut ends so.
            self.ended_early, chunk = True, None
        if chunk is None:
            return False
        self._text = self._text[self._at :] + chunk
        self._at = 0
        return True


def _chunks(path: Path) -> Iterator[str]:
    decoder = getincrementaldecoder("utf-8")(errors="replace")
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == GZIP
            raw.seek(0)
            with gzip.open(raw) if packed else raw as plain:
                while piece := plain.read(CHUNK_BYTES):
                    yield decoder.decode(piece)
    except gzip.BadGzipFile:
        raise
    except OSError as error:
        raise InputError(
            f"the trace {path.name} cannot be read: {error.strerror or error}", ""
        ) from error
