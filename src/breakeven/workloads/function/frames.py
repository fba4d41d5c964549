"""An error in the user's code, told by the user's own frames alone."""

from __future__ import annotations

import linecache
import traceback
from pathlib import Path

from breakeven.model.finding import Location

MOST_FRAMES = 6
_PACKAGE = Path(__file__).resolve().parents[2]
_LONGEST = 300


def own_frames(error: BaseException, path: Path) -> tuple[Location, ...]:
    """Return the frames of an error in the user's files, outermost first.

    These are the files of the function's folder that belong to no installed package.
    """
    folder = path.parent
    found = []
    for frame in traceback.extract_tb(error.__traceback__):
        file = Path(frame.filename)
        if not _is_own(file, path, folder) or frame.lineno is None:
            continue
        text = (frame.line or linecache.getline(frame.filename, frame.lineno)).strip()
        found.append(Location(path=_shown(file, folder), line=frame.lineno, text=text or None))
    return tuple(found[-MOST_FRAMES:])


def _is_own(file: Path, path: Path, folder: Path) -> bool:
    if file == path or file.resolve() == path:
        return True
    parts = file.parts
    return folder in file.parents and _PACKAGE not in file.parents and "site-packages" not in parts


def _shown(file: Path, folder: Path) -> str:
    try:
        return str(file.relative_to(folder))
    except ValueError:
        return file.name


def told(error: BaseException, path: Path) -> str:
    """Return an error in one line: what it is, then where in the user's files it came from."""
    said = " ".join(str(error).split())[:_LONGEST]
    what = f"{type(error).__name__}: {said}" if said else type(error).__name__
    frames = own_frames(error, path)
    return f"{what} ({trail(frames)})" if frames else what


def trail(frames: tuple[Location, ...]) -> str:
    """Return frames in one line, innermost first."""
    last = frames[-1]
    said = f"{last.path} line {last.line}" + (f": {last.text}" if last.text else "")
    above = [f"line {f.line}" for f in reversed(frames[:-1])]
    return f"{said}; called from {', '.join(above)}" if above else said
