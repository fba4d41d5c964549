"""What a self-test tries: each check passes on a sound machine, and catches its own fault."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from analysis.known import BASE, busy, curves, known, with_slots
from breakeven.analysis.checks import checks
from breakeven.analysis.clock_checks import device_bound_s
from breakeven.analysis.trials import together, trials
from breakeven.model.run import Conditions, Floors, GpuConditions, Limits, RunRecord, Slot
from breakeven.model.selftest import Check, DeviceReading, Readings, TimerReading

replace = msgspec.structs.replace
TIMER = TimerReading(resolution_s=5e-8, backward=0, reads=1000, rate=1.00001, watched_s=60.0)
DEVICE = DeviceReading(
    backend="cupy", workload="matmul", size=2048, ours_s=3.51e-4, traced_s=3.50e-4, kernels=1
)
SOUND = Readings(timer=TIMER, steal_cores=0.01, device=(DEVICE,))
CALM = known()


def made(
    run: RunRecord = CALM, readings: Readings = SOUND, *, scripted: bool = False
) -> dict[str, Check]:
    """Return all checks by name."""
    tried = trials(run)
    found = checks(run, tried, together(run, tried), readings, scripted=scripted)
    assert len({c.name for c in found}) == len(found)
    return {c.name: c for c in found}


def test_a_sound_machine_passes_everything() -> None:
    """Each check has a figure beside its target, and no reason or remedy."""
    found = made()
    assert {c.word for c in found.values()} == {"passed"}
    assert list(found) == [
        "other_processes", "steal", "two_states", "timer", "clock_rate", "empty_call", "message",
        "answers", "same_code", "planted_1.20", "planted_1.10", "device_clock_cupy_2048",
    ]  # fmt: skip
    for check in found.values():
        assert check.figure
        assert check.target
        assert (check.why, check.remedy) == (None, None)


def _void(reason: str) -> Callable[[Slot], Slot]:
    return lambda slot: replace(slot, voided=reason)


@pytest.mark.parametrize(
    ("run", "readings", "name", "words"),
    [
        (with_slots(CALM, busy), SOUND, "other_processes", "other processes took 0.80 cores"),
        (with_slots(CALM, _void("two_states")), SOUND, "two_states", "pool threads shared a core"),
        (CALM, replace(SOUND, steal_cores=0.6), "steal", "hypervisor gave 0.60 of its cores"),
        (CALM, replace(SOUND, timer=replace(TIMER, backward=2)), "timer", "backward 2 times"),
        (CALM, replace(SOUND, timer=replace(TIMER, resolution_s=1e-3)), "timer", "1.00 ms"),
        (CALM, replace(SOUND, timer=replace(TIMER, rate=1.2)), "clock_rate", "20 % off"),
        (known(curves(twin=1.3)), SOUND, "same_code", "times apart"),
        (known(curves(by_20=1.2)), SOUND, "planted_1.20", "1.20 times was measured as 1.4"),
        (known(curves(by_10=0.8)), SOUND, "planted_1.10", "1.10 times was measured as 0.8"),
        (known(spread=0.8), SOUND, "same_code", "from process to process"),
        (
            CALM,
            replace(SOUND, device=(replace(DEVICE, ours_s=3.7e-4),)),
            "device_clock_cupy_2048",
            "370 us against 350 us",
        ),
    ],
)
def test_a_planted_fault_is_caught_by_its_check(
    run: RunRecord, readings: Readings, name: str, words: str
) -> None:
    """The check fails, says what it saw and what to do."""
    check = made(run, readings)[name]
    assert check.word == "failed"
    assert words in (check.why or "")
    assert check.remedy


def test_a_base_with_a_fast_clock_is_caught_twice() -> None:
    """Where the base's clock runs 20 % fast its twin differs, and no planted ratio is right."""
    found = made(known(curves(base=1.2)))
    assert found["same_code"].word == "failed"
    assert found["planted_1.20"].word == "unknown"


def test_a_slow_floor_is_caught() -> None:
    """An empty call of a millisecond, as under a tracer, fails with the entry's name."""
    floors = {BASE.id: Floors(empty_call_s=1e-3, message_s=1e-2)}
    found = made(replace(CALM, limits=Limits(floors=floors)))
    for name in ("empty_call", "message"):
        assert found[name].word == "failed"
        assert BASE.id in (found[name].why or "")


def test_floors_of_a_gpu_are_checked_where_there_are_any() -> None:
    """Waiting, events and an empty kernel have checks of their own."""
    floors = Floors(
        empty_call_s=1e-7, message_s=1e-4, synchronise_s=6e-6, event_pair_s=9e-6,
        empty_kernel_s=1e-3,
    )  # fmt: skip
    found = made(replace(CALM, limits=Limits(floors={"cupy-x10": floors})))
    words = {n: found[n].word for n in ("synchronise", "event_pair", "empty_kernel")}
    assert words == {"synchronise": "passed", "event_pair": "passed", "empty_kernel": "failed"}


