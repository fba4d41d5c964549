"""Arrays and functions that tell a ledger of each call before they pass it on."""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from breakeven.errors import HostArrayError, MissingError
from breakeven.port.bridge import host_function
from breakeven.port.crossings import crossed, read
from breakeven.port.facade import Facade
from breakeven.port.host_random import HostStream
from breakeven.port.ledger import Ledger, Tally
from breakeven.port.operators import IN_PLACE, OPERATORS, REFLECTED

Bridge = Callable[[str, Any, Any, Any], Any]
_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "__bool__": bool, "__int__": int, "__float__": float, "__complex__": complex,
    "__index__": operator.index, "__str__": str, "__repr__": repr,
}  # fmt: skip


class Recorder:
    """Dresses what a facade offers, so that each use of it is counted.

    Parameters
    ----------
    bridge : callable or None
        Does a call on the host that the library refused; None lets the refusal stand.
    """

    def __init__(self, facade: Facade, ledger: Ledger, bridge: Bridge | None = None) -> None:
        self.facade, self.ledger, self.bridge = facade, ledger, bridge
        self._raw = facade.array_type
        self.array_type = _seen_type(self)

    def dress(self, found: Any, full: str) -> Any:
        """Return what stands for `found` in the user's module."""
        if found is self._raw:
            return self.array_type
        if isinstance(found, (type, types.ModuleType)) or not callable(found):
            return self.shown(found)
        return Recorded(found, full, self)

    def lacking(self, full: str) -> Any:
        """Return what stands for a name that the library lacks: NumPy's own, bridged.

        Raises
        ------
        MissingError
            If NumPy has none either.
        """
        error = MissingError(f"{self.facade.library} has no {full}", full)
        try:
            found = host_function(full, None)
        except (ImportError, AttributeError):
            raise error from None
        if isinstance(found, (type, types.ModuleType)) or not callable(found):
            return found

        def refuse(*_: object, **__: object) -> Any:
            raise error

        return Recorded(refuse, full, self)

    def shown(self, value: Any) -> Any:
        """Return a result with its arrays dressed."""
        kind = type(value)
        if isinstance(value, self._raw):
            return self.array_type(value)
        if isinstance(value, HostStream):
            return RecordedStream(value, self)
        if kind is tuple or kind is list:
            return kind([self.shown(part) for part in value])
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return kind(*(self.shown(part) for part in value))
        if kind is dict:
            return {key: self.shown(part) for key, part in value.items()}
        return value

    def bare(self, value: Any) -> Any:
        """Return an argument as the library takes it."""
        kind = type(value)
        if kind is self.array_type:
            return value.bare
        if kind is tuple or kind is list:
            return kind([self.bare(part) for part in value])
        if kind is Recorded or kind is RecordedStream:
            return value.found
        if isinstance(value, (types.FunctionType, types.MethodType)):
            return functools.wraps(value)(
                lambda *a, **k: self.bare(value(*map(self.shown, a), **k))
            )
        return value

    def call(
        self,
        found: Callable[..., Any],
        full: str,
        args: Any,
        kwargs: Any,
        owner: Any = None,
    ) -> Any:
        """Call, count, and return the result dressed.

        Parameters
        ----------
        owner : array or None
            Whose method it is, as the library has it.
        """
        tally = self.ledger.at(full)
        taken = [self.bare(value) for value in args]
        named = {key: self.bare(value) for key, value in kwargs.items()}
        try:
            result = self.ledger.run(tally, found, taken, named)
        except Exception as error:
            if self.bridge is None or not refusal(error):
                raise
            whole = taken if owner is None else [owner, *taken]
            result = self._bridged(tally, full, found, whole, named, error)
            return self._returned(result, taken, named, args, kwargs)
        tally.slow |= full in self.facade.slow
        whole = [*taken, *named.values()] if owner is None else [owner, *taken]
        crossed(tally, full, whole, result, self)
        return self._returned(result, taken, named, args, kwargs)

    def _bridged(
        self,
        tally: Tally,
        full: str,
        found: Callable[..., Any],
        taken: list[Any],
        named: dict[str, Any],
        error: Exception,
    ) -> Any:
        assert self.bridge is not None
        try:
            result = self.bridge(full, found, taken, named)
        except Exception:  # noqa: BLE001  NumPy fails as well: the first error is the function's
            raise error from None
        tally.bridged += 1
        tally.synchronised += 1
        tally.to_host += self.nbytes(taken) + self.nbytes(list(named.values()))
        tally.to_device += self.nbytes(result)
        return result

    def _returned(self, result: Any, taken: Any, named: Any, args: Any, kwargs: Any) -> Any:
        if result is None or result is NotImplemented:
            return result
        # Written in place, it is still the caller's own array.
        for bare, dressed in zip((*taken, *named.values()), (*args, *kwargs.values()), strict=True):
            if bare is result:
                return dressed
        return self.shown(result)

    def nbytes(self, value: Any) -> int:
        """Return the bytes of the device arrays in `value`."""
        if self.on_device(value) and not isinstance(value, (tuple, list)):
            return int(value.nbytes)
        if isinstance(value, (tuple, list)):
            return sum(self.nbytes(part) for part in value)
        return 0

    def on_device(self, value: Any) -> bool:
        """Say whether a device array is in `value`."""
        if isinstance(value, (tuple, list)):
            return any(self.on_device(part) for part in value)
        return isinstance(value, self._raw)


