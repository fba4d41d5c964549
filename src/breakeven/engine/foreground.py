"""A command in the foreground: started as a shell would, waited for, signals passed on."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from breakeven import units
from breakeven.engine.clock import now
from breakeven.errors import InputError

Say = Callable[[str], None]

NOT_FOUND, NOT_EXECUTABLE, SIGNALLED = 127, 126, 128
PRESSED_AGAIN_S = 2.0
"""Ctrl-C that comes so soon after another asks for more than the command gave."""
GRACE_S = 30.0
_LOOK_EVERY_S = 1.0
_PR_SET_CHILD_SUBREAPER = 36
_PASSED_ON = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGWINCH")


class Ended(NamedTuple):
    """How a command ended.

    Attributes
    ----------
    began_s, ended_s : float
        On the monotonic clock.
    status : int
        As ``waitpid`` gives it.
    cpu_s, peak_rss_bytes : float, int
        By the system's account: of the command and everything that it started and that has ended;
        of the largest process that it waited for, or itself. The system counts in what this
        process held when it started the command: where nothing was larger, the peak is not known.
    left : tuple of str
        Processes that it started and that go on: number and name.
    """

    began_s: float
    ended_s: float
    status: int
    cpu_s: float
    peak_rss_bytes: int | None
    left: tuple[str, ...] = ()

    @property
    def signal(self) -> str | None:
        """Name of the signal that ended it, if one did."""
        if not os.WIFSIGNALED(self.status):
            return None
        return _name(os.WTERMSIG(self.status))

    @property
    def exit_code(self) -> int | None:
        """Its exit code; None when a signal ended it."""
        return None if os.WIFSIGNALED(self.status) else os.WEXITSTATUS(self.status)

    @property
    def shell_code(self) -> int:
        """What a shell would make of it: the exit code, or 128 and the signal's number."""
        if os.WIFSIGNALED(self.status):
            return SIGNALLED + os.WTERMSIG(self.status)
        return os.WEXITSTATUS(self.status)


class NotStartedError(InputError):
    """The command could not be started; `exit_code` is what a shell would end with."""

    def __init__(self, what: str, fix: str, exit_code: int) -> None:
        super().__init__(what, fix)
        self.exit_code = exit_code


def check(command: Sequence[str]) -> None:
    """Raise where it is plain beforehand that a command cannot be started.

    Raises
    ------
    NotStartedError
        If there is no such program, or it may not be executed.
    """
    if shutil.which(command[0]) is not None:
        return
    known = "/" in command[0] and Path(command[0]).exists()
    raise _refused(command[0], errno.EACCES if known else errno.ENOENT)


@contextmanager
def held_signals() -> Iterator[frozenset[signal.Signals]]:
    """Hold back what is passed on, to be taken one by one; give the signals held back before.

    Whatever came and was not taken is dropped at the end: the command that it was meant for has
    ended. Only the main thread may do this, before the process has others.
    """
    wanted = {getattr(signal, name) for name in _PASSED_ON} | {signal.SIGCHLD}
    # Ignored signals stay so, as under nohup.
    mine = {s for s in wanted if signal.getsignal(s) is not signal.SIG_IGN}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, mine)
    # A signal that is ignored by default would not wait to be taken.
    quiet = {s: signal.signal(s, _nothing) for s in (signal.SIGCHLD, signal.SIGWINCH)}
    try:
        yield frozenset(signal.Signals(s) for s in before)
    finally:
        while signal.sigtimedwait(mine, 0) is not None:
            pass
        for number, handler in quiet.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def orphans_adopted() -> Iterator[None]:
    """Become the parent of processes whose own parent ended: those of a daemon stay in sight."""
    library = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
    if library is None or not _children_file().exists():
        yield
        return
    library.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        library.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


