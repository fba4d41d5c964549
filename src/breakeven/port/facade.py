"""What stands for NumPy in a user's module: namespaces of one library under NumPy's names."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import msgspec

from breakeven.errors import MissingError

Instead = Callable[[str], Any]


class FacadeModule(types.ModuleType):
    """A module of NumPy or SciPy as one library has it.

    Parameters
    ----------
    name : str
        NumPy's name of it, such as ``numpy.linalg``.
    library : str
        Who lacks what is not there.
    names : dict
        What it offers.
    missing : callable or None
        Makes what stands for a name that is not there; None makes it an error.
    part : callable or None
        Returns the module below it that has a full name, made when it is first asked for.
    """

    def __init__(
        self,
        name: str,
        library: str,
        names: dict[str, Any],
        missing: Instead | None = None,
        part: Instead | None = None,
    ) -> None:
        super().__init__(name)
        self.__dict__.update(names)
        self.__dict__["_library"] = library
        self.__dict__["_missing"] = missing
        self.__dict__["_part"] = part
        # What makes it a package, so that ``import numpy.linalg`` is looked for below it.
        self.__dict__["__path__"] = []

    def __getattr__(self, name: str) -> Any:
        full = f"{self.__name__}.{name}"
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        below = None if self._part is None else self._part(full)
        if below is not None:
            setattr(self, name, below)
            return below
        if self._missing is not None:
            found = self._missing(full)
            setattr(self, name, found)
            return found
        raise MissingError(f"{self._library} has no {full}", full)


class MissingCall:
    """A name that was imported by itself and that the library lacks: an error once it is used."""

    def __init__(self, full: str, library: str) -> None:
        self.__name__ = full.rpartition(".")[2]
        self._full, self._library = full, library

    def _refuse(self) -> MissingError:
        return MissingError(f"{self._library} has no {self._full}", self._full)

    def __call__(self, *_: object, **__: object) -> Any:
        """Refuse.

        Raises
        ------
        MissingError
            Always.
        """
        raise self._refuse()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self._refuse()


class Facade(msgspec.Struct, kw_only=True):
    """One library under NumPy's names.

    Attributes
    ----------
    family : str
        Whose names these are.
    namespaces : callable
        Returns the names of a module by NumPy's name of it (``numpy.fft``, ``scipy.special``);
        None where the library has nothing of the kind.
    array_type : type
        What the user's function sees as ``numpy.ndarray``.
    wrap, unwrap : callable
        Make an array that the function sees of one of the library; and back.
    slow : frozenset of str
        Full names that go by a slow way.
    reseed : callable
        Starts the random streams of the host anew from a seed.
    """

    family: str
    library: str
    namespaces: Callable[[str], dict[str, Any] | None]
    array_type: type
    wrap: Callable[[Any], Any]
    unwrap: Callable[[Any], Any]
    slow: frozenset[str] = frozenset()
    reseed: Callable[[int], None] = lambda _: None


class Modules:
    """The modules of a facade, each made when it is first asked for.

    Parameters
    ----------
    facade : Facade
        Whose.
    dressed : callable
        Turns what a module offers, with its full name, into what the user's function is handed.
    missing : callable or None
        Makes what stands for a name that is not there.
    """

    def __init__(
        self,
        facade: Facade,
        dressed: Callable[[Any, str], Any] = lambda found, _: found,
        missing: Instead | None = None,
    ) -> None:
        self._facade, self._dressed, self._missing = facade, dressed, missing
        self._made: dict[str, FacadeModule | None] = {}

    def __call__(self, name: str) -> FacadeModule | None:
        """Return the module called `name`; None where the library has nothing of the kind."""
        if name not in self._made:
            names = self._facade.namespaces(name)
            if names is None:
                self._made[name] = None
            else:
                dressed = {k: self._dressed(v, f"{name}.{k}") for k, v in names.items()}
                self._made[name] = FacadeModule(
                    name, self._facade.library, dressed, self._missing, self
                )
        return self._made[name]

    def empty(self, name: str) -> FacadeModule:
        """Return a module of which the library has nothing."""
        made = self._made.get(name) or FacadeModule(
            name, self._facade.library, {}, self._missing, self
        )
        self._made[name] = made
        return made
