"""Which library to use, with its evidence."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec.structs import replace

from breakeven.analysis.advice import TIE_BREAK, advise
from breakeven.analysis.bands import bands
from breakeven.analysis.comparisons import Comparisons
from breakeven.analysis.crossover import crossover
from breakeven.analysis.judge import judge
from breakeven.model.run import RunRecord
from breakeven.model.verdict import Advice, Scope
from records import CURVES, NUMPY, TORCH_CPU, TWIN, record


def advice(run: RunRecord, scope: Scope = "transfer") -> Advice:
    """Return the advice on one scope."""
    found = Comparisons(run)
    line = found.plan.main("matmul", scope)
    assert line is not None
    told = bands(found.times, found.twins, line.entry, found.alongside(line))
    crossed = {one: crossover(one, compared) for one, compared in found.by_line.items()}
    return advise(found, line, told, crossed)


def test_the_quicker_library_is_chosen_for_its_speed() -> None:
    """CuPy three times as fast as torch-cuda is the choice, by a sentence with figures."""
    curves = CURVES | {"torch-cuda": lambda n: 3 * CURVES["cupy"](n)}
    found = advice(record(curves=curves), "resident")
    assert found.choice == "cupy"
    assert any("CuPy runs at" in r and "the speed of torch-CUDA" in r for r in found.reasons)
    assert not any(TIE_BREAK in r for r in found.reasons)


def test_every_ratio_has_scope_base_interval_and_rounds() -> None:
    """No reason shows a bare number."""
    for scope, words in (("transfer", "data travelling"), ("resident", "data resident")):
        found = advice(record(), scope)  # type: ignore[arg-type]
        ratios = [r for r in found.reasons if "the speed of" in r]
        assert len(ratios) >= 2
        for reason in ratios:
            assert words in reason
            assert re.search(r"x \[[\d.]+, [\d.]+\] the speed", reason)
            assert re.search(r"\(\d rounds\)", reason)


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
    """Where small sizes are lost the advice says with whom to stay, and up to where."""
    found = advice(record())
    crossing = next(
        c
        for c in judge(record()).crossovers
        if (c.entry, c.scope, c.base_kind) == (found.choice, "transfer", "best-cpu")
    )
    assert (found.from_size, found.otherwise_to) == (crossing.high, crossing.low)
    assert (found.otherwise, found.to_size, found.open_sizes) == ("torch-cpu-16", None, ())


def test_one_settled_size_does_not_speak_for_the_others() -> None:
    """A base that is settled at the small sizes alone is advised up to there, and the rest is open."""
    even = CURVES | {
        e: lambda n: CURVES["torch-cpu-16"](n) * (3.0 if n < 200 else 1.0)
        for e in ("cupy", "torch-cuda")
    }
    found = advice(record(curves=even, spread=0.1), "resident")
    assert (found.choice, found.from_size, found.to_size) == ("torch-cpu-16", 128.0, 128.0)
    assert found.open_sizes == (512, 2048, 8192)


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
    assert any("CuPy runs at" in r for r in found.reasons)
    assert (found.from_size, found.to_size) == (128.0, None)


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


def test_sizes_inside_the_bracket_are_named_as_open() -> None:
    """Each planned size without a settled verdict is named, wherever the crossing lies."""
    run = record()
    found = advice(run)
    verdicts = {
        v.size: v.word for v in judge(run).verdicts
        if (v.scope, v.base_kind, v.entry) == ("transfer", "best-cpu", found.choice)
    }  # fmt: skip
    settled = {"faster", "slower", "equivalent"}
    assert found.open_sizes == tuple(s for s, word in verdicts.items() if word not in settled)


def test_a_library_that_is_quicker_at_the_largest_size_is_named_there() -> None:
    """The choice wins most sizes; where another is settled as faster, that is said with the size."""
    crossing = CURVES | {
        "cupy": lambda n: CURVES["torch-cuda"](n) * (0.7 if n > 4000 else 4.0),
    }
    found = advice(record(curves=crossing), "resident")
    assert found.choice == "torch-cuda"
    assert found.quicker == {"cupy": (8192,)}


def test_libraries_that_are_alike_are_not_set_above_each_other() -> None:
    """Without a settled difference no size is named."""
    assert advice(record(), "resident").quicker == {}
