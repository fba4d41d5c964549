"""Each reason for which a comparison is withheld is planted, caught, and named by its code."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from analysis.conftest import edit_case, edit_slots
from breakeven.analysis.judge import judge
from breakeven.model.run import Agreement, Case, Conditions, Floors, GpuConditions, RunRecord, Slot
from breakeven.report import reasons
from gate.places import ROOT
from records import CUPY, CURVES, NUMPY, TORCH_CPU, TWIN, entry, record

# Faults as they come about, in whole sessions: processes, files, recordings, numbers.
IN_SESSIONS = {
    "another process on the GPU": "tests/engine/test_replayed.py::"
    "test_a_process_that_the_driver_names_voids_the_slots_it_shared",
    "a tenant of the GPU without a name": "tests/engine/test_replayed.py::"
    "test_memory_that_appears_between_slots_names_a_tenant",
    "a throttled clock": "tests/engine/test_replayed.py::"
    "test_a_throttled_clock_voids_its_slots_and_withholds",
    "a clock that never rests": "tests/engine/test_replayed.py::"
    "test_a_clock_that_never_rests_is_told",
    "a busy neighbour": "tests/engine/test_busy.py::"
    "test_a_busy_neighbour_voids_slots_and_is_the_answer",
    "a wrong answer": "tests/engine/test_session.py::test_an_answer_that_disagrees_is_not_ranked",
    "zeros as input": "tests/engine/test_telling_inputs.py::"
    "test_a_workload_that_makes_zeros_is_not_compared",
    "two states": "tests/engine/test_session.py::test_two_states_are_seen_told_and_replaced",
    "too little host memory": "tests/engine/test_session.py::test_too_large_a_size_is_foreseen",
    "too little device memory": "tests/engine/test_replayed.py::"
    "test_device_memory_that_others_hold_is_no_room",
    "work on a side stream": "tests/engine/test_device_times.py::"
    "test_work_on_another_stream_is_named",
    "TF32 on one side": "tests/analysis/test_gates.py::test_another_precision_is_another_speed_up",
    "a CPU limited to few cores": "tests/analysis/test_gates.py::"
    "test_a_cpu_that_was_kept_from_its_cores_is_told",
}


def _voided(reason: str, name: str) -> RunRecord:
    """Return a run in which half of one entry's slots do not count."""

    def half(_case: Case, _round: int, slot: Slot) -> Slot:
        return replace(slot, voided=reason) if slot.turn < 3 else slot

    return edit_slots(record(), half, entry=name)


def _hot() -> RunRecord:
    """Return a run in which heat held the GPU's clock down in one slot of six."""
    looks = (GpuConditions(reasons=("thermal",)), GpuConditions())

    def warm(_case: Case, _round: int, slot: Slot) -> Slot:
        hot = slot.turn == 0
        held = Conditions(gpu=looks[0] if hot else looks[1])
        return replace(slot, conditions=held, voided="thermal" if hot else None)

    return edit_slots(record(), warm, entry="cupy")


def _one_core() -> RunRecord:
    """Return a run whose NumPy, 12 times faster on 16 threads when scouted, then had one core."""
    one, twin = entry("numpy", 1), entry("numpy", 16, twin_of="numpy-16")
    curves = CURVES | {
        "numpy-1": lambda n: 12 * CURVES["numpy-16"](n),
        "numpy-16-twin": CURVES["numpy-16"],
    }

    def limited(_case: Case, round_: int, slot: Slot) -> Slot:
        return replace(slot, conditions=Conditions(cores_used=15.0 if round_ == 0 else 1.0))

    return edit_slots(record((one, NUMPY, twin, CUPY), curves), limited, entry="numpy-16")


def _at_all_sizes(**fields: object) -> RunRecord:
    """Return a run with fields of all cases of CuPy changed."""
    run = record()
    for size in (128, 512, 2048, 8192):
        run = edit_case(run, "cupy", size, **fields)
    return run


