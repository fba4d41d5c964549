"""Each pool thread on a core of its own: the cure for two threads that share one by chance.

Without it NumPy on a machine with many cores is in two states: the scheduler puts two threads of
a BLAS pool on one core, and the barrier at the end of each call waits for a whole time slice.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from breakeven.engine.clock import now, thread_cpu_seconds

TASKS = Path("/proc/self/task")
BUSY_SHARE = 0.2
EXERCISE_S = 0.05
UNPINNED = "its threads are not pinned"
REMADE = (
    f"{UNPINNED}: the library ends threads of its pool and makes new ones, which would share a core"
)


def threads() -> tuple[int, ...]:
    """Return the ids of this process's threads, main thread first; empty off Linux."""
    if not TASKS.is_dir():
        return ()
    main = os.getpid()
    # Ids start again from low numbers once they have run out: the main thread's may be the highest.
    return tuple(sorted((int(t.name) for t in TASKS.iterdir()), key=lambda t: (t != main, t)))


def busy_threads(exercise: Callable[[], object]) -> tuple[int, ...]:
    """Return the threads that work while `exercise` runs, main thread first.

    A thread counts when it used a fifth of the CPU time of the busiest.
    """
    before = {t: thread_cpu_seconds(t) or 0.0 for t in threads()}
    exercise()
    used = {t: (thread_cpu_seconds(t) or 0.0) - before.get(t, 0.0) for t in threads()}
    most = max(used.values(), default=0.0)
    main = os.getpid()
    busy = [t for t in used if t != main and used[t] > BUSY_SHARE * most]
    return (main, *busy)


def lasting(exercise: Callable[[], object]) -> None:
    """Call `exercise` for 50 ms, so that every thread that works in it shows."""
    begin = now()
    while now() - begin < EXERCISE_S:
        exercise()


class Pinning:
    """Places of the pool threads of this process.

    Parameters
    ----------
    cpus : sequence of int
        CPUs to place threads on, one each.
    """

    def __init__(self, cpus: Sequence[int]) -> None:
        self._cpus = tuple(cpus)
        self._all = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
        self._known: set[int] = set()
        self._placed: tuple[int, ...] = ()

    def pin(self, exercise: Callable[[], object]) -> tuple[int, str | None]:
        """Pin the threads that `exercise` makes work.

        Returns
        -------
        tuple of int, str or None
            Threads pinned; why none were, if none.
        """
        if not self._cpus or not self._all:
            return 0, None
        busy = busy_threads(exercise)
        if len(busy) > len(self._cpus):
            return 0, f"{UNPINNED}: {len(busy)} busy threads were found for {len(self._cpus)} cores"
        try:
            for thread, cpu in zip(busy, self._cpus, strict=False):
                os.sched_setaffinity(thread, {cpu})
        except OSError as error:
            self.release()
            return 0, f"{UNPINNED}: the system refused to place threads ({error.strerror})"
        self._known, self._placed = set(threads()), busy
        return len(busy), None

    def pin_if_kept(self, exercise: Callable[[], object]) -> tuple[int, str | None]:
        """Pin the threads that `exercise` makes work, if the library keeps them.

        A thread that is born has the place of its maker. OpenMP ends threads of a pool when fewer
        are asked for, and makes new ones when more are: the main thread, were it pinned, would
        gather them all on its own core, where each barrier waits for time slices. oneDNN asks for
        fewer in small convolutions (on 16 cores a step of 5 ms took 4.4 s).

        Returns
        -------
        tuple of int, str or None
            Threads pinned; why none were, if none.
        """
        self.release()
        exercise()
        before = set(threads())
        exercise()
        if before - set(threads()):
            return 0, REMADE
        return self.pin(lambda: lasting(exercise))

    def follow(self) -> str | None:
        """Free threads born since `pin`, or all of them where pinned ones have ended.

        Returns
        -------
        str or None
            Why none is pinned any longer.
        """
        if set(self._placed) - set(threads()):
            self.release()
            return REMADE
        self.free_new()
        return None

    def free_new(self) -> None:
        """Give threads born since `pin` all cores: they inherit the place of their creator."""
        for thread in threads():
            if thread not in self._known and self._known:
                try:
                    os.sched_setaffinity(thread, self._all)
                except ProcessLookupError:
                    continue  # it ended in between
                self._known.add(thread)

    def release(self) -> None:
        """Give every thread all cores again."""
        self._placed = ()
        for thread in threads():
            try:
                os.sched_setaffinity(thread, self._all)
            except ProcessLookupError:
                continue  # it ended in between
