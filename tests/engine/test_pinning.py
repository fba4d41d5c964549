"""Pool threads on cores of their own, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import breakeven.engine.pinning as pinning_module
from breakeven.engine.pinning import REMADE, UNPINNED, Pinning, busy_threads, threads

# A pool as a BLAS has it: a worker thread that computes when the main thread does, an idle one
# beside it. Then a thread is born after pinning, as a library's second pool is.
CODE = """\
import json, os, sys, threading, time
import numpy as np
from breakeven.engine.pinning import Pinning, busy_threads

square = np.ones((256, 256), np.float32)
go, done, stop = threading.Event(), threading.Event(), threading.Event()
ids = {"main": os.getpid()}

# As much work for either thread, so that a busy machine cannot make one look idle.
def work():
    for _ in range(400):
        np.matmul(square, square)

def pool():
    ids["pool"] = threading.get_native_id()
    while not stop.is_set():
        if go.wait(0.05) and not stop.is_set():
            work()
            go.clear()
            done.set()

def idle(name):
    ids[name] = threading.get_native_id()
    stop.wait()

def start(target, *arguments):
    made = threading.Thread(target=target, args=arguments)
    known = len(ids)
    made.start()
    while len(ids) == known:
        time.sleep(0.001)
    return made

def exercise():
    done.clear()
    go.set()
    work()
    done.wait()

def places():
    return {name: sorted(os.sched_getaffinity(thread)) for name, thread in ids.items()}

cpus = [int(x) for x in sys.argv[1].split(",")]
running = [start(pool), start(idle, "idle")]
said = {"busy": [name for name, t in ids.items() if t in busy_threads(exercise)]}
pinning = Pinning(cpus)
said["pinned"] = pinning.pin(exercise)
said["after"] = places()
running.append(start(idle, "late"))
said["born"] = places()
pinning.free_new()
said["freed"] = places()
pinning.release()
said["released"] = places()
stop.set()
go.set()
for one in running:
    one.join()
print(json.dumps(said))
"""
pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"), reason="this system does not place threads"
)


def _said(cpus: list[int]) -> dict[str, Any]:
    """Return what a process with a pool says about the places of its threads."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, ",".join(map(str, cpus))],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_busy_threads_get_a_core_each_and_give_it_back() -> None:
    """Two busy threads are placed apart; idle and new ones are free, and in the end all are."""
    before = os.sched_getaffinity(0)
    every = sorted(before)
    if len(every) < 2:
        pytest.skip("one CPU alone cannot be shared out")
    said = _said(every[-2:])
    assert said["busy"] == ["main", "pool"]
    assert said["pinned"] == [2, None]
    assert said["after"] == {"main": every[-2:-1], "pool": every[-1:], "idle": every}
    assert said["born"]["late"] == every[-2:-1]
    assert said["freed"] == {**said["after"], "late": every}
    assert said["released"] == dict.fromkeys(["main", "pool", "idle", "late"], every)
    assert os.sched_getaffinity(0) == before


def test_more_busy_threads_than_cores_are_left_where_they_are() -> None:
    """With one core for two busy threads nothing is placed, and the reason is told."""
    every = sorted(os.sched_getaffinity(0))
    said = _said(every[:1])
    assert said["pinned"] == [
        0,
        "its threads are not pinned: 2 busy threads were found for 1 cores",
    ]
    assert said["after"] == dict.fromkeys(["main", "pool", "idle"], every)


def test_no_cores_given_places_nothing() -> None:
    """Without cores to give out, the exercise is not even made, and nothing changes."""
    before = os.sched_getaffinity(0)
    pinning = Pinning(())
    assert pinning.pin(lambda: pytest.fail("it was exercised")) == (0, None)
    pinning.free_new()
    assert os.sched_getaffinity(0) == before


def test_a_refusing_system_leaves_all_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where placing is refused, the refusal is told and every thread keeps its cores."""
    before = os.sched_getaffinity(0)
    asked: list[set[int]] = []

    def refuse(_thread: int, cpus: set[int]) -> None:
        asked.append(set(cpus))
        if len(cpus) < len(before) or len(asked) == 1:
            raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setaffinity", refuse)
    pinning = Pinning(range(64))
    pinned, why = pinning.pin(lambda: sum(range(100_000)))
    assert (pinned, why) == (
        0,
        f"{UNPINNED}: the system refused to place threads (Operation not permitted)",
    )
    assert asked[1:]
    assert all(cpus == before for cpus in asked[1:])
    assert os.sched_getaffinity(0) == before


def test_the_main_thread_is_always_named_first() -> None:
    """The thread that calls is busy by definition, and the first to be placed."""
    assert busy_threads(lambda: None)[0] == os.getpid()
    assert threads()[0] == os.getpid()


def test_the_main_thread_is_first_though_its_id_is_the_highest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thread ids that began again from low numbers leave the main thread first."""
    for thread in (7, os.getpid(), 3):
        (tmp_path / str(thread)).mkdir()
    monkeypatch.setattr(pinning_module, "TASKS", tmp_path)
    assert threads() == (os.getpid(), 3, 7)


class _Pool:
    """A pool of one thread; one that is remade ends its thread at each use and makes another."""

    def __init__(self, *, remade: bool) -> None:
        self._remade = remade
        self._end: threading.Event | None = None
        self._thread: threading.Thread | None = None

    def __call__(self) -> None:
        if self._thread is None or self._remade:
            self.close()
            self._end, there = threading.Event(), threading.Event()
            self._thread = threading.Thread(target=self._wait, args=(there, self._end))
            self._thread.start()
            there.wait()
        sum(range(10_000))

    @staticmethod
    def _wait(there: threading.Event, end: threading.Event) -> None:
        there.set()
        end.wait()

    def close(self) -> None:
        if self._thread is not None and self._end is not None:
            self._end.set()
            self._thread.join()


def test_a_pool_that_is_made_anew_is_not_pinned() -> None:
    """New threads would gather on the core of the main thread: all keep every core, and it is told."""
    before = os.sched_getaffinity(0)
    pool = _Pool(remade=True)
    assert Pinning(sorted(before)).pin_if_kept(pool) == (0, REMADE)
    assert os.sched_getaffinity(0) == before
    pool.close()


def test_a_pool_that_stays_is_pinned() -> None:
    """Threads that are there before and after a use keep the places that they get."""
    before = os.sched_getaffinity(0)
    pool, pinning = _Pool(remade=False), Pinning(sorted(before))
    assert pinning.pin_if_kept(pool) == (1, None)
    assert os.sched_getaffinity(0) == {min(before)}
    assert pinning.follow() is None
    pinning.release()
    assert os.sched_getaffinity(0) == before
    pool.close()


def test_a_pinned_thread_that_ends_frees_the_others() -> None:
    """A pool that is made anew only later is found when its threads are looked at again."""
    before = os.sched_getaffinity(0)
    if len(before) < 2:
        pytest.skip("one CPU alone cannot be shared out")
    end = threading.Event()
    going = threading.Event()

    def work() -> None:
        while not end.is_set():
            sum(range(1000))
            going.set()

    thread = threading.Thread(target=work)
    thread.start()
    pinning = Pinning(sorted(before))

    def exercise() -> None:
        going.clear()
        going.wait()
        for _ in range(50):
            sum(range(100_000))

    assert pinning.pin(exercise)[0] == 2
    end.set()
    thread.join()
    assert pinning.follow() == REMADE
    assert os.sched_getaffinity(0) == before
