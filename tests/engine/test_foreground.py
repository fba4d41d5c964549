"""A command in the foreground: exit codes as a shell's, signals passed on, what is left behind."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from breakeven.engine.foreground import NotStartedError, check

# Runs a command as `breakeven watch` does, and writes how it ended to the file named first.
RUNNER = """\
import json, sys
from breakeven.engine.foreground import Foreground, NotStartedError, held_signals, orphans_adopted
out, grace, last, *command = sys.argv[1:]
said = []
def say(text):
    said.append(text)
    print("SAID", text, file=sys.stderr, flush=True)
with held_signals() as held, orphans_adopted():
    runner = Foreground(say, grace_s=float(grace))
    try:
        ended = runner.run(command, held, begun=lambda _at: None, to_the_last=last == "all")
    except NotStartedError as error:
        json.dump({"refused": str(error), "shell_code": error.exit_code}, open(out, "w"))
        sys.exit(error.exit_code)
json.dump(
    {"exit_code": ended.exit_code, "signal": ended.signal, "shell_code": ended.shell_code,
     "left": ended.left, "said": said, "cpu_s": ended.cpu_s, "peak": ended.peak_rss_bytes,
     "wall_s": ended.ended_s - ended.began_s}, open(out, "w"))
sys.exit(ended.shell_code)
"""
# Tells of every signal that it takes, and ends with code 7 at a word on its stdin.
LISTENER = """\
import signal, sys
def heard(number, _frame):
    print(signal.Signals(number).name, flush=True)
for name in sys.argv[1:]:
    signal.signal(getattr(signal, name), heard)
print("ready", flush=True)
sys.stdin.readline()
sys.exit(7)
"""
HEARD = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGWINCH")


class Running:
    """A runner with its command, and pipes to the command."""

    def __init__(self, folder: Path, *command: str, grace_s: float = 0.0, last: str = "") -> None:
        self._out = folder / "ended.json"
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUNNER, str(self._out), str(grace_s), last, *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip

    def says(self, where: str = "stdout") -> str:
        """Return the next line of the command (stdout) or of the runner (stderr)."""
        pipe: IO[str] = getattr(self.process, where)
        return pipe.readline().strip()

    def ends(self, word: str | None = None) -> dict[str, Any]:
        """Return how the command ended, after a word to it."""
        self.process.communicate(None if word is None else f"{word}\n", timeout=60)
        found: dict[str, Any] = json.loads(self._out.read_text())
        assert found["shell_code"] == self.process.returncode
        return found


Start = Callable[..., Running]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Start]:
    """Return a way to start commands; none outlives the test."""
    running: list[Running] = []

    def start(*command: str, **options: Any) -> Running:  # noqa: ANN401
        running.append(Running(tmp_path, *command, **options))
        return running[-1]

    yield start
    for one in running:
        if one.process.poll() is None:
            os.killpg(one.process.pid, signal.SIGKILL)
            one.process.wait()
        for pipe in (one.process.stdin, one.process.stdout, one.process.stderr):
            if pipe is not None:
                pipe.close()


def python(code: str, *arguments: str) -> tuple[str, ...]:
    """Return the words that run Python code."""
    return (sys.executable, "-c", code, *arguments)


@pytest.mark.parametrize("code", [0, 1, 3, 255])
def test_the_exit_code_is_passed_through(started: Start, code: int) -> None:
    """A command that ends by itself gives its own exit code."""
    assert started("sh", "-c", f"exit {code}").ends()["exit_code"] == code


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGKILL", "SIGABRT"])
def test_a_crash_is_told_as_a_shell_tells_it(started: Start, name: str) -> None:
    """A command that a signal ended gives 128 and its number, and the signal's name."""
    number = getattr(signal, name)
    found = started("sh", "-c", f"kill -{int(number)} $$").ends()
    assert (found["signal"], found["exit_code"]) == (name, None)
    assert found["shell_code"] == 128 + number


@pytest.mark.parametrize(
    ("mode", "text", "code", "said"),
    [
        (None, "", 127, "there is no such command"),
        (0o644, "#!/bin/sh\n", 126, "cannot be started: permission denied"),
        (0o755, "#!/no/such/interpreter\n", 126, "its interpreter does not exist"),
        (0o755, "\x00\x01\x02", 126, "is no program"),
    ],
)
def test_what_cannot_be_started_is_refused_as_by_a_shell(
    started: Start,
    tmp_path: Path,
    mode: int | None,
    text: str,
    code: int,
    said: str,
) -> None:
    """A program that is not there gives 127, one that the system refuses 126, in one line."""
    path = tmp_path / "program"
    if mode is not None:
        path.write_text(text)
        path.chmod(mode)
    found = started(str(path)).ends()
    assert found["shell_code"] == code
    assert said in found["refused"]
    assert "\n" not in found["refused"]


