"""What a watch that was killed had recorded, read from where its sampler wrote it."""

from __future__ import annotations

import contextlib
import shlex
import shutil
from pathlib import Path

import msgspec

from breakeven.engine.clock import now, utc
from breakeven.errors import InputError
from breakeven.lab.sensed import concluded
from breakeven.model.remarks import DAMAGED
from breakeven.model.run import RunRecord
from breakeven.model.sensing import Mark, Watched
from breakeven.sensors.recording import read_recording
from breakeven.sensors.sampler import FILE_NAME
from breakeven.store.folder import Store
from breakeven.store.journal import being_written

SUFFIX = ".sensors"
NOTE = "begun.json"
LIVE = "it is still being watched: this is what was recorded so far"
KILLED = "the watch itself was ended before what it watched: this is what was kept"


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """When something that is watched began.

    Attributes
    ----------
    origin_s : float
        On the monotonic clock, by which the sampler counts.
    unix_s : float
        The same moment as Unix time.
    """

    command: tuple[str, ...]
    origin_s: float
    unix_s: float


def place(store: Path, run_id: str) -> Path:
    """Return the folder where the sampler of a watch writes: beside its journal."""
    return store / f"{run_id}{SUFFIX}"


def unix_s(monotonic_s: float) -> float:
    """Return a moment of the monotonic clock as Unix time."""
    return utc().timestamp() - (now() - monotonic_s)


def note(folder: Path, command: tuple[str, ...], origin_s: float) -> Begun:
    """Note when a command began; without room for the note, it is known here alone."""
    made = Begun(command=command, origin_s=origin_s, unix_s=unix_s(origin_s))
    with contextlib.suppress(OSError):
        (folder / NOTE).write_bytes(msgspec.json.encode(made))
    return made


def clear(folder: Path) -> None:
    """Remove what a sampler wrote, once it is stored elsewhere."""
    shutil.rmtree(folder, ignore_errors=True)


def recovered(record: RunRecord, store: Path) -> RunRecord:
    """Return a watch with what was recorded before it, or its watcher, was killed.

    Any other run, and one whose recording is gone, is returned as it is; a recording that is
    there and cannot be read is remarked.

    Parameters
    ----------
    store : Path
        The folder that its journal lies in.
    """
    folder = place(store, record.id)
    if record.sensing is not None or not folder.is_dir():
        return record
    try:
        begun = msgspec.json.decode((folder / NOTE).read_bytes(), type=Begun)
        recording = read_recording(folder / FILE_NAME).since(begun.origin_s)
    except (OSError, msgspec.DecodeError, InputError) as error:
        why = " ".join(str(error).split())
        return msgspec.structs.replace(record, remarks=(*record.remarks, f"{DAMAGED}: {why}"))
    live = being_written(Store(store).journal(record.id))
    last = max(0.0, recording.ended_s)
    whole = Mark(begin_s=0.0, end_s=last, kind="command", label=shlex.join(begun.command))
    sensing = recording.sensing([whole], (), Watched(command=begun.command, wall_s=last))
    sensing = msgspec.structs.replace(
        sensing, unix_s=begun.unix_s, ended_early=LIVE if live else KILLED
    )
    return msgspec.structs.replace(
        record, timeline=recording.timeline, sensing=concluded(recording.timeline, sensing)
    )
