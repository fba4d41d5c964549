"""Functions of public code: all are there, each has a source, and a row tells what became of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ported_public
from breakeven.model.ported import FunctionSpec
from breakeven.workloads.function.workload import FunctionWorkload

FUNCTIONS = ported_public.functions()


def row(name: str, reach: str, **more: object) -> dict[str, Any]:
    """Return what became of one function."""
    return {"function": name, "library": "cupy", "size": 64, "reach": reach, **more}


def test_there_are_enough_functions_each_with_its_source() -> None:
    """At least thirty, none without a public project that it was rewritten from."""
    assert len(FUNCTIONS) >= 30
    assert all(about["source"] and about["inputs"] for about in FUNCTIONS.values())


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # as such code has it
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_each_runs_on_numpy(name: str) -> None:
    """It gives numbers, all of them finite, and they can be held against another library's."""
    module, _, function = name.partition(".")
    spec = FunctionSpec(
        target=f"{ported_public.FOLDER / module}.py:{function}", inputs=FUNCTIONS[name]["inputs"]
    )
    _, reference = FunctionWorkload(name, spec, 1).make(64, "float64", 1)
    floats = [a for a in reference.values() if a.dtype.kind in "fc"]
    assert reference
    assert all(np.isfinite(a).all() for a in floats)


def test_a_process_that_dies_is_a_miss() -> None:
    """What crashed has no category, and the row says so; what failed for a reason is none."""
    lacking = {"category": "missing-function", "line": 3, "message": "no such thing"}
    crashed = lacking | {"category": "crashed"}
    good = [row("a.b", "fully", failure=None), row("a.c", "failed", failure=lacking)]
    assert ported_public.result(good).met is True
    assert ported_public.result(good).figure == "cupy: 1 of 2 fully, 0 caught as wrong"
    assert ported_public.result([*good, row("a.d", "failed", failure=crashed)]).met is False


def test_the_table_says_why() -> None:
    """A line for each function, the count, and the reason of each failure."""
    lacking = {"category": "missing-function", "line": 3, "message": "no such thing"}
    text = ported_public.table([row("a.b", "fully"), row("a.c", "failed", failure=lacking)])
    assert "cupy, n = 64: 1 of 2 fully, with right answers" in text
    assert "a.c on cupy, n = 64: missing-function, line 3: no such thing" in text
