"""How the user's function is called on one library: as it is, ported, or with the library's own."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from breakeven.model.finding import Location
from breakeven.model.ported import CallSite, Category, PortFailure
from breakeven.workloads.function.arguments import with_namespace
from breakeven.workloads.function.frames import own_frames
from breakeven.workloads.function.tree import is_array, taken_apart


class Route(Protocol):
    """One way to call the function; arrays of the library are what a backend makes.

    Attributes
    ----------
    function : callable
        What is timed.
    ported : bool
        Whether the function runs on another library than NumPy, so that it is asked how far.
    """

    function: Callable[..., Any]
    ported: bool

    def seen(self, own: Any) -> Any:  # noqa: ANN401  arrays
        """Return an array of the library as the function sees it."""
        ...

    def own(self, seen: Any) -> Any:  # noqa: ANN401  arrays
        """Return what the function sees as the library's own array, or a number."""
        ...

    def class_of(self, kind: type) -> type:
        """Return the class that stands for one of the user's classes."""
        ...

    def recorded(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[CallSite, ...]:
        """Call once with host arguments, and return what was called and what it moved."""
        ...

    def reseed(self, seed: int) -> None:
        """Start the random streams that the function does not seed itself."""
        ...

    def places(self, answer: Any) -> tuple[str, ...]:  # noqa: ANN401  any value
        """Return where each array of an answer lies; ``host`` for NumPy's."""
        ...

    def failure(self, error: BaseException, phase: str) -> PortFailure:
        """Return what an error tells the user."""
        ...


class PlainRoute:
    """The function as it stands, on arrays of the backend's own kind.

    Parameters
    ----------
    function : callable
    path : Path
        File that it stands in.
    xp : module or None
        The namespace that it is called with, where it takes one.
    ported : bool
        Whether its arrays are those of another library than NumPy.
    place : callable
        Tells where an array of the library lies.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        path: Path,
        *,
        xp: Any = None,  # noqa: ANN401  a namespace
        ported: bool = False,
        place: Callable[[Any], str] = lambda _array: "cpu",
    ) -> None:
        self.function = with_namespace(function, xp)
        self.ported = ported
        self._path = path
        self._place = place

    def seen(self, own: Any) -> Any:  # noqa: ANN401  arrays
        """Return the array itself."""
        return own

    def own(self, seen: Any) -> Any:  # noqa: ANN401  arrays
        """Return the array itself."""
        return seen

    def class_of(self, kind: type) -> type:
        """Return the class itself."""
        return kind

    def recorded(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[CallSite, ...]:
        """Return nothing: no facade sees the calls."""
        del args, kwargs
        return ()

    def reseed(self, seed: int) -> None:
        """Start NumPy's global stream anew."""
        import numpy as np  # noqa: PLC0415  after the backend was opened

        np.random.seed(seed)  # noqa: NPY002

    def places(self, answer: Any) -> tuple[str, ...]:  # noqa: ANN401  any value
        """Return where each array of an answer lies."""
        found = [leaf.value for leaf in taken_apart(answer)[0] if is_array(leaf.value)]
        return tuple("host" if _of_numpy(x) else self._place(x) for x in found)

    def failure(self, error: BaseException, phase: str) -> PortFailure:
        """Return what an error tells the user, its frames shortened to their own."""
        return plain_failure(error, phase, self._path)


class PortedRoute:
    """The function behind a facade of the library.

    Parameters
    ----------
    call : PortedCall
        Of `breakeven.port`.
    """

    ported = True

    def __init__(self, call: Any) -> None:  # noqa: ANN401  see above
        self._call = call
        self.function = call.function

    def seen(self, own: Any) -> Any:  # noqa: ANN401  arrays
        """Return an array of the library as the function sees it."""
        return self._call.given(own)

    def own(self, seen: Any) -> Any:  # noqa: ANN401  arrays
        """Return what the function sees as the library's own array."""
        return self._call.own(seen) if self._call.is_seen(seen) else seen

    def class_of(self, kind: type) -> type:
        """Return the class of the module that was run afresh: its methods call the library."""
        found = getattr(self.function, "__globals__", {}).get(kind.__name__, kind)
        return found if isinstance(found, type) else kind

    def recorded(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[CallSite, ...]:
        """Call once with host arguments, each call timed, and return the ledger."""
        sites: tuple[CallSite, ...] = self._call.recorded(*args, timed=True, **kwargs)[1]
        return sites

    def reseed(self, seed: int) -> None:
        """Start the random streams of the port."""
        self._call.reseed(seed)

    def places(self, answer: Any) -> tuple[str, ...]:  # noqa: ANN401  any value
        """Return where each array of an answer lies."""
        found: tuple[str, ...] = self._call.answers_on(answer)
        return found

    def failure(self, error: BaseException, phase: str) -> PortFailure:
        """Return what an error tells the user."""
        found: PortFailure = self._call.failure(error, phase)
        return found


def plain_failure(error: BaseException, phase: Any, path: Path) -> PortFailure:  # noqa: ANN401
    """Return a failure of a function that stands behind no facade."""
    frames = own_frames(error, path)
    category: Category = "error-of-the-function"
    if isinstance(error, MemoryError):
        category = "out-of-memory"
    where = frames[-1] if frames else None
    return PortFailure(
        phase=phase,
        category=category,
        message=f"{type(error).__name__}: {' '.join(str(error).split())}",
        location=where
        or Location(path=path.name, line=1, text=linecache.getline(str(path), 1).strip() or None),
        frames=frames,
    )


def _of_numpy(value: Any) -> bool:  # noqa: ANN401  any array
    return type(value).__module__.partition(".")[0] == "numpy"