def test_a_missing_command_is_known_beforehand(tmp_path: Path) -> None:
    """Before anything is set up, a name that leads nowhere is refused, and a good one is not."""
    check(["sh"])
    with pytest.raises(NotStartedError, match="there is no such command") as missing:
        check(["no-such-program-anywhere"])
    assert missing.value.exit_code == 127
    with pytest.raises(NotStartedError) as folder:
        check([str(tmp_path)])
    assert folder.value.exit_code == 126


@pytest.mark.parametrize("name", HEARD)
def test_a_signal_is_passed_on_once(started: Start, name: str) -> None:
    """A signal that another process sends to the watcher reaches the command, once."""
    running = started(*python(LISTENER, *HEARD))
    assert running.says() == "ready"
    os.kill(running.process.pid, getattr(signal, name))
    assert running.says() == name
    rest = running.process.communicate("end\n", timeout=60)[0]
    assert rest == ""
    assert running.process.returncode == 7


def test_what_is_ignored_stays_ignored(started: Start) -> None:
    """A signal that was ignored before, as under nohup, is ignored in the command as well."""
    code = "import signal; raise SystemExit(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN)"
    running = started("sh", "-c", "trap '' HUP; exec \"$@\"", "sh", *python(code))
    assert running.ends()["exit_code"] == 1


def test_the_command_finds_signals_as_they_were(started: Start) -> None:
    """Nothing is held back in the command, and SIGPIPE, which Python ignores, is not ignored."""
    code = "import signal; raise SystemExit(len(signal.pthread_sigmask(signal.SIG_BLOCK, [])))"
    assert started(*python(code)).ends()["exit_code"] == 0
    status = r"sed -n 's/^SigIgn:\s*//p' /proc/self/status | grep -q '0$'"
    assert started("sh", "-c", status).ends()["exit_code"] == 0


def test_a_command_that_ignores_sigterm_is_killed(started: Start) -> None:
    """After the time of grace, SIGKILL ends a command that went on after SIGTERM, and is told."""
    running = started(*python(LISTENER, "SIGTERM"), grace_s=0.2)
    assert running.says() == "ready"
    os.kill(running.process.pid, signal.SIGTERM)
    assert running.says() == "SIGTERM"
    assert running.process.wait(60) == 128 + signal.SIGKILL
    found = running.ends()
    assert found["signal"] == "SIGKILL"
    assert "it is killed" in found["said"][-1]


def test_without_grace_nothing_is_killed(started: Start) -> None:
    """With a grace of 0 a command may take SIGTERM and go on as long as it likes."""
    running = started(*python(LISTENER, "SIGTERM"), grace_s=0.0)
    running.says()
    os.kill(running.process.pid, signal.SIGTERM)
    assert running.says() == "SIGTERM"
    assert running.ends("end")["exit_code"] == 7


def test_a_hang_up_alone_kills_nothing(started: Start) -> None:
    """A command that outlives its terminal's SIGHUP is not killed for it."""
    running = started(*python(LISTENER, "SIGHUP"), grace_s=0.05)
    running.says()
    os.kill(running.process.pid, signal.SIGHUP)
    assert running.says() == "SIGHUP"
    assert running.ends("end")["exit_code"] == 7


def test_ctrl_c_twice_asks_for_more(started: Start) -> None:
    """The first Ctrl-C is the command's own matter; a second right after it brings SIGTERM."""
    running = started(*python(LISTENER, "SIGINT"), grace_s=30.0)
    running.says()
    os.kill(running.process.pid, signal.SIGINT)
    assert running.says() == "SIGINT"
    # SIGTERM follows at once: it may end the command before it has said that it heard this one.
    os.kill(running.process.pid, signal.SIGINT)
    assert running.process.wait(60) == 128 + signal.SIGTERM
    found = running.ends()
    assert found["signal"] == "SIGTERM"
    assert found["said"] == ["Ctrl-C came twice: the command is asked to end (SIGTERM)"]


