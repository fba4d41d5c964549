"""Which library to use, with its evidence."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from breakeven.analysis.advice import TIE_BREAK, advise
from breakeven.analysis.bands import bands
from breakeven.analysis.comparisons import Comparisons
from breakeven.model.run import RunRecord
from breakeven.model.verdict import Advice, Scope
from records import CURVES, NUMPY, TORCH_CPU, TWIN, record


def advice(run: RunRecord, scope: Scope = "transfer") -> Advice:
    """Return the advice on one scope."""
    found = Comparisons(run)
    line = found.plan.main("matmul", scope)
    assert line is not None
    told = bands(found.times, found.twins, line.entry, found.alongside(line))
    return advise(found, line, told)


def test_the_quicker_library_is_chosen_for_its_speed() -> None:
    """CuPy three times as fast as torch-cuda is the choice, by a sentence with figures."""
    curves = CURVES | {"torch-cuda": lambda n: 3 * CURVES["cupy"](n)}
    found = advice(record(curves=curves), "resident")
    assert found.choice == "cupy"
    assert any("cupy runs at" in r and "the speed of torch-cuda" in r for r in found.reasons)
    assert not any(TIE_BREAK in r for r in found.reasons)


def test_every_ratio_has_scope_base_interval_and_rounds() -> None:
    """No reason shows a bare number."""
    for scope, words in (("transfer", "data travelling"), ("resident", "data resident")):
        found = advice(record(), scope)  # type: ignore[arg-type]
        ratios = [r for r in found.reasons if "the speed of" in r]
        assert len(ratios) >= 3
        for reason in ratios:
            assert words in reason
            assert "95 % interval" in reason
            assert "rounds)" in reason


def test_reasons_are_finished_sentences() -> None:
    """Each reason can be shown as it is."""
    for reason in advice(record()).reasons:
        assert reason[0].isalpha()
        assert reason.endswith(".")


def test_a_tie_is_broken_in_words_only() -> None:
    """Libraries of one speed are said to be so, with the rule of thumb beside it."""
    found = advice(record(), "resident")
    assert found.choice in {"cupy", "torch-cuda"}
    assert any("not told apart" in r or "are alike" in r for r in found.reasons)
    assert any(TIE_BREAK in r for r in found.reasons)


def test_small_sizes_are_left_to_the_cpu() -> None:
    """Where small sizes are lost the advice says with whom to stay."""
    found = advice(record())
    assert any(r.startswith("Stay with torch-cpu-16 at small sizes") for r in found.reasons)


def test_start_up_answers_and_memory_are_told() -> None:
    """First-call cost, agreement and memory are part of the evidence."""
    text = " ".join(advice(record()).reasons)
    assert "Start-up (import, context, first call)" in text
    assert "float32 class" in text
    assert "768 MiB on the device" in text


def test_without_a_gpu_the_choice_is_between_cpu_libraries() -> None:
    """Torch on the CPU against NumPy is advised on in the resident scope."""
    found = advice(record((NUMPY, TORCH_CPU, TWIN)), "resident")
    assert found.choice == "torch-cpu-16"


def test_a_gpu_that_never_wins_is_not_advised() -> None:
    """Where the GPU loses at every size the choice is the base, with the figures."""
    slow = CURVES | {e: lambda n: 9 * CURVES["torch-cpu-16"](n) for e in ("cupy", "torch-cuda")}
    found = advice(record(curves=slow), "resident")
    assert found.choice == "torch-cpu-16"
    assert any("cupy runs at" in r for r in found.reasons)


def test_a_busy_machine_gets_no_advice() -> None:
    """Where everything is withheld there is no choice, and the reason is the gate's."""
    found = advice(record(voided="busy"))
    assert found.choice is None
    assert len(found.reasons) == 1
    assert "other processes" in found.reasons[0]


def test_a_quick_run_gets_no_advice() -> None:
    """Indicative figures choose nothing."""
    run = record(rounds=1)
    found = advice(replace(run, spec=replace(run.spec, effort="quick")))
    assert found.choice is None
    assert "quick" in found.reasons[0]


def test_a_library_that_is_wrong_is_never_chosen(edit_case: Callable[..., RunRecord]) -> None:
    """A library whose answers disagree is out, however quick."""
    run = record(curves=CURVES | {"cupy": lambda n: 0.2 * CURVES["torch-cuda"](n)})
    for size in (128, 512, 2048, 8192):
        run = edit_case(run, "cupy", size, status="disagrees")
    assert advice(run).choice == "torch-cuda"
