"""Arguments come from an expression, from the file, or from defaults; else one line says so."""

from __future__ import annotations

import pytest

from breakeven.errors import InputError
from breakeven.workloads.function.arguments import compiled
from workloads.function.conftest import Write


def test_an_expression_gives_them(write: Write) -> None:
    """A tuple is positional, a dict is by name, anything else is the one argument."""
    source = "def f(a, b=None):\n    return a"
    for inputs, names in [
        ("(rng.random(n), rng.random(n))", ["a", "b"]),
        ("{'b': rng.random(n), 'a': 1}", ["b"]),
        ("rng.random(n)", ["a"]),
    ]:
        made = write(source, inputs).maker.make(4)
        assert [leaf.path for leaf in made.leaves] == names


def test_the_same_seed_gives_the_same_values(write: Write) -> None:
    """Arguments are made anew in each process: their digest tells other values from the same."""
    written = write("def f(a):\n    return a", "rng.random(n)")
    assert written.maker.make(8).digest() == written.maker.make(8).digest()
    assert written.maker.make(8).digest() != written.maker.make(9).digest()


def test_names_of_the_file_may_be_used(write: Write) -> None:
    """A class of the user's file can be made in the expression."""
    source = """
        from dataclasses import dataclass
        @dataclass
        class State:
            x: np.ndarray
        def f(state):
            return state.x
    """
    made = write(source, "State(rng.random(n))").maker.make(3)
    assert [leaf.path for leaf in made.leaves] == ["state.x"]


def test_the_file_makes_them_where_it_says_how(write: Write) -> None:
    """`make_inputs(n, rng)` of the same file is called where there is no expression."""
    written = write("def f(x):\n    return x\ndef make_inputs(n, rng):\n    return rng.random(n)")
    assert written.maker.source == "make_inputs() of the file"
    assert written.maker.make(5).leaves[0].value.shape == (5,)


def test_a_parameter_takes_the_size(write: Write) -> None:
    """A function of a size alone is called with it."""
    written = write("def f(n, k=2):\n    return np.ones(n) * k")
    assert written.maker.sized
    assert written.maker.make(7).call_with([]) == ((), {"n": 7})


@pytest.mark.parametrize(
    ("source", "inputs", "said"),
    [
        ("def f(x):\n    return x", None, "nothing says what f\\(x\\) is called with"),
        ("def f(x):\n    return x", "rng.ranom(n)", "--inputs fails at n = 4: AttributeError"),
        ("def f(x):\n    return x", "(1, 2)", "does not take them: too many positional"),
        ("def f(x):\n    return x", "{3: 1}", "a name 3 that is no text"),
        (
            "def f(x):\n    return x\ndef inputs(n, rng):\n    return n / 0",
            None,
            "inputs\\(\\) of the file fails at n = 4: ZeroDivisionError.*users.py line 5: return n / 0",
        ),
    ],
)
def test_what_is_wrong_is_one_line(
    write: Write, source: str, inputs: str | None, said: str
) -> None:
    """Each way to get the arguments wrong is told, with the user's own line where there is one."""
    with pytest.raises(InputError, match=said):
        write(source, inputs).maker.make(4)


def test_an_expression_is_checked_before_anything_runs() -> None:
    """What is no Python is refused where it was typed."""
    with pytest.raises(InputError, match="never closed"):
        compiled("rng.random(n")
