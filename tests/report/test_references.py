"""Tests of the comparisons with a stored run of another machine."""

from __future__ import annotations

from msgspec.structs import replace

from breakeven.model.run import RunRecord
from breakeven.model.verdict import Reference
from breakeven.report import charts, references
from breakeven.report.evidence import Evidence
from breakeven.report.page import build

CPU = "Intel(R) Xeon(R) Processor, 16 cores"


def beside(run: RunRecord) -> RunRecord:
    """Return the record beside a stored run of two GPU entries and a CPU entry a size."""
    first = run.references[0]
    cpus = {512: "torch-cpu-15", 2048: "torch-cpu-16"}
    more: list[Reference] = [replace(r, there_entry="torch-cuda", there_s=0.005)
                             for r in run.references]  # fmt: skip
    more += [replace(first, machine=CPU, size=s, scope="resident", there_entry=e, there_s=0.012)
             for s, e in cpus.items()]  # fmt: skip
    return replace(run, references=(*run.references, *more))


def test_each_machine_is_told_with_its_own_times(cpu_record: RunRecord) -> None:
    """Three lines at most: each names one entry with its machine; no CPU has data on a device."""
    lines = references.lines(Evidence(beside(cpu_record)), "matmul")
    assert len(lines) == 3
    travels, stays, cpu = lines
    assert "CuPy on NVIDIA H200 (data must travel) 4.00 ms: here / there 20.0x" in travels
    assert "CuPy on NVIDIA H200 (data already on the device)" in stays
    assert f"torch-cpu-16 on {CPU} 12.0 ms" in cpu
    assert "on the device" not in cpu
    assert all("not paired, indicative" in line for line in lines)


def test_names_in_the_legend_differ_where_they_are_cut(cpu_record: RunRecord) -> None:
    """The CPU entries of all sizes are one line of the picture; the entry leads each name."""
    drawn = charts.specs(build(beside(cpu_record)))["matmul-time"]
    entries = {p["entry"] for p in drawn["data"]["values"] if "paired" in p["shown"]}
    assert entries == {"CuPy on NVIDIA H200", "torch-CUDA on NVIDIA H200", f"best CPU of {CPU}"}
    assert len({e[:12] for e in entries}) == len(entries)
