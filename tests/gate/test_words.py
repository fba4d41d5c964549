"""The project's files name no machine, host or folder of whoever wrote them."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

from gate.places import ROOT


def test_every_test_states_one_fact() -> None:
    """Each test's docstring is one sentence in one paragraph, however many lines it takes."""
    faults = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        if not (ast.get_docstring(node) or "").endswith(".")
        or "\n\n" in (ast.get_docstring(node) or "")
    ]
    assert faults == []


def test_set_up_names_no_network_host() -> None:
    """Where packages come from is pip's own setting: no file of the set-up names a place."""
    files = [
        ROOT / "Makefile",
        ROOT / ".ci/run",
        ROOT / "constraints.txt",
        *ROOT.glob("tools/*.py"),
    ]
    assert [f.name for f in files if "://" in f.read_text(encoding="utf-8")] == []


def test_the_gates_script_is_sound_shell() -> None:
    """Bash reads it to the end, and it can be started."""
    script: Path = ROOT / ".ci/run"
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
    assert script.stat().st_mode & 0o111
