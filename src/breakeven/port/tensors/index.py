"""NumPy's indexing: steps backwards, masks, arrays and numbers mixed, writing through views."""

from __future__ import annotations

from typing import Any

import numpy as np

from breakeven.errors import HostArrayError, RefusedError
from breakeven.port.tensors.array import Array, Mirror, view
from breakeven.port.tensors.bound import Bound, bound_torch
from breakeven.port.tensors.operands import operand, shares

torch = bound_torch()


def getitem(self: Array, key: Any) -> Array:
    """Return elements: a view of slices and numbers, a copy of masks and arrays."""
    kind = type(key)
    if kind is int and type(self) is Array:
        return Array(self.t[key])
    items, advanced = _items(key, self.t.ndim)
    if not advanced:
        return _basic(self, items)
    t, rest = self.t, items
    if any(_backwards(item) for item in items):
        t, rest = _unflipped(t, items)
    return Array(t[tuple(_spread(rest))])


def setitem(self: Array, key: Any, value: Any) -> None:
    """Write elements; what is read from the same memory is read first."""
    taken = operand(value)
    items, advanced = _items(key, self.t.ndim)
    if not advanced:
        goal = _basic(self, items)
        wide = taken.is_complex() if torch.is_tensor(taken) else isinstance(taken, complex)
        if wide and not goal.t.is_complex():
            raise TypeError("a complex number is written into an array of real ones")
        if type(goal) is Array and not (torch.is_tensor(taken) and taken.ndim):
            # A number travels as a parameter, and not as an array of itself.
            goal.t.fill_(taken)
            return
        values = taken if torch.is_tensor(taken) else torch.tensor(taken, device=Bound.device)
        goal.write(_fitted(values, goal.t))
        return
    if any(_backwards(item) for item in items):
        raise RefusedError("a mask beside a step backwards is written", "ndarray.__setitem__")
    index = tuple(_spread(items))
    if type(self) is not Array:
        # Written in a copy, which is then written through whole.
        whole = self.t.clone()
        whole[index] = _value(taken, whole)
        self.write(whole)
        return
    self.t[index] = _value(taken, self.t)


def _value(taken: Any, t: Any) -> Any:
    if not torch.is_tensor(taken):
        return taken
    if taken.untyped_storage().data_ptr() == t.untyped_storage().data_ptr():
        taken = taken.clone()
    return taken.to(device=t.device, dtype=t.dtype)


def _fitted(taken: Any, goal: Any) -> Any:
    """Return values as a tensor that may be copied into `goal`."""
    while taken.ndim > goal.ndim and taken.shape[0] == 1:
        taken = taken[0]
    if shares(taken, goal):
        taken = taken.clone()
    return taken.expand(goal.shape)


