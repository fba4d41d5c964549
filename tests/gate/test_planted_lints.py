"""A planted violation of each lint is found, with the project's own settings."""

from __future__ import annotations

import json

import pytest

from gate.places import run_tool

GOOD = '"""A module."""\n\nfrom __future__ import annotations\n'
PLANTS = {
    "TID253": "\nimport torch\n\nprint_name = torch.__name__\n",
    "TID251": '\nimport time\n\n\ndef now() -> float:\n    """Return a time."""\n    return time.time()\n',
    "T201": "\nprint(1)\n",
    "BLE001": "\ntry:\n    X = 1\nexcept Exception:\n    X = 2\n",
    "E722": "\ntry:\n    X = 1\nexcept:\n    X = 2\n",
    "ANN001": '\n\ndef double(x) -> int:\n    """Return twice x."""\n    return 2 * x\n',
    "D103": "\n\ndef double(x: int) -> int:\n    return 2 * x\n",
    "TID252": "\nfrom . import units\n\nX = units\n",
    "F401": "\nimport os\n",
}


def codes(source: str, name: str) -> set[str]:
    """Return the codes that ruff gives for `source` if it lay at `name`."""
    done = run_tool(
        "-m", "ruff", "check", "--output-format=json", "--stdin-filename", name, "-", text=source
    )
    return {entry["code"] for entry in json.loads(done.stdout)}


@pytest.mark.parametrize("code", sorted(PLANTS))
def test_a_planted_line_is_found(code: str) -> None:
    """The rule fires in a module of the package."""
    assert code in codes(GOOD + PLANTS[code], "src/breakeven/workloads/planted.py")


@pytest.mark.parametrize("name", ["cupy", "cupyx", "jax", "pynvml", "torch"])
def test_no_framework_may_be_imported_at_top_level(name: str) -> None:
    """Not even where work runs: the coordinator imports these modules too."""
    assert "TID253" in codes(
        f"{GOOD}\nimport {name}\n\nX = {name}\n", "src/breakeven/backends/planted.py"
    )


def test_a_clean_module_passes() -> None:
    """Without a plant nothing fires, so it is the plant that is found."""
    assert codes(GOOD, "src/breakeven/workloads/planted.py") == set()


def test_an_untidy_module_fails_the_formatter() -> None:
    """The formatter refuses what it would write otherwise."""
    untidy = "x = {  'a':1 }\n"
    arguments = ("format", "--check", "--stdin-filename", "src/breakeven/planted.py", "-")
    assert run_tool("-m", "ruff", *arguments, text=untidy).returncode == 1
    assert run_tool("-m", "ruff", *arguments, text='x = {"a": 1}\n').returncode == 0
