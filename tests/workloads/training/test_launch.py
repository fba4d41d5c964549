"""Several processes: what a team measures, and the one reason when it does not work out."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from breakeven.errors import InputError
from breakeven.model.scaling import Team
from breakeven.model.spec import TrainingSpec
from breakeven.workloads.training import launch as module
from breakeven.workloads.training.distributed import Member
from breakeven.workloads.training.launch import TeamPlan, hidden_share, launch, shares
from breakeven.workloads.training.orders import (
    Planted,
    RankFacts,
    TeamOrder,
    facts_file,
    stage_file,
    write,
)

pytestmark = pytest.mark.timeout(400)  # processes start slowly on a machine that others use

SPEC = TrainingSpec(model="mlp")
ORDER = TeamOrder(
    spec=SPEC, batch_size=8, device="cpu", seed=1, steps=4, warm_steps=1, timeout_s=6.0
)
# A core may be all there is: both processes then share it, which changes no count.
CORES = ((min(os.sched_getaffinity(0)),), (max(os.sched_getaffinity(0)),))


def plan(**more: object) -> TeamPlan:
    """Return a plan of few steps."""
    given = {"steps": 6, "warm_steps": 2, "limit_s": 300.0, "cores": CORES, **more}
    return TeamPlan(**given)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def uneven(tmp_path_factory: pytest.TempPathFactory) -> Team:
    """Return a team of two of which one computes each step thirty times."""
    folder = tmp_path_factory.mktemp("team")
    return launch(SPEC, 8, 2, "cpu", folder, 3, plan(planted=Planted(rank=1, slow=30)))


def test_two_processes_train_one_model(uneven: Team) -> None:
    """Both took all steps on their own images, and what the stretch took is known."""
    assert uneven.why is None
    assert (uneven.processes, uneven.round, uneven.backend, uneven.size) == (2, 3, "gloo", 8)
    assert [r.rank for r in uneven.ranks] == [0, 1]
    assert [(r.steps, r.samples) for r in uneven.ranks] == [(6, 48), (6, 48)]
    assert uneven.samples == 96
    assert uneven.begin_s is not None
    assert uneven.end_s is not None
    assert 0 < uneven.seconds <= uneven.end_s - uneven.begin_s
    assert all(r.exchange_s > 0 for r in uneven.ranks)


def test_the_slow_one_works_and_the_other_waits(uneven: Team) -> None:
    """Its own time is several times the other's, which waits for most of it."""
    first, slow = uneven.ranks
    assert slow.busy_s > 3 * first.busy_s
    assert first.wait_s > slow.wait_s
    assert first.wait_s > (slow.busy_s - first.busy_s) / 2
    assert uneven.planted == "rank 1 computes each step 30 times"


def test_a_rank_that_dies_is_named(tmp_path: Path) -> None:
    """Killed in the stretch, it is told by its number and the signal, not by what others saw."""
    team = launch(SPEC, 8, 2, "cpu", tmp_path, 1, plan(planted=Planted(rank=1, dies=True)))
    assert team.why == "rank 1 was killed (SIGKILL) while at: stretch"
    assert team.ranks == ()


def test_gpus_that_are_not_there_are_one_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every rank finds the same, and it is said once."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    team = launch(SPEC, 8, 2, "cuda", tmp_path, 1, plan())
    assert team.why == "2 GPUs were asked for, and no GPUs are visible here"
    assert team.seconds == 0


def test_a_port_that_is_taken_is_the_reason(tmp_path: Path) -> None:
    """Two programs cannot meet at one port of this machine."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        meet = ("--master-addr=127.0.0.1", f"--master-port={port}")
        team = launch(SPEC, 8, 2, "cpu", tmp_path, 1, plan(rendezvous=meet))
    assert team.why == "the port that the processes meet at is taken by another program"


def facts(rank: int, **more: object) -> RankFacts:
    """Return what a rank wrote."""
    return RankFacts(rank=rank, device="cpu", backend="gloo", **more)  # type: ignore[arg-type]


def told(folder: Path, found: dict[int, RankFacts], log: str, ended: int | None) -> str | None:
    """Return the reason of a team of two that left these files."""
    (folder / module.LOG).write_text(log, encoding="utf-8")
    for rank, one in found.items():
        write(facts_file(folder, rank), msgspec.json.encode(one))
    read = [module._facts(folder, rank) for rank in (0, 1)]
    return module._why(folder, read, ended, ORDER)


def test_a_rank_that_hangs_is_named_and_not_the_one_that_waited(tmp_path: Path) -> None:
    """Rank 0 gave up waiting; rank 1 was ended by torchrun, and had reached the stretch."""
    write(stage_file(tmp_path, 1), b"stretch")
    found = {0: facts(0, why="RuntimeError: Timed out waiting 6000ms", waited=True)}
    log = "rank : 1 (local_rank: 1)\n exitcode : -15 (pid: 7)"
    why = told(tmp_path, found, log, 1)
    assert why == "rank 1 hung, having reached: stretch; the others waited 6 s for it"


REPORT = """Failures:
[1]:
  rank      : 0 (local_rank: 0)
  exitcode  : 1 (pid: 29184)
  error_file: <N/A>
