"""What an error of a ported function tells: where, of which call, of which sort, what mends it."""

from __future__ import annotations

import ast
import linecache
import re
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, cast

from breakeven.backends.failure import classify
from breakeven.errors import RefusedError
from breakeven.model.finding import Location
from breakeven.model.ported import Category, PortFailure
from breakeven.port.scan import scan_target
from breakeven.port.suggest import suggestion

if TYPE_CHECKING:
    from breakeven.backends.library import Library
    from breakeven.port.ledger import Ledger
    from breakeven.port.target import Target

Phase = Literal["scan", "import", "first_call", "check", "measure"]
# What the libraries say when they meet what they cannot take; the first that is found rules.
_SAID: tuple[tuple[Category, str], ...] = (
    ("host-array-mixed-in", r"Implicit conversion to a NumPy array is not allowed"),
    ("host-array-mixed-in", r"Unsupported type <class 'numpy\.ndarray'>"),
    ("host-array-mixed-in", r"can't convert cuda.* tensor to numpy"),
    ("host-array-mixed-in", r"[Ee]xpected all tensors to be on the same device"),
    ("third-party-native-code", r"non-precise type|TypingError|cannot determine Numba type"),
    (
        "object-or-structured-dtype",
        r"dtype\('?O'?\)|object dtype|Unsupported dtype (object|<U|\|V|\|S)",
    ),
    ("object-or-structured-dtype", r"can't convert np\.ndarray of type numpy\.(object|str|void)"),
    ("in-place-on-immutable", r"read-only|immutable"),
    ("unsupported-dtype", r"not implemented for '"),
    ("unsupported-dtype", r"[Uu]nsupported dtype|not supported for the input types|ScalarType"),
    ("missing-method-or-argument", r"unexpected keyword argument|not supported|not implemented"),
    ("missing-method-or-argument", r"has no attribute"),
)
_NATIVE = re.compile(r"[/\\](scipy|pandas|numba|sklearn|statsmodels|cv2|skimage|jax|xarray)[/\\]")


def failure_of(
    error: BaseException,
    phase: str,
    target: Target,
    library_name: str,
    library: Library,
    ledger: Ledger,
) -> PortFailure:
    """Return what an error tells, with the user's own frames alone."""
    files = set(ledger.files)
    if target.path is not None:
        files.add(str(target.path))
    frames = _own_frames(error, files)
    location = frames[-1] if frames else None
    name, argument = _called(error, ledger, location)
    category = category_of(error, library, called=name is not None)
    scanned = scan_target(target, library.about.family, library.about.version)
    reached, of = _progress(target, frames)
    known = None if scanned is None else len(scanned.calls)
    return PortFailure(
        phase=_phase(phase),
        category=category,
        message=_message(error, library_name, name, category),
        location=location,
        name=name,
        argument=argument,
        reached=reached,
        of=of,
        available=None if scanned is None else sum(c.offered != "no" for c in scanned.calls),
        calls=known,
        suggestion=suggestion(category, name, location),
        frames=frames,
    )


def category_of(error: BaseException, library: Library, *, called: bool) -> Category:
    """Return the sort of a failure.

    Parameters
    ----------
    called : bool
        Whether a call of the library was in progress; else the function's own code failed.
    """
    if isinstance(error, RefusedError):
        return cast("Category", error.category)
    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, Exception) and _starved(error, library):
        return "out-of-memory"
    text = str(error)
    for category, pattern in _SAID:
        if re.search(pattern, text):
            return _native(error) if category == "host-array-mixed-in" else category
    lacking = (NotImplementedError, TypeError, AttributeError)
    refused = called and isinstance(error, lacking)
    return "missing-method-or-argument" if refused else "error-of-the-function"


def _starved(error: Exception, library: Library) -> bool:
    return classify(error, library.about.out_of_memory)[0] == "out_of_memory"


def _native(error: BaseException) -> Category:
    """Return whose doing a read by the host is: another library's, if within its files."""
    for frame in traceback.extract_tb(error.__traceback__):
        if _NATIVE.search(frame.filename) and "site-packages" in frame.filename:
            return "third-party-native-code"
    return "host-array-mixed-in"


def _own_frames(error: BaseException, files: set[str]) -> tuple[Location, ...]:
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        text = (error.text or "").strip() or None
        return (Location(path=error.filename, line=error.lineno, text=text),)
    return tuple(
        Location(
            path=frame.filename,
            line=frame.lineno or 0,
            text=linecache.getline(frame.filename, frame.lineno or 0).strip() or None,
        )
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename in files
    )


def _called(
    error: BaseException, ledger: Ledger, location: Location | None
) -> tuple[str | None, str | None]:
    """Return NumPy's name of the call that failed, and its argument."""
    if isinstance(error, RefusedError):
        return error.name, error.argument
    frames = traceback.extract_tb(error.__traceback__)
    inside = bool(frames) and (location is None or frames[-1].filename != location.path)
    if location is not None and ledger.last is not None and (inside or _of_library(error)):
        name, path, line = ledger.last
        if (path, line) == (location.path, location.line):
            return name, _argument(str(error))
    return None, None


def _of_library(error: BaseException) -> bool:
    """Say whether compiled code of a library raised it, which leaves no frame."""
    kind = type(error).__module__
    return kind.startswith(("cupy", "torch", "numpy"))


def _argument(text: str) -> str | None:
    found = re.search(r"unexpected keyword argument '(\w+)'", text)
    return found.group(1) if found else None


def _progress(target: Target, frames: Sequence[Location]) -> tuple[int | None, int | None]:
    """Return which statement of the function was reached, of how many."""
    node = target.node()
    if node is None or target.path is None:
        return None, None
    lines = statement_lines(node)
    inside = [f.line for f in frames if f.path == str(target.path)]
    first, last = node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]
    here = [line for line in inside if first <= line <= last]
    if not here:
        return 0 if lines else None, len(lines) or None
    return sum(line <= here[0] for line in lines), len(lines)


def statement_lines(node: ast.AST) -> list[int]:
    """Return the lines at which the statements of a function begin, its documentation left out."""
    if isinstance(node, ast.Lambda):
        return [node.lineno]
    body = getattr(node, "body", [])
    first = body[0] if body else None
    skip = first if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) else None
    found = {
        inner.lineno
        for part in body
        if part is not skip
        for inner in ast.walk(part)
        if isinstance(inner, ast.stmt)
    }
    return sorted(found)


def _message(error: BaseException, library: str, name: str | None, category: Category) -> str:
    said = (str(error).strip().splitlines() or [""])[0]
    if isinstance(error, RefusedError):
        return error.what
    said = f"{type(error).__name__}: {said}" if said else type(error).__name__
    if category == "error-of-the-function":
        return said
    return f"{library} cannot do {name}: {said}" if name else f"{library}: {said}"


def _phase(phase: str) -> Phase:
    known: dict[str, Phase] = {
        "scan": "scan", "import": "import", "first_call": "first_call", "check": "check",
        "measure": "measure",
    }  # fmt: skip
    return known[phase]