def _with_entry(**fields: object) -> RunRecord:
    """Return a run whose CuPy entry is another."""
    run = record()
    entries = tuple(replace(e, **fields) if e.id == "cupy" else e for e in run.entries)
    return replace(run, entries=entries)


def _floored() -> RunRecord:
    run = record()
    floors = run.limits.floors | {"cupy": Floors(empty_call_s=1.0, message_s=1e-4)}
    return replace(run, limits=replace(run.limits, floors=floors))


def _biased() -> RunRecord:
    slow = CURVES | {"torch-cpu-16-twin": lambda n: 1.5 * CURVES["torch-cpu-16"](n)}
    return record(curves=slow)


def _quick() -> RunRecord:
    run = record(rounds=1)
    return replace(run, spec=replace(run.spec, effort="quick"))


WRONG = Agreement(error=0.4, bound=1e-5, class_="wrong", passed=False)
LOOSE = Agreement(error=3e-4, bound=1e-2, class_="TF32/half", passed=True)
FAULTS: dict[str, tuple[str, Callable[[], RunRecord]]] = {
    "answers disagree": ("disagrees", lambda: _at_all_sizes(agreement=WRONG)),
    "the case disagrees": ("disagrees", lambda: _at_all_sizes(status="disagrees")),
    "dtypes differ": ("precision", lambda: _with_entry(dtype="float64")),
    "TF32 on one side, set": ("precision", lambda: _with_entry(matmul_precision="tf32")),
    "TF32 on one side, unseen": ("precision", lambda: _at_all_sizes(agreement=LOOSE)),
    "fewer than 3 rounds": ("few_rounds", lambda: record(rounds=2)),
    "CPU slots void": ("busy", lambda: _voided("busy", "torch-cpu-16")),
    "GPU slots void": ("gpu_busy", lambda: _voided("gpu_busy", "cupy")),
    "two states": ("two_states", lambda: _voided("two_states", "torch-cpu-16")),
    "heat": ("thermal", _hot),
    "at the floor": ("floor", _floored),
    "one core": ("cores", _one_core),
    "ran on the host": ("status", lambda: _at_all_sizes(status="ran_on_host")),
    "out of memory": ("status", lambda: _at_all_sizes(status="out_of_memory")),
    "unchecked": ("unmeasured", lambda: _at_all_sizes(agreement=None)),
    "A/A names a winner": ("aa_winner", _biased),
    "no A/A": ("no_aa", lambda: record((NUMPY, TORCH_CPU, CUPY))),
    "quick": ("quick", _quick),
}


def _told(run: RunRecord) -> set[str | None]:
    """Return the codes of all verdicts on CuPy."""
    return {v.reason for v in judge(run).verdicts if v.entry == "cupy"}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught_and_named(fault: str) -> None:
    """It is withheld under its code, with words for the reason and a remedy."""
    code, plant = FAULTS[fault]
    found = [v for v in judge(plant()).verdicts if v.entry == "cupy" and v.reason == code]
    assert found
    assert {v.word for v in found} == {"withheld"}
    assert all(v.why for v in found)


def test_nothing_is_caught_where_nothing_is_planted() -> None:
    """A sound run is withheld for none of these reasons."""
    assert not _told(record((NUMPY, TORCH_CPU, TWIN, CUPY))) & {code for code, _ in FAULTS.values()}


def test_every_reason_has_a_planted_fault() -> None:
    """A code that a page has words for is planted above; those of open verdicts are no faults."""
    assert {code for code, _ in FAULTS.values()} == set(reasons._WORDS) - set(reasons._OPEN)


@pytest.mark.parametrize("fault", IN_SESSIONS)
def test_faults_are_planted_in_sessions_too(fault: str) -> None:
    """The test that is named for a fault is there."""
    path, _, name = IN_SESSIONS[fault].partition("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert name in {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
