"""Functions are short enough to be read at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gate.places import ROOT

MOST = 60


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function without its docstring, which may be as long as it takes."""
    first = function.body[0]
    said = 0
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        said = (first.end_lineno or first.lineno) - first.lineno + 1
    return (function.end_lineno or function.lineno) - function.lineno + 1 - said


def too_long(source: str) -> Iterator[str]:
    """Yield the name of each function of over 60 lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and lines_of(node) > MOST:
            yield node.name


def test_no_function_of_the_package_is_longer_than_sixty_lines() -> None:
    """There is no exception: what is longer has a part that deserves a name."""
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sorted((ROOT / "src").rglob("*.py"))
        for name in too_long(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_a_long_function_is_seen_and_a_long_docstring_is_not() -> None:
    """One line more than allowed is named; the same lines said in words are not."""
    body = "".join(f"    x = {n}\n" for n in range(MOST))
    short = body[: body.rindex("    x")]
    said = '    """Say.\n' + "\n".join(["    more"] * MOST) + '\n    """\n'
    assert list(too_long(f"def f():\n{body}")) == ["f"]
    assert list(too_long(f"def f():\n{short}")) == []
    assert list(too_long(f"def f():\n{said}    return 1\n")) == []