def test_a_wrong_answer_is_caught() -> None:
    """A case that disagrees fails the check of answers, and its times are not compared."""
    wrong = tuple(
        replace(c, status="disagrees", agreement=replace(c.agreement, passed=False))
        if c.entry == BASE.id and c.agreement
        else c
        for c in CALM.cases
    )
    found = made(replace(CALM, cases=wrong))
    assert found["answers"].word == "failed"
    assert f"{BASE.id} at matmul 96: its answer disagrees" in (found["answers"].why or "")
    assert found["planted_1.20"].word == "unknown"


def _on_gpu(look: GpuConditions | None) -> RunRecord:
    """Return the calm session on a GPU that each slot was followed by this look at."""
    entries = tuple(replace(e, device="cuda:0", threads=None) for e in CALM.entries)
    run = replace(CALM, entries=entries)
    return with_slots(run, lambda s: replace(s, conditions=Conditions(gpu=look)))


def test_another_process_on_the_gpu_is_caught() -> None:
    """Void slots of a GPU entry fail its check; a CPU alone has no such check."""
    assert "gpu_others" not in made()
    on_gpu = _on_gpu(GpuConditions(others=0))
    assert made(on_gpu)["gpu_others"].word == "passed"
    found = made(with_slots(on_gpu, _void("gpu_busy")))["gpu_others"]
    assert found.word == "failed"
    assert "another process used the GPU" in (found.why or "")


def test_a_gpu_whose_looks_tell_of_nobody_is_unknown() -> None:
    """Processes or memory of others are enough; without both, or for most slots, nobody knows."""
    assert made(_on_gpu(GpuConditions(others_bytes=0)))["gpu_others"].word == "passed"
    for look in (GpuConditions(sm_clock_mhz=1980.0), None):
        found = made(_on_gpu(look))["gpu_others"]
        assert found.word == "unknown"
        assert "neither other processes" in (found.why or "")
    seen = Conditions(gpu=GpuConditions(others=0))
    first = with_slots(_on_gpu(None), lambda s: replace(s, conditions=seen) if s.turn == 0 else s)
    found = made(first)["gpu_others"]
    assert found.word == "unknown"
    assert "slots tell of others" in (found.why or "")
    assert "script" in (made(_on_gpu(None), scripted=True)["gpu_others"].why or "")
    # What a remark says, in whatever words, decides nothing.
    told = replace(_on_gpu(GpuConditions(others=0)), remarks=("nobody on the GPU cannot be seen",))
    assert made(told)["gpu_others"].word == "passed"


def test_too_few_rounds_are_a_limit_and_no_fault() -> None:
    """After three rounds the planted 1.20 is not found; the rounds it would need are told."""
    check = made(known(rounds=3))["planted_1.20"]
    assert check.word == "unknown"
    assert "the rest would need 8" in check.figure
    assert check.why == "8 rounds would find it at this noise (--budget)"


def test_what_the_system_does_not_tell_is_unknown() -> None:
    """Without steal time, hardware clock, GPU or foreign time, a reason stands in place of each."""
    blind = with_slots(CALM, lambda s: replace(s, conditions=type(s.conditions)()))
    readings = Readings(timer=replace(TIMER, rate=None), device_why="no GPU takes part")
    found = made(blind, readings)
    for name in ("other_processes", "steal", "clock_rate", "device_clock"):
        assert found[name].word == "unknown"
        assert found[name].why
    assert made(scripted=True)["other_processes"].word == "unknown"


def test_a_device_clock_without_a_figure_is_unknown() -> None:
    """What could not be read is told as it was said."""
    blank = DeviceReading(backend="cupy", workload="matmul", size=512, why="no trace here")
    found = made(readings=replace(SOUND, device=(blank,)))["device_clock_cupy_512"]
    assert (found.word, found.why) == ("unknown", "no trace here")


def test_the_device_clock_is_held_to_two_bounds() -> None:
    """It may be 2 % off, which is 1 us at 50 us; below that, 1 us for each kernel of the call."""
    assert device_bound_s(5e-5) == pytest.approx(1e-6)
    assert device_bound_s(1e-3, 3) == pytest.approx(2e-5)
    assert device_bound_s(8e-6) == 1e-6
    assert device_bound_s(8e-6, 2) == 2e-6


def test_a_right_interval_is_true_whatever_its_word() -> None:
    """Trials of an honest session hold what was planted, settled or not."""
    for rounds in (2, 3, 8):
        assert False not in {t.holds for t in trials(known(rounds=rounds))}
