"""Files written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from pathlib import Path

from breakeven.errors import StoreError

ELSEWHERE = "give another folder with --store FOLDER or in BREAKEVEN_STORE"
_TEMPORARY = ".tmp"


def make_folder(folder: Path) -> None:
    """Make `folder` with all above it, unless it is there.

    Raises
    ------
    StoreError
        It cannot be made, or is no folder.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise StoreError(
            f"{folder} is a file where the store's folder should be", ELSEWHERE
        ) from None
    except OSError as error:
        raise StoreError(
            f"the store {folder} cannot be made: {error.strerror}", ELSEWHERE
        ) from error


def try_writing(folder: Path) -> None:
    """Write a small file in `folder`, then remove it.

    Raises
    ------
    StoreError
        That failed; the message says why.
    """
    path = _beside(folder / "probe")
    try:
        _write(path, bytes(4096))
    except OSError as error:
        raise StoreError(
            f"the store {folder} cannot be written: {error.strerror}", ELSEWHERE
        ) from error
    finally:
        with contextlib.suppress(OSError):  # it never came to be, which a read-only disk refuses
            path.unlink()


def replace(path: Path, data: bytes) -> None:
    """Write `data` as the file `path`: by a file beside it, then a rename; both reach the disk.

    Raises
    ------
    StoreError
        It cannot be written; what `path` held before is as it was.
    """
    beside = _beside(path)
    try:
        _write(beside, data)
        beside.replace(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}", ELSEWHERE) from error
    finally:
        with contextlib.suppress(OSError):  # it was renamed, or never came to be
            beside.unlink()
    _sync_folder(path.parent)
    _sweep(path.parent)


def remove(path: Path) -> None:
    """Remove a file that may be there.

    Raises
    ------
    StoreError
        It is there, and cannot be removed.
    """
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{path} cannot be removed: {error.strerror}") from error


def content(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises
    ------
    StoreError
        It cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error


def _beside(path: Path) -> Path:
    """Return a hidden name that no other process takes, and that tells whose it is."""
    return path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}{_TEMPORARY}")


def _write(path: Path, data: bytes) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    with os.fdopen(file, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _sync_folder(folder: Path) -> None:
    """Put a rename on the disk, where the file system lets a folder be synchronised."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):  # the file is whole either way: old or new
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)


def _sweep(folder: Path) -> None:
    """Remove what processes left that were killed while they wrote."""
    for path in folder.glob(f".*{_TEMPORARY}"):
        owner = path.name.split(".")[-3]
        if owner.isdecimal() and not _lives(int(owner)):
            with contextlib.suppress(OSError):  # litter that stays does no harm
                path.unlink()


def _lives(process: int) -> bool:
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
