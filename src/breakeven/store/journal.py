"""The journal of a run: one event a line, appended whole."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import msgspec

from breakeven.errors import CorruptRunError, StoreError
from breakeven.model.event import Ended, Event, RoundDone
from breakeven.store import files
from breakeven.store.plain import UNREADABLE, encoded, said, typed
from breakeven.store.upgrade import CURRENT, Head, newer, schema_number

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import Self


class Journal:
    """A journal open for writing; it is locked against every other writer until it is closed.

    A line is handed to the kernel in one piece before `append` returns: what was appended
    outlives this process, however it ends. It is on the disk after a round and at the end.
    What could not be written (full disk) waits, in order, for the next `append`.

    Parameters
    ----------
    path : Path
        The file.
    new : bool
        Whether it must not exist yet; else it is continued, and a torn last line is cut off.

    Raises
    ------
    StoreError
        It exists (or does not), cannot be opened, or another process is writing it.
    """

    def __init__(self, path: Path, *, new: bool = True) -> None:
        self.path = path
        self._waiting: list[bytes] = []
        flags = os.O_RDWR | os.O_APPEND | (os.O_CREAT | os.O_EXCL if new else 0)
        try:
            self._file = os.open(path, flags, 0o666)
        except FileExistsError:
            raise StoreError(f"{path} exists: another run has this id", "start again") from None
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror}") from error
        try:
            _lock(self._file, path, new=new)
            self._whole = 0 if new else _whole_bytes(self._file)
        except BaseException:
            os.close(self._file)
            raise

    def append(self, event: Event) -> None:
        """Write one event as a line.

        Raises
        ------
        OSError
            It could not be written; it waits, and nothing that was written is lost.
        """
        self._waiting.append(encoded(event) + b"\n")
        self.flush(durable=isinstance(event, RoundDone | Ended))

    def flush(self, *, durable: bool = False) -> None:
        """Write what waits; if `durable`, return only when it is on the disk.

        Raises
        ------
        OSError
            As for `append`.
        """
        while self._waiting:
            # What lies beyond the whole lines was cut short: by a full disk, by Ctrl-C in the
            # middle of this loop, or by the death of an earlier writer. A line after it would
            # make it damage in the middle.
            if os.fstat(self._file).st_size > self._whole:
                os.ftruncate(self._file, self._whole)
            line = self._waiting[0]
            written = 0
            while written < len(line):
                written += os.write(self._file, line[written:])
            self._whole += len(line)
            del self._waiting[0]
        if durable:
            os.fsync(self._file)

    def clear(self) -> None:
        """Empty the file, to be written anew.

        Raises
        ------
        StoreError
            It cannot be.
        """
        try:
            os.ftruncate(self._file, 0)
        except OSError as error:
            raise StoreError(f"{self.path} cannot be written: {error.strerror}") from error
        self._whole = 0
        self._waiting.clear()

    def close(self) -> None:
        """Release the file; closing twice does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        """Return the journal itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()


def read(path: Path) -> tuple[Event, ...]:
    """Return the events of a journal; a last line that was cut short is left out.

    Raises
    ------
    CorruptRunError
        A line before the last is damaged; the message names it.
    NewerSchemaError
        A newer version of Breakeven wrote it.
    StoreError
        It cannot be read.
    """
    return parsed(files.content(path), str(path))


def parsed(raw: bytes, where: str) -> tuple[Event, ...]:
    """Return the events of a journal's bytes; see `read`."""
    lines = raw.split(b"\n")
    # A line is whole once its end is there: what follows the last end was cut short.
    del lines[-1]
    events = []
    start = 0
    for number, line in enumerate(lines, 1):
        if number == 1:
            _check_schema(line, where)
        try:
            events.append(typed(line, Event))
        except UNREADABLE as error:
            fix = f"keep a copy, then cut it before byte {start}: the lines above it are whole"
            raise CorruptRunError(
                f"{where} is damaged in line {number} (from byte {start}): {said(error)}",
                fix if start else "restore it from a copy, or remove it",
            ) from error
        start += len(line) + 1
    return tuple(events)


def being_written(path: Path) -> bool:
    """Return whether a living process holds the journal at `path` for writing."""
    if sys.platform == "win32":
        return False
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        # No locks on this file system: nobody can hold one.
        return False
    finally:
        os.close(file)
    return False


def _check_schema(line: bytes, where: str) -> None:
    """Raise where a newer version wrote the first line: its events need not decode here."""
    try:
        head = msgspec.json.decode(line, type=_FirstLine).record
    except UNREADABLE:
        return
    if schema_number(head.schema, where) > CURRENT:
        raise newer(where, head.schema, head.maker())


class _FirstLine(msgspec.Struct):
    record: Head


def _lock(file: int, path: Path, *, new: bool) -> None:
    if sys.platform == "win32":
        return
    # Of a new file, only `being_written` can hold a lock, for a moment: that is waited for.
    wait = 0 if new else fcntl.LOCK_NB
    try:
        fcntl.flock(file, fcntl.LOCK_EX | wait)
    except BlockingIOError:
        raise StoreError(
            f"{path} is being written by another process", "wait until that run has ended"
        ) from None
    except OSError:
        # Some network file systems have no locks; ids are unique there all the same.
        return


def _whole_bytes(file: int) -> int:
    """Return how many bytes of an open file are whole lines."""
    end = os.fstat(file).st_size
    step = 1 << 16
    while end > 0:
        start = max(0, end - step)
        found = os.pread(file, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0
