"""A function in hand becomes one that another process finds, or one line says why not."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from breakeven.errors import InputError
from breakeven.lab.source_of import target_of

SCALE = np.arange(3.0)


def helper(x: Any) -> Any:  # noqa: ANN401  arrays
    """Double."""
    return x * 2


def again(text: str) -> Callable[..., Any]:
    """Return the function that a text names, from its file alone."""
    path, _, name = text.rpartition(":")
    found: Callable[..., Any] = runpy.run_path(path)[name]
    return found


def test_a_function_of_a_file_stays_there() -> None:
    """A function that its module defines is named by file and name."""
    with target_of(helper) as text:
        assert text == f"{__file__}:helper"


def test_a_text_is_taken_as_it_is() -> None:
    """What names a function already is handed on."""
    with target_of("own.py:f") as text:
        assert text == "own.py:f"


def test_a_closure_is_written_with_what_it_names() -> None:
    """Arrays, numbers, modules and other functions that it names come along."""
    weight, table = 3.0, np.arange(4.0)

    def inner(x: Any) -> Any:  # noqa: ANN401  arrays
        return np.sum(x) * weight + table.sum() + SCALE.sum()

    with target_of(inner) as text:
        made = again(text)
        assert made(np.ones(2)) == inner(np.ones(2)) == 15.0


def test_a_lambda_is_cut_out_of_its_line() -> None:
    """The source of a lambda is a piece of a statement, and works without the rest."""
    double = lambda x: np.add(x, x)  # noqa: E731  a lambda is what is tested
    with target_of(double) as text:
        assert again(text)(np.ones(2)).tolist() == [2.0, 2.0]


def test_what_cannot_be_carried_is_named() -> None:
    """An object that no line of source makes is refused by its name."""
    held = object()

    def inner(x: Any) -> Any:  # noqa: ANN401  arrays
        return x, held

    with pytest.raises(InputError, match="names 'held', of type object"), target_of(inner):
        pass


def test_a_builtin_has_no_source() -> None:
    """What is not written in Python cannot be run behind another library."""
    with (
        pytest.raises(InputError, match="no function that is written in Python"),
        target_of(len),
    ):
        pass
