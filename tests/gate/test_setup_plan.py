"""What is installed follows from what the computer has."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.places import ROOT
from setup_facts import (
    Facts,
    Library,
    find_libraries,
    installed_names,
    parse_nvidia_smi,
    split_cuda,
    torch_cuda,
)
from setup_plan import Plan, choose_extra, make_plan, read_project

PROJECT = read_project(ROOT)
HERE = Path("/opt/python/site-packages")
SMI = """\
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.159.04             Driver Version: 580.159.04     CUDA Version: 13.0     |
+-----------------------------------------+------------------------+----------------------+
"""


def library(name: str, version: str, cuda: int | None = None) -> Library:
    """Return one library of the user's Python."""
    return Library(name, version, HERE, cuda)


def plan(
    *libraries: Library,
    cuda: tuple[int, int] | None = None,
    torch: str = "",
    dev: bool = False,
    platform: str = "linux",
) -> Plan:
    """Return the plan for a computer."""
    facts = Facts(platform=platform, cuda=cuda, libraries={lib.name: lib for lib in libraries})
    return make_plan(PROJECT, facts, torch=torch, dev=dev)


def wants(made: Plan, start: str) -> list[str]:
    """Return the requirements whose name begins so."""
    return [r for r in made.requirements if r.startswith(start)]


@pytest.mark.parametrize(
    ("cuda", "extra"),
    [
        (None, "cpu"),
        ((11, 8), "cpu"),
        ((12, 0), "cuda12"),
        ((12, 9), "cuda12"),
        ((13, 0), "cuda13"),
        ((14, 1), "cuda13"),
    ],
)
def test_the_driver_chooses_the_extra(cuda: tuple[int, int] | None, extra: str) -> None:
    """A driver serves its own CUDA and older ones; below 12 there is nothing to install."""
    assert choose_extra(cuda)[0] == extra


def test_without_a_driver_there_is_no_cupy() -> None:
    """CuPy cannot be of use without a GPU, so it is not downloaded."""
    assert wants(plan(), "cupy") == []
    assert len(wants(plan(), "torch")) == 1


def test_without_a_gpu_the_big_download_is_told_first() -> None:
    """The user reads about the CPU build, and is asked, before several GB are fetched."""
    made = plan()
    text = made.summary(Path(".venv"))
    assert made.asks
    assert "several GB" in text
    assert "make run TORCH=" in text
    assert "up to 3.1 GB" in text


def test_what_an_earlier_call_installed_is_not_announced_again() -> None:
    """An environment that holds PyTorch and lacks the gate's tools needs only those."""
    first = make_plan(PROJECT, Facts(platform="linux", libraries={}))
    facts = Facts(platform="linux", libraries={}, present=frozenset(first.missing))
    made = make_plan(PROJECT, facts, dev=True)
    assert not made.asks
    assert made.megabytes < 100
    assert "torch" in first.missing
    assert "torch" not in made.missing
    assert "ruff" in made.missing


def test_on_a_mac_the_download_is_small() -> None:
    """There is no CUDA build for a Mac, so nothing is asked."""
    made = plan(platform="darwin")
    assert not made.asks
    assert made.megabytes < 500


def test_the_torch_that_is_there_is_used() -> None:
    """Neither a requirement nor a pin makes pip fetch another one, and its folder is linked."""
    made = plan(library("torch", "2.11.0+cpu"))
    assert wants(made, "torch") == []
    assert not [pin for pin in made.constraints if pin.startswith("torch")]
    assert made.links == (HERE,)
    assert not made.asks
    assert "2.11.0+cpu will be used" in made.summary(Path(".venv"))


def test_a_torch_that_is_too_old_is_not_used() -> None:
    """PyTorch 1.13 is left where it is, and a newer one is installed beside."""
    made = plan(library("torch", "1.13.1"))
    assert (len(wants(made, "torch")), made.links) == (1, ())


def test_the_user_may_choose_torch() -> None:
    """A wheel named by the user replaces requirement, pin and what is there."""
    made = plan(library("torch", "2.13.0"), cuda=(13, 0), torch="/tmp/torch.whl")
    assert "/tmp/torch.whl" in made.requirements
    assert not [pin for pin in made.constraints if pin.startswith("torch")]


def test_a_driver_for_cuda_12_gets_a_torch_that_it_can_run() -> None:
    """The pinned PyTorch is built for CUDA 13, so it is not asked for."""
    made = plan(cuda=(12, 8))
    assert wants(made, "cupy") == ["cupy-cuda12x[ctk]>=14"]
    assert "<2.11" in wants(made, "torch")[0]
    assert not [pin for pin in made.constraints if pin.startswith("torch")]


