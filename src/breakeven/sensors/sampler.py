"""The sampler: a process of its own that reads sensors while other things run."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import msgspec

from breakeven.errors import InputError
from breakeven.sensors.played import VARIABLE
from breakeven.sensors.recording import Recording, decoded, read_recording
from breakeven.sensors.tape import POINTS
from breakeven.sensors.writing import TAIL_BYTES

CHILD = "breakeven.sensors.sampler_process"
READY_S, FINISH_S = 30.0, 15.0
FAST_S = 0.1
"""Seconds between readings of what changes quickly, unless others are asked for."""
FILE_NAME = "sensors.rec"
READY, IN_FILE, FINISH = b"ready\n", b"file\n", b"finish\n"
_STUCK = "the sampler did not answer for {seconds:g} s when it was asked to finish, and was ended"
_NO_START = "the sampler could not be started"


class SamplingPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a sampler is to do.

    Attributes
    ----------
    fast_s, slow_s : float
        Seconds between readings of what changes quickly, and of the rest.
    gpus : bool
        Whether GPUs are read; which ones, ``CUDA_VISIBLE_DEVICES`` says.
    points, tail_bytes : int
        Most points of a series; bytes that are appended before the file is made anew.
    replay : str or None
        A recording that is played instead of reading sensors; without one, what the variable
        ``BREAKEVEN_REPLAY_SENSORS`` names.
    count_root : bool
        Whether the process at the top of the tree counts itself.
    core_share : float
        CPU time over time that readings of the fast tier may take at ten a second, and as much
        more as they are more; what is dearer than its part is read less often.
    """

    fast_s: float = FAST_S
    slow_s: float = 1.0
    gpus: bool = True
    points: int = POINTS
    tail_bytes: int = TAIL_BYTES
    replay: str | None = None
    count_root: bool = True
    core_share: float = 0.003


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What the process is told when it is started."""

    plan: SamplingPlan
    path: str
    root_pid: int
    parent: int


class Sampler:
    """Reads sensors from `__enter__` to `finish`, in a process that dies with this one.

    A sensor that is not there is no error; nor is a sampler that is killed: what it had written is
    the recording then, which says so.

    Parameters
    ----------
    plan : SamplingPlan
        How often, and what.
    folder : Path
        Where its file is written; it must be there.
    root_pid : int
        The process whose tree is counted.
    """

    def __init__(self, plan: SamplingPlan, folder: Path, root_pid: int) -> None:
        replay = plan.replay or os.environ.get(VARIABLE) or None
        self._plan = msgspec.structs.replace(plan, replay=replay)
        self._root_pid = root_pid
        self.path = folder / FILE_NAME
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: IO[bytes] | None = None
        self._recording: Recording | None = None

    def __enter__(self) -> Self:
        """Start the process; return when it has begun to sample.

        Raises
        ------
        InputError
            If a recording is to be played that cannot be read.
        """
        if self._plan.replay is not None:
            read_recording(Path(self._plan.replay))
        # What it complains of is kept apart from the screen, and told if it fails.
        self._messages = tempfile.TemporaryFile()
        order = Order(
            plan=self._plan, path=str(self.path), root_pid=self._root_pid, parent=os.getpid()
        )
        # -P keeps the user's folder, with whatever it calls msgspec.py, off the child's path. In
        # a group of its own it is spared the Ctrl-C that is meant for what it watches.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", CHILD, msgspec.json.encode(order).decode()],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._messages, process_group=0,
        )  # fmt: skip
        self._await_ready()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process, if `finish` has not."""
        self.finish()

    @property
    def pid(self) -> int | None:
        """Number of the process, which is no part of what it watches; None before it starts."""
        return None if self._process is None else self._process.pid

    def finish(self) -> Recording:
        """Have a last sample taken, end the process, and return the recording.

        Asked again it returns the same. It never raises for what befell the sampler.
        """
        if self._recording is None:
            self._recording = self._collected()
        return self._recording

    def _await_ready(self) -> None:
        """Wait until it has begun; a driver may take seconds to open.

        One that takes longer is let go on: its recording begins later, and says when.
        """
        assert self._process is not None
        assert self._process.stdout is not None
        readable, _, _ = select.select([self._process.stdout], [], [], READY_S)
        if readable:
            # A process that ended at once is told of by `finish`.
            os.read(self._process.stdout.fileno(), len(READY))

    def _collected(self) -> Recording:
        process = self._process
        if process is None:
            return Recording(ended_early=f"{_NO_START}: it was never asked to")
        stuck: str | None = None
        try:
            # A closed pipe would not do: what this process forked meanwhile holds its end open.
            told, _ = process.communicate(FINISH, timeout=FINISH_S)
        except subprocess.TimeoutExpired:
            process.kill()
            told, _ = process.communicate()
            stuck = _STUCK.format(seconds=FINISH_S)
        complaint = self._complaint()
        found = self._read(told.removeprefix(READY))
        if found is None:
            why = complaint or f"it left no recording (exit code {process.returncode})"
            return Recording(ended_early=f"{_NO_START}: {why}")
        if found.ended_early is not None and (more := stuck or complaint or self._signal()):
            return msgspec.structs.replace(found, ended_early=f"{found.ended_early} ({more})")
        return found

    def _read(self, told: bytes) -> Recording | None:
        """Return the recording from its file; as it was sent where that could not be written."""
        if told and told != IN_FILE:
            # Sent in parts: a process killed meanwhile leaves its file at least.
            with contextlib.suppress(ValueError, TypeError, IndexError, msgspec.DecodeError):
                return decoded(told)
        try:
            return read_recording(self.path)
        except InputError:
            return None

    def _complaint(self) -> str | None:
        """Return the last line that it wrote to its error stream."""
        assert self._messages is not None
        with self._messages as messages:
            messages.seek(0)
            lines = messages.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else None

    def _signal(self) -> str | None:
        assert self._process is not None
        code = self._process.returncode
        return f"signal {-code}" if code is not None and code < 0 else None
