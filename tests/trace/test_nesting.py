"""Own times and innermost operators, against a line of instants."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from breakeven.trace.chrome import Span
from breakeven.trace.nesting import nest

Tree = tuple[int, list["Tree"]]


def spans_of(tree: Tree, begin: int, depth: int, out: list[tuple[int, int, int]]) -> int:
    """Lay an operator and those within it on a line; return where it ends."""
    lead, inner = tree
    place = len(out)
    out.append((begin, begin, depth))
    at = begin + lead
    for one in inner:
        at = spans_of(one, at, depth + 1, out)
    at += 1
    out[place] = (begin, at, depth)
    return at


TREES = st.recursive(
    st.tuples(st.integers(0, 3), st.just([])),
    lambda inner: st.tuples(st.integers(0, 3), st.lists(inner, max_size=3)),
    max_leaves=8,
)


@given(st.lists(TREES, min_size=1, max_size=3), st.randoms())
def test_every_instant_belongs_to_the_innermost_operator(trees: list[Tree], order: object) -> None:
    """Own time is the number of instants that no inner operator has, in whatever order they come."""
    laid: list[tuple[int, int, int]] = []
    at = 0
    for tree in trees:
        at = spans_of(tree, at, 0, laid)
    order.shuffle(laid)  # type: ignore[attr-defined]
    operators = [Span(str(n), begin, end, "t") for n, (begin, end, _) in enumerate(laid)]
    instants = [("t", x + 0.5) for x in range(at)]
    found = nest(operators, instants)
    own = [0] * len(laid)
    for (_, x), owner in zip(instants, found.owners, strict=True):
        around = [(depth, n) for n, (a, b, depth) in enumerate(laid) if a <= x < b]
        expected = max(around)[1] if around else None
        assert owner == expected
        if expected is not None:
            own[expected] += 1
    assert found.own_s == own


def test_threads_know_nothing_of_each_other() -> None:
    """An operator of another thread is no outer one, however long it is."""
    operators = [Span("forward", 0.0, 10.0, "a"), Span("backward", 2.0, 6.0, "b")]
    found = nest(operators, [("b", 3.0), ("b", 8.0), ("c", 3.0)])
    assert found.own_s == [10.0, 4.0]
    assert found.owners == [1, None, None]


def test_an_operator_that_outlasts_the_one_around_it_is_cut() -> None:
    """Stamps may be a little off: no time is counted twice, and none is negative."""
    operators = [Span("outer", 0.0, 5.0, "a"), Span("inner", 3.0, 7.0, "a")]
    assert nest(operators, []).own_s == [3.0, 2.0]