def test_a_driver_for_cuda_13_gets_cupy_13() -> None:
    """Without anything there, both libraries are installed for CUDA 13."""
    made = plan(cuda=(13, 0))
    assert wants(made, "cupy") == ["cupy-cuda13x[ctk]>=14"]
    assert "torch==2.13.0" in made.constraints
    assert made.megabytes > 2000


def test_a_cupy_for_an_older_cuda_is_used() -> None:
    """A driver for 13 runs CuPy for 12."""
    made = plan(
        library("torch", "2.11.0+cu130", 13), library("cupy-cuda12x", "14.2.0"), cuda=(13, 0)
    )
    assert (wants(made, "cupy"), wants(made, "torch"), made.links) == ([], [], (HERE,))


def test_a_cupy_for_a_newer_cuda_is_replaced() -> None:
    """A driver for 12 cannot run CuPy for 13, which is said."""
    made = plan(library("cupy-cuda13x", "14.2.0"), cuda=(12, 4))
    assert wants(made, "cupy") == ["cupy-cuda12x[ctk]>=14"]
    assert "newer CUDA than the driver" in made.summary(Path(".venv"))


@pytest.mark.parametrize(("build", "words"), [(None, "CPU build"), (13, "newer than the driver")])
def test_a_torch_that_cannot_use_the_gpu_is_told(build: int | None, words: str) -> None:
    """It is used all the same, since the user put it there, and the user is told."""
    made = plan(library("torch", "2.11.0", build), cuda=(12, 4))
    assert wants(made, "torch") == []
    assert words in made.summary(Path(".venv"))


def test_the_tools_of_the_gate_come_only_when_asked_for() -> None:
    """A run needs no linter."""
    assert plan().tools == ()
    assert any(tool.startswith("ruff") for tool in plan(dev=True).tools)


@pytest.mark.parametrize(
    ("has_ensurepip", "has_pip", "blocked"),
    [(True, False, False), (False, True, False), (False, False, True)],
)
def test_a_python_that_cannot_fill_an_environment(
    has_ensurepip: bool, has_pip: bool, blocked: bool
) -> None:
    """Without ensurepip and pip, the package to install is named exactly."""
    facts = Facts(python=(3, 12), has_ensurepip=has_ensurepip, has_pip=has_pip)
    made = make_plan(PROJECT, facts)
    assert bool(made.blocked) == blocked
    assert ("apt-get install python3.12-venv" in made.blocked) == blocked


def test_every_pin_is_one_version() -> None:
    """What the gate runs with is said to the last digit, and covers each tool that is installed."""
    assert all(pin.count("==") == 1 for pin in PROJECT["constraints"])
    pinned = {pin.partition("==")[0] for pin in PROJECT["constraints"]}
    tools = {tool.partition(">")[0] for tool in PROJECT["project"]["optional-dependencies"]["dev"]}
    assert tools <= pinned


def test_versions_as_the_driver_tells_them() -> None:
    """The table of nvidia-smi and the number of NVML give the same version."""
    assert parse_nvidia_smi(SMI) == split_cuda(13000) == (13, 0)
    assert split_cuda(12040) == (12, 4)
    assert parse_nvidia_smi("NVIDIA-SMI has failed because it couldn't communicate") is None


@pytest.mark.parametrize(
    ("text", "cuda"),
    [("__version__ = '2.11.0'\ncuda: Optional[str] = '13.0'\nhip: Optional[str] = None\n", 13),
     ("cuda: Optional[str] = None\n", None), ("cuda = '12.8'\n", 12)],
)  # fmt: skip
def test_the_build_of_torch_is_read_from_its_files(
    tmp_path: Path, text: str, cuda: int | None
) -> None:
    """Its version module says what it was built for; importing it would take seconds."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch/version.py").write_text(text)
    assert torch_cuda("2.11.0", tmp_path) == cuda


def test_libraries_are_found_without_importing(tmp_path: Path) -> None:
    """A folder of metadata is enough, and the folder is told."""
    info = tmp_path / "torch-2.11.0+cu130.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.11.0+cu130\n")
    found = find_libraries(["torch", "cupy"], [str(tmp_path)])
    assert found == {"torch": Library("torch", "2.11.0+cu130", tmp_path, 13)}
    assert installed_names(tmp_path) == frozenset()


def test_what_an_environment_holds_is_told_by_name(tmp_path: Path) -> None:
    """Names are compared as pip compares them, whatever their spelling."""
    info = tmp_path / "lib/python3.12/site-packages/import_linter-2.17.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: Import_Linter\nVersion: 2.17\n")
    assert installed_names(tmp_path) == {"import-linter"}
