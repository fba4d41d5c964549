"""Differences planted on purpose: entries that make more calls of the work in one timed unit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from breakeven import lab
from breakeven.engine.loop import unit_of
from breakeven.engine.plan import again, planted, with_calls
from breakeven.errors import InputError, NothingMeasuredError
from breakeven.model.machine import Machine
from breakeven.model.run import Entry, RunRecord
from engine.casts import actor, gpu, script
from records import entry, machine

CALLS = (11, 12, 15, 20)


def alone(
    folder: Path,
    entries: Sequence[Entry],
    sizes: Sequence[int],
    rounds: int | None,
    here: Machine,
) -> RunRecord:
    """Measure entries with a temporary folder of their own, so that they wait for no other run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(folder))
        return lab.measure_entries(entries, {"matmul": sizes}, rounds=rounds, machine=here)


def measured(
    folder: Path, *, rounds: int | None = 5, spread: float = 0.01, on_gpu: bool = False
) -> RunRecord:
    """Return a judged session of planted differences on one scripted backend."""
    curve, fields = {8: 1e-3, 16: 2e-3}, {"spread": spread, "noise": 0.01}
    made = gpu(curve, **fields) if on_gpu else actor(curve, **fields)
    here = machine(gpu=on_gpu, cores=2)
    one = lab.entry_of(f"{script(folder, one=made)}#one", here)
    return alone(folder, planted(one, CALLS), (8, 16), rounds, here)


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    """Return a session of five rounds on a CPU."""
    return measured(tmp_path_factory.mktemp("calm"))


def test_an_entry_with_calls_names_them_and_its_base() -> None:
    """The base makes ten calls and has a twin; each planted entry makes more, against the base."""
    base, twin, *others = planted(entry("numpy", 2, default=True))
    assert (base.id, base.calls, base.twin_of, base.variant) == ("numpy-2-x10", 10, None, "planted")
    assert (twin.id, twin.calls, twin.twin_of) == ("numpy-2-x10-twin", 10, "numpy-2-x10")
    assert [e.id for e in others] == [f"numpy-2-x{n}" for n in CALLS]
    assert [e.calls for e in others] == list(CALLS)
    assert {e.twin_of for e in others} == {base.id}
    assert {e.variant for e in others} == {"planted"}
    assert not any(e.default for e in (base, *others))


def test_a_unit_makes_its_calls_each_awaited_but_the_last() -> None:
    """The timing loop awaits the last call itself; a unit of one call is the call."""
    log: list[str] = []
    unit = unit_of(lambda: log.append("call"), lambda: log.append("wait"), 3)
    unit()
    assert log == ["call", "wait", "call", "wait", "call"]

    def one() -> None:
        log.append("one")

    assert unit_of(one, lambda: log.append("wait"), 1) is one


def test_planted_differences_are_found_with_their_size(calm: RunRecord) -> None:
    """A planted 2 and 1.5 are called slower in five rounds, and every ratio is what was planted."""
    run = calm
    found = {(v.entry, v.size): v for v in run.verdicts}
    assert {v.base_kind for v in run.verdicts} == {"planted"}
    assert len(found) == 2 * len(CALLS)
    for size in (8, 16):
        for calls in CALLS:
            verdict = found[f"one-x{calls}", size]
            assert verdict.ratio == pytest.approx(10 / calls, rel=0.03)
            assert verdict.base == "one-x10"
        assert found["one-x20", size].word == "slower"
        assert found["one-x15", size].word == "slower"
    assert {c.word for c in run.limits.aa} <= {"inconclusive", "equivalent"}


def test_settled_sizes_are_measured_no_further(tmp_path: Path) -> None:
    """Without a number of rounds a session ends once every planted difference is settled."""
    run = measured(tmp_path, rounds=None, spread=0.002)
    assert {v.word for v in run.verdicts} == {"slower"}
    assert max(r.round for c in run.cases for r in c.rounds) == 8


def test_a_planted_difference_is_there_when_data_travel_too(tmp_path: Path) -> None:
    """On a GPU the calls of a unit are repeated with their transfers as well."""
    run = measured(tmp_path, rounds=3, on_gpu=True)
    ratios = {v.scope: v.ratio for v in run.verdicts if (v.entry, v.size) == ("one-x20", 16)}
    assert set(ratios) == {"resident", "transfer"}
    for ratio in ratios.values():
        assert ratio == pytest.approx(0.5, rel=0.05)


def test_nothing_is_advised_from_a_control(calm: RunRecord) -> None:
    """Planted entries make no crossover, no pay-back, no advice and no achieved rate."""
    concluded = (calm.crossovers, calm.paybacks, calm.advice, calm.bands, calm.achieved)
    assert not any(concluded)
    assert not calm.cold_starts
    assert min(r.round for c in calm.cases for r in c.rounds) == 1


def test_the_same_work_again_is_compared_with_its_first_self(tmp_path: Path) -> None:
    """An entry given once more is judged against the first, with the twin's margin."""
    here = machine(gpu=False, cores=2)
    name = script(tmp_path, one=actor({8: 1e-3, 16: 2e-3}))
    one = lab.entry_of(f"{name}#one", here)
    entries = (one, with_calls(one, 2, of=one), again(one))
    run = alone(tmp_path, entries, (8,), 3, here)
    kinds = {v.entry: (v.base, v.base_kind) for v in run.verdicts}
    assert kinds == {"one#2": ("one", "same"), "one-x2": ("one", "planted")}


def test_entries_of_a_backend_that_is_not_there_are_told(tmp_path: Path) -> None:
    """Without CuPy there is nothing to measure, and the reason says so."""
    here = machine(gpu=False, cores=2)
    one = lab.entry_of("cupy", here)
    with pytest.raises(NothingMeasuredError, match="cupy"):
        alone(tmp_path, (one,), (8,), 1, here)


def test_mixed_types_are_refused() -> None:
    """Entries of two dtypes are no control of each other."""
    here = machine(gpu=False, cores=2)
    two = (lab.entry_of("numpy", here), lab.entry_of("numpy", here, dtype="float64"))
    with pytest.raises(InputError, match="one dtype"):
        lab.measure_entries(two, {"matmul": (8,)}, machine=here)


def test_threads_are_the_library_s_own_unless_given() -> None:
    """Given threads other than the library's own make an entry that is no default."""
    here = machine(gpu=False, cores=4)
    assert lab.entry_of("numpy", here).id == "numpy-4"
    assert lab.entry_of("numpy", here).default
    one = lab.entry_of("numpy", here, threads=1)
    assert (one.id, one.threads, one.default) == ("numpy-1", 1, False)
