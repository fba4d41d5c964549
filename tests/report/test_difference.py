"""A difference as text."""

from __future__ import annotations

from breakeven.model.difference import Change, ChangeWord, Difference, Fact, Run
from breakeven.report.difference import answer, text_of

A = Run(id="2026-12-01T10-22-07-3f9a", started="", command=("run", "matmul"), device="NVIDIA H200")
B = Run(id="2026-12-02T10-22-07-3f9b", started="", command=("run", "matmul"), device="NVIDIA H200")


def change(word: ChangeWord, ratio: float = 1.0, **fields: object) -> Change:
    """Return one case."""
    values = {"entry": "cupy", "size": 512} | fields
    return Change(
        workload="matmul", scope="transfer", word=word, a_s=1e-3, b_s=1e-3 / ratio, rounds_a=8,
        rounds_b=8, ratio=ratio, low=ratio * 0.99, high=ratio * 1.01, margin=1.05, **values,
    )  # type: ignore[arg-type]  # fmt: skip


def found(*changes: Change, same: bool = True, **fields: object) -> Difference:
    """Return a difference."""
    return Difference(a=A, b=B, same_machine=same, changes=changes, **fields)  # type: ignore[arg-type]


def test_slower_comes_first_and_the_worst_is_named() -> None:
    """The first sentence names the case that lost most, with its ratio and interval."""
    said = answer(
        found(change("faster", 1.5), change("slower", 0.9), change("slower", 0.8, size=9))
    )
    assert said == (
        "B is slower in 2 of 3 judged cases, most so in matmul 9, cupy (travelling): A takes "
        "0.800x [0.792, 0.808] of the time of B. In all: 2 slower and 1 faster."
    )


def test_sameness_is_told_as_far_as_it_goes() -> None:
    """Proven sameness, what is merely not proven different, and nothing judged are three answers."""
    assert answer(found(change("same"))).startswith("The same: no case differs by a factor of 1.05")
    assert answer(found(change("same"), change("open"))).startswith("The same, as far as these")
    assert answer(found(change("withheld"))).startswith("No case can be judged")
    assert answer(found(change("slower", 0.5), same=False)).startswith("Not the same machine")


def test_no_line_is_wide_and_names_cannot_steer_a_terminal() -> None:
    """Lines fit 80 columns, and control characters of a stored name are taken out."""
    evil = change("withheld", entry="cu\x1b[2Jpy", why="B: it ended\x1b[2J", reason="status")
    facts = (
        Fact(name="library numpy", a="2.5\x1b[2J", b=None),
        Fact(name="x" * 30, a="y" * 90, b="z"),
    )
    text = text_of(found(evil, change("same"), facts=facts, only_a=("matmul 1 \x1b[2J transfer",)))
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_each_reason_stands_once_with_its_count() -> None:
    """Ten cases that are withheld for one reason make one line."""
    text = text_of(
        found(*[change("withheld", size=n, why="B is a quick run") for n in range(1, 11)])
    )
    assert text.count("B is a quick run") == 1
    assert "withheld (10 cases): B is a quick run" in text