def _items(key: Any, ndim: int) -> tuple[list[Any], bool]:
    """Return an index as a list without ellipsis, and whether arrays are in it."""
    raw = list(key) if isinstance(key, tuple) else [key]
    items = [_item(part) for part in raw]
    advanced = any(torch.is_tensor(item) for item in items)
    used = sum(_consumes(item) for item in items)
    if used > ndim:
        raise IndexError(
            f"too many indices for array: array is {ndim}-dimensional, but {used} were indexed"
        )
    fill = [slice(None)] * (ndim - used)
    dots = [place for place, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    place = dots[0] if dots else len(items)
    return items[:place] + fill + items[place + len(dots) :], advanced


def _item(part: Any) -> Any:
    kind = type(part)
    if kind is int or kind is slice or part is None or part is Ellipsis:
        return part if kind is not slice else _plain(part)
    if isinstance(part, Array):
        t = part.t
        if t.dtype is torch.bool:
            return _mask(t)
        if t.is_floating_point() or t.is_complex():
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        return int(t.item()) if t.ndim == 0 else t.to(torch.int64)
    if isinstance(part, (bool, np.bool_)):
        raise RefusedError("a single truth value is an index", "ndarray.__getitem__")
    if isinstance(part, np.ndarray) and part.ndim:
        raise HostArrayError("an array of the host is an index", "ndarray.__getitem__")
    if isinstance(part, (list, tuple, range)):
        return _listed(part)
    return part.__index__()


def _listed(part: Any) -> Any:
    if any(isinstance(inner, Array) for inner in part):
        each = [_item(inner) for inner in part]
        return torch.stack([torch.as_tensor(one, device=Bound.device) for one in each])
    made = np.asarray(part)
    if made.size == 0:
        made = made.astype(np.int64)
    if made.dtype.kind not in "iub":
        raise IndexError("only integers, slices, masks and arrays of integers are valid indices")
    wanted = made if made.dtype.kind == "b" else made.astype(np.int64)
    return torch.from_numpy(wanted).to(Bound.device)


def _mask(t: Any) -> Any:
    if t.ndim == 0:
        raise RefusedError("a single truth value is an index", "ndarray.__getitem__")
    return t


def _plain(part: slice) -> slice:
    if part.step is None or isinstance(part.step, int):
        ends = (part.start, part.stop)
        if all(end is None or type(end) is int for end in ends):
            return part
    return slice(
        *(None if x is None else x.__index__() for x in (part.start, part.stop, part.step))
    )


def _consumes(item: Any) -> int:
    if item is None or item is Ellipsis:
        return 0
    return int(item.ndim) if torch.is_tensor(item) and item.dtype is torch.bool else 1


def _backwards(item: Any) -> bool:
    return isinstance(item, slice) and item.step is not None and item.step < 0


def _forwards(item: slice, length: int) -> slice:
    """Return the slice of the same elements in the order in which they lie."""
    places = range(*item.indices(length))
    return slice(places[-1], places[0] + 1, -places.step) if places else slice(0, 0)


def _basic(self: Array, items: list[Any]) -> Array:
    """Return a view of numbers, slices and new axes."""
    mirrored = self.flipped if isinstance(self, Mirror) else ()
    if not mirrored and not any(_backwards(item) for item in items):
        return view(self, self.t[tuple(items)])
    source = self.source if isinstance(self, Mirror) else self.t
    key: list[Any] = []
    flipped: list[int] = []
    axis = place = 0
    for item in items:
        if item is None:
            key.append(None)
            place += 1
            continue
        length, back = source.shape[axis], axis in mirrored
        if isinstance(item, slice):
            places = range(*item.indices(length))
            if back:
                places = _mirrored(places, length)
            key.append(_span(places))
            if places.step < 0 and len(places) > 1:
                flipped.append(place)
            place += 1
        else:
            index = item + length if item < 0 else item
            if not 0 <= index < length:
                raise IndexError(
                    f"index {item} is out of bounds for axis {axis} with size {length}"
                )
            key.append(length - 1 - index if back else index)
        axis += 1
    found = source[tuple(key)]
    if flipped:
        return Mirror(found, tuple(flipped))
    return Array(found) if isinstance(self, Mirror) else view(self, found)


def _mirrored(places: range, length: int) -> range:
    if not places:
        return range(0)
    last = length - 1
    first, step = last - places[0], -places.step
    return range(first, first + step * len(places), step)


def _span(places: range) -> slice:
    """Return the slice of these places in the order in which they lie."""
    if not places:
        return slice(0, 0)
    low, high = min(places[0], places[-1]), max(places[0], places[-1])
    return slice(low, high + 1, abs(places.step))


def _unflipped(t: Any, items: list[Any]) -> tuple[Any, list[Any]]:
    """Take the steps backwards first; return the rest of the index."""
    key: list[Any] = []
    flipped = []
    rest: list[Any] = []
    axis = 0
    for item in items:
        if _backwards(item):
            key.append(_forwards(item, t.shape[axis]))
            flipped.append(axis)
            rest.append(slice(None))
            axis += 1
            continue
        rest.append(item)
        for _ in range(_consumes(item)):
            key.append(slice(None))
            axis += 1
    return t[tuple(key)].flip(flipped), rest


def _spread(items: list[Any]) -> list[Any]:
    """Return an index whose numbers count as arrays, as NumPy counts them beside arrays."""
    return [
        torch.full((1,), item, device=Bound.device) if type(item) is int else item for item in items
    ]


for _name, _method in (("__getitem__", getitem), ("__setitem__", setitem)):
    setattr(Array, _name, _method)
