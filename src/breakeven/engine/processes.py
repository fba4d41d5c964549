"""Worker processes as the coordinator sees them: started, asked, frozen, and ended without fail."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from breakeven import units
from breakeven.engine import messages
from breakeven.engine.clock import children, cpu_seconds, family_cpu_seconds, now
from breakeven.errors import DeadlineError, WorkerDiedError
from breakeven.workloads.training import leftovers

POOL_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
CAN_FREEZE = sys.platform == "linux"
# SIGHUP comes when a terminal is closed; Windows has none.
INTERRUPTS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
LOG_TAIL_BYTES = 4000
# A worker that has closed its pipe is given so long to end: a driver may hang while it is left.
ENDING_S = 10.0
OOM_COUNTERS = (Path("/proc/vmstat"), Path("/sys/fs/cgroup/memory.events"))


def oom_kills(files: tuple[Path, ...] = OOM_COUNTERS) -> int:
    """Return how many processes the system has killed for want of memory so far."""
    total = 0
    for file in files:
        try:
            lines = file.read_text().splitlines()
        except OSError:
            continue
        total += sum(int(x.split()[1]) for x in lines if x.startswith("oom_kill "))
    return total


class WorkerProcess:
    """One worker process.

    Parameters
    ----------
    threads : int or None
        CPU threads of its pools, set before anything is imported; None leaves the environment.
    freezable : bool
        Whether to stop it while it is idle, so that its spinning pool disturbs nobody.
    log : Path
        File for whatever its libraries print; one that trains leaves temporary files beside it.
    variables : mapping, optional
        Variables of its environment beside those of this process.

    Raises
    ------
    WorkerDiedError
        If the system does not start it: too many processes or open files, too little memory.
    """

    def __init__(
        self,
        config: messages.WorkerConfig,
        *,
        threads: int | None,
        freezable: bool,
        log: Path,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.freezable = freezable and CAN_FREEZE
        # A loader has processes of its own, which are frozen, counted and ended with it.
        trains = config.training
        self._family = trains is not None and (trains.workers > 0 or trains.compile)
        self._frozen = False
        # Of a worker that stays awake itself, for its driver's sake, the loader alone is stopped.
        self._loader_freezes = CAN_FREEZE and not freezable and self._family
        self._stopped: list[int] = []
        self._cpu_s = 0.0
        self._log = log
        self._oom_before = oom_kills()
        environment = dict(os.environ)
        if trains is not None:
            environment |= leftovers.variables(log.absolute().parent, environment)
        environment |= dict(variables or {})
        if threads is not None:
            environment |= dict.fromkeys(POOL_VARIABLES, str(threads))
        words = ["-P", "-m", "breakeven.engine.worker", msgspec.json.encode(config).decode()]
        try:
            with log.open("wb") as output:
                self._process = subprocess.Popen(
                    [sys.executable, *words],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=output,
                    env=environment,
                    start_new_session=True,
                )
        except OSError as error:
            raise WorkerDiedError(f"the system did not start it: {error.strerror}") from error
        self.pid = self._process.pid

    def ask(self, request: messages.Request, deadline_s: float) -> messages.Reply:
        """Send a request and return its reply.

        Raises
        ------
        WorkerDiedError
            If the worker ended; the message tells how.
        DeadlineError
            If it did not answer in time; it has been killed.
        """
        self.post(request)
        return self.receive(deadline_s)

    def post(self, request: messages.Request) -> None:
        """Wake the worker, and send a request."""
        self.thaw()
        assert self._process.stdin is not None
        try:
            messages.write(self._process.stdin.fileno(), request)
        except BrokenPipeError:
            raise self._died() from None

    def receive(self, deadline_s: float) -> messages.Reply:
        """Return the next reply, then freeze the worker: it has said that it is idle."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        deadline = now() + deadline_s

        def wait() -> None:
            ready, _, _ = select.select([descriptor], [], [], max(deadline - now(), 0.0))
            if not ready:
                self.kill()
                raise DeadlineError(f"no answer within {units.whole(deadline_s)} s")

        # A worker may be stopped inside a message: each of its pieces has to come in time.
        body = messages.read(descriptor, wait)
        if body is None:
            raise self._died()
        self.freeze()
        return messages.decode_reply(body)

    def freeze(self) -> None:
        """Stop the process where that is wanted."""
        if self.freezable and not self._frozen:
            self._signal(signal.SIGSTOP)
            self._frozen = True
        elif self._loader_freezes and not self._stopped and self._lives():
            # Without their names they load on, which its cores show.
            with contextlib.suppress(OSError):
                self._stopped = children(self.pid)
            self._signal_loader(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let a stopped process go on."""
        if self._frozen:
            self._signal(signal.SIGCONT)
            self._frozen = False
        if self._stopped:
            self._signal_loader(signal.SIGCONT)
            self._stopped = []

    def cpu_s(self) -> float:
        """Return the CPU time that it has used, seconds; once it is gone, what was read last."""
        if self._process.returncode is None:
            count = family_cpu_seconds if self._family else cpu_seconds
            self._cpu_s = count(self.pid) or self._cpu_s
        return self._cpu_s

    def kill(self) -> None:
        """End the process, frozen or not, and wait until it is gone."""
        if self._lives():
            self._send(signal.SIGKILL)
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _signal(self, number: signal.Signals) -> None:
        if self._lives():
            self._send(number)

    def _signal_loader(self, number: signal.Signals) -> None:
        for child in self._stopped if self._lives() else ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, number)

    def _send(self, number: signal.Signals) -> None:
        """Signal the process; one with a family is the leader of their group."""
        if self._family and hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, number)
        self._process.send_signal(number)

    def _lives(self) -> bool:
        # Once the end of a process has been noticed, nobody knows its CPU time any more; what it
        # used would then pass for the work of others.
        self.cpu_s()
        return self._process.poll() is None

    def _died(self) -> WorkerDiedError:
        self.thaw()
        self.cpu_s()
        try:
            code = self._process.wait(ENDING_S)
        except subprocess.TimeoutExpired:
            self.kill()
            return WorkerDiedError("it closed its pipe and did not end")
        if code == -signal.SIGKILL and oom_kills() > self._oom_before:
            return WorkerDiedError("the system killed it for want of memory")
        if code < 0:
            return WorkerDiedError(f"killed by {signal.Signals(-code).name}")
        return WorkerDiedError(f"ended with exit code {code}{self._last_words()}")

    def _last_words(self) -> str:
        try:
            text = self._log.read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace").strip()
        except OSError:
            return ""
        return f" ({text.splitlines()[-1].strip()})" if text else ""


class Crew:
    """The workers alive now; however the block ends, none is left behind."""

    def __init__(self) -> None:
        self.workers: list[WorkerProcess] = []
        self._past_cpu_s = 0.0

    def start(
        self,
        config: messages.WorkerConfig,
        *,
        threads: int | None,
        freezable: bool,
        log: Path,
        variables: Mapping[str, str] | None = None,
    ) -> WorkerProcess:
        """Start one worker; its first reply is still to be received."""
        worker = WorkerProcess(
            config, threads=threads, freezable=freezable, log=log, variables=variables
        )
        self.workers.append(worker)
        return worker

    def end(self, worker: WorkerProcess) -> None:
        """End one worker."""
        self._past_cpu_s += worker.cpu_s()
        worker.kill()
        if worker in self.workers:
            self.workers.remove(worker)

    def cpu_s(self) -> float:
        """Return the CPU time of this process with all workers that it ever had, seconds."""
        own = cpu_seconds(os.getpid()) or 0.0
        return own + self._past_cpu_s + sum(w.cpu_s() for w in self.workers)

    def end_all(self) -> None:
        """End all workers."""
        for worker in list(self.workers):
            self.end(worker)


@contextmanager
def crew() -> Iterator[Crew]:
    """Yield an empty crew, and end all of it when the block ends."""
    made = Crew()
    try:
        yield made
    finally:
        with deaf_to_interrupts():
            made.end_all()


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Ignore what interrupts while what was measured is put away."""
    with _handled(signal.SIG_IGN):
        yield


@contextmanager
def interrupted_once() -> Iterator[None]:
    """Take SIGTERM and SIGHUP as Ctrl-C, and the first of all as the only one.

    A second Ctrl-C right after the first would hit the code that puts away what is finished.
    """

    def interrupt(*_: object) -> None:
        for number in INTERRUPTS:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    with _handled(interrupt):
        yield


@contextmanager
def _handled(handler: signal.Handlers | Callable[..., None]) -> Iterator[None]:
    """Handle what interrupts, unless it is ignored (as under nohup). Off the main thread, not."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    found = {n: signal.getsignal(n) for n in INTERRUPTS}
    # None: a handler that is not Python's, and could not be put back.
    before = {n: own for n, own in found.items() if own not in {signal.SIG_IGN, None}}
    try:
        for number in before:
            signal.signal(number, handler)
        yield
    finally:
        for number, own in before.items():
            signal.signal(number, own)