class Foreground:
    """Runs one command, which keeps the terminal and the three standard streams.

    Parameters
    ----------
    say : callable
        Told what is done to a command that does not end.
    grace_s : float
        From SIGTERM or a repeated Ctrl-C to SIGKILL; 0 never comes to that. SIGHUP is passed on and
        no more: who ignores it wants to outlive the terminal.
    """

    def __init__(self, say: Say, *, grace_s: float) -> None:
        self._say, self._grace_s = say, grace_s
        self._own: set[int] = set()
        self._pressed_s = -1e9
        self._deadline_s: float | None = None
        self._killing = False
        self._pid = 0
        self._adopted_cpu_s = 0.0

    def run(
        self,
        command: Sequence[str],
        held: frozenset[signal.Signals],
        *,
        begun: Callable[[float], None],
        output: Mapping[int, int] | None = None,
        to_the_last: bool = False,
    ) -> Ended:
        """Start a command, and return when it has ended.

        Call it inside `held_signals`, which gives `held`.

        Parameters
        ----------
        begun : callable
            Told the moment of its start, monotonic, right after it.
        output : mapping, optional
            Descriptors of the command that lead to other ones of this process.
        to_the_last : bool
            Whether to wait for everything that it started, not for itself alone.

        Raises
        ------
        NotStartedError
            If it cannot be started.
        """
        # Children that are there already are no part of the command.
        self._own = _children()
        began_s = now()
        self._pid = _spawn(command, held, output or {})
        begun(began_s)
        status, cpu_s, peak = self._wait_for_it()
        ended_s = now()
        left = self._others()
        if to_the_last and left:
            self._wait_for_others()
            ended_s, left = now(), {}
        cpu_s += self._adopted_cpu_s
        return Ended(began_s, ended_s, status, cpu_s, peak, tuple(left.values()))

    def _wait_for_it(self) -> tuple[int, float, int | None]:
        own = _peak_kib()
        while True:
            pid, status, used = os.wait4(self._pid, os.WNOHANG)
            if pid:
                # Linux counts memory in KiB here.
                peak = used.ru_maxrss * 1024 if used.ru_maxrss > own else None
                return status, used.ru_utime + used.ru_stime, peak
            self._attend({self._pid})

    def _wait_for_others(self) -> None:
        self._deadline_s, self._killing = None, False
        while others := self._others():
            if self._killing:
                # What a killed process had started is adopted after it: it is meant as well.
                _send(set(others), signal.SIGKILL)
            self._attend(set(others))

    def _attend(self, whom: set[int]) -> None:
        """Wait for a signal or the next deadline, and do what follows from it."""
        left = _LOOK_EVERY_S
        if self._deadline_s is not None:
            left = min(left, max(self._deadline_s - now(), 0.0))
        wanted = {getattr(signal, name) for name in _PASSED_ON} | {signal.SIGCHLD}
        told = signal.sigtimedwait(wanted, left)
        if told is not None and told.si_signo != signal.SIGCHLD:
            self._pass_on(told, whom)
        self._others()
        if self._deadline_s is not None and now() >= self._deadline_s:
            self._deadline_s, self._killing = None, True
            self._say(f"it did not end within {units.about(self._grace_s)}: it is killed (SIGKILL)")
            _send(whom, signal.SIGKILL)

    def _pass_on(self, told: signal.struct_siginfo, whom: set[int]) -> None:
        number = signal.Signals(told.si_signo)
        # What the terminal sends goes to its whole foreground group: it has reached the command.
        by_terminal = told.si_code > 0
        _send({p for p in whom if not by_terminal or _group(p) != os.getpgrp()}, number)
        if number == signal.SIGINT:
            again = now() - self._pressed_s <= PRESSED_AGAIN_S
            self._pressed_s = now()
            if again and self._grace_s > 0 and self._deadline_s is None:
                self._say("Ctrl-C came twice: the command is asked to end (SIGTERM)")
                _send(whom, signal.SIGTERM)
                self._deadline_s = now() + self._grace_s
        elif number == signal.SIGTERM and self._grace_s > 0 and self._deadline_s is None:
            self._deadline_s = now() + self._grace_s

    def _others(self) -> dict[int, str]:
        """Return adopted processes that live, and let go of those that have ended."""
        living = {}
        for pid in _children() - self._own - {self._pid}:
            try:
                ended, _, used = os.wait4(pid, os.WNOHANG)
            except ChildProcessError:
                continue
            if ended:
                self._adopted_cpu_s += used.ru_utime + used.ru_stime
            else:
                living[pid] = f"{pid} ({_program(pid)})"
        return living


def _spawn(
    command: Sequence[str], held: frozenset[signal.Signals], output: Mapping[int, int]
) -> int:
    # Python ignores these; what it starts must not.
    back = [s for name in ("SIGPIPE", "SIGXFSZ") if (s := getattr(signal, name, None))]
    moves = [(os.POSIX_SPAWN_DUP2, there, here) for here, there in output.items()]
    try:
        return os.posix_spawnp(
            command[0], list(command), os.environ, file_actions=moves, setsigmask=held,
            setsigdef=back,
        )  # fmt: skip
    except OSError as error:
        raise _refused(command[0], error.errno or 0) from error


def _refused(program: str, number: int) -> NotStartedError:
    if number == errno.ENOENT and shutil.which(program) is not None:
        return NotStartedError(
            f"{program}: its interpreter does not exist", "look at its first line", NOT_EXECUTABLE
        )
    if number == errno.ENOENT:
        return NotStartedError(
            f"{program}: there is no such command", "look at its name, and at PATH", NOT_FOUND
        )
    if number == errno.ENOEXEC:
        return NotStartedError(
            f"{program} is no program that the system can start",
            "name its interpreter: -- sh FILE, -- python FILE",
            NOT_EXECUTABLE,
        )
    why = os.strerror(number).lower()
    return NotStartedError(
        f"{program} cannot be started: {why}",
        "chmod +x makes a script a command" if number == errno.EACCES else "",
        NOT_EXECUTABLE,
    )


def _send(whom: set[int], number: signal.Signals) -> None:
    for pid in whom:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            # It ended meanwhile, or became another user's: there is nobody left to tell.
            continue


def _group(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


def _children_file() -> Path:
    return Path(f"/proc/self/task/{os.getpid()}/children")


def _children() -> set[int]:
    try:
        return {int(word) for word in _children_file().read_text().split()}
    except OSError:
        return set()


def _program(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(errors="replace").strip()
    except OSError:
        return "ended"


def _peak_kib() -> int:
    """Return the peak of this process's resident memory, KiB.

    ``getrusage`` would count in what the one that started this process held.
    """
    try:
        lines = Path("/proc/self/status").read_text(errors="replace").splitlines()
    except OSError:
        return 0
    return next((int(x.split()[1]) for x in lines if x.startswith("VmHWM:")), 0)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _nothing(_number: int, _frame: FrameType | None) -> None:
    """Take a signal without doing anything."""
