"""The result file of a row: whole, without names of machines, never with a made-up number."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import pytest

import results_file
from breakeven.model.machine import Cpu, Gpu, Machine

HERE = Machine(
    cpu=Cpu(
        model="Some CPU", cores_online=16, cores_physical=8, affinity=tuple(range(16)),
        quota_cores=None, cores_usable=16, virtual="virtual machine",
    ),
    memory_bytes=1 << 30, memory_available_bytes=1 << 29,
    gpus=(Gpu(uuid="GPU-secret", name="NVIDIA H200", index=0),), no_gpu_reason=None,
    driver="575.1", cuda_driver="12.9", platform="Linux-x86_64", kernel="6.1-here",
    python="3.11.7", libraries={"numpy": "2.4.0", "cupy": None, "msgspec": "0.20"}, blas={},
    environment={}, breakeven="0.1.0",
)  # fmt: skip
CPU_ONLY = msgspec.structs.replace(HERE, gpus=(), driver=None)


def found(**changes: object) -> results_file.Result:
    """Return a result on the machine above."""
    words = {
        "row": "planted", "claim": "c", "target": "t", "figure": "f", "met": True,
        "machine": HERE, "command": "python benchmarks/planted.py",
    }  # fmt: skip
    return results_file.result(**(words | changes))


def test_a_result_reads_back_as_it_was_written(tmp_path: Path) -> None:
    """What is written is read back, field by field."""
    one = found(details={"counts": [1, 2], "unknown": None})
    path = results_file.path_of(one.row, one.machine, tmp_path)
    results_file.write(path, one)
    assert path.name == "planted-h200.json"
    assert results_file.read(path) == one
    assert results_file.read_all(tmp_path) == [one]
    assert not list(tmp_path.glob("*.part"))


def test_a_machine_is_told_by_its_kind_alone() -> None:
    """A machine's name holds GPU, cores and processor; its slug the GPU or the cores."""
    facts = results_file.machine_facts(HERE)
    assert facts.name == "NVIDIA H200, 16-core virtual machine, Some CPU"
    assert results_file.machine_facts(CPU_ONLY).slug == "16core"
    several = msgspec.structs.replace(HERE, gpus=(*HERE.gpus, *HERE.gpus))
    assert results_file.machine_facts(several).slug == "2xh200"


def test_neither_kernel_nor_uuid_is_written() -> None:
    """What tells one machine from another of its kind stays out of the file."""
    text = msgspec.json.encode(found()).decode()
    assert "secret" not in text
    assert "6.1-here" not in text


def test_only_versions_that_bear_on_figures_are_told() -> None:
    """A library that is absent, or that no figure hangs on, has no version in the file."""
    assert found().versions == {"breakeven": "0.1.0", "python": "3.11.7", "numpy": "2.4.0"}


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_figure_that_is_not_finite_is_refused(tmp_path: Path, bad: float) -> None:
    """A number that JSON cannot hold is refused with its place, and no file is left."""
    with pytest.raises(ValueError, match=r"rows\[1\] of the result 'planted'"):
        results_file.write(tmp_path / "x.json", found(details={"rows": [1.0, bad]}))
    assert not list(tmp_path.iterdir())


def test_other_documents_in_the_folder_are_passed_over(tmp_path: Path) -> None:
    """A file of another kind beside the results is no result."""
    (tmp_path / "two_states-h200.json").write_text('{"date": "x", "rows": []}')
    assert results_file.read_all(tmp_path) == []


def test_a_command_is_told_without_the_folder_it_was_typed_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The command holds what was asked, not where the project lay."""
    monkeypatch.setattr(
        "sys.argv", ["/some/where/benchmarks/aa.py", "--rounds", "5", "--out", "/some/where/x.json"]
    )
    assert results_file.command_line() == "python benchmarks/aa.py --rounds 5 --out x.json"
