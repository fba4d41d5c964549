"""Finds backends by name: the built-in ones, scripts, with those that other packages register."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

from breakeven.backends.base import Backend
from breakeven.backends.cupy import CupyBackend
from breakeven.backends.numpy import NumpyBackend
from breakeven.backends.scripted import PREFIX, ScriptedBackend, read_script
from breakeven.backends.torch import TorchBackend
from breakeven.errors import InputError
from breakeven.model.spec import Precision

GROUP = "breakeven.backends"
BUILT_IN: dict[str, Callable[[Precision], Backend]] = {
    "numpy": NumpyBackend,
    "torch-cpu": lambda precision: TorchBackend("cpu", precision),
    "cupy": CupyBackend,
    "torch-cuda": lambda precision: TorchBackend("cuda", precision),
}


def names() -> tuple[str, ...]:
    """Return the names of all backends, whether they can run here or not."""
    return (*BUILT_IN, *sorted(e.name for e in entry_points(group=GROUP)))


def expand(name: str) -> tuple[str, ...]:
    """Return the backends that `name` stands for: ``scripted:FILE`` stands for all its actors.

    An actor is called ``scripted:FILE#ACTOR``.
    """
    if not name.startswith(PREFIX) or "#" in name:
        return (name,)
    script = read_script(_path(name))
    return tuple(f"{name}#{actor}" for actor in script.actors)


def get(name: str, seed: str = "", precision: Precision = "float32") -> Backend:
    """Return the backend called `name`.

    Parameters
    ----------
    seed : str
        What makes a scripted process differ from others.
    precision : str
        What it shall compute in. A backend of another package is not told: it takes arrays as
        they are, and is asked for no other precision.

    Raises
    ------
    InputError
        If no backend has that name.
    """
    if name.startswith(PREFIX):
        script, actor = read_script(_path(name)), name.rpartition("#")[2]
        if actor not in script.actors:
            raise InputError(
                f"{_path(name)} has no actor called {actor!r}",
                f"choose from: {', '.join(script.actors) or 'none are in it'}",
            )
        return ScriptedBackend(f"{PREFIX}{actor}", script, seed, precision)
    if name in BUILT_IN:
        return BUILT_IN[name](precision)
    for found in entry_points(group=GROUP):
        if found.name == name:
            made: Backend = found.load()()
            return made
    known = ", ".join(names())
    raise InputError(f"no backend is called {name!r}", f"choose from: {known}, scripted:FILE")


def _path(name: str) -> Path:
    # Unlike pathlib's, this leaves the home of nobody as it is: no file is found there.
    return Path(os.path.expanduser(name.removeprefix(PREFIX).partition("#")[0]))  # noqa: PTH111
