"""A self-test in a process of its own, interrupted while it measures."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import msgspec
import pytest

from breakeven.model.selftest import SelfTest
from engine.casts import GIVE_UP_S, Commands, actor, script


@pytest.mark.skipif(sys.platform != "linux", reason="signals and /proc of Linux")
def test_ctrl_c_keeps_what_was_measured_and_leaves_no_process(tmp_path: Path) -> None:
    """In the second round it ends with 130, its document says so, and every worker is gone."""
    commands = Commands(tmp_path)
    cast = script(tmp_path, one=actor({8: 1e-4, 384: 1e-3}, spread=0.01, noise=0.01))
    process = commands.start("selftest", "--backends", cast)
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line)
        if line.startswith("round 2"):
            process.send_signal(signal.SIGINT)
            break
    out, rest = process.communicate(timeout=GIVE_UP_S)
    assert process.returncode == 130, "".join([*said, rest])
    assert out.splitlines()[0] == "Interrupted: nothing is concluded."
    (path,) = (tmp_path / "store" / "selftests").glob("*.json")
    found = msgspec.json.decode(path.read_bytes(), type=SelfTest)
    assert (found.interrupted, found.fit, found.rounds) == (True, "unknown", 1)
    assert found.command[:2] == ("selftest", "--backends")
    assert commands.gone()
