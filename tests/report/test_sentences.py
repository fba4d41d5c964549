"""Tests of the break-even sentences: every kind of crossover, pay-back and band has its words."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from breakeven.model.run import RunRecord
from breakeven.model.verdict import Band, Crossover, Estimate, Payback
from breakeven.report import sentences, startup
from breakeven.report.evidence import Evidence
from breakeven.report.page import build

Make = Callable[..., Crossover]


@pytest.fixture
def evidence(gpu_record: RunRecord) -> Evidence:
    """Return the evidence of the record with a GPU."""
    return Evidence(gpu_record)


def test_a_bracket_names_scope_base_estimate_and_rounds(
    evidence: Evidence, make_crossover: Make
) -> None:
    """A bracket reads as the product promises, with its interval and the number of rounds."""
    claim = sentences.crossover(
        evidence, make_crossover("cupy", "transfer", 610.0, 790.0), lead=True
    )
    assert claim.text.startswith("CuPy overtakes the best CPU setting between N = 610 and 790 (")
    assert "(measured slower up to 128, faster from 1024 on; estimate 694, " in claim.text
    assert "95 % [640, 752], 5 rounds)" in claim.text
    assert claim.text.endswith("if the data must travel.")
    assert claim.more == ""


def test_an_end_at_a_measured_size_is_written_whole(
    evidence: Evidence, make_crossover: Make
) -> None:
    """A bracket that ends at a size that was measured names that size, not a rounded one."""
    claim = sentences.crossover(
        evidence, make_crossover("cupy", "transfer", 1024.0, 2048.0), lead=True
    )
    assert "between N = 1024 and 2048" in claim.text


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (None, 790.0, "is ahead of the best CPU setting from N = 790 on at the latest"),
        (None, 128.0, "from the smallest size on: N = 128; no crossing was seen"),
        (610.0, None, "does not overtake the best CPU setting up to N = 610; beyond that nothing"),
        (None, None, "unknown N"),
    ],
)
def test_a_bracket_may_be_open(
    evidence: Evidence, make_crossover: Make, low: float | None, high: float | None, words: str
) -> None:
    """A one-sided bracket says on which side the sizes end."""
    c = make_crossover("cupy", "transfer", 1.0, 1.0, estimate=None)
    assert words in sentences.crossover(evidence, replace(c, low=low, high=high), lead=True).text


def test_a_lead_that_is_lost_with_size_falls_behind(
    evidence: Evidence, make_crossover: Make
) -> None:
    """An entry that wins only below the bracket is not said to overtake."""
    c = make_crossover("cupy", "transfer", 610.0, 790.0, wins_from=128, wins_to=512, loses_to=None)
    claim = sentences.crossover(evidence, c, lead=True)
    assert claim.text.startswith("CuPy falls behind the best CPU setting between")


def test_never_names_sizes_and_best_ratio_with_interval(
    evidence: Evidence, make_crossover: Make
) -> None:
    """Never lists the sizes tested, and a best ratio only with its interval, base and rounds."""
    never = {"kind": "never", "low": None, "high": None, "best_ratio": 5.7, "best_size": 8192}
    c = replace(make_crossover("cupy", "transfer", 1.0, 1.0), **never)
    text = sentences.crossover(evidence, c, lead=True).text
    assert "at no size (N = 128, 512, 1024, 2048, 8192 tested)" in text
    assert "at best 5.69x [5.30, 6.09] over torch-cpu-16 at N = 8192, 5 rounds" in text
    bare = sentences.crossover(Evidence(replace(evidence.record, verdicts=())), c, lead=True).text
    assert "x [" not in bare
    assert "5.7" not in bare


def test_always_several_and_undecided_have_their_words(
    evidence: Evidence, make_crossover: Make
) -> None:
    """The other kinds say what was seen, over which sizes, and why it is not settled."""
    c = replace(make_crossover("cupy", "resident", 1.0, 1.0), low=None, high=None)
    always = sentences.crossover(evidence, replace(c, kind="always"), lead=True).text
    assert "is ahead of the best CPU setting at every size" in always
    won = replace(c, kind="always", wins_from=128, wins_to=8192)
    assert "is faster than" in sentences.crossover(evidence, won, lead=True).text
    several = replace(c, kind="several", changes=(300.4, 900.6))
    assert (
        "several times, near N = 300 and 901"
        in sentences.crossover(evidence, several, lead=True).text
    )
    undecided = sentences.crossover(
        evidence, replace(c, kind="undecided", why="too few rounds"), lead=True
    )
    assert undecided.text.startswith("Not settled: whether CuPy overtakes")
    assert undecided.more.endswith("Too few rounds.")


def test_cold_is_marked_composed(evidence: Evidence, make_crossover: Make) -> None:
    """A cold crossover says what it is put together from."""
    c = make_crossover("cupy", "cold", 8000.0, 9000.0, composed=True)
    assert (
        "composed: import + context + first call + transfer"
        in sentences.crossover(evidence, c, lead=True).text
    )


def test_a_cpu_crossover_says_nothing_of_travel(cpu_record: RunRecord) -> None:
    """Data of a CPU entry need not travel, and the sentence does not say that it lives on a GPU."""
    claim = sentences.crossover(Evidence(cpu_record), cpu_record.crossovers[0], lead=True)
    assert "GPU" not in claim.text
    assert "travel" not in claim.text


def test_quick_sentences_are_marked(gpu_record: RunRecord) -> None:
    """A quick run's bracket is called indicative, with no verdict."""
    run = replace(gpu_record, spec=replace(gpu_record.spec, effort="quick"))
    claim = sentences.crossover(Evidence(run), run.crossovers[0], lead=True)
    assert claim.text.startswith("Indicative, no verdict: CuPy overtakes")


