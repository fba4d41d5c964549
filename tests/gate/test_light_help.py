"""Help is printed without loading a library that takes time."""

from __future__ import annotations

import pytest

from breakeven.cli.main import COMMANDS
from gate.places import run_tool

HEAVY = (
    "numpy", "scipy", "torch", "cupy", "jax", "sklearn", "pynvml", "threadpoolctl", "psutil",
    "vl_convert", "jinja2", "rich", "pandas", "multiprocessing",
)  # fmt: skip
CODE = """\
import sys
from breakeven.cli.main import main
sys.argv = ["breakeven", *sys.argv[1:]]
try:
    main()
finally:
    print("LOADED", *sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        *([name, "--help"] for name in COMMANDS),
    ],
)
def test_a_fresh_interpreter_prints_help_light(arguments: list[str]) -> None:
    """The modules that a fresh interpreter has loaded by then hold no framework."""
    done = run_tool("-c", CODE, *arguments)
    assert done.returncode == 0, done.stderr
    text, _, loaded = done.stdout.partition("LOADED")
    assert "breakeven" in text
    assert sorted(set(HEAVY) & set(loaded.split())) == []
