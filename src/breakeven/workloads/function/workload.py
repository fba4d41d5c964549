"""The user's function behind the seam that built-in workloads have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from breakeven.model.case import Agreement, Work
from breakeven.model.ported import FunctionSpec
from breakeven.model.spec import DType, Precision
from breakeven.workloads.base import Answer, Need
from breakeven.workloads.function.agreement import compared
from breakeven.workloads.function.arguments import Arguments, Maker
from breakeven.workloads.function.facts import AXIS, PlannedFunction, Seen
from breakeven.workloads.function.reference import wanted_of
from breakeven.workloads.function.target import function_in, load_module, parsed
from breakeven.workloads.function.tree import Leaf, taken_apart
from breakeven.workloads.function.wanted import read, stored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from breakeven.workloads.base import Array


class FunctionWorkload:
    """The user's function over a size `n`, as NumPy computes it.

    Its arguments are made anew from the seed, so there are no inputs to be kept: what `make`
    returns as inputs are the arrays among them, in order.

    Parameters
    ----------
    seen : mapping, optional
        What it did at some sizes, to plan by.
    """

    axis = AXIS

    def __init__(
        self,
        name: str,
        function: FunctionSpec,
        seed: int,
        seen: Mapping[int, Seen] | None = None,
    ) -> None:
        self.name = name
        self._spec, self._seed = function, seed
        self._planned = PlannedFunction(name, seen or {1: Seen(call_s=0.0)})
        self.sizes = self._planned.sizes
        self._made: tuple[Maker, Any] | None = None
        self._arguments: Arguments | None = None

    def work(self, size: int, dtype: DType) -> Work:
        """Return what a plan needs to know of the time of a call."""
        return self._planned.work(size, dtype)

    def need(self, size: int, dtype: DType) -> Need:
        """Return the bytes that a process holds."""
        return self._planned.need(size, dtype)

    def _ready(self) -> tuple[Maker, Any]:
        if self._made is None:
            target = parsed(self._spec.target)
            module = load_module(target)
            function = function_in(module, target)
            maker = Maker(target, self._spec.inputs, module, function, self._seed)
            self._made = (maker, function)
        return self._made

    def make(self, size: int, dtype: DType, seed: int) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return the arrays among the arguments, with what answers are held against."""
        del dtype, seed
        maker, function = self._ready()
        wanted, values, _ = wanted_of(maker, function, size, self._seed, self._spec.rtol)
        self._arguments = maker.make(size)
        inputs = {leaf.path: leaf.value for leaf in self._arguments.leaves}
        return inputs, stored(wanted, values)

    def run(self, xp: Any, inputs: tuple[Any, ...]) -> Answer:  # noqa: ANN401  any namespace
        """Call the function once with other arrays in place of those that `make` gave."""
        del xp
        assert self._arguments is not None
        args, kwargs = self._arguments.call_with(list(inputs))
        leaves = taken_apart(self._ready()[1](*args, **kwargs), numbers=True)[0]
        return Answer(arrays=tuple(leaf.value for leaf in leaves))

    def check(
        self,
        arrays: tuple[Array, ...],
        losses: tuple[float, ...],
        reference: dict[str, Array],
        precision: Precision,
    ) -> Agreement:
        """Compare an answer with NumPy's by the rule that was chosen when that was made."""
        del losses, precision
        import numpy as np  # noqa: PLC0415  after the backend was opened

        wanted, values = read(reference)
        paths = [leaf.path for leaf in wanted.leaves] + [f"[{i}]" for i in range(len(arrays))]
        found = [Leaf(p, np.asarray(a)) for p, a in zip(paths, arrays, strict=False)]
        originals = [] if self._arguments is None else [x.value for x in self._arguments.leaves]
        return compared(found, wanted, values, originals, self._seed).agreement