Root Cause (first observed failure):
[0]:
  rank      : 1 (local_rank: 1)
  exitcode  : -9 (pid: 29185)  (SIGKILL)
  error_file: <N/A>
"""


@pytest.mark.parametrize("log", [REPORT, REPORT.replace("exitcode  : 1 ", "exitcode  : -15 ")])
def test_the_signal_is_read_of_the_rank_that_it_ended(tmp_path: Path, log: str) -> None:
    """Whichever rank torchrun reports first, and however that one ended."""
    write(stage_file(tmp_path, 1), b"apart")
    found = {0: facts(0, why="RuntimeError: Connection closed by peer", waited=True)}
    assert told(tmp_path, found, log, 1) == "rank 1 was killed (SIGKILL) while at: apart"


def test_nccls_watchdog_tells_who_waited(tmp_path: Path) -> None:
    """It ends a process before Python could write anything: its line in the log says which."""
    write(stage_file(tmp_path, 0), b"stretch")
    log = (
        "[rank1]:[E] [PG ID 0 PG GUID 0(default_pg) Rank 1] Watchdog caught collective operation "
        "timeout: WorkNCCL(SeqNum=9, OpType=ALLREDUCE) ran for 60000 milliseconds\n"
        "rank : 1 (local_rank: 1)\n exitcode : -6 (pid: 7)"
    )
    why = told(tmp_path, {}, log, 1)
    assert why == "rank 0 hung, having reached: stretch; the others waited 6 s for it"


def test_time_that_is_up_is_told_with_how_far_a_rank_came(tmp_path: Path) -> None:
    """Nothing was written but the stage."""
    write(stage_file(tmp_path, 0), b"started")
    why = told(tmp_path, {1: facts(1)}, "", None)
    assert why == "rank 0 hung, having reached: started; the others were still waiting"


def test_a_ranks_own_fault_comes_before_what_followed_from_it(tmp_path: Path) -> None:
    """The one that lost its connection is not to blame."""
    found = {
        0: facts(0, why="RuntimeError: Connection closed by peer", waited=True),
        1: facts(1, why="OutOfMemoryError: CUDA out of memory"),
    }
    assert told(tmp_path, found, "", 1) == "rank 1: OutOfMemoryError: CUDA out of memory"


def test_what_is_not_supported_is_so_for_all(tmp_path: Path) -> None:
    """Torchrun may have ended the others before they came to say the same."""
    found = {1: facts(1, why="NotImplementedError: a batch of 9 is more than there is")}
    assert told(tmp_path, found, "", 1) == "a batch of 9 is more than there is"


def test_an_unknown_end_tells_what_torchrun_said(tmp_path: Path) -> None:
    """The last line that names an error stands for what nobody foresaw."""
    why = told(tmp_path, {}, "Traceback\nValueError: no such option\n", 2)
    assert why == "torchrun ended with 2 (ValueError: no such option)"


def test_a_whole_team_has_no_reason(tmp_path: Path) -> None:
    """Both wrote what they found."""
    assert told(tmp_path, {0: facts(0), 1: facts(1)}, "", 0) is None


def test_the_cores_are_shared_out_equally() -> None:
    """No two processes share one, and what is left over stays idle."""
    assert shares(2, [0, 1, 4, 5, 7]) == ((0, 1), (4, 5))
    assert shares(1, [3]) == ((3,),)
    with pytest.raises(InputError, match="3 processes were asked for, and 2 cores"):
        shares(3, [0, 1])


def test_one_process_alone_has_as_many_cores_as_each_of_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else two processes on half the cores each could never be twice as fast."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1, 2, 3})

    def start_nothing(folder: Path, *_: object) -> int:
        (folder / module.LOG).write_text("", encoding="utf-8")
        return 1

    monkeypatch.setattr(module, "_run", start_nothing)
    for processes, gpus in ((1, (1, 2)), (2, (1, 2)), (1, ())):
        spec = TrainingSpec(model="mlp", gpus=gpus)
        launch(spec, 8, processes, "cpu", tmp_path, 1, TeamPlan())
        found = msgspec.json.decode((tmp_path / "order.json").read_bytes(), type=TeamOrder)
        assert [len(c) for c in found.cores] == [2 if gpus else 4] * processes


@pytest.mark.parametrize(
    ("processes", "gpus", "strategy", "threads"),
    [(1, (), "ddp", 8), (1, (1, 2), "ddp", 4), (2, (1, 2), "ddp", 4), (2, (2,), "data_parallel", 4),
     (4, (), "ddp", 2), (1, (16,), "ddp", 1)],
)  # fmt: skip
def test_a_process_on_a_gpu_has_as_many_threads_alone_as_among_others(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    processes: int,
    gpus: tuple[int, ...],
    strategy: Any,  # noqa: ANN401
    threads: int,
) -> None:
    """Torchrun itself holds several to one thread, and one to none; nor is its folder searched."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(8)))
    # Compiling in this process, as other tests do, has PyTorch set it.
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR", raising=False)
    started: list[dict[str, str]] = []

    def start_nothing(_command: object, *, env: dict[str, str], **_: object) -> object:
        started.append(env)
        raise InputError("nothing is started", "")

    monkeypatch.setattr(module.subprocess, "Popen", start_nothing)
    spec = TrainingSpec(model="mlp", gpus=gpus)
    with pytest.raises(InputError, match="nothing is started"):
        launch(spec, 8, processes, "cuda", tmp_path, 1, plan(cores=(), strategy=strategy))
    (environment,) = started
    assert environment["OMP_NUM_THREADS"] == str(threads)
    assert environment["PYTHONSAFEPATH"] == "1"
    assert environment["TORCHINDUCTOR_CACHE_DIR"].startswith(str(tmp_path))


