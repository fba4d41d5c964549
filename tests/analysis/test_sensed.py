"""Stretches of a run with what its sensors read meanwhile."""

from __future__ import annotations

from msgspec.structs import replace

from breakeven.analysis.sensed import idle_before, with_readings
from breakeven.model.run import RunRecord
from breakeven.model.sensing import Absent, Mark, Sensing
from breakeven.model.spec import RunSpec, WorkloadSpec
from breakeven.model.study import Stretch, Study
from breakeven.model.timeline import Series
from records import machine

IDLE_W, BUSY_W = 80.0, 280.0


def _record(*marks: Mark) -> RunRecord:
    """Return a run of 20 s: idle for 5 s, then steps, with a power meter and one that is absent."""
    seconds = tuple(i * 0.1 for i in range(201))
    # A meter that never changes tells of no energy.
    wobble = tuple(1.0 if i % 2 else -1.0 for i in range(201))
    power = tuple((IDLE_W if t < 5.0 else BUSY_W) + w for t, w in zip(seconds, wobble, strict=True))
    stretch = Stretch(round=1, begin_s=6.0, end_s=16.0, steps=100, samples=6400)
    return RunRecord(
        id="2026-12-01T10-22-07-3f9a",
        started="2026-12-01T10:22:07Z",
        command=("run", "train"),
        machine=machine(),
        spec=RunSpec(
            workloads=(WorkloadSpec(name="train", sizes=(64,)),), backends=("torch-cuda",)
        ),
        studies=(Study(workload="train", size=64, entry="torch-cuda", stretches=(stretch,)),),
        timeline=(Series(sensor="gpu0.power_w", t_s=seconds, value=power),),
        sensing=Sensing(
            marks=marks, absent=(Absent(sensor="cpu.energy_j", why="powercap is for root"),)
        ),
    )


def _mark(kind: str, begin_s: float, end_s: float) -> Mark:
    return Mark(begin_s=begin_s, end_s=end_s, kind=kind, label=kind)


def test_a_stretch_gets_the_readings_of_its_own_time() -> None:
    """Power from before the steps is no part of their mean."""
    stretch = with_readings(_record()).studies[0].stretches[0]
    assert [(r.sensor, round(r.mean)) for r in stretch.readings] == [("gpu0.power_w", BUSY_W)]


def test_energy_is_net_of_the_idle_stretch_before() -> None:
    """Ten seconds at 200 W over idle are 2000 J."""
    found = with_readings(_record(_mark("idle", 1.0, 4.0))).studies[0].stretches[0].energies
    gpu = next(e for e in found if e.device == "gpu0")
    assert gpu.net_j is not None
    assert abs(gpu.net_j - 2000.0) < 100.0


def test_an_absent_meter_keeps_its_reason() -> None:
    """A CPU whose energy may not be read is none that takes no energy."""
    found = with_readings(_record()).studies[0].stretches[0].energies
    cpu = next(e for e in found if e.device == "cpu")
    assert cpu.gross_j is None
    assert "root" in (cpu.why or "")


def test_the_idle_stretch_is_the_last_one_before() -> None:
    """One that comes later, or ends within the steps, is not taken."""
    marks = (
        _mark("idle", 0.0, 1.0), _mark("idle", 2.0, 3.0), _mark("steps", 3.0, 4.0),
        _mark("idle", 5.5, 6.5),
    )  # fmt: skip
    assert idle_before(_record(*marks), 6.0) == (2.0, 3.0)
    assert idle_before(_record(), 6.0) is None


def test_a_run_without_a_timeline_stays_as_it_is() -> None:
    """Array code is measured without a sampler."""
    record = replace(_record(), timeline=(), sensing=None)
    assert with_readings(record) is record
