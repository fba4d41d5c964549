"""Whole sessions whose GPU is played from a recording: what is planted is seen in every slot."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from breakeven.analysis.judge import apply, judge
from breakeven.model.run import RunRecord, Slot
from engine.casts import actor, began, gpu, measured, script
from records import GPU

FINE = {"sm_clock_mhz": 1980, "power_w": 350, "temperature_c": 45, "memory_used_bytes": 1 << 30}
HOT = FINE | {"sm_clock_mhz": 1200, "temperature_c": 92, "reasons": ["thermal"]}
Played = Callable[..., RunRecord]


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Played:
    """Return what measures a CPU and a GPU at two sizes, the GPU's looks played."""

    def run(looks: Sequence[Mapping[str, Any]], rounds: int = 3, **fields: object) -> RunRecord:
        path = tmp_path / "recording.json"
        path.write_text(json.dumps({"looks": list(looks)} | fields))
        monkeypatch.setenv("BREAKEVEN_REPLAY", str(path))
        name = script(tmp_path, cpu=actor(), gpu=gpu())
        record = measured(began(name, sizes=(8, 32), rounds=rounds, budget_s=1.0))
        return apply(record, judge(record))

    return run


def _slots(run: RunRecord, entry: str = "gpu") -> list[Slot]:
    return [
        s for c in run.cases if c.entry == entry for r in c.rounds if r.clock == "wall"
        for s in r.slots
    ]  # fmt: skip


def _reasons(run: RunRecord) -> set[str | None]:
    """Return the codes of all verdicts on the GPU."""
    return {v.reason for v in run.verdicts if v.entry == "gpu"}


def test_every_gpu_slot_has_a_look_and_no_cpu_slot_has(played: Played) -> None:
    """Clock, power and temperature stand beside each slot, and a run says that they were played."""
    run = played([FINE], rounds=1)
    assert _slots(run)
    for slot in _slots(run):
        seen = slot.conditions.gpu
        assert seen is not None
        assert (seen.sm_clock_mhz, seen.power_w, seen.temperature_c) == (1980, 350, 45)
        assert (seen.memory_clock_mhz, seen.others, seen.others_bytes) == (None, None, 0)
        assert slot.voided is None
    assert all(s.conditions.gpu is None for s in _slots(run, "cpu"))
    assert any("played from a recording" in r for r in run.remarks)


def test_a_clock_that_rested_is_recorded(played: Played) -> None:
    """Each round of the GPU says whether its SM clock was steady; a CPU has none."""
    run = played([FINE], rounds=1)
    told = {(c.entry, r.clock_steady) for c in run.cases for r in c.rounds if r.clock == "wall"}
    assert told == {("gpu", True), ("cpu", None), ("cpu-twin", None)}


def test_a_clock_that_never_rests_is_told(played: Played) -> None:
    """It is recorded for each round, and a caveat counts the warm-ups."""
    run = played([FINE], rounds=1, warm_up_mhz=[1000, 1600, 1300])
    told = {(c.entry, r.clock_steady) for c in run.cases for r in c.rounds if r.clock == "wall"}
    assert ("gpu", False) in told
    assert ("gpu", True) not in told
    assert any("SM clock was not steady" in c for c in run.caveats)


def test_a_throttled_clock_voids_its_slots_and_withholds(played: Played) -> None:
    """Heat in one look of four is over a tenth: the GPU is not judged, and the caveat has figures."""
    run = played([FINE, FINE, FINE, HOT])
    hot = [s for s in _slots(run) if s.conditions.gpu and s.conditions.gpu.reasons]
    assert hot
    assert {s.voided for s in hot} == {"thermal"}
    assert "thermal" in _reasons(run)
    assert any(c.startswith("Hot GPU") and "1,200 MHz" in c for c in run.caveats)


def test_a_power_limit_is_told_and_judged(played: Played) -> None:
    """The slots count: the card is as fast as its limit lets it be."""
    run = played([FINE | {"reasons": ["power_cap"], "sm_clock_mhz": 1400}])
    assert {s.voided for s in _slots(run)} == {None}
    assert "thermal" not in _reasons(run)
    assert any(c.startswith("Power limit") for c in run.caveats)


def test_memory_that_appears_between_slots_names_a_tenant(played: Played) -> None:
    """After ten looks 4 GiB are held by none of ours: from there on no slot of the GPU counts."""
    there = FINE | {"memory_used_bytes": 5 << 30}
    run = played([*[FINE] * 10, there], then="hold")
    seen = [s.conditions.gpu for s in _slots(run)]
    assert {g.others_bytes for g in seen if g is not None} == {0, 4 << 30}
    for slot in _slots(run):
        assert slot.conditions.gpu is not None
        assert (slot.voided == "gpu_busy") == bool(slot.conditions.gpu.others_bytes)
    assert "gpu_busy" in _reasons(run)
    assert any("4.00 GiB of its memory were held by none of ours" in c for c in run.caveats)


def test_a_process_that_the_driver_names_voids_the_slots_it_shared(played: Played) -> None:
    """It comes and goes within a round; only the slots beside it are void."""
    run = played([FINE | {"others": n} for n in (0, 0, 0, 0, 1, 1)])
    for slot in _slots(run):
        assert slot.conditions.gpu is not None
        assert (slot.voided == "gpu_busy") == (slot.conditions.gpu.others == 1)
    assert "gpu_busy" in _reasons(run)


def test_device_memory_that_others_hold_is_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in use before the first size of a round is taken off the card's memory."""
    path = tmp_path / "recording.json"
    total = 1 << 20
    path.write_text(json.dumps({"looks": [FINE | {"memory_used_bytes": total - 20_000}]}))
    monkeypatch.setenv("BREAKEVEN_REPLAY", str(path))
    record = began(script(tmp_path, cpu=actor(), gpu=gpu()), sizes=(16, 64), rounds=1)
    small = msgspec.structs.replace(GPU, memory_bytes=total)
    record = msgspec.structs.replace(
        record, machine=msgspec.structs.replace(record.machine, gpus=(small,))
    )
    run = measured(record)
    status = {(c.entry, c.size): (c.status, c.why) for c in run.cases}
    assert status["gpu", 16][0] == "ok"
    assert status["gpu", 64][0] == "out_of_memory"
    assert "foreseen: 1 process needs 64.0 KiB of device memory, and 19.5 KiB are free" in (
        status["gpu", 64][1] or ""
    )
    assert status["cpu", 64][0] == "ok"