def test_a_file_of_the_callers_folder_stands_for_no_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A `queue.py` that lies there would end torchrun and every rank."""
    (tmp_path / "queue.py").write_text("raise RuntimeError('taken from here')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setenv("TMPDIR", str(elsewhere))
    team = launch(SPEC, 8, 1, "cpu", tmp_path / "team", 1, plan())
    assert team.why is None
    # Nor does torchrun leave its logs, or PyTorch what it compiles, with whoever starts it.
    assert list(elsewhere.iterdir()) == []
    assert not (tmp_path / "team" / module.LEFT).exists()


def test_a_rank_that_came_to_no_stretch_is_not_among_the_measured() -> None:
    """Its beginning is not known, rather than zero; a clock may read zero."""
    found = [facts(0, begin_s=0.0, end_s=0.0, steps=4, samples=32), facts(1, why="it failed")]
    team = module._team(ORDER, 2, 1, found, "rank 1: it failed")
    assert [r.rank for r in team.ranks] == [0]
    assert (team.begin_s, team.end_s) == (0.0, 0.0)
    nothing = module._team(ORDER, 2, 1, found[1:], "rank 1: it failed")
    assert nothing.begin_s is None
    assert nothing.ranks == ()


class Allocator:
    """Stands for `torch.cuda`: a peak by number of the GPU."""

    def __init__(self, *peaks: int) -> None:
        self.peaks, self.reset = peaks, [False] * len(peaks)

    def reset_peak_memory_stats(self, number: int = 0) -> None:
        """Remember which was begun anew."""
        self.reset[number] = True

    def max_memory_allocated(self, number: int = 0) -> int:
        """Return what was needed most."""
        return self.peaks[number]


@pytest.mark.parametrize(
    ("more", "peak", "reset"),
    [
        ({"device": "cpu"}, None, [False, False, False]),
        ({"device": "cuda"}, 30, [False, True, False]),
        ({"device": "cuda", "strategy": "data_parallel", "gpus": 2}, 30, [True, True, False]),
    ],
)
def test_the_peak_is_of_all_gpus_that_a_process_drives(
    tmp_path: Path, more: dict[str, Any], peak: int | None, reset: list[bool]
) -> None:
    """Under DataParallel the first need not need most; another process's is not counted."""
    member = Member(msgspec.structs.replace(ORDER, **more), tmp_path, 1, 1)
    cuda = Allocator(10, 30, 99)
    member._torch = SimpleNamespace(cuda=cuda)
    member._reset_peaks()
    assert member._peak() == peak
    assert cuda.reset == reset


@pytest.mark.parametrize(
    ("synced", "alone", "expected"), [(1.0, 0.8, 0.0), (0.8, 0.8, 1.0), (0.85, 0.8, 0.75)]
)
def test_what_hides_is_what_does_not_lengthen_a_step(
    synced: float, alone: float, expected: float
) -> None:
    """Of an exchange of 0.2 s, the part that steps grew by stood bare."""
    found = [facts(r, steps=10, synced_s=synced, alone_s=alone, exchange_s=0.2) for r in (0, 1)]
    assert hidden_share(found) == pytest.approx(expected)


def test_an_exchange_of_nothing_hides_nowhere() -> None:
    """Under 20 us a step there is nothing to say."""
    found = [facts(0, steps=10, synced_s=1.0, alone_s=0.9, exchange_s=1e-4)]
    assert hidden_share(found) is None
    assert hidden_share([]) is None


def test_no_process_and_dataparallel_on_a_cpu_are_refused(tmp_path: Path) -> None:
    """The user is told before anything starts."""
    with pytest.raises(InputError, match="0 processes"):
        launch(SPEC, 8, 0, "cpu", tmp_path)
    with pytest.raises(InputError, match="DataParallel"):
        launch(SPEC, 8, 2, "cpu", tmp_path, 1, TeamPlan(strategy="data_parallel"))
