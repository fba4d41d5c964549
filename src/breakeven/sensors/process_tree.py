"""CPU time and memory of a process with everything that it started."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from breakeven.model.sensing import Absent
from breakeven.sensors.base import Sample, Tier
from breakeven.sensors.kernel_files import KernelFile

PROC = Path("/proc")
MOST_BYTES = 4096
NAMES = ("tree.cpu_cores", "tree.rss_bytes")
_GONE = "process {pid} has ended, and nothing that it started is left"


class Stat(NamedTuple):
    """What ``/proc/PID/stat`` says of a process.

    Attributes
    ----------
    own_s : float
        CPU time of its threads, of those that have ended too.
    reaped_s : float
        CPU time of its children, and of theirs, that have ended and were waited for.
    """

    parent: int
    own_s: float
    reaped_s: float
    rss_bytes: int


def parse(text: str, tick_s: float, page_bytes: int) -> Stat | None:
    """Return the facts in the text of ``/proc/PID/stat``; None where it is cut short.

    The name of the program comes second in brackets, and may hold brackets and spaces itself.
    """
    fields = text.rpartition(")")[2].split()
    if len(fields) < 22:
        return None
    return Stat(
        parent=int(fields[1]),
        own_s=(int(fields[11]) + int(fields[12])) * tick_s,
        reaped_s=(int(fields[13]) + int(fields[14])) * tick_s,
        rss_bytes=int(fields[21]) * page_bytes,
    )


class ProcessTree:
    """The process with this number and all that descend from it, as far as ``/proc`` tells.

    Processes are looked for whenever the system has started one since the last reading; one that
    came and went in between counts through its parent, once that has waited for it. CPU time of a
    process that nobody in the tree waits for is kept as it was last read. Memory that processes
    share is counted once for each.

    Parameters
    ----------
    root_pid : int
        The process at the top.
    leave_out : iterable of int
        Processes that are not counted, with what they start: the sampler itself.
    count_root : bool
        Whether the one at the top counts itself; one that only watches does not.
    proc : Path
        Another folder in tests.
    clock : callable
        Seconds.
    """

    def __init__(
        self,
        root_pid: int,
        leave_out: Iterable[int] = (),
        proc: Path = PROC,
        clock: Callable[[], float] = time.perf_counter,
        *,
        count_root: bool = True,
    ) -> None:
        self._root, self._proc, self._clock = root_pid, proc, clock
        self._left_out = frozenset(leave_out)
        self._count_root = count_root
        self._tick_s = 1.0 / os.sysconf("SC_CLK_TCK")
        self._page_bytes = os.sysconf("SC_PAGE_SIZE")
        self._members: dict[int, KernelFile] = {}
        self._last: dict[int, Stat] = {}
        self._strangers: set[str] = set()
        self._kept_s = 0.0
        self._before: tuple[float, float] | None = None
        self._ended_s: float | None = None
        # Its last word is the number of the process that was started last.
        self._load = KernelFile(proc / "loadavg")
        self._newest: str | None = None
        self._join(root_pid)
        self._search()

    @property
    def names(self) -> tuple[str, ...]:
        """What is read here."""
        return NAMES if self._members or self._last else ()

    def read(self, tier: Tier) -> Sequence[Sample]:
        """Return cores in use since the last reading, and memory in use now."""
        if tier == "slow":
            self._search()
            return ()
        if tier != "fast":
            return ()
        newest = (self._load.read() or "").rpartition(" ")[2]
        if newest != self._newest:
            self._newest = newest
            self._search()
        now = self._clock()
        self._look()
        if not self._last:
            self._ended_s = now if self._ended_s is None else self._ended_s
            return ()
        self._ended_s = None
        spent = self.cpu_s()
        found = [Sample("tree.rss_bytes", float(sum(s.rss_bytes for s in self._last.values())))]
        if self._before is None:
            self._before = (now, spent)
        # CPU time is counted in ticks: in less than one, a single tick would pass for many cores.
        elif now - self._before[0] >= self._tick_s:
            cores = max(0.0, spent - self._before[1]) / (now - self._before[0])
            found.append(Sample("tree.cpu_cores", cores))
            self._before = (now, spent)
        return found

    def cpu_s(self) -> float:
        """Return the CPU time of the tree so far, of ended processes too."""
        return self._kept_s + sum(s.own_s + s.reaped_s for s in self._last.values())

    def absent(self) -> tuple[Absent, ...]:
        """Return that the tree is gone, where it is."""
        if self._ended_s is None:
            return ()
        why = _GONE.format(pid=self._root)
        return (Absent(sensor="tree", why=why, since_s=self._ended_s),)

    def slower(self) -> dict[str, float]:
        """Return nothing: these readings are cheap."""
        return {}

    def close(self) -> None:
        """Close the files."""
        for file in (self._load, *self._members.values()):
            file.close()
        self._members.clear()

    def _look(self) -> None:
        """Read every member; keep the CPU time of those that ended without being waited for."""
        now: dict[int, Stat] = {}
        shared_bytes = -1
        for pid, file in list(self._members.items()):
            stat = self._parsed(file.read())
            if stat is None:
                file.close()
                del self._members[pid]
            elif pid == self._root and not self._count_root:
                # What its children used before they ended is theirs, and counts.
                shared_bytes = stat.rss_bytes
                now[pid] = stat._replace(own_s=0.0, rss_bytes=0)
            else:
                now[pid] = stat
        for pid, stat in now.items():
            # Until it is its own program, a command shows the memory of the one that started it.
            if stat.parent == self._root and stat.rss_bytes == shared_bytes:
                now[pid] = stat._replace(rss_bytes=0)
        ended = [stat for pid, stat in self._last.items() if pid not in now]
        if ended:
            handed = sum(
                stat.reaped_s - self._last[pid].reaped_s
                for pid, stat in now.items()
                if pid in self._last
            )
            self._kept_s += max(0.0, sum(s.own_s + s.reaped_s for s in ended) - handed)
        self._last = now

    def _search(self) -> None:
        """Take in processes that descend from a member; those known as strangers stay so."""
        try:
            listed = set(os.listdir(self._proc))  # noqa: PTH208  a Path for each takes four times as long
        except OSError:
            return
        self._strangers &= listed
        parents: dict[int, int] = {}
        for name in listed - self._strangers:
            pid = int(name) if name.isdigit() else None
            if pid is None or pid in self._left_out:
                self._strangers.add(name)
            elif pid not in self._members and (stat := self._stat_of(pid)) is not None:
                parents[pid] = stat.parent
        grown = True
        while grown:
            new = [pid for pid, parent in parents.items() if parent in self._members]
            for pid in new:
                del parents[pid]
                self._join(pid)
            grown = bool(new)
        self._strangers.update(str(pid) for pid in parents)

    def _stat_of(self, pid: int) -> Stat | None:
        try:
            # A Path takes five times as long, and a busy machine starts many processes.
            descriptor = os.open(f"{self._proc}/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            return self._parsed(os.read(descriptor, MOST_BYTES).decode(errors="replace"))
        except OSError:
            # It ended meanwhile.
            return None
        finally:
            os.close(descriptor)

    def _parsed(self, text: str | None) -> Stat | None:
        return None if text is None else parse(text, self._tick_s, self._page_bytes)

    def _join(self, pid: int) -> None:
        file = KernelFile(self._proc / str(pid) / "stat")
        if file.there:
            self._members[pid] = file
