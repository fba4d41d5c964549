"""An array as NumPy's code knows it, made of one tensor."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from breakeven.errors import HostArrayError, RefusedError
from breakeven.port.tensors.bound import Bound, bound_torch
from breakeven.port.tensors.types import INEXACT, TO_NUMPY, as_torch

torch = bound_torch()


class Array:
    """A tensor under NumPy's names.

    Operators and most methods are put into it by the modules that define NumPy's functions.

    Attributes
    ----------
    t : torch.Tensor
        Its values; another tensor of the same memory is a view.
    """

    __slots__ = ("t",)
    __array_ufunc__ = None
    # Compared element by element, as NumPy's are.
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, t: Any) -> None:
        self.t = t

    if TYPE_CHECKING:

        def __getitem__(self, key: Any) -> Array: ...
        def __setitem__(self, key: Any, value: Any) -> None: ...

    def __class_getitem__(cls, item: object) -> type:
        del item
        return cls

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's own type."""
        return TO_NUMPY[self.t.dtype]

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of its axes."""
        return tuple(self.t.shape)

    @shape.setter
    def shape(self, shape: Any) -> None:
        self.t = self.t.view(shape)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return int(self.t.ndim)

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(self.t.numel())

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return int(self.t.element_size())

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return int(self.t.numel() * self.t.element_size())

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next, by axis."""
        width = self.t.element_size()
        return tuple(step * width for step in self.t.stride())

    @property
    def base(self) -> Any:
        """Something where it is a view, as NumPy has it; None where the memory is its own."""
        return self if self.t._base is not None else None  # noqa: SLF001  PyTorch's only word for it

    @property
    def T(self) -> Array:  # noqa: N802  NumPy's name
        """The axes in reverse order, a view."""
        t = self.t
        return view(self, t if t.ndim < 2 else t.permute(*range(t.ndim - 1, -1, -1)))

    @property
    def mT(self) -> Array:  # noqa: N802  NumPy's name
        """The last two axes swapped, a view."""
        return view(self, self.t.mT)

    @property
    def real(self) -> Array:
        """The real parts, a view."""
        return view(self, self.t.real)

    @real.setter
    def real(self, value: Any) -> None:
        self.real[...] = value

    @property
    def imag(self) -> Array:
        """The imaginary parts, a view; zeros where there are none."""
        return view(self, self.t.imag) if self.t.is_complex() else Array(torch.zeros_like(self.t))

    @imag.setter
    def imag(self, value: Any) -> None:
        self.imag[...] = value

    @property
    def flat(self) -> Array:
        """All elements in one axis, a view.

        Raises
        ------
        RefusedError
            If they do not lie in one row, so that there is no view.
        """
        if not self.t.is_contiguous():
            raise RefusedError("elements that lie apart have no flat view", "ndarray.flat")
        return view(self, self.t.view(-1))

    @property
    def flags(self) -> dict[str, bool]:
        """How it lies in memory."""
        row = bool(self.t.is_contiguous())
        return {
            "C_CONTIGUOUS": row,
            "F_CONTIGUOUS": bool(self.t.mT.is_contiguous()) if self.t.ndim == 2 else row,
            "WRITEABLE": True,
        }

    @property
    def device(self) -> Any:
        """Where it lies."""
        return self.t.device

    def __array__(self, *args: object, **kwargs: object) -> Any:
        """Give a single value, which waits for the device; refuse more.

        Raises
        ------
        HostArrayError
            If it has dimensions: no other library reads it unseen.
        """
        del args, kwargs
        if self.t.ndim == 0:
            return np.array(self.t.item(), dtype=self.dtype)
        raise HostArrayError("a tensor is read as an array of the host", "ndarray.__array__")

    def __len__(self) -> int:
        if self.t.ndim == 0:
            raise TypeError("len() of unsized object")
        return int(self.t.shape[0])

    def __iter__(self) -> Iterator[Array]:
        if self.t.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return iter([view(self, part) for part in self.t.unbind(0)])

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).t.any())

    def __bool__(self) -> bool:
        if self.t.numel() != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous."
                " Use a.any() or a.all()"
            )
        return bool(self.t)

    def __float__(self) -> float:
        return float(self._one())

    def __int__(self) -> int:
        return int(self._one())

    def __complex__(self) -> complex:
        return complex(self._one())

    def __index__(self) -> int:
        if self.t.dtype in INEXACT or self.t.ndim:
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return operator.index(int(self.t.item()))

    def _one(self) -> Any:
        if self.t.numel() != 1:
            raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        return self.t.item()

    def __repr__(self) -> str:
        return repr(self.host())

    def __str__(self) -> str:
        return str(self.host())

    def __format__(self, spec: str) -> str:
        return format(self.host()[()], spec)

    def host(self) -> Any:
        """Return a copy in host memory, as NumPy's."""
        return np.array(self.t.resolve_conj().resolve_neg().cpu().numpy())

    def item(self, *place: Any) -> Any:
        """Return one element as a number of Python."""
        if not place:
            if self.t.numel() != 1:
                raise ValueError("can only convert an array of size 1 to a Python scalar")
            return self.t.item()
        index = place[0] if len(place) == 1 else place
        return (self.t.reshape(-1)[index] if isinstance(index, int) else self.t[index]).item()

    def tolist(self) -> Any:
        """Return the elements as lists of numbers."""
        return self.t.tolist()

    def tobytes(self, order: str = "C") -> bytes:
        """Return the elements as they lie on the host."""
        return bytes(self.host().tobytes(order))

    def copy(self, order: str = "C") -> Array:
        """Return a copy of its own memory."""
        del order
        return Array(self.t.clone(memory_format=torch.contiguous_format))

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Array:
        del memo
        return self.copy()

    def astype(
        self,
        dtype: Any,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Array:
        """Return a copy with elements of another type."""
        del order, casting, subok
        wanted = as_torch(dtype)
        t = self.t
        if t.dtype is wanted:
            return Array(t.clone()) if copy else self
        if t.is_complex() and not wanted.is_complex and wanted is not torch.bool:
            t = t.real
        return Array(t.to(wanted))

    def fill(self, value: Any) -> None:
        """Write one value everywhere."""
        self[...] = value

    def view(self, dtype: Any = None) -> Array:
        """Return a view, with the bytes read as another type."""
        if dtype is None or dtype is Array:
            return view(self, self.t.view(self.t.shape))
        return view(self, self.t.view(as_torch(dtype)))

    def write(self, values: Any) -> None:
        """Write a tensor of the same shape into its memory."""
        self.t.copy_(values)


class Mirror(Array):
    """A view that runs backwards along some axes, which no tensor can.

    It reads its source again once that has changed, and writes through to it.

    Parameters
    ----------
    source : torch.Tensor
        The same elements in the order in which they lie, a true view.
    flipped : tuple of int
        Axes that run backwards.
    """

    __slots__ = ("_flipped", "_read", "_seen", "source")

    def __init__(self, source: Any, flipped: tuple[int, ...]) -> None:
        self.source, self._flipped = source, flipped
        self._seen, self._read = -1, None

    @property
    def t(self) -> Any:
        """A copy in the order of the view, as the source is now."""
        version = self.source._version  # noqa: SLF001  PyTorch's count of writes
        if self._seen != version:
            self._read, self._seen = self.source.flip(self._flipped), version
        return self._read

    @property
    def flipped(self) -> tuple[int, ...]:
        """Axes that run backwards."""
        return self._flipped

    def write(self, values: Any) -> None:
        """Write through to the source."""
        self.source.copy_(values.expand(self.source.shape).flip(self._flipped))


class Frozen(Array):
    """A view of a view that runs backwards: it may be read until the source is written."""

    __slots__ = ("_at", "_copy", "source")

    def __init__(self, source: Any, copy: Any) -> None:
        self.source, self._copy = source, copy
        self._at = source._version  # noqa: SLF001  PyTorch's count of writes

    @property
    def t(self) -> Any:
        """Its values.

        Raises
        ------
        RefusedError
            If the source was written since, so that these are not its values any more.
        """
        if self.source._version != self._at:  # noqa: SLF001  the same
            raise RefusedError(
                "a view of a reversed view is read after its source was written",
                "ndarray.__getitem__", None, "in-place-on-immutable",
            )  # fmt: skip
        return self._copy

    def write(self, _: Any) -> None:
        """Refuse.

        Raises
        ------
        RefusedError
            Always: what is written here would not reach the source.
        """
        raise RefusedError(
            "a view of a reversed view is written", "ndarray.__setitem__", None,
            "in-place-on-immutable",
        )  # fmt: skip


def view(owner: Array, t: Any) -> Array:
    """Return a view of an array as an array."""
    if isinstance(owner, (Mirror, Frozen)):
        return Frozen(owner.source, t)
    return Array(t)


def on_device(values: Any) -> Array:
    """Return an array of a host array's values on the device."""
    return Array(torch.from_numpy(values).to(Bound.device))


Method = Callable[..., Any]
