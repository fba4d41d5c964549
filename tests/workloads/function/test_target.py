"""A function is found by its file or module, without running it, or one line says what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.errors import InputError
from breakeven.workloads.function.target import checked, library_of, parsed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("softmax", "names no function"),
        ("a-b:f", "neither a Python file nor a module"),
        ("gone.py:f", "there is no file 'gone.py'"),
        ("no.such.module:f", "there is no module 'no.such.module'"),
        ("math:sin", "not written in Python"),
        ("{path}:softmx", "did you mean softmax?"),
        ("{broken}:f", "is no Python that runs here"),
    ],
)
def test_what_cannot_be_found_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    """A wrong form, a missing file, module or function, and broken source are each named."""
    path, broken = tmp_path / "own.py", tmp_path / "broken.py"
    path.write_text("def softmax(x):\n    return x\n")
    broken.write_text("def f(x:\n")
    with pytest.raises(InputError, match=said) as caught:
        checked(text.format(path=path, broken=broken))
    assert "\n" not in str(caught.value)


def test_a_file_is_not_run_to_be_checked(tmp_path: Path) -> None:
    """Names are read from the source: what a script does stays undone."""
    path = tmp_path / "own.py"
    path.write_text("raise SystemExit('run')\nf = lambda x: x\n")
    assert checked(f"{path}:f").title == "f"


@pytest.mark.parametrize(
    ("source", "library"),
    [
        ("import torch", "torch"),
        ("from cupyx.scipy import special", "cupy"),
        ("def f():\n    import cupy as cp", "cupy"),
        ("import numba, numpy", "numpy"),
    ],
)
def test_a_port_is_given_arrays_of_what_it_imports(
    tmp_path: Path, source: str, library: str
) -> None:
    """The library of a port that was written by hand is the one that its file imports."""
    path = tmp_path / "port.py"
    path.write_text(source + "\n")
    assert library_of(parsed(f"{path}:f")) == library
