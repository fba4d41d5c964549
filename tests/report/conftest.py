"""Judged records for the report's tests: records from cost curves, with verdicts put in by hand."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from breakeven.analysis.judge import apply, judge
from breakeven.model.run import Limits, RunRecord
from breakeven.model.verdict import (
    AaCheck,
    Achieved,
    Advice,
    Band,
    Crossover,
    Estimate,
    NaiveCost,
    Payback,
    Reference,
    Verdict,
)
from breakeven.report.page import build
from breakeven.report.view import Page
from records import CUPY, CURVES, NUMPY, TORCH_CPU, TORCH_CUDA, TWIN, entry, journey, record
from study_records import trained

SIZES = (128, 512, 1024, 2048, 8192)


def verdict(size: int, scope: str, identity: str, base: str, kind: str) -> Verdict:
    """Return a verdict whose ratio follows the cost curves."""
    there = journey(size) if scope == "transfer" else 0.0
    ratio = CURVES[base](size) / (CURVES[identity](size) + there)
    return Verdict(
        workload="matmul", size=size, scope=scope, base=base, base_kind=kind, entry=identity,
        word="faster" if ratio > 1.1 else "slower" if ratio < 0.9 else "inconclusive",
        ratio=ratio, low=ratio * 0.93, high=ratio * 1.07, verdict_low=ratio * 0.88,
        verdict_high=ratio * 1.14, margin=1.05, rounds=5,
        why=None if not 0.9 < ratio < 1.1 else "12 rounds would settle it",
    )  # fmt: skip


def crossover(identity: str, scope: str, low: float, high: float, **fields: object) -> Crossover:
    """Return a bracket of one entry over the best CPU setting."""
    middle = (low * high) ** 0.5
    values = {
        "workload": "matmul", "scope": scope, "base": "torch-cpu-16", "base_kind": "best-cpu",
        "entry": identity, "kind": "bracket", "sizes": SIZES, "low": low, "high": high,
        "estimate": Estimate(value=middle, low=low * 1.05, high=high / 1.05, level=0.95, n=5),
        "wins_from": 1024, "wins_to": 8192, "loses_to": 128,
    } | fields  # fmt: skip
    return Crossover(**values)  # type: ignore[arg-type]


def estimate(value: float) -> Estimate:
    """Return an estimate with an interval of a fifth."""
    return Estimate(value=value, low=value * 0.8, high=value * 1.2, level=0.95, n=5)


def with_gpu() -> RunRecord:
    """Return a judged record of four backends on a machine with a GPU."""
    run = record((NUMPY, TORCH_CPU, TWIN, CUPY, TORCH_CUDA), sizes=SIZES)
    gpu = ("cupy", "torch-cuda")
    verdicts = [
        verdict(size, scope, e, base, kind)
        for e in gpu for size in SIZES for scope in ("resident", "transfer")
        for base, kind in (("torch-cpu-16", "best-cpu"), ("numpy-16", "numpy"))
    ]  # fmt: skip
    crossovers = []
    for e in gpu:
        crossovers += [
            crossover(e, "transfer", 610.0, 790.0),
            crossover(e, "resident", 256.0, 310.0),
            crossover(e, "cold", 8000.0, 9000.0, composed=True, wins_from=None, wins_to=None),
            crossover(e, "transfer", 420.0, 560.0, base="numpy-16", base_kind="numpy"),
        ]
    return msgspec.structs.replace(
        run, verdicts=tuple(verdicts), crossovers=tuple(crossovers),
        paybacks=tuple(
            Payback(workload="matmul", size=s, base="torch-cpu-16", base_kind="best-cpu",
                    entry=e, calls=estimate(41), calls_resident=estimate(12),
                    reuses=None if s == 128 else estimate(3),
                    why="the GPU is slower there" if s == 128 else None)
            for e in gpu for s in (128, 8192)),
        achieved=tuple(Achieved(workload="matmul", size=c.size, entry=c.entry,
                                flops_per_s=2.0 * c.size**3 / CURVES[c.entry](c.size),
                                bytes_per_s=None) for c in run.cases),
        bands=(
            Band(workload="matmul", scope="transfer", base_kind="best-cpu", name="small",
                 kind="base", from_size=128, to_size=512, entries=("torch-cpu-16",),
                 ratio_low=0.1, ratio_high=0.8),
            Band(workload="matmul", scope="transfer", base_kind="best-cpu", name="middle",
                 kind="open", from_size=1024, to_size=1024, entries=()),
            Band(workload="matmul", scope="transfer", base_kind="best-cpu", name="large",
                 kind="entry", from_size=2048, to_size=8192, entries=("cupy", "torch-cuda"),
                 ratio_low=2.0, ratio_high=5.5),
        ),
        advice=(
            Advice(workload="matmul", scope="transfer", choice="cupy",
                   reasons=("It is 5.2x faster [4.9, 5.5] at N = 8192.", "Results agree.")),
            Advice(workload="matmul", scope="resident", choice=None, reasons=()),
        ),
        naive=tuple(
            NaiveCost(workload="matmul", size=s, entry="cupy", one_shot_s=0.3,
                      unsynchronised_s=2e-5, sound_transfer_s=1e-4, sound_resident_s=3e-5,
                      first_call_s=0.2, transfer_s=8e-5, missing_sync_s=-1e-5) for s in SIZES),
        limits=Limits(floors=run.limits.floors, aa=tuple(
            AaCheck(workload="matmul", size=s, entry="torch-cpu-16", twin="torch-cpu-16-twin",
                    ratio=1.01, low=0.97, high=1.04, word="equivalent", margin=1.05, rounds=5)
            for s in SIZES)),
        caveats=("A claim holds for this session of this machine.",),
        remarks=("Size 16384 was left out: one call would take more than its share.",),
    )  # fmt: skip


def without_gpu() -> RunRecord:
    """Return a judged record of a two-core machine without a GPU, beside a stored run."""
    numpy, torch = entry("numpy", 2, default=True), entry("torch-cpu", 2, default=True)
    curves = {
        "numpy-2": lambda n: 4e-6 + n**3 * 2e-11,
        "torch-cpu-2": lambda n: 9e-6 + n**3 * 1e-11,
    }
    run = record((numpy, torch), curves, sizes=(128, 512, 2048))
    judged = []
    for size, ratio, word in (
        (128, 0.9, "inconclusive"),
        (512, 1.4, "faster"),
        (2048, 2.0, "faster"),
    ):
        judged.append(Verdict(
            workload="matmul", size=size, scope="resident", base="numpy-2", base_kind="numpy",
            entry="torch-cpu-2", word=word, ratio=ratio, low=ratio * 0.9, high=ratio * 1.1,
            rounds=3))  # fmt: skip
    return msgspec.structs.replace(
        run, verdicts=tuple(judged),
        crossovers=(crossover("torch-cpu-2", "resident", 140.0, 260.0, base="numpy-2",
                              base_kind="numpy", sizes=(128, 512, 2048), wins_from=512,
                              wins_to=2048, loses_to=None),),
        references=tuple(
            Reference(run="2026-11-30T09-00-00-h200", machine="NVIDIA H200", workload="matmul",
                      size=s, scope=scope, here_entry="torch-cpu-2", here_s=0.08,
                      there_entry="cupy", there_s=0.004, ratio=20.0)
            for s in (512, 2048) for scope in ("resident", "transfer")),
    )  # fmt: skip


@pytest.fixture(scope="session")
def gpu_record() -> RunRecord:
    """Return a judged record of four backends on a machine with a GPU."""
    return with_gpu()


@pytest.fixture(scope="session")
def cpu_record() -> RunRecord:
    """Return a judged record of a two-core machine without a GPU."""
    return without_gpu()


@pytest.fixture(scope="session")
def gpu_page(gpu_record: RunRecord) -> Page:
    """Return the page of the record with a GPU."""
    return build(gpu_record)


@pytest.fixture(scope="session")
def cpu_page(cpu_record: RunRecord) -> Page:
    """Return the page of the record without a GPU."""
    return build(cpu_record)


@pytest.fixture(scope="session")
def training_page() -> Page:
    """Return the page of a training on both sides."""
    run = trained(correct={"torch-cpu-16": 351, "torch-cuda": 352})
    return build(apply(run, judge(run)))


@pytest.fixture(scope="session")
def make_crossover() -> Callable[..., Crossover]:
    """Return the builder of brackets."""
    return crossover
