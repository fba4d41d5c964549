"""The user's own model or data: a function in a file, loaded by path."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from breakeven.backends.found import first_line
from breakeven.errors import InputError

_SHAPE = "write it FILE.py:FACTORY, such as net.py:model"


def named(text: str) -> bool:
    """Tell whether `text` names a function in a file rather than something built in."""
    return ".py:" in text


def load(text: str, what: str) -> Callable[..., Any]:
    """Return the function that ``FILE.py:FACTORY`` names.

    The file runs as a module of its own, with its folder first on the path, so that it finds what
    lies beside it.

    Parameters
    ----------
    what : str
        What it makes, for the message: ``"model"`` or ``"data"``.

    Raises
    ------
    InputError
        If there is no such file, it fails when it is run, or it has no such function.
    """
    file, _, name = text.rpartition(":")
    path = Path(file)
    if not name.isidentifier():
        raise InputError(f"{text!r} names no function for the {what}", _SHAPE)
    if not path.is_file():
        raise InputError(f"there is no file {file!r} for the {what}", _SHAPE)
    module = _module(path, what)
    if not hasattr(module, name):
        raise InputError(f"{path.name} defines no {name!r}", _known(module))
    found = getattr(module, name)
    if not callable(found):
        kind = type(found).__name__
        raise InputError(
            f"{name} in {path.name} is no function but of type {kind}",
            f"define a function that returns the {what}",
        )
    function: Callable[..., Any] = found
    return function


def _module(path: Path, what: str) -> Any:  # noqa: ANN401  a module
    spec = importlib.util.spec_from_file_location(f"breakeven_user_{path.stem}", path.resolve())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Processes of a loader look what they unpickle up here.
    sys.modules[spec.name] = module
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(
            f"{path.name} fails when it is run ({first_line(error)})", f"mend the {what}'s file"
        ) from error
    return module


def _known(module: Any) -> str:  # noqa: ANN401  a module
    own = [
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__
    ]
    return f"it has: {', '.join(sorted(own))}" if own else "it defines no function at all"


def call(function: Callable[..., Any], text: str, offered: dict[str, object]) -> Any:  # noqa: ANN401
    """Call a factory with those of the offered keyword arguments that it takes.

    Raises
    ------
    InputError
        If it asks for an argument that is not offered, or fails.
    """
    taken, missing = _arguments(function, offered)
    if missing:
        asked = ", ".join(missing)
        raise InputError(
            f"{text} asks for {asked}, which is not known here",
            f"it may take: {', '.join(offered)}; give the others a default",
        )
    try:
        return function(**taken)
    except Exception as error:
        raise InputError(f"{text} fails ({first_line(error)})", "call it by hand to see") from error


def _arguments(
    function: Callable[..., Any], offered: dict[str, object]
) -> tuple[dict[str, object], list[str]]:
    taken: dict[str, object] = {}
    missing: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            taken = {**offered, **taken}
        elif parameter.kind is parameter.VAR_POSITIONAL:
            continue
        elif name in offered and parameter.kind is not parameter.POSITIONAL_ONLY:
            taken[name] = offered[name]
        elif parameter.default is parameter.empty:
            missing.append(name)
    return taken, missing
