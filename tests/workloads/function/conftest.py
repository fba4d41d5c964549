"""Users' functions in files, each with what makes its arguments."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from breakeven.workloads.function.agreement import Compared, compared
from breakeven.workloads.function.arguments import Maker
from breakeven.workloads.function.reference import Run, wanted_of
from breakeven.workloads.function.target import function_in, load_module, parsed
from breakeven.workloads.function.wanted import Wanted, read, stored


class Written(NamedTuple):
    """A function of a user with what makes its arguments."""

    maker: Maker
    function: Callable[..., Any]
    path: Path


Write = Callable[..., Written]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return what writes a user's file, and returns its function `f`."""

    def written(source: str, inputs: str | None = None, name: str = "users.py") -> Written:
        path = tmp_path / name
        path.write_text("import numpy as np\n" + textwrap.dedent(source))
        target = parsed(f"{path}:f")
        module = load_module(target)
        function = function_in(module, target)
        return Written(Maker(target, inputs, module, function, 42), function, path)

    return written


def held_against(
    written: Written, other: Callable[..., Any], size: int = 300, rtol: float | None = None
) -> tuple[Wanted, Compared]:
    """Return what NumPy's answer asks for, and how another function's answer compares with it."""
    wanted, values, _ = wanted_of(written.maker, written.function, size, 1, rtol)
    wanted, values = read(stored(wanted, values))
    arguments = written.maker.make(size)
    arrays = [leaf.value for leaf in arguments.leaves]
    run = Run(other, arguments, arrays)
    found = run.leaves(wanted.altered, arguments)
    return wanted, compared(found, wanted, values, arrays, 1)
