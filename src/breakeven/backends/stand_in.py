"""A device played by NumPy: it refuses host arrays as CuPy does, and counts what crosses."""

from __future__ import annotations

import importlib
import operator
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from breakeven.backends.library import AboutLibrary

# Take what lies on the host, by their purpose.
_UPLOADS = frozenset("array asarray asanyarray ascontiguousarray asfortranarray".split())
# Give plain Python values, and touch no array's values.
_PLAIN = frozenset("shape ndim size result_type can_cast promote_types isscalar".split())
_UNARY = "neg pos abs invert".split()
_BINARY = (
    "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift divmod eq ne lt le gt ge"
).split()


class DeviceArray:
    """An array that lies on the device that is played.

    Parameters
    ----------
    values : numpy.ndarray
        Its values, which only the device may touch.
    """

    __slots__ = ("_device", "_values")
    __array_ufunc__ = None
    # Compared element by element, as NumPy's are.
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 100

    def __init__(self, values: Any, device: StandIn) -> None:  # noqa: ANN401  NumPy's
        self._values = values
        self._device = device

    def __array__(self, *args: object, **kwargs: object) -> Any:  # noqa: ANN401  NumPy's protocol
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct"
            " a NumPy array explicitly."
        )

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever the array has
        device = self._device
        if name.startswith("__") or name in device.lacks_methods or not hasattr(np.ndarray, name):
            raise AttributeError(f"'ndarray' object has no attribute '{name}'")
        found = getattr(self._values, name)
        if callable(found):
            if name in {"item", "tolist", "tobytes"}:
                device.synchronisations += 1
                device.to_host_bytes += self._values.nbytes
                return found
            return device.wrapped(found, f"ndarray.{name}")
        return device.given(found) if isinstance(found, np.ndarray) else found

    def get(self) -> Any:  # noqa: ANN401  NumPy's
        """Return a copy in host memory."""
        return self._device.to_host(self)

    def __getitem__(self, index: Any) -> Any:  # noqa: ANN401  NumPy's
        return self._device.given(self._values[self._device.taken(index)])

    def __setitem__(self, index: Any, value: Any) -> None:  # noqa: ANN401  NumPy's
        self._values[self._device.taken(index)] = self._device.taken(value, "setitem")

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Any]:
        return (self[number] for number in range(len(self)))

    def __repr__(self) -> str:
        self._device.synchronisations += 1
        return repr(self._values)

    def __format__(self, spec: str) -> str:
        self._device.synchronisations += 1
        return format(self._values if self._values.ndim else self._values[()], spec)

    def _scalar(self, kind: Callable[[Any], Any]) -> Any:  # noqa: ANN401  of that kind
        self._device.synchronisations += 1
        self._device.to_host_bytes += self._values.itemsize
        return kind(self._values)

    def __bool__(self) -> bool:
        return bool(self._scalar(bool))

    def __float__(self) -> float:
        return float(self._scalar(float))

    def __int__(self) -> int:
        return int(self._scalar(int))

    def __index__(self) -> int:
        return int(self._scalar(operator.index))

    def __complex__(self) -> complex:
        return complex(self._scalar(complex))


def _operators() -> None:
    def unary(name: str) -> Callable[..., Any]:
        act = getattr(operator, f"__{name}__")
        return lambda self: self._device.given(act(self._values))

    def binary(name: str, *, swapped: bool) -> Callable[..., Any]:
        act = divmod if name == "divmod" else getattr(operator, f"__{name}__")

        def call(self: DeviceArray, other: Any) -> Any:  # noqa: ANN401  any operand
            device = self._device
            mine, theirs = self._values, device.taken(other, name)
            return device.given(act(theirs, mine) if swapped else act(mine, theirs))

        return call

    def in_place(name: str) -> Callable[..., Any]:
        act = getattr(operator, f"__i{name}__")

        def call(self: DeviceArray, other: Any) -> Any:  # noqa: ANN401  any operand
            act(self._values, self._device.taken(other, name))
            return self

        return call

    for name in _UNARY:
        setattr(DeviceArray, f"__{name}__", unary(name))
    for name in _BINARY:
        setattr(DeviceArray, f"__{name}__", binary(name, swapped=False))
        if name in {"eq", "ne", "lt", "le", "gt", "ge"}:
            continue
        setattr(DeviceArray, f"__r{name}__", binary(name, swapped=True))
        if name != "divmod":
            setattr(DeviceArray, f"__i{name}__", in_place(name))


_operators()


class _Namespace(types.ModuleType):
    """A module of the library that is played, its functions made as they are asked for."""

    def __init__(self, name: str, real: Any, device: StandIn) -> None:  # noqa: ANN401  a module
        super().__init__(name)
        self._real, self._device = real, device

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever it has
        full = f"{self._real.__name__}.{name}"
        if full.startswith("numpy.") and full.removeprefix("numpy.") in self._device.lacks:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        if full == "numpy.ndarray":
            return DeviceArray
        found = getattr(self._real, name)
        if isinstance(found, types.ModuleType):
            found = _Namespace(f"{self.__name__}.{name}", found, self._device)
        elif isinstance(found, np.ufunc):
            found = _Ufunc(found, self._device)
        elif callable(found) and not isinstance(found, type) and name not in _PLAIN:
            found = self._device.wrapped(found, name)
        elif callable(found) and name in _PLAIN:
            found = self._device.looking(found)
        setattr(self, name, found)
        return found


