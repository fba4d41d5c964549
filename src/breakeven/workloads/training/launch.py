"""A team of processes: started by torchrun, given its time, and read from what each wrote."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from breakeven.errors import InputError
from breakeven.model.scaling import Rank, Team
from breakeven.model.spec import TrainingSpec
from breakeven.workloads.training import leftovers
from breakeven.workloads.training.agent import STARTED_BY
from breakeven.workloads.training.orders import (
    ORDER,
    Planted,
    RankFacts,
    Strategy,
    TeamOrder,
    facts_file,
    stage_file,
    write,
)

FLOOR_S = 20e-6
"""An exchange that takes less a step is no work that could hide."""

LOG, LEFT = "torchrun.log", "t"
_PORT = re.compile(r"EADDRINUSE|address already in use", re.IGNORECASE)
# Two lines of torchrun's report on one rank: those of others must not be read into it.
_ENDED = re.compile(r"\brank\s*:\s*(\d+)[^\n]*\n\s*exitcode\s*:\s*-(\d+)")
_WATCHDOG = re.compile(r"\bRank (\d+)\][^\n]*collective operation timeout")


class TeamPlan(msgspec.Struct, frozen=True, kw_only=True):
    """How a team is measured.

    Attributes
    ----------
    seed : int
        Of weights and order.
    steps, warm_steps : int
        Of the stretch, and before it.
    timeout_s : float
        Longest wait of a process for the others.
    limit_s : float
        For everything, start included; the processes are ended then.
    cores : tuple of tuple of int
        Of each process on a CPU; without them the usable ones are shared out among as many
        processes as the largest team that `spec` asks for has: one alone is a fair base only with
        as many cores as each of several.
    strategy : str
    planted : Planted or None
        What is made uneven on purpose.
    rendezvous : tuple of str
        Torchrun's own options by which the processes find each other: more than one machine needs
        ``--nnodes``, ``--node-rank``, ``--rdzv-backend``, ``--rdzv-endpoint``, the same on each.
    """

    seed: int = 42
    steps: int = 20
    warm_steps: int = 5
    timeout_s: float = 60.0
    limit_s: float = 600.0
    cores: tuple[tuple[int, ...], ...] = ()
    strategy: Strategy = "ddp"
    planted: Planted | None = None
    rendezvous: tuple[str, ...] = ("--standalone",)


def launch(
    spec: TrainingSpec,
    batch_size: int,
    processes: int,
    device: Literal["cpu", "cuda"],
    folder: Path,
    round_: int = 1,
    plan: TeamPlan | None = None,
) -> Team:
    """Measure one stretch of steps on some processes, started afresh.

    Parameters
    ----------
    spec : TrainingSpec
    batch_size : int
        Images of a step of each process.
    processes : int
        A GPU each, or a share of the CPU each; with ``data_parallel``, GPUs of a single process.
    folder : Path
        Where the processes find their order and write what they found.
    round_ : int
        That the team belongs to.

    Returns
    -------
    Team
        With `why` where it did not work out; what the ranks had found stands all the same.

    Raises
    ------
    InputError
        If there are no such processes to start: fewer than one, more than cores, or DataParallel
        on a CPU.
    """
    plan = plan or TeamPlan()
    alone = plan.strategy == "data_parallel"
    if processes < 1:
        raise InputError(f"{processes} processes cannot train", "ask for 1 or more")
    if alone and device == "cpu":
        raise InputError("DataParallel shares a batch among GPUs", "use ddp on a CPU")
    local = 1 if alone else processes
    order = TeamOrder(
        spec=spec,
        batch_size=batch_size,
        device=device,
        seed=plan.seed,
        steps=plan.steps,
        warm_steps=plan.warm_steps,
        timeout_s=plan.timeout_s,
        strategy=plan.strategy,
        cores=(plan.cores or shares(max(processes, *spec.gpus, 1)))[:processes]
        if device == "cpu"
        else (),
        gpus=processes if alone else 1,
        planted=plan.planted,
    )
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob("rank-*"):
        left.unlink()
    write(folder / ORDER, msgspec.json.encode(order))
    ended = _run(folder, local, order, plan)
    facts = [_facts(folder, rank) for rank in range(local)]
    why = _why(folder, facts, ended, order)
    return _team(order, processes, round_, [f for f in facts if f is not None], why)


def shares(processes: int, usable: Sequence[int] | None = None) -> tuple[tuple[int, ...], ...]:
    """Return the cores of each process: equally many, none shared.

    Raises
    ------
    InputError
        If there are fewer cores than processes.
    """
    if usable is None:
        usable = _usable()
    each = len(usable) // processes
    if each == 0:
        raise InputError(
            f"{processes} processes were asked for, and {len(usable)} cores are usable here",
            "ask for fewer processes",
        )
    return tuple(tuple(usable[r * each : (r + 1) * each]) for r in range(processes))


def _threads(local: int, order: TeamOrder) -> int:
    """Return the threads of each process: as many, whatever number of processes there are.

    Torchrun sets one for several processes, and leaves one process all cores.
    """
    if order.cores:
        return len(order.cores[0])
    most = max(local, order.gpus, *order.spec.gpus)
    return max(1, len(_usable()) // most)


def _usable() -> Sequence[int]:
    found = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    return sorted(found) if found else range(os.cpu_count() or 1)


def _run(folder: Path, local: int, order: TeamOrder, plan: TeamPlan) -> int | None:
    """Return how torchrun ended; None where its time was up."""
    command = [sys.executable, "-m", "breakeven.workloads.training.agent", *plan.rendezvous]
    command += [f"--log-dir={folder.absolute() / LEFT}"]
    command += [f"--nproc-per-node={local}", "-m", "breakeven.workloads.training.distributed"]
    left = folder.absolute() / LEFT
    left.mkdir(exist_ok=True)
    environment = {**os.environ, STARTED_BY: str(os.getpid())}
    environment |= leftovers.variables(left, environment)
    # Nothing that lies in the folder of the caller may stand for a module of the same name.
    environment["PYTHONSAFEPATH"] = "1"
    environment["OMP_NUM_THREADS"] = str(_threads(local, order))
    with (
        (folder / LOG).open("wb") as log,
        subprocess.Popen(
            [*command, str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
        ) as agent,
    ):
        try:
            return agent.wait(plan.limit_s)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end(agent)
            shutil.rmtree(left, ignore_errors=True)


def _end(agent: subprocess.Popen[bytes]) -> None:
    """End torchrun with its processes, which end with it: first asked, then without asking."""
    if agent.poll() is not None:
        return
    agent.send_signal(signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        agent.wait(5.0)
    if agent.poll() is None:
        agent.kill()


def _facts(folder: Path, rank: int) -> RankFacts | None:
    """Return what a process of this machine wrote; None where it wrote nothing."""
    try:
        return msgspec.json.decode(facts_file(folder, rank).read_bytes(), type=RankFacts)
    except FileNotFoundError:
        return None


def _stage(folder: Path, rank: int) -> str | None:
    try:
        return stage_file(folder, rank).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def _why(
    folder: Path, facts: Sequence[RankFacts | None], ended: int | None, order: TeamOrder
) -> str | None:
    """Return the one reason why a team did not work out: the cause, not what followed from it."""
    if ended == 0 and all(f is not None and f.why is None for f in facts):
        return None
    own = [f for f in facts if f is not None and f.why is not None and not f.waited]
    if own:
        # What is not supported is so for all of them, whoever came to say it first.
        general, _, text = (own[0].why or "").rpartition("NotImplementedError: ")
        alike = general == "" and text != own[0].why
        return text if alike else f"rank {own[0].rank}: {own[0].why}"
    log = (folder / LOG).read_text(encoding="utf-8", errors="replace")
    killed = {int(rank): int(number) for rank, number in _ENDED.findall(log)}
    missing = [rank for rank, f in enumerate(facts) if f is None]
    waiting = [f.rank for f in facts if f is not None and f.waited]
    waiting += [int(rank) for rank in _WATCHDOG.findall(log)]
    hung = [rank for rank in missing if rank not in waiting]
    if _PORT.search(log):
        return "the port that the processes meet at is taken by another program"
    dead = [rank for rank in hung if killed.get(rank, signal.SIGTERM) != signal.SIGTERM]
    if dead:
        name = signal.Signals(killed[dead[0]]).name
        return f"rank {dead[0]} was killed ({name}) while at: {_stage(folder, dead[0])}"
    if hung and (waiting or ended is None):
        stage = _stage(folder, hung[0])
        waited = f"waited {order.timeout_s:g} s for it" if waiting else "were still waiting"
        return f"rank {hung[0]} hung, having reached: {stage or 'nothing'}; the others {waited}"
    last = [line for line in log.splitlines() if "Error" in line]
    told = last[-1].strip() if last else "it left no message"
    return f"torchrun ended with {ended} ({told})"


def _team(
    order: TeamOrder, processes: int, round_: int, facts: Sequence[RankFacts], why: str | None
) -> Team:
    stretches = [
        (f, f.begin_s, f.end_s) for f in facts if f.begin_s is not None and f.end_s is not None
    ]
    measured = [f for f, _, _ in stretches]
    return Team(
        workload="train",
        size=order.batch_size,
        processes=processes,
        round=round_,
        backend=facts[0].backend if facts else ("gloo" if order.device == "cpu" else "nccl"),
        strategy=order.strategy,
        seconds=max((end - begin for _, begin, end in stretches), default=0.0),
        samples=sum(f.samples for f in measured),
        ranks=tuple(
            Rank(
                rank=f.rank,
                device=f.device,
                steps=f.steps,
                samples=f.samples,
                busy_s=f.busy_s,
                wait_s=f.wait_s,
                exchange_s=f.exchange_s,
                gpu=f.gpu,
                memory_peak_bytes=f.memory_peak_bytes,
            )
            for f in measured
        ),
        hidden_share=hidden_share(measured) if processes > 1 and why is None else None,
        planted=None if order.planted is None else str(order.planted),
        why=why,
        begin_s=min((begin for _, begin, _ in stretches), default=None),
        end_s=max((end for _, _, end in stretches), default=None),
    )


def hidden_share(facts: Sequence[RankFacts]) -> float | None:
    """Return which share of the exchange went on while the devices computed.

    What the exchange costs is the slowest rank's steps with it, less the slowest's without; what
    it takes is its time when nothing else goes on. None where it takes next to nothing.
    """
    if not facts:
        return None
    bare = statistics.fmean(f.exchange_s for f in facts)
    if bare < FLOOR_S * max(f.steps for f in facts):
        return None
    cost = max(f.synced_s for f in facts) - max(f.alone_s for f in facts)
    return min(1.0, max(0.0, 1.0 - cost / bare))
