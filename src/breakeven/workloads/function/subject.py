"""The user's function on one opened backend: its route there, its arguments, what became of it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from breakeven.backends.base import Backend, Opening
from breakeven.model.entry import Variant
from breakeven.model.ported import CallSite, Compiled, FunctionSpec, Ported, PortFailure, Reach
from breakeven.workloads.function.agreement import Compared, compared
from breakeven.workloads.function.arguments import Arguments, Maker
from breakeven.workloads.function.failed import FunctionFailedError
from breakeven.workloads.function.reference import STREAM
from breakeven.workloads.function.route import PlainRoute, PortedRoute, Route
from breakeven.workloads.function.target import Target, function_in, load_module, parsed
from breakeven.workloads.function.tree import is_array
from breakeven.workloads.function.wanted import Wanted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from breakeven.backends.library import Library
    from breakeven.backends.torch_compiled import TorchCompiled

    Array = NDArray[Any]

HOST = "host"
_ALTERED = "alters {}, which it leaves alone on NumPy"


class Subject:
    """The user's function as one worker calls it.

    Its file is run twice where the function is ported: as it is, for the arguments, and afresh
    behind a facade of the library.
    """

    def __init__(
        self,
        backend: Backend,
        opening: Opening,
        function: FunctionSpec,
        variant: Variant,
        seed: int,
    ) -> None:
        self._backend, self._opening = backend, opening
        self._spec, self._variant, self._seed = function, variant, seed
        self._target = parsed(function.target)
        self._made: tuple[Maker, Route] | None = None
        self._compiled: Compiled | None = None
        self._compiler: TorchCompiled | None = None
        self._library: Library | None = None

    @property
    def function(self) -> Callable[..., Any]:
        """What is timed."""
        return self._ready()[1].function

    def arguments(self, size: int) -> Arguments:
        """Return the arguments of one size, NumPy's."""
        return self._ready()[0].make(size)

    def bound(
        self, arguments: Arguments, own: Sequence[Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return arguments with arrays of the library in place of NumPy's."""
        route = self._ready()[1]
        return arguments.call_with([route.seen(a) for a in own], route.class_of)

    def reseed(self) -> None:
        """Start random streams where they stood when NumPy's answer was made."""
        self._ready()[1].reseed(STREAM)

    def own(self, seen: Any) -> Any:  # noqa: ANN401  arrays
        """Return the library's own array of what the function gave."""
        return self._ready()[1].own(seen)

    def fetched(self, own: Any) -> Any:  # noqa: ANN401  arrays
        """Return an array of the library in host memory; NumPy's own lies there already."""
        if _of_numpy(own):
            return own
        if self._opening.real or self._library is None:
            return self._backend.to_host(own)
        # A scripted device is played by another library; the time is the script's.
        return self._backend.to_host(self._library.to_host(own))

    def moved(self, array: Array) -> Any:  # noqa: ANN401  the library's own
        """Return an array of the host as one of the library, on its device."""
        self._ready()
        own = self._backend.to_device(array)
        if self._library is None or self._library.holds(own):
            return own
        return self._library.to_device(own)

    def on_host(self, seen: Any) -> Array:  # noqa: ANN401  arrays, or numbers
        """Return what the function gave as an array of NumPy's."""
        import numpy as np  # noqa: PLC0415  after the backend was opened

        own = self.own(seen)
        if is_array(own) and not _of_numpy(own):
            own = self.fetched(own)
        # A copy: on the CPU the library's memory is that of the arguments.
        return np.array(own)

    def compared(
        self,
        found: Sequence[Any],
        wanted: Wanted,
        values: Sequence[Array],
        originals: Sequence[Array],
    ) -> Compared:
        """Return how an answer compares with NumPy's."""
        return compared(found, wanted, values, originals, self._seed)

    def left_alone(
        self,
        so_far: Compared,
        arguments: Arguments,
        after: Sequence[Array],
        altered: Sequence[int] | None,
    ) -> Compared:
        """Return a comparison that fails too where a call alters what it leaves alone on NumPy.

        Parameters
        ----------
        after : sequence of ndarray
            The arguments after the call; empty where they cannot be told.
        altered : sequence of int or None
            Those that NumPy's call alters; None where nothing can be said.
        """
        import numpy as np  # noqa: PLC0415  after the backend was opened

        if altered is None or not after:
            return so_far
        for place, (leaf, now) in enumerate(zip(arguments.leaves, after, strict=True)):
            floats = leaf.value.dtype.kind in "fc"
            same = leaf.value.shape == now.shape and np.array_equal(
                leaf.value, now, equal_nan=floats
            )
            if place not in altered and not same:
                agreement = msgspec.structs.replace(so_far.agreement, passed=False)
                said = _ALTERED.format(leaf.path)
                return Compared(agreement, (*so_far.outside, said), so_far.narrowed)
        return so_far

    def told(
        self,
        size: int,
        given: Any,  # noqa: ANN401  the function's answer
        found: Compared,
        host_call: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]] | None,
    ) -> Ported | None:
        """Return how far the function got on this library; None where it is NumPy's own run.

        Parameters
        ----------
        host_call : callable or None
            Gives arguments for one more call, whose ledger is kept; None leaves that out.
        """
        route = self._ready()[1]
        if not route.ported:
            return None
        places = route.places(given)
        sites: tuple[CallSite, ...] = ()
        if host_call is not None:
            sites = route.recorded(*host_call())
        return Ported(
            workload="",
            entry="",
            size=size,
            reach=_reach(places, sites),
            sites=sites,
            failure=self._at_check(found),
            answers_on=tuple(dict.fromkeys(places)),
            outside=found.outside,
            compiled=self._compiled,
        )

    def kernels(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
        """Call, and return how many kernels the device ran; None if nothing can tell."""
        function = self._ready()[1].function
        if self._library is None or self._backend.about.device == "cpu":
            return None
        return self._library.kernels(lambda: function(*args, **kwargs))

    def _at_check(self, found: Compared) -> PortFailure | None:
        if found.agreement.passed:
            return None
        said = "; ".join(found.outside) or "its answer is another than NumPy's"
        category = "dtype-narrowed" if found.narrowed else "wrong-value"
        return PortFailure(phase="check", category=category, message=said)  # type: ignore[arg-type]

    @property
    def compiles(self) -> bool:
        """Whether the function is compiled."""
        self._ready()
        return self._compiler is not None

    def first(self, call: Callable[[], Any]) -> Any:  # noqa: ANN401  the function's answer
        """Make the first call, and return its answer; compiling it is timed."""
        self._ready()
        if self._compiler is not None:
            self._compiled = self._compiler.first(call)
        self.reseed()
        return call()

    @contextmanager
    def failing(
        self, size: int, given: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]] | None = None
    ) -> Iterator[None]:
        """Turn whatever the function raises into a failure that says where and why.

        Parameters
        ----------
        given : callable, optional
            Returns the arguments, to find what kept it from being compiled whole.
        """
        try:
            yield
        except (FunctionFailedError, KeyboardInterrupt, SystemExit):
            raise
        except Exception as error:
            # The user's code and the library may raise anything.
            failure = self._ready()[1].failure(error, "first_call")
            if isinstance(error, (MemoryError, *self._opening.out_of_memory)):
                failure = msgspec.structs.replace(failure, category="out-of-memory")
            cuts = None
            if self._compiler is not None and given is not None:
                failure, cuts = self._cut(failure, given)
            raise FunctionFailedError(failure, size, cuts) from error

    def _cut(
        self, failure: PortFailure, given: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]
    ) -> tuple[PortFailure, Compiled | None]:
        """Return a failure to compile with what breaks the graph; None where that fails too."""
        assert self._compiler is not None
        message = failure.message.partition(" For more information")[0]
        failure = msgspec.structs.replace(
            failure, category="data-dependent-control-flow", message=message
        )
        try:
            return failure, self._compiler.breaks(*given(), seconds=0.0)
        except Exception:  # noqa: BLE001  tracing once more may fail as the first time did
            return failure, None

    def _ready(self) -> tuple[Maker, Route]:
        if self._made is None:
            module = load_module(self._target)
            function = function_in(module, self._target)
            maker = Maker(self._target, self._spec.inputs, module, function, self._seed)
            self._made = (maker, self._route(function))
        return self._made

    def _route(self, function: Callable[..., Any]) -> Route:
        name = self._backend.about.name
        xp = _namespace(self._opening.xp) if self._spec.takes_namespace else None
        if name == "numpy" and self._variant != "against":
            return PlainRoute(function, self._target.path, xp=xp)
        from breakeven.backends.libraries import library  # noqa: PLC0415  after the import is timed

        found = library(name, self._backend.about.device)
        if found.about.family == "numpy" and self._variant != "against":
            return PlainRoute(function, self._target.path, xp=xp)
        self._library = found
        if self._variant == "against":
            other = parsed(self._spec.against or "")
            written = function_in(load_module(other), other)
            return PlainRoute(
                written, other.path, xp=self._opening.xp, ported=name != "numpy", place=found.place
            )
        if self._variant == "compiled":
            return self._compiled_route(function, found.place)
        if self._spec.takes_namespace:
            return PlainRoute(
                function,
                self._target.path,
                xp=xp,
                ported=True,
                place=found.place,
            )
        return self._ported(found)

    def _ported(self, found: Library) -> Route:
        from breakeven.port.run import PortFailedError, prepare  # noqa: PLC0415  few workers port

        try:
            call = prepare(_absolute(self._target), Path.cwd(), found, self._spec.policy)
        except PortFailedError as error:
            raise FunctionFailedError(error.failure, 0) from error
        return PortedRoute(call)

    def _compiled_route(self, function: Callable[..., Any], place: Callable[[Any], str]) -> Route:
        from breakeven.backends.torch_compiled import TorchCompiled  # noqa: PLC0415  few compile

        self._compiler = TorchCompiled(function)
        return PlainRoute(self._compiler.function, self._target.path, ported=True, place=place)


def _absolute(target: Target) -> str:
    where = str(target.path) if target.is_file else target.module
    return f"{where}:{target.name}"


def _namespace(module: Any) -> Any:  # noqa: ANN401  a namespace
    """Return the standard's namespace of a library where it is installed, else the library."""
    if getattr(module, "__name__", "") != "torch":
        return module
    try:
        return importlib.import_module("array_api_compat.torch")
    except ImportError:
        return module


def _reach(places: Sequence[str], sites: Sequence[CallSite]) -> Reach:
    """Return how far a call got: numbers may lie on the host, arrays and calls may not."""
    bridged = any(site.bridged for site in sites)
    return "host_part" if bridged or HOST in places else "fully"


def _of_numpy(value: Any) -> bool:  # noqa: ANN401  any array
    return type(value).__module__.partition(".")[0] in {"numpy", "builtins"}
