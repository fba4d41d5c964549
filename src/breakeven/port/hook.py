"""Executes the user's module afresh behind an import of its own; nobody else's imports change."""

from __future__ import annotations

import builtins
import importlib.util
import itertools
import sys
import types
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

from breakeven.port.facade import MissingCall, Modules

# Parts of NumPy that touch no array: the true ones serve.
_HARMLESS = frozenset(
    "numpy.typing numpy.exceptions numpy.version numpy.dtypes numpy.ctypeslib".split()
)

_NUMBERS = itertools.count()


class Hook:
    """The imports of one execution of a user's code.

    Parameters
    ----------
    modules : Modules
        What stands for NumPy and SciPy.
    library : str
        Whose they are, for messages.
    roots : sequence of Path
        Folders whose modules are the user's own: these are executed afresh as well.
    files : set of str
        Gets the path of each file that is executed.
    """

    def __init__(
        self,
        modules: Modules,
        library: str,
        roots: Sequence[Path],
        files: set[str] | None = None,
    ) -> None:
        self._number = next(_NUMBERS)
        self._facades = modules
        self._library = library
        self._roots = [root.resolve() for root in roots]
        self.own: dict[str, types.ModuleType] = {}
        self.files: set[str] = set() if files is None else files
        self._views: dict[str, types.ModuleType] = {}
        self.builtins: dict[str, Any] = {**vars(builtins), "__import__": self._import}

    def execute(self, name: str, path: Path, *, package: bool = False) -> types.ModuleType:
        """Execute a file as module `name`, and return it; a failure leaves no trace of it."""
        # Known to others by a name of its own: dataclasses look their module up by it.
        module = types.ModuleType(f"_ported{self._number}_{name}")
        sys.modules[module.__name__] = module
        loader = SourceFileLoader(name, str(path))
        module.__file__ = str(path)
        module.__loader__ = loader
        module.__package__ = name if package else name.rpartition(".")[0]
        if package:
            module.__path__ = [str(path.parent)]
        module.__spec__ = importlib.util.spec_from_loader(name, loader, is_package=package)
        module.__dict__["__builtins__"] = self.builtins
        self.own[name] = module
        self.files.add(str(path))
        try:
            code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
            exec(code, module.__dict__)  # noqa: S102  the user's own code is what is measured
        except BaseException:
            del self.own[name], sys.modules[module.__name__]
            raise
        parent, _, last = name.rpartition(".")
        if parent in self.own:
            setattr(self.own[parent], last, module)
        return module

    def load(self, name: str) -> types.ModuleType | None:
        """Return one of the user's own modules, executed once; None if `name` is none of them."""
        if name in self.own:
            return self.own[name]
        parent = name.rpartition(".")[0]
        if parent and self.load(parent) is None:
            return None
        found = self._file_of(name)
        if found is None:
            return None
        path, package = found
        if path is None:
            # A folder without ``__init__.py`` is a package as well.
            module = types.ModuleType(name)
            module.__path__ = [str(r / name.replace(".", "/")) for r in self._roots]
            self.own[name] = module
            return module
        return self.execute(name, path, package=package)

    def _file_of(self, name: str) -> tuple[Path | None, bool] | None:
        relative = Path(*name.split("."))
        for root in self._roots:
            if (root / relative / "__init__.py").is_file():
                return root / relative / "__init__.py", True
            if (root / relative).with_suffix(".py").is_file():
                return (root / relative).with_suffix(".py"), False
        for root in self._roots:
            if any((root / relative).glob("*.py")):
                return None, True
        return None

    def _import(
        self,
        name: str,
        globals: dict[str, Any] | None = None,  # noqa: A002  the language's own name
        locals: dict[str, Any] | None = None,  # noqa: A002  the same
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        if level:
            package = (globals or {}).get("__package__") or ""
            name = importlib.util.resolve_name("." * level + name, package)
        top = name.partition(".")[0]
        if top in {"numpy", "scipy"} and name not in _HARMLESS:
            return self._facade(name, fromlist)
        if self.load(name) is None:
            return builtins.__import__(name, globals, locals, fromlist or (), 0)
        if not fromlist:
            return self.own[top]
        for part in fromlist:
            if not hasattr(self.own[name], part):
                self.load(f"{name}.{part}")
        return self.own[name]

    def _facade(self, name: str, fromlist: Sequence[str] | None) -> types.ModuleType:
        module = self._facades(name) or self._facades.empty(name)
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(self._facade(parent, ("*",)), last, module)
        if not fromlist:
            top = name.partition(".")[0]
            return self._facades(top) or self._facades.empty(top)
        if tuple(fromlist) == ("*",):
            return module
        # What is imported by name and never used shall not fail: it is refused once it is called.
        if name not in self._views:
            self._views[name] = _From(module, self._library)
        return self._views[name]


class _From(types.ModuleType):
    def __init__(self, module: types.ModuleType, library: str) -> None:
        super().__init__(module.__name__)
        self._module, self._library_name = module, library

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self._module, name)
        except AttributeError:
            if name.startswith("__"):
                raise
            return MissingCall(f"{self.__name__}.{name}", self._library_name)


def package_of(name: str, folder: Path) -> tuple[Path, Path] | None:
    """Return root and file of an installed or neighbouring module; None where there is no source.

    The root is the folder that holds its topmost package: all of that package is the user's own.
    """
    sys_path = [str(folder), *sys.path]
    top, *rest = name.split(".")
    for entry in sys_path:
        base = Path(entry or ".")
        whole = base.joinpath(top, *rest)
        if (whole / "__init__.py").is_file():
            return base, whole / "__init__.py"
        if whole.with_suffix(".py").is_file():
            return base, whole.with_suffix(".py")
    return None
