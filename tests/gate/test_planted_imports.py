"""A planted import across the layers is found by the contracts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gate.places import ROOT, run_tool

DOWN = "Imports point down only"
HARDWARE = "Judging, storing and showing work from a saved file"
FRAMEWORKS = "Frameworks and drivers are imported only where work runs or is sensed"
CLI = "The command line prints help without a framework"
PLANTS = [
    ("analysis/planted.py", "import breakeven.engine", DOWN),
    ("model/planted.py", "import breakeven.stats", DOWN),
    ("store/planted.py", "import breakeven.report", DOWN),
    ("analysis/planted.py", "import breakeven.machine", HARDWARE),
    ("report/planted.py", "import breakeven.sensors.nvml", HARDWARE),
    ("workloads/planted.py", "import cupy", FRAMEWORKS),
    ("engine/planted.py", "def f() -> None:\n    import torch", FRAMEWORKS),
    ("sensors/planted.py", "import pynvml", FRAMEWORKS),
    ("backends/numpy.py", "import breakeven.backends.torch", "Backends know nothing of each other"),
    ("cli/planted.py", "import numpy", CLI),
    ("model/planted.py", "import numpy", "The records need no library but msgspec"),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the package with its settings."""
    root = tmp_path_factory.mktemp("tree")
    shutil.copy(ROOT / "pyproject.toml", root)
    kept = shutil.ignore_patterns("__pycache__", "*.json", "*.html", "*.js")
    shutil.copytree(ROOT / "src", root / "src", ignore=kept)
    return root


def contracts(tree: Path) -> str:
    """Return what the contracts say about the tree."""
    # The folder that it starts in comes first on its path, before the installed package.
    code = "from importlinter.cli import lint_imports_command as main; main()"
    arguments = ("--config", str(tree / "pyproject.toml"), "--no-cache")
    done = run_tool("-c", code, *arguments, cwd=tree / "src")
    return " ".join(done.stdout.split()) + done.stderr


@pytest.mark.parametrize(("name", "line", "contract"), PLANTS)
def test_a_planted_import_breaks_its_contract(
    tree: Path, name: str, line: str, contract: str
) -> None:
    """The contract is broken, and the report names the module with the plant."""
    path = tree / "src/breakeven" / name
    before = path.read_text(encoding="utf-8") if path.exists() else None
    path.write_text((before or '"""Planted."""\n') + f"\n{line}\n", encoding="utf-8")
    try:
        told = contracts(tree)
    finally:
        path.unlink() if before is None else path.write_text(before, encoding="utf-8")
    assert f"{contract} BROKEN" in told
    assert f"breakeven.{name.removesuffix('.py').replace('/', '.')} ->" in told


def test_an_unlisted_package_is_refused(tree: Path) -> None:
    """A new top-level package has to be given a layer first."""
    folder = tree / "src/breakeven/utils"
    folder.mkdir()
    (folder / "__init__.py").write_text('"""Planted."""\n', encoding="utf-8")
    try:
        told = contracts(tree)
    finally:
        shutil.rmtree(folder)
    assert f"{DOWN} BROKEN" in told
    assert "utils" in told


def test_the_tree_as_it_is_keeps_its_contracts(tree: Path) -> None:
    """Without a plant nothing is broken, so it is the plant that breaks it."""
    told = contracts(tree)
    assert "0 broken" in told, told