class _Ufunc:
    def __init__(self, real: np.ufunc, device: StandIn) -> None:
        self.__name__ = real.__name__
        self._call = device.wrapped(real, real.__name__)
        for name in ("reduce", "accumulate", "outer", "at", "reduceat"):
            setattr(self, name, device.wrapped(getattr(real, name), f"{real.__name__}.{name}"))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  any operands
        return self._call(*args, **kwargs)


class StandIn:
    """CuPy played by NumPy.

    Its arrays refuse to meet host arrays, it has no name that is said to be lacking, and it counts
    bytes that cross and waits for the device. It computes with NumPy: it shows what can be
    reached, not how fast.

    Parameters
    ----------
    lacks : set of str
        Names that it has not, such as ``nanpercentile`` or ``linalg.cond``.
    lacks_methods : set of str
        Methods that its arrays have not.
    """

    def __init__(
        self,
        *,
        name: str = "stand-in",
        device: str = "stand-in:0",
        lacks: frozenset[str] = frozenset(),
        lacks_methods: frozenset[str] = frozenset(),
    ) -> None:
        self.about = AboutLibrary(name=name, family="cupy", device=device, version=np.__version__)
        self.lacks, self.lacks_methods = lacks, lacks_methods
        self.to_device_bytes = self.to_host_bytes = self.synchronisations = 0

    def module(self, name: str) -> Any:  # noqa: ANN401  the seam's signature
        """Return ``cupy``, one of its modules, or one of ``cupyx.scipy``."""
        real = name.replace("cupyx.scipy", "scipy", 1)
        if not name.startswith("cupyx."):
            real = name.replace("cupy", "numpy", 1)
        return _Namespace(name, importlib.import_module(real), self)

    def to_device(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Return a copy on the device."""
        values = np.array(array)
        self.to_device_bytes += values.nbytes
        return DeviceArray(values, self)

    def to_host(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Return a copy in host memory."""
        self.to_host_bytes += array._values.nbytes  # noqa: SLF001  only the device may
        return np.array(array._values)  # noqa: SLF001  the same

    def holds(self, value: object) -> bool:
        """Say whether it is an array of this device."""
        return isinstance(value, DeviceArray)

    def place(self, array: Any) -> str:  # noqa: ANN401  the seam's signature
        """Return the name of the device."""
        del array
        return self.about.device

    def synchronise(self) -> None:
        """Do nothing: the device that is played is done when a call returns."""

    def kernels(self, call: Callable[[], object]) -> int | None:
        """Call; nothing tells how many kernels a real device would have run."""
        call()
        return None

    def given(self, result: Any) -> Any:  # noqa: ANN401  NumPy's
        """Return a result of NumPy as the device gives it: scalars as arrays of no dimension."""
        if isinstance(result, (np.ndarray, np.generic)):
            return DeviceArray(
                np.asarray(result) if isinstance(result, np.generic) else result, self
            )
        if isinstance(result, tuple) and hasattr(result, "_fields"):
            return type(result)(*(self.given(part) for part in result))
        if isinstance(result, (tuple, list)):
            return type(result)(self.given(part) for part in result)
        return result

    def taken(self, value: Any, name: str = "") -> Any:  # noqa: ANN401  any argument
        """Return what NumPy computes with; refuse a host array.

        Raises
        ------
        TypeError
            As CuPy does.
        """
        if isinstance(value, DeviceArray):
            return value._values  # noqa: SLF001  only the device may
        if isinstance(value, np.ndarray):
            raise TypeError(f"Unsupported type {type(value)} in {name or 'an index'}")
        if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
            return type(value)(self.taken(part, name) for part in value)
        return value

    def wrapped(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        """Return a function of NumPy as one of the device."""

        def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  any arguments
            if name in _UPLOADS and args and not self._on_device(args[0]):
                return self.to_device(function(*args, **kwargs))
            taken = [self._callback(a) if callable(a) else self.taken(a, name) for a in args]
            named = {key: self.taken(value, name) for key, value in kwargs.items()}
            result = function(*taken, **named)
            # Written in place, it is still the caller's own array.
            for value in (*args, *kwargs.values()):
                if isinstance(value, DeviceArray) and value._values is result:  # noqa: SLF001
                    return value
            return self.given(result)

        call.__name__ = name.rpartition(".")[2]
        return call

    def looking(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that looks at shapes and types alone."""
        return lambda *args, **kwargs: function(*(self.taken(a) for a in args), **kwargs)

    def _on_device(self, value: Any) -> bool:  # noqa: ANN401  any argument
        if isinstance(value, (tuple, list)):
            return any(self._on_device(part) for part in value)
        return isinstance(value, DeviceArray)

    def _callback(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if isinstance(function, type):
            return function
        return lambda *args, **kw: self.taken(function(*(self.given(a) for a in args), **kw))
