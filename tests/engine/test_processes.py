"""Worker processes: asked, stopped while idle, ended however they end."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from breakeven.engine import messages, processes
from breakeven.engine.processes import (
    INTERRUPTS,
    POOL_VARIABLES,
    Crew,
    WorkerProcess,
    crew,
    deaf_to_interrupts,
    interrupted_once,
    oom_kills,
)
from breakeven.errors import DeadlineError, WorkerDiedError
from breakeven.model.spec import TrainingSpec
from engine.casts import actor, end, ended, script, state, stopped

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and /proc of Linux")
FLOORS = messages.MeasureFloors()
# A coordinator that starts one worker of each kind, says who they are, then waits to be killed.
COORDINATOR = """\
import os, sys
from pathlib import Path
from breakeven.engine.messages import WorkerConfig
from breakeven.engine.processes import WorkerProcess
name, folder = sys.argv[1], Path(sys.argv[2])
workers = [
    WorkerProcess(WorkerConfig(backend=name, parent=os.getpid()), threads=None,
                  freezable=freezable, log=folder / f"{freezable}.log")
    for freezable in (True, False)
]
for worker in workers:
    worker.receive(60.0)
os.waitid(os.P_PID, workers[0].pid, os.WSTOPPED | os.WNOWAIT)
print(*(w.pid for w in workers), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def staff() -> Iterator[Crew]:
    """Return a crew that is ended after the test."""
    with crew() as made:
        yield made


def _worker(
    staff: Crew, folder: Path, *, freezable: bool = False, **fields: object
) -> WorkerProcess:
    """Return a scripted worker whose first reply is still to be received."""
    name = script(folder, cpu=actor(**fields)) + "#cpu"
    config = messages.WorkerConfig(backend=name, parent=os.getpid())
    return staff.start(config, threads=None, freezable=freezable, log=folder / "log")


def _set_up(folder: Path, size: int = 8) -> messages.SetUp:
    return messages.SetUp(workload="matmul", size=size, folder=str(folder), warm_s=0.01)


def test_a_worker_opens_and_answers(staff: Crew, tmp_path: Path) -> None:
    """It says that it is open first, then answers one request after the other."""
    worker = _worker(staff, tmp_path)
    assert isinstance(worker.receive(60.0), messages.Opened)
    assert isinstance(worker.ask(FLOORS, 60.0), messages.FloorsAre)
    assert worker.ask(messages.EndCase(), 60.0) == messages.Done()
    assert worker.cpu_s() > 0


def test_an_idle_worker_is_stopped_and_a_busy_one_runs(staff: Crew, tmp_path: Path) -> None:
    """It is in state T once it has answered, answers when it is asked again, and is stopped again."""
    worker = _worker(staff, tmp_path, freezable=True)
    worker.receive(60.0)
    assert stopped(worker.pid) == "T"
    assert isinstance(worker.ask(FLOORS, 60.0), messages.FloorsAre)
    assert stopped(worker.pid) == "T"
    worker.thaw()
    os.waitid(os.P_PID, worker.pid, os.WCONTINUED)
    assert state(worker.pid) in "RSD"
    worker.freeze()
    assert stopped(worker.pid) == "T"


def test_a_worker_that_need_not_be_stopped_is_not(staff: Crew, tmp_path: Path) -> None:
    """A GPU worker waits on its pipe."""
    worker = _worker(staff, tmp_path, freezable=False)
    worker.receive(60.0)
    assert isinstance(worker.ask(FLOORS, 60.0), messages.FloorsAre)
    assert state(worker.pid) in "RS"


@pytest.mark.parametrize("freezable", [False, True])
def test_a_killed_worker_is_told_by_its_signal(
    staff: Crew, tmp_path: Path, freezable: bool
) -> None:
    """The next request to a worker killed from outside, stopped or not, says what ended it."""
    worker = _worker(staff, tmp_path, freezable=freezable)
    worker.receive(60.0)
    os.kill(worker.pid, signal.SIGKILL)
    with pytest.raises(WorkerDiedError, match="killed by SIGKILL"):
        worker.ask(FLOORS, 60.0)


def test_a_worker_that_exits_is_told_by_its_code(staff: Crew, tmp_path: Path) -> None:
    """A library that ends the process inside a request leaves its exit code."""
    worker = _worker(staff, tmp_path, faults={8: "crash"})
    worker.receive(60.0)
    with pytest.raises(WorkerDiedError, match="exit code 3"):
        worker.ask(_set_up(tmp_path), 60.0)


def test_last_words_are_kept(staff: Crew, tmp_path: Path) -> None:
    """What a worker printed last before it fell over is part of the reason."""
    config = messages.WorkerConfig(backend="numpy", parent=os.getpid(), cpus=(0,))
    worker = staff.start(config, threads=None, freezable=False, log=tmp_path / "log")
    worker.receive(60.0)
    os.write(worker._process.stdin.fileno(), b"\0\0\0\1\x80")  # type: ignore[union-attr]
    with pytest.raises(WorkerDiedError, match=r"exit code 1 \(.*ValidationError"):
        worker.receive(60.0)


def test_want_of_memory_is_told_from_other_kills(
    staff: Crew, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A SIGKILL counts as want of memory when the system's own count of such kills has grown."""
    counts = iter([3, 4])
    monkeypatch.setattr(processes, "oom_kills", lambda: next(counts))
    worker = _worker(staff, tmp_path)
    worker.receive(60.0)
    os.kill(worker.pid, signal.SIGKILL)
    with pytest.raises(WorkerDiedError, match="want of memory"):
        worker.ask(FLOORS, 60.0)


def test_the_systems_count_of_kills_is_read_from_all_its_files(tmp_path: Path) -> None:
    """Counts add up; what only looks like one, and files that are missing, are passed over."""
    vmstat, events = tmp_path / "vmstat", tmp_path / "memory.events"
    vmstat.write_text("nr_free_pages 1\noom_kill 2\noom_kill_disable 9\n")
    events.write_text("low 0\noom 7\noom_kill 3\noom_group_kill 0\n")
    assert oom_kills((vmstat, events, tmp_path / "none")) == 5


def test_a_worker_that_hangs_is_killed_at_its_deadline(staff: Crew, tmp_path: Path) -> None:
    """The request is given up, and the process is gone when that is said."""
    worker = _worker(staff, tmp_path, faults={8: "hang"})
    worker.receive(60.0)
    with pytest.raises(DeadlineError, match="no answer within"):
        worker.ask(_set_up(tmp_path), 0.3)
    assert not Path(f"/proc/{worker.pid}").exists()


class _Speaker(WorkerProcess):
    """A process that says what a test wants it to, in place of a worker."""

    def __init__(self, code: str, log: Path) -> None:
        super().__init__(
            messages.WorkerConfig(backend="numpy", parent=0), threads=None, freezable=False, log=log
        )
        self.kill()
        self._process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.pid = self._process.pid


def test_a_message_that_never_ends_is_given_up(tmp_path: Path) -> None:
    """A worker that is stopped in the middle of a message does not hold the run."""
    code = "import os, time; os.write(1, b'\\0\\0\\0\\x09half'); time.sleep(60)"
    worker = _Speaker(code, tmp_path / "log")
    with pytest.raises(DeadlineError, match="no answer within"):
        worker.receive(1.0)
    assert not Path(f"/proc/{worker.pid}").exists()


def test_a_worker_that_closes_its_pipe_and_stays_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A driver that hangs while a process ends does not hold the run either."""
    monkeypatch.setattr(processes, "ENDING_S", 0.2)
    worker = _Speaker("import os, time; os.close(1); time.sleep(60)", tmp_path / "log")
    with pytest.raises(WorkerDiedError, match="did not end"):
        worker.receive(30.0)
    assert not Path(f"/proc/{worker.pid}").exists()


def test_the_cpu_time_of_a_worker_outlives_it(staff: Crew, tmp_path: Path) -> None:
    """What a worker used before it was killed is still ours, not the work of others."""
    worker = _worker(staff, tmp_path)
    worker.receive(60.0)
    used = worker.cpu_s()
    os.kill(worker.pid, signal.SIGKILL)
    with pytest.raises(WorkerDiedError):
        worker.ask(FLOORS, 60.0)
    assert worker.cpu_s() >= used > 0
    before = staff.cpu_s()
    staff.end(worker)
    assert staff.cpu_s() >= before


def test_a_request_that_fails_leaves_the_worker_alive(staff: Crew, tmp_path: Path) -> None:
    """An error of a library is an answer with a status; the next request is served."""
    faults = {8: "out_of_memory", 16: "unsupported"}
    worker = _worker(staff, tmp_path, faults=faults)
    worker.receive(60.0)
    for size, status in faults.items():
        reply = worker.ask(_set_up(tmp_path, size), 60.0)
        assert isinstance(reply, messages.Failed)
        assert (reply.status, f"size {size}" in reply.why) == (status, True)
    assert isinstance(worker.ask(FLOORS, 60.0), messages.FloorsAre)


def test_threads_are_set_before_anything_is_imported(staff: Crew, tmp_path: Path) -> None:
    """All pools hear of their threads through the environment; the pool that is there has them."""
    config = messages.WorkerConfig(backend="numpy", parent=os.getpid())
    worker = staff.start(config, threads=2, freezable=False, log=tmp_path / "log")
    opened = worker.receive(60.0)
    assert isinstance(opened, messages.Opened)
    variables = Path(f"/proc/{worker.pid}/environ").read_text().split("\0")
    assert {f"{name}=2" for name in POOL_VARIABLES} <= set(variables)
    assert [pool.threads for pool in opened.blas if pool.user_api == "blas"] == [2]


def test_pool_threads_of_a_worker_are_pinned(staff: Crew, tmp_path: Path) -> None:
    """Each of NumPy's two threads gets a core of its own; this process keeps its cores."""
    before = os.sched_getaffinity(0)
    if len(before) < 2:
        pytest.skip("one CPU alone cannot be shared out")
    cpus = tuple(sorted(before))[-2:]
    config = messages.WorkerConfig(backend="numpy", parent=os.getpid(), cpus=cpus)
    worker = staff.start(config, threads=2, freezable=False, log=tmp_path / "log")
    opened = worker.receive(60.0)
    assert isinstance(opened, messages.Opened)
    assert (opened.pinned, opened.remark) == (2, None)
    places = {
        tuple(os.sched_getaffinity(int(t.name))) for t in Path(f"/proc/{worker.pid}/task").iterdir()
    }
    assert {cpus[:1], cpus[1:]} <= places
    assert os.sched_getaffinity(0) == before


def test_what_a_library_prints_does_not_reach_the_replies(tmp_path: Path) -> None:
    """Standard output of a worker goes to its log."""
    package = tmp_path / "path" / "torch"
    package.mkdir(parents=True)
    package.joinpath("__init__.py").write_text(
        "import os\nprint('noise', flush=True)\nos.system('echo louder')\nraise RuntimeError('no')\n"
    )
    config = messages.WorkerConfig(backend="torch-cpu", parent=os.getpid())
    with crew() as made, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(tmp_path / "path"))
        worker = made.start(config, threads=None, freezable=False, log=tmp_path / "log")
        reply = worker.receive(60.0)
    assert isinstance(reply, messages.Failed)
    assert reply.status == "unavailable"
    assert reply.why == "PyTorch fails on import (RuntimeError: no)"
    assert "reinstall it" in (reply.fix or "")
    assert (tmp_path / "log").read_text().splitlines()[:2] == ["noise", "louder"]


def test_a_crew_leaves_nobody_behind(tmp_path: Path) -> None:
    """However its block ends, all workers have ended, stopped ones too; their CPU time counts."""
    pids: list[int] = []
    with pytest.raises(KeyboardInterrupt), crew() as made:  # noqa: PT012  what ends a crew
        for freezable in (True, False):
            worker = _worker(made, tmp_path, freezable=freezable)
            worker.receive(60.0)
            pids.append(worker.pid)
        raise KeyboardInterrupt
    assert not made.workers
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    assert made.cpu_s() > 0


def test_workers_die_with_their_coordinator(tmp_path: Path) -> None:
    """When the coordinator is killed, its workers end: the stopped one too."""
    name = script(tmp_path, cpu=actor()) + "#cpu"
    coordinator = subprocess.Popen(
        [sys.executable, "-c", COORDINATOR, name, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert coordinator.stdout is not None
        pids = [int(x) for x in coordinator.stdout.readline().split()]
        assert state(pids[0]) == "T"
        assert state(pids[1]) in "RS"
    finally:
        end(coordinator)
    assert [ended(pid) for pid in pids] == [True, True]


def test_interrupts_wait_until_all_is_put_away() -> None:
    """Neither Ctrl-C nor SIGTERM ends the block; both work as before after it."""
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    done = []
    with deaf_to_interrupts():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        done.append("put away")
    assert done == ["put away"]
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_sigterm_is_taken_as_ctrl_c() -> None:
    """What Ctrl-C keeps, SIGTERM keeps too; afterwards it ends a process again."""
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), interrupted_once():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) == before


def test_the_first_interrupt_is_the_only_one() -> None:
    """What comes after it, be it in the middle of putting things away, is ignored."""
    before = [signal.getsignal(n) for n in INTERRUPTS]
    done = []
    with interrupted_once():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            for number in INTERRUPTS:
                signal.raise_signal(number)
            done.append("put away")
    assert done == ["put away"]
    assert [signal.getsignal(n) for n in INTERRUPTS] == before


def test_what_is_ignored_stays_ignored() -> None:
    """Under nohup a closed terminal ends nothing."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupted_once():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_process_that_the_system_refuses_has_died_with_its_reason(
    staff: Crew, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many processes or open files are told; nobody is left to be ended."""

    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(WorkerDiedError, match="did not start it: Resource temporarily unavailable"):
        _worker(staff, tmp_path)
    assert staff.workers == []


def test_off_the_main_thread_signals_are_left_alone() -> None:
    """A run in a thread, as in a notebook server, sets no handler: it could not."""
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    seen = []

    def work() -> None:
        with interrupted_once(), deaf_to_interrupts():
            seen.append((signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


def test_a_worker_that_trains_leaves_its_files_with_the_run(
    staff: Crew, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its compiled code goes with the folder of the run; one for arrays keeps its own place."""
    # Compiling in this process, as other tests do, has PyTorch set it.
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR", raising=False)
    name = script(tmp_path, cpu=actor()) + "#cpu"
    for training, inside in ((TrainingSpec(), True), (None, False)):
        config = messages.WorkerConfig(backend=name, parent=os.getpid(), training=training)
        worker = staff.start(config, threads=None, freezable=False, log=tmp_path / "log")
        variables = Path(f"/proc/{worker.pid}/environ").read_text().split("\0")
        assert (f"TORCHINDUCTOR_CACHE_DIR={tmp_path}/torchinductor" in variables) is inside
