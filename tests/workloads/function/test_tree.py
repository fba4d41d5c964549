"""A value is taken apart into its arrays, and put together with others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from breakeven.workloads.function.tree import put_together, taken_apart


@dataclass(frozen=True)
class Body:
    """A frozen dataclass with an array in it."""

    place: np.ndarray
    name: str


class Pair(NamedTuple):
    """A named tuple of arrays."""

    left: np.ndarray
    right: np.ndarray


def test_arrays_are_found_wherever_they_stand() -> None:
    """Tuples, lists, dicts, named tuples and dataclasses give up their arrays, each with a path."""
    x = np.zeros(2)
    value = (x, [x, {"k": x}], Pair(x, x), Body(x, "a"), 3.0, "text")
    leaves, _ = taken_apart(value)
    assert [leaf.path for leaf in leaves] == [
        "[0]", "[1][0]", "[1][1]['k']", "[2].left", "[2].right", "[3].place",
    ]  # fmt: skip


def test_a_value_is_put_together_with_other_arrays() -> None:
    """Containers come back of their own kinds, with constants as they were, arrays replaced."""
    value = ({"a": np.zeros(2), "n": 3}, Body(np.zeros(1), "b"))
    leaves, node = taken_apart(value)
    made = put_together(node, [np.ones(leaf.value.shape) for leaf in leaves])
    assert made[0]["n"] == 3
    assert made[0]["a"].tolist() == [1.0, 1.0]
    assert (made[1].place.tolist(), made[1].name) == ([1.0], "b")
    assert value[1].place.tolist() == [0.0]


def test_numbers_count_in_an_answer_alone() -> None:
    """Numbers of Python and NumPy are constants in arguments, and values in an answer."""
    value = (1, 2.5, np.float64(3), True)
    assert taken_apart(value)[0] == []
    assert [leaf.value for leaf in taken_apart(value, numbers=True)[0]] == [1, 2.5, 3.0, True]


def test_a_class_may_stand_for_another() -> None:
    """An object is made anew of the class that a port has in place of the user's own."""

    @dataclass
    class Other:
        place: np.ndarray
        name: str

    leaves, node = taken_apart(Body(np.zeros(1), "b"))
    made = put_together(node, [leaf.value for leaf in leaves], lambda _kind: Other)
    assert type(made) is Other
    assert made.name == "b"
