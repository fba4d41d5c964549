"""Whole self-tests of scripted backends: a sound one, and one for each fault planted in the tool."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from breakeven import lab
from breakeven.engine.request import sizes_of
from breakeven.errors import InputError, NothingMeasuredError
from breakeven.lab.lineup import Plan, plan
from breakeven.lab.proving import try_machine
from breakeven.model.machine import Machine
from breakeven.model.run import Entry
from breakeven.model.selftest import Check, SelfTest
from engine.casts import actor, gpu, script
from records import machine

CURVE = {8: 1e-4, 16: 3e-4}
HERE = machine(gpu=False, cores=2)
CALM = {"spread": 0.01, "noise": 0.01}


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a temporary folder, so that its sessions wait for no other."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("BREAKEVEN_STORE", str(tmp_path / "store"))


def planned(name: str, *, sizes: str = "8,16", here: Machine = HERE) -> Plan:
    """Return the plan of a self-test on one actor of a script."""
    options = lab.SelfTestOptions(backends=[f"{name}#one"], sizes=sizes_of(sizes))
    return plan(options, here)


def recast(made: Plan, which: Callable[[Entry], bool], backend: str) -> Plan:
    """Return a plan in which some entries are played by another actor."""
    replace = msgspec.structs.replace
    entries = tuple(replace(e, backend=backend) if which(e) else e for e in made.entries)
    return made._replace(entries=entries)


def by_name(found: SelfTest) -> dict[str, Check]:
    """Return the checks by name."""
    return {c.name: c for c in found.checks}


def test_a_sound_machine_is_fit_and_stored(tmp_path: Path) -> None:
    """Planted 1.20 and 1.10 are found everywhere in eight rounds, the same code has no winner."""
    name = script(tmp_path, one=actor(CURVE, **CALM))
    options = lab.SelfTestOptions(backends=[f"{name}#one"], sizes=(8, 16))
    said: list[str] = []
    tried = lab.start_selftest(options, command=("selftest",), say=said.append)
    found = tried.selftest
    assert said == ["Trying one on work whose answer is known: about 80 s at most."]
    assert (found.fit, found.interrupted, found.rounds) == ("fit", False, 8)
    assert found.believed_from == pytest.approx(1.1)
    checks = by_name(found)
    for check in ("same_code", "planted_1.20", "planted_1.10", "answers", "timer"):
        assert checks[check].word == "passed", checks[check]
    assert checks["device_clock"].why == "no GPU takes part"
    assert len(found.trials) == 3 * 2
    for trial in found.trials:
        assert trial.measured == pytest.approx(trial.planted, rel=0.04)
    assert tried.problem is None
    assert tried.path is not None
    assert msgspec.json.decode(tried.path.read_bytes(), type=SelfTest) == found
    assert lab.selftest_text(found).startswith("This machine is fit to be believed for")


def test_a_clock_that_runs_fast_for_one_entry_is_caught(tmp_path: Path) -> None:
    """A planted 1.20 whose clock counts 20 % too much reads as 1.44, and the machine is not fit."""
    fast = {size: 1.2 * took for size, took in CURVE.items()}
    name = script(tmp_path, one=actor(CURVE, **CALM), fast=actor(fast, **CALM))
    made = recast(planned(name, sizes="8"), lambda e: e.calls == 12, f"{name}#fast")
    found = try_machine(made, HERE)
    check = by_name(found)["planted_1.20"]
    assert (found.fit, check.word) == ("not_fit", "failed")
    assert "work repeated 1.20 times was measured as 1.4" in (check.why or "")
    assert by_name(found)["same_code"].word == "passed"


def test_a_twin_that_is_slower_is_caught(tmp_path: Path) -> None:
    """The same code that takes twice as long the second time makes the machine unfit at once."""
    slow = {size: 2 * took for size, took in CURVE.items()}
    name = script(tmp_path, one=actor(CURVE, **CALM), slow=actor(slow, **CALM))
    made = recast(planned(name), lambda e: e.variant == "twin", f"{name}#slow")
    found = try_machine(made, HERE)
    assert found.fit == "not_fit"
    assert "the same code measured twice came out" in found.answer
    assert found.rounds == 3


def test_a_wrong_answer_is_caught(tmp_path: Path) -> None:
    """An entry whose answers disagree with float64 is the reason, and its times are not judged."""
    wrong = actor(CURVE, device="cuda:0", faults={16: "disagree"}, **CALM)
    found = try_machine(planned(script(tmp_path, one=wrong), sizes="16"), HERE)
    assert (found.fit, by_name(found)["answers"].word) == ("not_fit", "failed")
    assert "disagrees with the float64 reference" in found.answer
    assert {t.verdict.reason for t in found.trials} == {"disagrees"}


def test_two_threads_on_one_core_are_caught(tmp_path: Path) -> None:
    """A pool that stalls for whole time slices makes the machine unfit, with that cause."""
    stalls = actor({8: 4e-4}, stall=0.9, **CALM)
    found = try_machine(planned(script(tmp_path, one=stalls), sizes="8"), HERE)
    assert found.fit == "not_fit"
    assert "two pool threads shared a core" in found.answer
    assert {t.verdict.reason for t in found.trials} == {"two_states"}


def test_noise_from_process_to_process_is_caught(tmp_path: Path) -> None:
    """Where the same code differs by more than twice, nothing of use can be told."""
    noisy = actor(CURVE, spread=0.9, noise=0.01)
    made = planned(script(tmp_path, one=noisy), sizes="8")
    short = msgspec.structs.replace(made.effort, rounds_most=5)
    found = try_machine(made._replace(effort=short), HERE)
    assert found.fit == "not_fit"
    assert "the same code" in found.answer


def test_a_gpu_is_tried_with_and_without_the_journey(tmp_path: Path) -> None:
    """Both scopes hold the same code and both planted differences."""
    here = machine(gpu=True, cores=2)
    name = script(tmp_path, one=gpu(CURVE, **CALM))
    made = planned(name, sizes="8", here=here)
    short = msgspec.structs.replace(made.effort, rounds_most=3)
    found = try_machine(made._replace(effort=short), here)
    assert {t.verdict.scope for t in found.trials} == {"resident", "transfer"}
    assert len(found.trials) == 6
    # A script has no looks at the GPU, so nobody could be seen there.
    assert by_name(found)["gpu_others"].word == "unknown"


def test_an_interrupted_self_test_concludes_nothing(tmp_path: Path) -> None:
    """What was measured is told, the answer is that there is none."""
    name = script(tmp_path, one=actor(CURVE, **CALM))

    def interrupt(text: str, _left_s: float) -> None:
        if text.startswith("round 2"):
            raise KeyboardInterrupt

    found = try_machine(planned(name), HERE, progress=interrupt)
    assert (found.interrupted, found.fit, found.believed_from) == (True, "unknown", None)
    assert found.answer == "Interrupted: nothing is concluded."
    assert found.rounds == 1


def test_interrupted_before_anything_was_measured_it_is_just_interrupted(tmp_path: Path) -> None:
    """There is nothing to tell."""
    name = script(tmp_path, one=actor(CURVE, **CALM))

    def interrupt(_text: str, _left_s: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        try_machine(planned(name), HERE, progress=interrupt)


def test_without_a_backend_nothing_is_measured(tmp_path: Path) -> None:
    """A library that is not there, or does not open, is named with its reason."""
    with pytest.raises(NothingMeasuredError, match="cupy"):
        plan(lab.SelfTestOptions(backends=["cupy"]), HERE)
    name = script(tmp_path, one=actor(CURVE, fails="its library is broken"))
    with pytest.raises(NothingMeasuredError, match="its library is broken"):
        try_machine(planned(name), HERE)


def test_wrong_input_is_told() -> None:
    """No backend, an unknown one, or a budget that is no time."""
    for options in (
        lab.SelfTestOptions(backends=[]),
        lab.SelfTestOptions(backends=["jax"]),
        lab.SelfTestOptions(backends=["numpy"], budget="soon"),
    ):
        with pytest.raises(InputError):
            plan(options, HERE)


def test_at_least_eight_places_see_the_same_code_twice() -> None:
    """On a machine without a GPU: eight sizes of one library, or four of two."""
    alone = plan(lab.SelfTestOptions(backends=["numpy"]), HERE)
    two = plan(lab.SelfTestOptions(backends=["numpy", "torch-cpu"]), HERE)
    for made in (alone, two):
        twins = [e for e in made.entries if e.variant == "twin"]
        assert len(twins) * len(made.spec.workloads[0].sizes) >= 8
    assert {e.calls for e in alone.entries} == {10, 11, 12}


def test_a_quick_one_is_short() -> None:
    """It tries one library in 20 s."""
    made = plan(lab.SelfTestOptions(quick=True), HERE)
    assert made.spec.budget_s == 20.0
    assert {e.backend for e in made.entries} == {"numpy"}
    assert len(made.spec.workloads[0].sizes) == 4
