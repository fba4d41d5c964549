"""The survey of a machine: scripted backends in processes of their own, one after the other."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from breakeven.engine import survey, survey_plan
from breakeven.engine.joined_ceilings import together
from breakeven.engine.survey import survey_here
from breakeven.engine.survey_plan import extent_bytes, stages
from breakeven.model.machine import Ceilings, LinkRate
from engine.casts import actor, began, measured, script
from records import machine

# Slow products, so that none beyond the first size is computed.
CPU = {
    "compute_s": {
        "ceiling-float32": {512: 0.25}, "ceiling-float64": {512: 0.5}, "ceiling-memory": {512: 0.1},
    },
}  # fmt: skip
GPU = {
    "device": "cuda:0",
    "compute_s": {
        "ceiling-float32": {512: 0.1}, "ceiling-float64": {512: 0.2}, "ceiling-memory": {512: 0.1},
        "ceiling-link": {4096: 1e-3, 1 << 28: 0.03},
    },
}  # fmt: skip
PRODUCT = 2.0 * 512**3


def _survey(folder: Path, **actors: dict[str, object]) -> tuple[dict[str, Ceilings], list[str]]:
    told: list[str] = []
    found = survey_here(
        [script(folder, **actors)], machine(gpu=False, cores=2), lambda text, _: told.append(text)
    )
    return {c.device: c for c in found}, told


def test_every_device_is_measured_one_backend_at_a_time(tmp_path: Path) -> None:
    """Each part is told before it is measured; the best of two backends stands, both named."""
    faster = {"compute_s": CPU["compute_s"] | {"ceiling-float64": {512: 0.25}}}
    found, told = _survey(tmp_path, cpu=CPU, other=faster, gpu=GPU)
    assert list(found) == ["cpu", "cuda:0"]
    assert found["cpu"].flops_per_s == {
        "float32": pytest.approx(PRODUCT / 0.25), "float64": pytest.approx(PRODUCT / 0.25),
    }  # fmt: skip
    assert found["cpu"].backend == "scripted:cpu, scripted:other"
    assert found["cuda:0"].flops_per_s["float32"] == pytest.approx(PRODUCT / 0.1)
    opened = [t for t in told if "opening" in t]
    assert len(opened) == 3 + len(survey_plan.REDUCED)
    assert told.index(opened[1]) > told.index("ceilings: memory on cpu")


def test_what_cannot_be_measured_is_named_with_its_reason(tmp_path: Path) -> None:
    """A part without times, and a backend that fails, leave a reason and the rest unharmed."""
    bare = {"compute_s": {"ceiling-float32": {512: 0.25}}}
    found, _ = _survey(tmp_path, cpu=bare, broken=CPU | {"fails": "no such library"})
    assert found["cpu"].flops_per_s == {"float32": pytest.approx(PRODUCT / 0.25)}
    assert found["cpu"].memory_bytes_per_s is None
    assert "no times for ceiling-memory" in found["cpu"].why["memory"]
    alone, _ = _survey(tmp_path, broken=CPU | {"fails": "no such library"})
    assert alone["cpu"].why == {"open": "no such library"}


def test_a_worker_that_dies_leaves_its_other_parts_unmeasured(tmp_path: Path) -> None:
    """What was measured before stands, with how the process ended."""
    dying = CPU | {"faults": {64 << 20: "crash"}}
    found, _ = _survey(tmp_path, cpu=dying)
    assert set(found["cpu"].flops_per_s) == {"float32", "float64"}
    assert "exit code 3" in found["cpu"].why["memory"]


def test_a_busy_machine_is_told_and_the_ceiling_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CPU time of others over a tenth of a core stands beside the figures that it may spoil."""
    monkeypatch.setattr(survey.CpuMeter, "foreign_cores", lambda *_: 0.0)
    quiet, _ = _survey(tmp_path, cpu=CPU)
    assert not any(part.startswith("busy") for part in quiet["cpu"].why)
    monkeypatch.setattr(survey.CpuMeter, "foreign_cores", lambda *_: 9.0)
    found, _ = _survey(tmp_path, cpu=CPU)
    assert "other processes took 9.0 cores" in found["cpu"].why["busy memory"]
    assert found["cpu"].flops_per_s == quiet["cpu"].flops_per_s
    once = iter([9.0] + [0.0] * 99)
    monkeypatch.setattr(survey.CpuMeter, "foreign_cores", lambda *_: next(once))
    again, _ = _survey(tmp_path, cpu=CPU)
    assert not any(part.startswith("busy") for part in again["cpu"].why)


def test_one_disturbed_part_spoils_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both tries of the first part were disturbed: it alone is marked."""
    disturbed = iter([9.0, 9.0] + [0.0] * 99)
    monkeypatch.setattr(survey.CpuMeter, "foreign_cores", lambda *_: next(disturbed))
    found, _ = _survey(tmp_path, cpu=CPU)
    assert found["cpu"].disturbed("float32")
    assert found["cpu"].disturbed("float64") is None
    assert found["cpu"].disturbed("memory") is None
    assert found["cpu"].unmeasured().keys() == quiet_reasons(tmp_path, monkeypatch)


def quiet_reasons(folder: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return what cannot be measured on a quiet machine either."""
    monkeypatch.setattr(survey.CpuMeter, "foreign_cores", lambda *_: 0.0)
    return set(_survey(folder, cpu=CPU)[0]["cpu"].why)


