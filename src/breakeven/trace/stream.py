"""One JSON document read piece by piece, so that a trace of any size fits into little memory."""

from __future__ import annotations

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
# zlib's word for: a gzip header stands before the data.
_GZIP_WINDOW = 31
_AFTER = frozenset(",:]} \t\n\r")
_BLANK = re.compile(r"[ \t\n\r]*")
_NEXT_OBJECT = re.compile(r"\}\s*,\s*(?=\{)")
# Names of kernels and paths come into traces with raw control characters: not strict.
_raw_decode = json.JSONDecoder(strict=False).raw_decode


def _decode(text: str, at: int) -> tuple[Any, int]:
    """Return a value with where it ends; what Python refuses to read is no JSON either."""
    try:
        return _raw_decode(text, at)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise json.JSONDecodeError(str(error), text, at) from error


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
            # A number may go on behind the end of what was read: 1, then 1.5, then 1.5e3.
            if self._text[end : end + 1] not in _AFTER and self._more():
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
        except zlib.error:
            # Damaged within: what follows cannot be had.
            self.ended_early, chunk = True, None
        if chunk is None:
            return False
        self._text = self._text[self._at :] + chunk
        self._at = 0
        return True


def _chunks(path: Path) -> Iterator[str]:
    """Yield the text of a file; of a compressed one that was cut, all that can be had of it."""
    decoder = getincrementaldecoder("utf-8")(errors="replace")
    try:
        with path.open("rb") as raw:
            packed = raw.read(len(GZIP)) == GZIP
            raw.seek(0)
            pieces = iter(lambda: raw.read(CHUNK_BYTES), b"")
            for piece in _unpacked(pieces) if packed else pieces:
                yield decoder.decode(piece)
    except OSError as error:
        raise InputError(
            f"the trace {path.name} cannot be read: {error.strerror or error}", ""
        ) from error


def _unpacked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield what gzip members hold, one after the other."""
    member = zlib.decompressobj(_GZIP_WINDOW)
    for piece in pieces:
        left = piece
        while left:
            yield member.decompress(left, CHUNK_BYTES)
            left = member.unconsumed_tail
            if member.eof:
                left, member = member.unused_data, zlib.decompressobj(_GZIP_WINDOW)
