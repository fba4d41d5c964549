"""What a computer has is told line by line from recorded facts."""

from __future__ import annotations

import msgspec

from breakeven.machine.doctor import DoctorLine, judge
from breakeven.model.machine import BackendInfo, Machine
from records import GPU, machine


def lines(facts: Machine, what: str, *backends: BackendInfo) -> list[DoctorLine]:
    """Return the lines about one thing."""
    return [line for line in judge(facts, backends) if line.what == what]


def with_cpu(**fields: object) -> Machine:
    """Return a machine whose processor differs in `fields`."""
    facts = machine()
    return msgspec.structs.replace(facts, cpu=msgspec.structs.replace(facts.cpu, **fields))


def test_a_sound_machine_has_no_problem() -> None:
    """Where everything works, every line is ok and none has a fix."""
    info = BackendInfo(name="numpy", device="cpu", available=True, version="2.5.2")
    told = judge(machine(), (info,))
    assert {line.level for line in told} == {"ok"}
    assert all(line.fix is None for line in told)
    assert {"cpu", "cores", "memory", "threads", "driver", "gpu 0", "libraries", "backend"} == {
        line.what for line in told
    }


def test_a_quota_is_named_with_its_remedy() -> None:
    """4 of 64 cores by a quota: the container's limit is what to raise."""
    facts = with_cpu(cores_online=64, affinity=tuple(range(64)), quota_cores=4.0, cores_usable=4)
    (line,) = lines(facts, "cores")
    assert line.level == "note"
    assert "4 of 64 usable" in line.detail
    assert "4.00 cores of time" in line.detail
    assert "container" in (line.fix or "")


def test_affinity_is_named_apart_from_a_quota() -> None:
    """2 of 16 cores by affinity: no quota is blamed."""
    (line,) = lines(with_cpu(affinity=(0, 1), cores_usable=2), "cores")
    assert "affinity allows 2" in line.detail
    assert "control group" not in line.detail


def test_unknown_memory_is_not_zero() -> None:
    """A system that does not tell its memory is not said to have none."""
    facts = msgspec.structs.replace(machine(), memory_available_bytes=None)
    (line,) = lines(facts, "memory")
    assert (line.level, "0 B" in line.detail) == ("note", False)


def test_a_setting_is_noted() -> None:
    """OMP_NUM_THREADS explains figures, so it is told with its value."""
    facts = msgspec.structs.replace(
        machine(), environment={"OMP_NUM_THREADS": "4", "OMP_PLACES": None}
    )
    (line,) = lines(facts, "setting")
    assert "OMP_NUM_THREADS=4" in line.detail
    assert "unset OMP_NUM_THREADS" in (line.fix or "")


def test_a_machine_without_a_gpu_tells_why_and_what_to_try() -> None:
    """The reason of the probe is split into what is and what to do."""
    facts = msgspec.structs.replace(machine(gpu=False), no_gpu_reason="no driver; install it")
    (line,) = lines(facts, "gpu")
    assert (line.level, line.detail, line.fix) == ("note", "no driver", "install it")


def test_a_broken_backend_is_told_with_its_own_fix() -> None:
    """What a backend says about itself is passed on."""
    info = BackendInfo(
        name="cupy", device="cuda:0", available=False, why_not="no nvrtc", fix="install it"
    )
    (line,) = lines(machine(), "backend", info)
    assert (line.level, line.detail, line.fix) == ("note", "cupy: no nvrtc", "install it")


def test_a_part_of_a_gpu_is_noted() -> None:
    """A MIG instance explains lower figures than the board's name promises."""
    part = msgspec.structs.replace(GPU, mig=True)
    (line,) = lines(msgspec.structs.replace(machine(), gpus=(part,)), "gpu 0")
    assert (line.level, "MIG" in line.detail) == ("note", True)
