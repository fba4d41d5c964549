"""A function in hand as one that other processes can find: by its file, or written to one."""

from __future__ import annotations

import ast
import inspect
import shutil
import sys
import tempfile
import textwrap
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from breakeven.errors import InputError

_FIX = "write it to a file, and name it as FILE.py:FUNC"
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


@contextmanager
def target_of(func: Callable[..., Any] | str) -> Iterator[str]:
    """Yield ``FILE.py:FUNC`` for a function, a lambda, or a text that says so already.

    A function of a module stays where it is. One of a notebook or of the script that runs, or made
    inside another function, is written to a file of its own with what it names: imports, other
    functions, numbers, arrays. A script would do all that it does once more in each process.

    Raises
    ------
    InputError
        If it has no source, or names something that cannot be written down.
    """
    if isinstance(func, str):
        yield func
        return
    plain = inspect.unwrap(func)
    module = getattr(func, "__module__", "") or ""
    file = getattr(sys.modules.get(module), "__file__", None)
    name = getattr(func, "__qualname__", "")
    if file and module != "__main__" and "<" not in name and str(file).endswith(".py"):
        # What is installed is found by its name, for it may import its neighbours.
        installed = "site-packages" in Path(file).parts
        yield f"{module if installed else Path(file).resolve()}:{name}"
        return
    if not isinstance(plain, types.FunctionType):
        raise InputError(f"{func!r} is no function that is written in Python", _FIX)
    folder = Path(tempfile.mkdtemp(prefix="breakeven-function-"))
    try:
        yield f"{_Written(folder).file_of(plain)}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Written:
    """A module that is written from functions, one after another."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # What annotations name need not be there.
        self._parts = ["from __future__ import annotations"]
        self._done: dict[str, object] = {}

    def file_of(self, function: types.FunctionType) -> str:
        name = function.__name__ if function.__name__ != "<lambda>" else "function"
        self._add(name, function)
        path = self._folder / "notebook.py"
        path.write_text("\n\n".join(self._parts) + "\n", encoding="utf-8")
        return f"{path}:{name}"

    def _add(self, name: str, value: object) -> None:
        if name in self._done:
            return
        self._done[name] = value
        self._parts.append(self._text(name, value))

    def _text(self, name: str, value: object) -> str:
        if isinstance(value, (types.FunctionType, type)):
            return self._defined(name, value)
        return self._held(name, value)

    def _defined(self, name: str, value: types.FunctionType | type) -> str:
        module = getattr(value, "__module__", "__main__")
        file = getattr(sys.modules.get(module), "__file__", None)
        if file is not None and module != "__main__" and "<" not in value.__qualname__:
            return f"from {module} import {value.__qualname__} as {name}"
        return self._source(name, value)

    def _held(self, name: str, value: object) -> str:
        import numpy as np  # noqa: PLC0415  the user's function needs it anyway

        if isinstance(value, types.ModuleType):
            return f"import {value.__name__} as {name}"
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            np.save(self._folder / f"{name}.npy", value)
            return f"import numpy\n{name} = numpy.load({str(self._folder / name) + '.npy'!r})"
        if isinstance(value, _PLAIN):
            return f"{name} = {value!r}"
        if isinstance(value, (list, tuple, dict, set)) and ast_of(repr(value)):
            return f"{name} = {value!r}"
        found = getattr(value, "__name__", "")
        if found and getattr(np, found, None) is value:
            return f"from numpy import {found} as {name}"
        raise InputError(
            f"the function names {name!r}, of type {type(value).__name__}, which cannot be carried "
            "to another process",
            _FIX,
        )

    def _source(self, name: str, value: types.FunctionType | type) -> str:
        try:
            text = textwrap.dedent(inspect.getsource(value))
        except (OSError, TypeError) as error:
            raise InputError(f"the source of {name!r} is not there ({error})", _FIX) from error
        if isinstance(value, types.FunctionType):
            if value.__name__ == "<lambda>":
                text = f"{name} = {_lambda_in(text, name)}"
            names = inspect.getclosurevars(value)
            for other, held in {**names.globals, **names.nonlocals}.items():
                if held is not value:
                    self._add(other, held)
        return text.rstrip()


def ast_of(text: str) -> bool:
    """Tell whether a text is a literal of Python."""
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return True


def _lambda_in(text: str, name: str) -> str:
    """Return the one lambda in a piece of source, which may be cut out of a longer statement."""
    start = text.find("lambda")
    for end in range(len(text), start, -1):
        try:
            tree = ast.parse(text[start:end], mode="eval")
        except SyntaxError:
            continue
        if isinstance(tree.body, ast.Lambda):
            return text[start:end].strip()
        if isinstance(tree.body, ast.Tuple) and isinstance(tree.body.elts[0], ast.Lambda):
            return ast.unparse(tree.body.elts[0])
    raise InputError(f"the source of {name!r} cannot be told from what stands around it", _FIX)
