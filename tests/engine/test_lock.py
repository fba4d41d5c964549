"""One measuring run at a time on a machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from breakeven.engine.lock import NAME, machine_lock
from engine.casts import end, holder_of


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.parametrize("kill", [False, True])
def test_a_second_run_says_that_it_waits_and_goes_on_when_the_first_ends(
    tmp_path: Path, kill: bool
) -> None:
    """The lock is free again when its holder ends, be it by SIGKILL."""
    first = holder_of(tmp_path)
    second = None
    try:
        assert _line(first) == "held"
        second = holder_of(tmp_path)
        assert _line(second) == "waits"
        if kill:
            first.kill()
        else:
            first.communicate("\n")
        assert _line(second) == "held"
    finally:
        for one in (first, second):
            if one is not None:
                end(one)


def test_nobody_waits_for_a_free_machine(tmp_path: Path) -> None:
    """Alone, a run has the machine at once; one after the other too."""
    for _ in range(2):
        with machine_lock(lambda: pytest.fail("it waited"), tmp_path) as held:
            assert held


def test_a_lock_of_another_user_serves_without_the_right_to_write(tmp_path: Path) -> None:
    """A file that may only be read is locked all the same."""
    (tmp_path / NAME).touch(0o444)
    with machine_lock(lambda: pytest.fail("it waited"), tmp_path) as held:
        assert held


def test_a_pipe_in_the_place_of_the_lock_holds_nobody_up(tmp_path: Path) -> None:
    """Anybody may leave one in a shared temporary folder."""
    os.mkfifo(tmp_path / NAME)
    with machine_lock(lambda: pytest.fail("it waited"), tmp_path) as held:
        assert held


def test_without_a_place_for_a_lock_the_run_goes_on(tmp_path: Path) -> None:
    """Where no lock can be made, measuring is not refused, and the caller is told."""
    with machine_lock(lambda: pytest.fail("it waited"), tmp_path / "none") as held:
        assert not held


def test_workers_do_not_inherit_the_lock(tmp_path: Path) -> None:
    """A process left over by its coordinator would hold the machine for ever."""
    with machine_lock(lambda: None, tmp_path):
        descriptor = max(
            int(f.name)
            for f in Path("/proc/self/fd").iterdir()
            if f.exists() and f.resolve() == (tmp_path / NAME).resolve()
        )
        assert not os.get_inheritable(descriptor)
