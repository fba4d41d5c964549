"""Tests of what start-up costs in words: cold starts, pay-back, one-shot timing."""

from __future__ import annotations

from msgspec.structs import replace

from breakeven.analysis.judge import apply, judge
from breakeven.model.run import RunRecord
from breakeven.model.verdict import Crossover, Estimate, NaiveCost
from breakeven.report import startup
from breakeven.report.evidence import Evidence
from breakeven.report.page import build
from records import NUMPY, TORCH_CPU, record, with_naive


def cold(entry: str, start_s: float) -> Crossover:
    """Return a cold crossover that never comes."""
    return Crossover(
        workload="matmul", scope="cold", base="numpy-16", base_kind="best-cpu", entry=entry,
        kind="never", sizes=(128, 512, 2048), composed=True, bases=("numpy-16",) * 3,
        start_s=start_s, base_start_s=0.3, processes=2, base_processes=2,
    )  # fmt: skip


def test_a_start_that_is_never_repaid_gives_its_cost(gpu_record: RunRecord) -> None:
    """One sentence for all libraries: what starting costs, against which CPU entry."""
    text = startup.never_cold(Evidence(gpu_record), [cold("cupy", 1.3), cold("torch-cuda", 3.4)])
    assert text == (
        "a script that multiplies once is never faster on the GPU (N = 128 to 2048 tested): "
        "start-up alone costs 1.30 s (CuPy) and 3.40 s (torch-CUDA) against 300 ms (numpy-16; "
        "2 fresh processes)."
    )


def test_pay_back_is_told_against_each_base(gpu_record: RunRecord) -> None:
    """Calls with their interval, the base with its own start-up, and the processes behind it."""
    found = tuple(
        replace(p, start_s=3.4, base_start_s=s, base=b, processes=2, base_processes=4)
        for p in gpu_record.paybacks if (p.entry, p.size) == ("cupy", 8192)
        for b, s in (("torch-cpu-16", 4.4), ("numpy-16", 0.25))
    )  # fmt: skip
    text = startup.repaid(Evidence(gpu_record), found)
    assert text == (
        "at N = 8192 the start-up of CuPy (3.40 s) is repaid after 41 calls (95 % interval 33 to 49) "
        "against torch-cpu-16 (4.40 s) and after 41 calls (95 % interval 33 to 49) against "
        "numpy-16 (250 ms), the data travelling (2 or 4 fresh processes)."
    )


def test_a_start_that_takes_no_time_is_not_repaid(gpu_record: RunRecord) -> None:
    """Scripted libraries may start at once: then nothing is said of costs or of repaying them."""
    evidence = Evidence(gpu_record)
    found = [
        replace(p, start_s=0.0, base_start_s=0.0)
        for p in gpu_record.paybacks if (p.entry, p.size) == ("cupy", 8192)
    ]  # fmt: skip
    assert startup.repaid(evidence, found) == ""
    assert "start-up" not in startup.payback(evidence, found[0])
    assert "operation 3" in startup.payback(evidence, found[0])
    alike = replace(cold("cupy", 0.0), base_start_s=0.0)
    assert startup.never_cold(evidence, [alike]).endswith("on the GPU (N = 128 to 2048 tested).")
    assert startup.repaid(evidence, [replace(found[0], start_s=0.1)]) != ""


def test_a_one_shot_timing_says_what_each_mistake_cost(gpu_record: RunRecord) -> None:
    """What was read, what it takes, how many times less, and where the rest came from."""
    cost = NaiveCost(
        workload="matmul", size=128, entry="cupy", one_shot_s=0.4, unsynchronised_s=2e-5,
        sound_transfer_s=114e-6, sound_resident_s=31e-6, first_call_s=0.399886, transfer_s=83e-6,
        missing_sync_s=-11e-6,
    )  # fmt: skip
    assert startup.naive(Evidence(gpu_record), cost) == (
        "Timed once, CuPy at N = 128 reads 400 ms; called again on the same machine it takes "
        "114 us: 3,500 times less; the first call cost 400 ms, the transfer cost 83.0 us, a "
        "missing synchronise hides 11.0 us."
    )
    bare = replace(cost, sound_transfer_s=None)
    assert "no sound figure" in startup.naive(Evidence(gpu_record), bare)


def test_one_shots_of_a_judged_run_are_told_where_they_stray_most() -> None:
    """From shots to sentences: one for each GPU entry, at the size that start-up spoils."""
    run = record()
    run = replace(run, naive_shots=with_naive(run))
    (workload,) = build(apply(run, judge(run))).workloads
    assert len(workload.one_shots) == 2
    for text, label in zip(workload.one_shots, ("CuPy", "torch-CUDA"), strict=True):
        assert text.startswith(f"Timed once, {label} at N = 128 reads 300 ms; called again")
        assert "times less" in text
        assert "a missing synchronise" in text
    assert [n.text for n in workload.notes if n.label == "one-shot timing"] == list(
        workload.one_shots
    )


def test_without_a_gpu_the_cpu_libraries_show_the_mistake() -> None:
    """A first call spoils a one-shot timing on a CPU too; there is no transfer to tell of."""
    run = record((NUMPY, TORCH_CPU))
    run = replace(run, naive_shots=with_naive(run))
    (workload,) = build(apply(run, judge(run))).workloads
    assert [text.split(" at ")[0] for text in workload.one_shots] == [
        "Timed once, numpy-16", "Timed once, torch-cpu-16",
    ]  # fmt: skip
    assert not any("transfer" in text for text in workload.one_shots)


def test_one_call_is_one_call() -> None:
    """A count is written out with its interval, one in the singular; no interval of one number."""
    one = Estimate(value=1.0, low=1.0, high=1.0, level=0.95, n=3)
    many = Estimate(value=425.0, low=1.0, high=1747.0, level=0.95, n=3)
    assert startup.count(one, "call") == "1 call"
    assert startup.count(many, "call") == "425 calls (95 % interval 1 to 1747)"