def test_payback_gives_each_figure_its_interval(evidence: Evidence) -> None:
    """Pay-back names calls in both scopes and reuses, each with an interval, and the base entry."""
    text = startup.payback(evidence, evidence.record.paybacks[1])
    assert text.startswith("At N = 8192, CuPy against the best CPU setting (torch-cpu-16): ")
    assert "after 41 calls (95 % interval 33 to 49) if the data must travel" in text
    assert "after 12 calls (95 % interval 10 to 14) if the data already lives on the GPU" in text
    assert "from operation 3 (95 % interval 2 to 4) on the same data on" in text


def test_payback_of_a_cpu_entry_says_nothing_of_a_gpu(cpu_record: RunRecord) -> None:
    """A CPU entry repays its start-up after one number of calls: its data need not travel."""
    five = Estimate(value=5.0, low=4.0, high=6.0, level=0.95, n=3)
    p = Payback(
        workload="matmul",
        size=2048,
        base="numpy-2",
        base_kind="numpy",
        entry="torch-cpu-2",
        calls=five,
        calls_resident=five,
    )
    text = startup.payback(Evidence(cpu_record), p)
    assert text.endswith("is repaid after 5 calls (95 % interval 4 to 6).")


def test_payback_without_figures_gives_the_reason(evidence: Evidence) -> None:
    """A pay-back that never comes says why."""
    p = Payback(workload="matmul", size=128, base="torch-cpu-16", base_kind="best-cpu",
                entry="cupy", why="each call is slower")  # fmt: skip
    assert startup.payback(evidence, p).endswith(": each call is slower.")


@pytest.mark.parametrize(
    ("kind", "entries", "words"),
    [
        ("base", ("torch-cpu-16",), "torch-cpu-16 wins"),
        ("entry", ("cupy", "torch-cuda"), "CuPy or torch-CUDA win, not told apart"),
        ("entry", ("cupy",), "CuPy wins"),
        ("alike", ("cupy",), "CuPy and the best CPU setting are alike"),
        ("alike", (), "no difference that matters"),
        ("open", (), "not settled"),
    ],
)
def test_bands_have_words(
    evidence: Evidence, kind: str, entries: tuple[str, ...], words: str
) -> None:
    """Each kind of band has its words for small, middle and large sizes."""
    b = Band(workload="matmul", scope="transfer", base_kind="best-cpu", name="middle", kind=kind,
             from_size=512, to_size=2048, entries=entries, ratio_low=1.5, ratio_high=2.5)  # fmt: skip
    text = sentences.band(evidence, b)
    assert text.startswith(f"Middle (N = 512 to 2048): {words}")
    assert "1.50x to 2.50x" in text


def test_the_estimate_is_optional(evidence: Evidence, make_crossover: Make) -> None:
    """A bracket without an estimate still reads as a sentence; with one it shows n rounds."""
    c = make_crossover("cupy", "transfer", 610.0, 790.0)
    assert (
        "estimate" not in sentences.crossover(evidence, replace(c, estimate=None), lead=True).text
    )
    one = Estimate(value=700.0, low=650.0, high=750.0, level=0.95, n=1)
    assert "1 round)" in sentences.crossover(evidence, replace(c, estimate=one), lead=True).text


def test_a_cold_base_is_named_with_its_sizes(evidence: Evidence, make_crossover: Make) -> None:
    """The cold scope chooses its own base: which one, where, from how many processes."""
    c = make_crossover("cupy", "cold", 2048.0, 8192.0, composed=True, start_s=3.4,
                       base_start_s=0.3, processes=3, base_processes=2,
                       bases=("numpy-16",) * 4 + ("torch-cpu-16",))  # fmt: skip
    claim = sentences.crossover(evidence, c, lead=True)
    assert "5 fresh processes" in claim.text
    assert (
        "quickest cold start is numpy-16 at N = 128 to 2048 and torch-cpu-16 at N = 8192 "
        "(3 and 2 fresh processes)"
    ) in claim.more


def test_cold_starts_that_are_never_repaid_are_one_claim(gpu_record: RunRecord) -> None:
    """Two libraries with the same answer make one sentence with both costs."""
    cold = tuple(
        replace(c, kind="never", low=None, high=None, estimate=None, start_s=s, base_start_s=0.3,
                bases=("numpy-16",) * 5, processes=2, base_processes=2)
        for c, s in zip((c for c in gpu_record.crossovers if c.scope == "cold"), (1.3, 3.4),
                        strict=True)
    )  # fmt: skip
    (workload,) = build(replace(gpu_record, crossovers=cold)).workloads
    (claim,) = workload.crossovers
    assert "start-up alone costs 1.30 s (CuPy) and 3.40 s (torch-CUDA) against 300 ms" in claim.text
    assert claim.text.endswith("Composed from its parts.")