class Recorded:
    """A function that counts its calls."""

    def __init__(self, found: Callable[..., Any], full: str, recorder: Recorder) -> None:
        self.found, self._full, self._recorder = found, full, recorder
        self.__name__ = full.rpartition(".")[2]
        self.__doc__ = getattr(found, "__doc__", None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Count, and call."""
        return self._recorder.call(self.found, self._full, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.found, name)
        if name.startswith("__"):
            return found
        return self._recorder.dress(found, f"{self._full}.{name}")

    def __getitem__(self, index: Any) -> Any:
        return self._recorder.call(operator.itemgetter(index), self._full, (self.found,), {})

    def __repr__(self) -> str:
        return repr(self.found)


class RecordedStream:
    """A random stream that counts its draws."""

    def __init__(self, found: HostStream, recorder: Recorder) -> None:
        self.found, self._recorder = found, recorder

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.found, name)
        if name.startswith("__") or not callable(found):
            return found
        return Recorded(found, f"numpy.random.Generator.{name}", self._recorder)


def refusal(error: BaseException) -> bool:
    """Say whether an error is the library's refusal, which NumPy might not share."""
    kinds = (AttributeError, NotImplementedError, TypeError, ImportError, ValueError, RuntimeError)
    return isinstance(error, kinds)


class Seen:
    """An array that counts what is done with it.

    Each recorder has a type of its own, which knows it.
    """

    __slots__ = ("bare",)
    # Compared element by element, as NumPy's are.
    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None
    recorder: ClassVar[Recorder]

    def __init__(self, bare: Any) -> None:
        object.__setattr__(self, "bare", bare)

    def __class_getitem__(cls, item: object) -> type:
        del item
        return cls

    def __array__(self, *args: object, **kwargs: object) -> Any:
        """Give a single value, which waits for the device; refuse more.

        Raises
        ------
        HostArrayError
            If it has dimensions.
        """
        del args, kwargs
        tally = self.recorder.ledger.at("ndarray.__array__")
        if self.bare.ndim == 0:
            read(tally, self.bare)
            return np.array(self.bare.item())
        library = self.recorder.facade.library
        raise HostArrayError(
            f"an array of {library} is read as an array of the host", "ndarray.__array__"
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        recorder, full = self.recorder, f"ndarray.{name}"
        try:
            found = getattr(self.bare, name)
        except AttributeError as error:
            if recorder.bridge is None or not hasattr(np.ndarray, name):
                recorder.ledger.at(full)
                raise
            return _bridged_method(recorder, self, full, error)
        return _method(recorder, self, found, full) if callable(found) else recorder.shown(found)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.bare, name, self.recorder.bare(value))

    def __len__(self) -> int:
        return len(self.bare)

    def __iter__(self) -> Iterator[Any]:
        self.recorder.ledger.at("ndarray.__iter__")
        return (self.recorder.shown(part) for part in self.bare)

    def __format__(self, spec: str) -> str:
        read(self.recorder.ledger.at("ndarray.__format__"), self.bare)
        return format(self.bare.item() if self.bare.ndim == 0 else self.bare, spec)


def _seen_type(recorder: Recorder) -> type[Seen]:
    """Return the type of the arrays that the user's function sees while its calls are counted."""
    methods = {name: _operator(recorder, name) for name in OPERATORS}
    methods |= {name: _conversion(recorder, name, act) for name, act in _CONVERSIONS.items()}
    return type(
        "ndarray",
        (Seen,),
        {"__slots__": (), "__hash__": None, "recorder": recorder, **methods},
    )


def _method(recorder: Recorder, owner: Any, found: Callable[..., Any], full: str) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        result = recorder.call(found, full, args, kwargs, owner.bare)
        # A method that works in place gives its own array back.
        return owner if getattr(result, "bare", None) is owner.bare else result

    return call


def _bridged_method(recorder: Recorder, owner: Any, full: str, error: AttributeError) -> Any:
    def lacking(*_: object, **__: object) -> Any:
        raise error

    return lambda *args, **kwargs: recorder.call(lacking, full, (owner, *args), kwargs)


def _operator(recorder: Recorder, name: str) -> Callable[..., Any]:
    full = f"ndarray.{name}"

    def call(self: Any, *args: Any) -> Any:
        act = OPERATORS[name]
        operands = (args[0], self) if name in REFLECTED else (self, *args)
        result = recorder.call(act, full, operands, {})
        return self if name in IN_PLACE and result is self.bare else result

    return call


def _conversion(recorder: Recorder, name: str, act: Callable[[Any], Any]) -> Callable[[Any], Any]:
    full = f"ndarray.{name}"

    def call(self: Any) -> Any:
        tally = recorder.ledger.at(full)
        read(tally, self.bare)
        return recorder.ledger.run(tally, act, (self.bare,), {})

    return call
