"""Which calls of NumPy and SciPy a function makes, and which of them a library has: names alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from breakeven.backends.library import Family
from breakeven.model.finding import Location
from breakeven.model.ported import CallSite, PortFailure
from breakeven.port.names import Offer, offered
from breakeven.port.suggest import suggestion

if TYPE_CHECKING:
    from breakeven.port.target import Target

_METHODS = frozenset(n for n in dir(np.ndarray) if not n.startswith("_"))
_DRAWS = frozenset(n for n in dir(np.random.Generator) if not n.startswith("_"))
# Methods of lists, dicts and strings as well: on what they are called, names do not tell.
_COMMON = frozenset("copy sort index count pop insert append format join split strip".split())


class ScannedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call in the source.

    Attributes
    ----------
    name : str
        NumPy's full name; ``ndarray.NAME`` for what looks like a method of an array.
    """

    name: str
    location: Location
    offered: Offer


class Scan(msgspec.Struct, frozen=True, kw_only=True):
    """What names tell of one function on one library."""

    calls: tuple[ScannedCall, ...]

    @property
    def missing(self) -> tuple[ScannedCall, ...]:
        """Return the calls that the library lacks."""
        return tuple(call for call in self.calls if call.offered == "no")

    def sites(self) -> tuple[CallSite, ...]:
        """Return the calls as a ledger that counted nothing."""
        return tuple(
            CallSite(location=c.location, name=c.name, slow=c.offered == "slow") for c in self.calls
        )

    def failure(self) -> PortFailure | None:
        """Return the first call that would fail; None where names tell of none."""
        if not self.missing:
            return None
        first = self.missing[0]
        return PortFailure(
            phase="scan",
            category="missing-function" if not _is_method(first) else "missing-method-or-argument",
            message=f"{first.name} is not there",
            location=first.location,
            name=first.name,
            available=len(self.calls) - len(self.missing),
            calls=len(self.calls),
            suggestion=suggestion("missing-function", first.name, first.location),
        )


def _is_method(call: ScannedCall) -> bool:
    return call.name.startswith("ndarray.")


def scan_target(target: Target, family: Family, version: str | None = None) -> Scan | None:
    """Scan the source of a function and of those of its file that it calls.

    Returns
    -------
    Scan or None
        None where there is no source.
    """
    if target.path is None:
        return None
    return scan_file(target.path, target.name, family, version)


def scan_file(path: Path, name: str, family: Family, version: str | None = None) -> Scan | None:
    """Scan function `name` of a file, with the functions of the file that it calls."""
    try:
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
    except (OSError, SyntaxError, ValueError):
        return None
    lines = source.splitlines()
    aliases = _aliases(tree)
    found: dict[tuple[int, int, str], ScannedCall] = {}
    for node in _reached(tree, name):
        for inner, full in _calls(node, aliases):
            line, column = inner.lineno, inner.col_offset + 1
            found[line, column, full] = ScannedCall(
                name=full,
                location=Location(
                    path=str(path), line=line, column=column, text=lines[line - 1].strip()
                ),
                offered=offered(full, family, version),
            )
    return Scan(calls=tuple(found[key] for key in sorted(found)))


def _aliases(tree: ast.AST) -> dict[str, str]:
    """Return what each imported name stands for in NumPy or SciPy."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for part in node.names:
                if _top(part.name) in {"numpy", "scipy"}:
                    kept = part.name if part.asname else _top(part.name)
                    found[part.asname or _top(part.name)] = kept
        elif isinstance(node, ast.ImportFrom) and not node.level:
            module = node.module or ""
            if _top(module) in {"numpy", "scipy"}:
                found |= {p.asname or p.name: f"{module}.{p.name}" for p in node.names}
    return found


def _top(name: str) -> str:
    return name.partition(".")[0]


def _reached(tree: ast.Module, name: str) -> list[ast.AST]:
    """Return the function, with the functions and classes of its file that it comes to name."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    defined: dict[str, ast.AST] = {n.name: n for n in tree.body if isinstance(n, kinds)}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Lambda, ast.Call)):
            for goal in node.targets:
                if isinstance(goal, ast.Name):
                    defined[goal.id] = node.value
    waiting = [_top(name)]
    seen: dict[str, ast.AST] = {}
    while waiting:
        next_name = waiting.pop()
        if next_name in seen or next_name not in defined:
            continue
        seen[next_name] = defined[next_name]
        named = ast.walk(defined[next_name])
        waiting += [n.id for n in named if isinstance(n, ast.Name)]
    return list(seen.values())


def _calls(node: ast.AST, aliases: dict[str, str]) -> Iterator[tuple[ast.Call, str]]:
    streams = _streams(node, aliases)
    for inner in ast.walk(node):
        if not isinstance(inner, ast.Call):
            continue
        full = _full(inner.func, aliases) or _method(inner.func, streams)
        if full is not None and full not in {"numpy", "scipy"}:
            yield inner, full


def _streams(node: ast.AST, aliases: dict[str, str]) -> set[str]:
    """Return the names that hold a random stream."""
    found = {"rng"}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Call):
            made_by = _full(inner.value.func, aliases)
            if made_by in {"numpy.random.default_rng", "numpy.random.RandomState"}:
                found |= {t.id for t in inner.targets if isinstance(t, ast.Name)}
    return found


def _method(called: ast.expr, streams: set[str]) -> str | None:
    """Return the full name of what looks like a method of an array or of a random stream."""
    if not isinstance(called, ast.Attribute):
        return None
    if isinstance(called.value, ast.Name) and called.value.id in streams:
        return f"Generator.{called.attr}" if called.attr in _DRAWS else None
    return f"ndarray.{called.attr}" if called.attr in _METHODS - _COMMON else None


def _full(node: ast.AST, aliases: dict[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return aliases.get(node.id)
    if isinstance(node, ast.Attribute):
        above = _full(node.value, aliases)
        return None if above is None else f"{above}.{node.attr}"
    return None