def test_what_is_killed_at_last_leaves_nobody_behind(started: Start) -> None:
    """With `--all`, what a killed process had started is killed as well, however it was adopted."""
    inner = "trap : TERM; sleep 600; :"
    running = started("bash", "-c", f"(setsid bash -c '{inner}') & exit 0", last="all", grace_s=0.3)
    while "sleep" not in "".join(_descendants(running.process.pid)):
        pass
    os.kill(running.process.pid, signal.SIGTERM)
    assert running.process.wait(60) == 0


def test_ctrl_c_at_a_terminal_reaches_the_command_once(tmp_path: Path) -> None:
    """The terminal tells its whole foreground group, so that the watcher passes nothing on."""
    out = tmp_path / "ended.json"
    process, screen = at_a_terminal(out, *python(LISTENER, "SIGINT"))
    with screen:
        assert until(screen, b"ready")
        screen.write(b"\x03")
        assert until(screen, b"SIGINT")
        screen.write(b"end\n")
        assert process.wait(60) == 7
        assert b"SIGINT" not in rest(screen)
    assert json.loads(out.read_text())["exit_code"] == 7


def test_a_command_keeps_the_terminal(tmp_path: Path) -> None:
    """Its three streams are the terminal, whose foreground group it belongs to."""
    code = (
        "import os, sys; ok = all(os.isatty(n) for n in range(3)); "
        "sys.exit(0 if ok and os.tcgetpgrp(0) == os.getpgrp() else 9)"
    )
    process, screen = at_a_terminal(tmp_path / "ended.json", *python(code))
    with screen:
        rest(screen)
        assert process.wait(60) == 0


# Makes the terminal on its stdin that of its session, as a shell's is, then becomes the runner.
TERMINAL = """\
import os, sys
os.close(os.open(os.ttyname(0), os.O_RDWR))
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


def at_a_terminal(out: Path, *command: str) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    """Start a runner at a terminal of its own; return it with the terminal's other end."""
    ours, theirs = pty.openpty()
    words = [sys.executable, "-c", TERMINAL, "-c", RUNNER, str(out), "30", "", *command]
    process = subprocess.Popen(
        words, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    return process, os.fdopen(ours, "r+b", buffering=0)


def test_what_a_daemon_leaves_is_named(started: Start) -> None:
    """A command that goes into the background ends; what goes on of it is told by name."""
    code = "import os, sys\nif os.fork(): sys.exit(4)\nos.setsid()\nos.read(0, 1)\n"
    running = started(*python(code))
    # Its end is seen from the file: the pipes are still held by what is left.
    assert running.process.wait(60) == 4
    (left,) = running.ends("end")["left"]
    assert left.split(" ")[1].startswith("(python")


def test_to_the_last_waits_for_all_of_it(started: Start) -> None:
    """Asked to, it waits for what the command left in the background, twice forked or not."""
    code = (
        "import os, sys\nif os.fork(): sys.exit(4)\nos.setsid()\nif os.fork(): os._exit(0)\n"
        "print('ready', flush=True)\nos.read(0, 1)\nsum(range(3_000_000))\n"
    )
    running = started(*python(code), last="all")
    assert running.says() == "ready"
    assert running.process.poll() is None
    found = running.ends("end")
    assert (found["exit_code"], found["left"]) == (4, [])


def test_the_system_says_what_it_used(started: Start) -> None:
    """CPU time and peak memory are those of the command, children that it waited for included."""
    work = "x = bytearray(80 << 20); x[:] = b'1' * len(x); sum(range(2_000_000))"
    found = started(*python(f"import subprocess, sys; subprocess.run({python(work)!r})")).ends()
    assert found["cpu_s"] > 0.01
    assert found["peak"] > 80 << 20


def test_a_small_command_has_no_peak_of_another(started: Start) -> None:
    """The system counts the watcher's memory into its children's peak: that is not told as theirs."""
    assert started("true").ends()["peak"] is None


def until(screen: IO[bytes], wanted: bytes) -> bool:
    """Read a terminal up to some words; return whether they came."""
    seen = b""
    while wanted not in seen:
        piece = screen.read(1024)
        if not piece:
            return False
        seen += piece
    return True


def rest(screen: IO[bytes]) -> bytes:
    """Return what a terminal still shows, up to the end of its last program."""
    seen = b""
    while True:
        try:
            piece = screen.read(1024)
        except OSError:  # the other end is closed
            return seen
        if not piece:
            return seen
        seen += piece


def _descendants(pid: int) -> list[str]:
    """Return the programs that live below a process."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with contextlib.suppress(OSError):
            found.append(Path(f"/proc/{child}/comm").read_text())
            found += _descendants(int(child))
    return found