def test_a_mark_goes_where_another_backend_reached_as_much_undisturbed() -> None:
    """What was disturbed did not lower the figure that stands."""
    loud = Ceilings(device="cpu", backend="a", flops_per_s={"float32": 1.0},
                    memory_bytes_per_s=9.0, why={"busy float32": "x", "busy memory": "y"})  # fmt: skip
    calm = Ceilings(device="cpu", backend="b", flops_per_s={"float32": 2.0}, memory_bytes_per_s=8.0)
    assert together([loud, calm]).why == {"busy memory": "y"}


def test_the_cost_is_known_before(tmp_path: Path) -> None:
    """It counts each worker and each part, and fewer precisions cost less."""
    name = script(tmp_path, cpu=CPU, gpu=GPU)
    cpu, gpu, *reduced = stages([name], machine(gpu=False))
    assert [s.entry.precision for s in reduced] == list(survey_plan.REDUCED)
    assert [p.part for p in cpu.parts] == ["product", "product", "memory"]
    assert [p.part for p in gpu.parts][-3:] == ["memory", "link", "launch"]
    part = survey_plan.PART_S + survey_plan.SET_UP_S
    assert cpu.cost_s == pytest.approx(survey_plan.OPEN_S + 3 * part)
    one, _ = stages([name], machine(gpu=False), ["float32"])
    assert [p.part for p in one.parts] == ["product", "memory"]
    assert one.cost_s == pytest.approx(cpu.cost_s - part)


def test_arrays_are_beyond_the_caches_and_within_the_memory() -> None:
    """Four times the last-level cache, 64 MiB at least, and never a large part of the memory."""
    here = machine(gpu=True)
    assert extent_bytes(here, "cpu") == 64 << 20
    cpu = msgspec.structs.replace(here.cpu, caches_bytes={"L2": 2 << 20, "L3": 300 << 20})
    large = msgspec.structs.replace(here, cpu=cpu)
    assert extent_bytes(large, "cpu") == 1200 << 20
    groups = msgspec.structs.replace(large.cpu, last_caches_bytes=1024 << 20)
    many = msgspec.structs.replace(large, cpu=groups)
    assert extent_bytes(many, "cpu") == 2048 << 20
    short = msgspec.structs.replace(large, memory_available_bytes=1 << 30)
    assert extent_bytes(short, "cpu") == (1 << 30) // survey_plan.MEMORY_PARTS
    assert extent_bytes(here, "cuda:0") == 1 << 30


def test_the_best_of_each_field_stands() -> None:
    """Rates are the highest, costs the lowest; a reason is dropped where another succeeded."""
    one = Ceilings(
        device="cuda:0", backend="a", flops_per_s={"float32": 1.0}, launch_s=3e-6,
        link=(LinkRate(bytes=8, to_device=1.0, to_host=4.0),), why={"memory": "none", "busy": "x"},
    )  # fmt: skip
    two = Ceilings(
        device="cuda:0", backend="b", flops_per_s={"float32": 2.0, "tf32": 9.0}, launch_s=5e-6,
        memory_bytes_per_s=7.0, link=(LinkRate(bytes=8, to_device=2.0, to_host=3.0),),
    )  # fmt: skip
    found = together([one, two])
    assert found.flops_per_s == {"float32": 2.0, "tf32": 9.0}
    assert (found.launch_s, found.memory_bytes_per_s, found.backend) == (3e-6, 7.0, "a, b")
    assert found.link == (LinkRate(bytes=8, to_device=2.0, to_host=4.0),)
    assert found.why == {"busy": "x"}


def test_a_run_measures_ceilings_where_its_spec_asks_for_them(tmp_path: Path) -> None:
    """They are journalled before the rounds; only the peak that the entries use is measured."""
    times = CPU["compute_s"] | {"matmul": {8: 1e-3, 16: 4e-3}}
    cast = script(tmp_path, cpu={"compute_s": times})
    spec = began(cast, sizes=(8, 16), rounds=1)
    asked = msgspec.structs.replace(spec, spec=msgspec.structs.replace(spec.spec, ceilings=True))
    steps: list[str] = []
    (found,) = measured(asked, progress=lambda text, _: steps.append(text)).limits.ceilings
    assert set(found.flops_per_s) == {"float32"}
    assert found.memory_bytes_per_s is not None
    assert steps.index("ceilings: memory on cpu") < steps.index("scouting: matmul 8")
    assert measured(spec).limits.ceilings == ()


def test_a_run_says_when_no_ceiling_could_be_measured(tmp_path: Path) -> None:
    """The reason is a remark, and the rounds go on."""
    record = began(script(tmp_path, cpu=actor()), sizes=(8,), rounds=1)
    asked = msgspec.structs.replace(
        record, spec=msgspec.structs.replace(record.spec, ceilings=True)
    )  # fmt: skip
    run = measured(asked)
    assert run.limits.ceilings == ()
    assert any("the ceilings of cpu were not measured" in r for r in run.remarks)
    assert all(c.rounds for c in run.cases)


def test_ceilings_that_would_eat_the_budget_are_left_out(tmp_path: Path) -> None:
    """A second has no room for them: the run says so, and measures its work."""
    record = began(script(tmp_path, cpu=actor()), sizes=(8,), rounds=None, budget_s=1.0)
    asked = msgspec.structs.replace(
        record, spec=msgspec.structs.replace(record.spec, ceilings=True)
    )  # fmt: skip
    run = measured(asked)
    assert run.limits.ceilings == ()
    assert any("too much of this budget" in r for r in run.remarks)
    assert any(r.round > 0 for c in run.cases for r in c.rounds)
