"""Where the user's function stands: ``FILE.py:FUNC`` or ``package.module:FUNC``."""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from breakeven.errors import InputError

SHAPE = "write FILE.py:FUNC or package.module:FUNC, such as softmax.py:softmax"
MOST_NAMES = 6
# Functions of these names in the same file give the arguments, where the command line does not.
MAKERS = ("make_inputs", "inputs")


class Target(NamedTuple):
    """A function that the user named.

    Attributes
    ----------
    module : str
        Path of a file, or the dotted name of a module.
    name : str
        Of the function in it; a dot leads into a class.
    """

    module: str
    name: str

    @property
    def is_file(self) -> bool:
        """Whether it was given as a file."""
        return self.module.endswith(".py")

    @property
    def path(self) -> Path:
        """Its file, absolute; that of a module is found without running it."""
        return Path(self.module).expanduser().resolve() if self.is_file else _file_of(self.module)

    @property
    def title(self) -> str:
        """What the function is called in tables."""
        return self.name.rpartition(".")[2]


def parsed(text: str) -> Target:
    """Return what `text` names; nothing is read yet.

    Raises
    ------
    InputError
        If it is of neither form.
    """
    module, colon, name = text.rpartition(":")
    if not colon or not module or not all(part.isidentifier() for part in name.split(".")):
        raise InputError(f"{text!r} names no function", SHAPE)
    dotted = all(part.isidentifier() for part in module.split("."))
    if not module.endswith(".py") and not dotted:
        raise InputError(f"{module!r} is neither a Python file nor a module", SHAPE)
    return Target(module, name)


def checked(text: str) -> Target:
    """Return what `text` names, its file read but not run.

    Raises
    ------
    InputError
        If there is no such file or module, it is no Python, or it binds no such name.
    """
    target = parsed(text)
    path = target.path
    if not path.is_file():
        raise InputError(f"there is no file {target.module!r}", SHAPE)
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(f"{target.module} cannot be read ({error.strerror})", SHAPE) from error
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        raise InputError(
            f"{path.name} is no Python that runs here ({said}{line})", "mend it"
        ) from error
    names, open_ended = bound(tree)
    first = target.name.partition(".")[0]
    if first not in names and not open_ended:
        raise InputError(f"{path.name} has no function {first!r}", _instead(first, tree))
    return target


def bound(tree: ast.Module) -> tuple[set[str], bool]:
    """Return the names that a module binds, and whether it may bind others (``import *``)."""
    names: set[str] = set()
    open_ended = False
    for node in ast.walk(tree):
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.Import(names=found) | ast.ImportFrom(names=found):
                open_ended |= any(a.name == "*" for a in found)
                names |= {a.asname or a.name.partition(".")[0] for a in found}
            case _:
                pass
    return names, open_ended


def _instead(wanted: str, tree: ast.Module) -> str:
    defined = [n.name for n in tree.body if isinstance(n, ast.FunctionDef)]
    near = difflib.get_close_matches(wanted, defined, n=1)
    if near:
        return f"did you mean {near[0]}?"
    shown = ", ".join(defined[:MOST_NAMES])
    return f"it defines {shown}" if shown else "it defines no function at all"


def _file_of(module: str) -> Path:
    """Return the file of a module; packages above it are imported, as Python finds it no other way.

    The folder that the user works in is looked at first, as ``python -m`` does.
    """
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        found = importlib.util.find_spec(module)
    except Exception as error:
        # Packages run code of their own while they are looked through: it may raise anything.
        raise InputError(f"there is no module {module!r} ({error})", SHAPE) from error
    finally:
        if added:
            sys.path.remove(here)
    if found is None:
        raise InputError(f"there is no module {module!r} that can be imported here", SHAPE)
    if found.origin is None or not found.origin.endswith(".py"):
        raise InputError(f"{module} is not written in Python", "name the module that defines it")
    return Path(found.origin)


def load_module(target: Target) -> Any:  # noqa: ANN401  a module
    """Return the user's module, run as it is: its own imports, its own NumPy.

    Its folder comes first on the path, so that it finds what lies beside it. It does not run as
    ``__main__``: a script's own part stays asleep.
    """
    if not target.is_file:
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.insert(0, here)
        return importlib.import_module(target.module)
    path = target.path
    folder = str(path.parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(f"breakeven_own_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up by name, which no other module shall have.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def function_in(module: Any, target: Target) -> Callable[..., Any]:  # noqa: ANN401  a module
    """Return the function of a module that has been run.

    Raises
    ------
    InputError
        If the module does not have it after all, or it is no function.
    """
    found = module
    for part in target.name.split("."):
        if not hasattr(found, part):
            raise InputError(f"{target.module} has no {target.name!r} once it has run", SHAPE)
        found = getattr(found, part)
    if not callable(found):
        kind = type(found).__name__
        raise InputError(
            f"{target.name} in {target.module} is no function but of type {kind}",
            "name a function",
        )
    function: Callable[..., Any] = found
    return function


def maker_in(module: Any) -> Callable[..., Any] | None:  # noqa: ANN401  a module
    """Return the function of a module that makes arguments; None where it has none."""
    for name in MAKERS:
        found = getattr(module, name, None)
        if callable(found) and getattr(found, "__module__", None) == getattr(
            module, "__name__", ""
        ):
            maker: Callable[..., Any] = found
            return maker
    return None


def library_of(target: Target) -> str:
    """Return the array library that a file is written for, by what it imports first.

    That is ``cupy`` or ``torch``; any other file takes NumPy's arrays.
    """
    tree = ast.parse(target.path.read_bytes())
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=found):
                tops = {a.name.partition(".")[0] for a in found}
            case ast.ImportFrom(module=str(module)):
                tops = {module.partition(".")[0]}
            case _:
                continue
        for name in ("cupy", "torch"):
            if name in tops or (name == "cupy" and "cupyx" in tops):
                return name
    return "numpy"
