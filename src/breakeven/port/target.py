"""Finds the user's function: a file or an installed module, and a name in it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from breakeven.errors import InputError
from breakeven.port.hook import Hook, package_of

FORM = "name it as FILE.py:FUNC or package.module:FUNC"


class Target(Protocol):
    """Where a function comes from."""

    name: str

    @property
    def path(self) -> Path | None:
        """Its file; None where there is none."""
        ...

    @property
    def roots(self) -> tuple[Path, ...]:
        """Folders whose modules are the user's own."""
        ...

    def resolve(self, hook: Hook) -> Callable[..., Any]:
        """Return the function, its module executed behind `hook`."""
        ...

    def node(self) -> ast.AST | None:
        """Return its source as a tree; None where there is none."""
        ...


class SourceTarget:
    """A function in a file.

    Attributes
    ----------
    name : str
        Dotted, within its module.
    roots : tuple of Path
        Folders whose modules are the user's own.
    """

    def __init__(self, name: str, module: str, path: Path, root: Path) -> None:
        self.name, self.module, self.path, self.roots = name, module, path, (root,)

    def resolve(self, hook: Hook) -> Callable[..., Any]:
        """Return the function, its module executed behind `hook`."""
        loaded = hook.load(self.module)
        if loaded is None:
            loaded = hook.execute(self.module, self.path)
        found: Any = loaded
        for part in self.name.split("."):
            if not hasattr(found, part):
                raise InputError(f"{self.path} has no function {self.name!r}", _others(self.path))
            found = getattr(found, part)
        if not callable(found):
            raise InputError(f"{self.name!r} in {self.path} cannot be called", _others(self.path))
        called: Callable[..., Any] = found
        return called

    def node(self) -> ast.AST | None:
        """Return its source as a tree; None where it is made in another way than by `def`."""
        return function_node(self.path, self.name)


def find_target(text: str, folder: Path) -> SourceTarget:
    """Return what ``FILE.py:FUNC`` or ``package.module:FUNC`` names.

    Raises
    ------
    InputError
        If it names no file, or no module with source.
    """
    where, _, name = text.rpartition(":")
    if not where or not name:
        raise InputError(f"{text!r} names no function", FORM)
    if where.endswith(".py") or "/" in where:
        path = Path(where) if Path(where).is_absolute() else folder / where
        if not path.is_file():
            raise InputError(f"there is no file {where}", FORM)
        path = path.resolve()
        return SourceTarget(name, path.stem, path, path.parent)
    found = package_of(where, folder)
    if found is None:
        raise InputError(f"no module {where!r} with Python source was found", FORM)
    root, path = found
    return SourceTarget(name, where, path.resolve(), root.resolve())


def function_node(path: Path, name: str) -> ast.AST | None:
    """Return the tree of the function called `name` in a file; None if it stands in no `def`."""
    try:
        body: list[ast.stmt] = ast.parse(path.read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return None
    found: ast.AST | None = None
    for part in name.split("."):
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        found = next((n for n in body if isinstance(n, kinds) and n.name == part), None)
        if found is None:
            found = next(
                (n.value for n in body if isinstance(n, ast.Assign) and _binds(n, part)), None
            )
            return found if isinstance(found, ast.Lambda) else None
        body = getattr(found, "body", [])
    return found


def _binds(node: ast.Assign, name: str) -> bool:
    return any(isinstance(t, ast.Name) and t.id == name for t in node.targets)


def _others(path: Path) -> str:
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return FORM
    names = [n.name for n in tree.body if isinstance(n, ast.FunctionDef)]
    return f"it has: {', '.join(names)}" if names else FORM
