"""Scripted casts and the runs that tests make with them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from breakeven.analysis.settle import settle
from breakeven.engine import plan
from breakeven.engine.session import measure
from breakeven.errors import BreakevenError
from breakeven.model.event import Began
from breakeven.model.run import RunRecord
from breakeven.model.spec import Effort, RunSpec, WorkloadSpec
from breakeven.store.sink import MemorySink
from records import machine

Curve = Mapping[int, float]
# A call of milliseconds: few repeats fill a slot, so that a scripted run is short.
CPU_S: Curve = {8: 1e-3, 16: 4e-3, 32: 1.6e-2, 64: 6.4e-2}
GPU_S: Curve = {8: 8e-3, 64: 8e-3}
# Longest that anything here may take before a test gives it up.
GIVE_UP_S = 60.0
HOLDER = """\
import sys
from pathlib import Path
from breakeven.engine.lock import machine_lock
with machine_lock(lambda: print("waits", flush=True), Path(sys.argv[1])) as held:
    print("held" if held else "free", flush=True)
    sys.stdin.readline()
"""


def actor(curve: Curve = CPU_S, **fields: object) -> dict[str, Any]:
    """Return one scripted backend; `journey_s` is a curve as well."""
    if "journey_s" in fields:
        fields["journey_s"] = {"matmul": fields["journey_s"]}
    return {"compute_s": {"matmul": curve}, "spread": 0.01, "noise": 0.01} | fields


def gpu(curve: Curve = GPU_S, **fields: object) -> dict[str, Any]:
    """Return one scripted GPU."""
    made: dict[str, object] = {"device": "cuda:0", "journey_s": {8: 1e-4, 64: 1e-4}}
    return actor(curve, **(made | fields))


def script(folder: Path, *, seed: int = 7, **actors: Mapping[str, Any]) -> str:
    """Write a script, and return the name of the backend that plays it."""
    path = folder / "cast.json"
    named = {name.replace("_", "-"): value for name, value in actors.items()}
    path.write_text(json.dumps({"seed": seed, "actors": named}))
    return f"scripted:{path}"


def began(
    *backends: str,
    sizes: Sequence[int] = (8, 16, 32),
    rounds: int | None = 3,
    effort: Effort = "full",
    budget_s: float = 60.0,
    naive: bool = False,
    cores: int = 2,
) -> RunRecord:
    """Return the record of a run that has just begun on a small machine without a GPU."""
    return RunRecord(
        id="2026-12-01T10-22-07-3f9a",
        started="2026-12-01T10:22:07Z",
        command=("run", "matmul"),
        machine=machine(gpu=False, cores=cores),
        spec=RunSpec(
            workloads=(WorkloadSpec(name="matmul", sizes=tuple(sizes), given=True),),
            backends=backends,
            effort=effort,
            budget_s=budget_s,
            rounds=rounds,
            naive=naive,
        ),
    )


def measured(
    record: RunRecord,
    *,
    patience_s: float = 20.0,
    progress: Callable[[str, float], None] = lambda *_: None,
    say: Callable[[str], object] = lambda _text: None,
    effort: plan.Effort | None = None,
) -> RunRecord:
    """Measure in this process, every worker a process of its own; return what the sink holds."""
    sink = MemorySink()
    sink.append(Began(record=record))
    try:
        measure(
            sink, settle, progress, wait=lambda _: None, patience_s=patience_s, say=say,
            effort=effort,
        )  # fmt: skip
    except BreakevenError as error:
        error.add_note(repr(sink.record().remarks))
        raise
    return sink.record()


class Commands:
    """Runs the command line in processes of their own, with a folder that is theirs alone.

    The temporary folder of its processes lies in `folder`, so that all of them can be told from
    others, and so that its runs wait for no other run.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = folder / "store"
        self.temporary = folder / "tmp"
        self.temporary.mkdir(parents=True, exist_ok=True)

    def start(self, *arguments: str | Path, store: Path | None = None) -> subprocess.Popen[str]:
        """Start a command in a session of its own."""
        kept = () if "--store" in arguments else ("--store", store or self.store)
        return subprocess.Popen(
            [sys.executable, "-m", "breakeven", *map(str, (*arguments, *kept))],
            cwd=self.folder,
            env=os.environ | {"TMPDIR": str(self.temporary)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str | Path) -> tuple[int, str, str]:
        """Run a command to its end; return its exit code and what it printed."""
        with self.start(*arguments) as process:
            out, err = process.communicate(timeout=GIVE_UP_S)
        return process.returncode, out, err

    def journal(self) -> list[dict[str, Any]]:
        """Return the whole lines of the journal in the store; none before there is one."""
        found = list(self.store.glob("*.journal"))
        if not found:
            return []
        lines = found[0].read_bytes().split(b"\n")[:-1]
        return [json.loads(line) for line in lines]

    def until(
        self, process: subprocess.Popen[str], seen: Callable[[list[dict[str, Any]]], bool]
    ) -> bool:
        """Wait for the journal to show something; False when the process ended before."""
        for _ in range(int(GIVE_UP_S / 0.005)):
            if seen(self.journal()):
                return True
            try:
                process.wait(timeout=0.005)
            except subprocess.TimeoutExpired:
                continue
            return False
        pytest.fail("the journal did not show what was waited for")

    def processes(self) -> list[int]:
        """Return the living processes whose temporary folder is ours."""
        mark = f"TMPDIR={self.temporary}".encode()
        found = []
        for place in Path("/proc").iterdir():
            if not place.name.isdigit():
                continue
            try:
                if mark in (place / "environ").read_bytes().split(b"\0"):
                    found.append(int(place.name))
            except OSError:
                continue  # it ended, or is not ours to look at
        return found

    def gone(self) -> bool:
        """Wait for all of our processes to end.

        One that was being started when its coordinator ended sees that once it runs.
        """
        return all(ended(pid) for pid in self.processes()) and not self.processes()


def kinds(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what each line of a journal is about."""
    return [line["type"] for line in lines]


def ended(pid: int) -> bool:
    """Wait for a process to end; False when it does not."""
    import select

    try:
        watch = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watch], [], [], GIVE_UP_S)[0])
    finally:
        os.close(watch)


def state(pid: int) -> str:
    """Return the letter that the system has for the state of a process."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def stopped(pid: int) -> str:
    """Wait for a child to be stopped or to end; return its state then."""
    os.waitid(os.P_PID, pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    return state(pid)


def holder_of(folder: Path) -> subprocess.Popen[str]:
    """Start a process that holds the machine's lock in `folder` until it reads a line."""
    return subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def end(process: subprocess.Popen[str]) -> None:
    """End a process that a failed test may have left."""
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
    process.communicate()
