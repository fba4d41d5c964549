"""Sessions on a CUDA device whose answer is known beforehand."""

from __future__ import annotations

from itertools import product

import pytest

import aa
import identical_work
import planted
from breakeven import lab
from breakeven.engine.plan import again, twin_of
from breakeven.engine.plan import planted as planted_entries
from breakeven.model.machine import Gpu

pytestmark = pytest.mark.gpu
SIZE = 2048


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("gpu")
def test_twice_the_calls_take_twice_the_time(name: str) -> None:
    """At a size that fills the device a planted 2 reads as 2 with data resident, and is found."""
    here = lab.read_machine()
    one = lab.entry_of(name, here)
    assert (one.device, one.threads) == ("cuda:0", None)
    run = lab.measure_entries(planted_entries(one, (20,)), {"matmul": (SIZE,)}, rounds=3)
    found = planted.tally(run)
    rows = {r["scope"]: r for r in found["comparisons"]}
    assert rows["resident"]["measured"] == pytest.approx(2.0, rel=0.1)
    assert rows["resident"]["word"] == "slower"
    assert rows["transfer"]["word"] not in {"faster", "equivalent"}


@pytest.mark.timeout(300)
def test_the_same_work_three_times_names_no_winner(gpu: Gpu, name: str) -> None:
    """Both scopes are judged and recorded; none of three processes wins."""
    here = lab.read_machine()
    assert here.gpus[0].uuid == gpu.uuid
    one = lab.entry_of(name, here)
    run = lab.measure_entries((one, twin_of(one), again(one)), {"matmul": (SIZE,)}, rounds=3)
    found = aa.tally(run)
    judged = found["session"]["comparisons"] + sum(found["session"]["withheld"].values())
    assert judged == 2
    assert found["session"]["winners"] == []
    rows = identical_work.rows_of(run, "s")
    assert {(r["kind"], r["i"]) for r in rows} == set(
        product((f"{name} resident", f"{name} transfer"), (1, 2, 3))
    )
