"""The user's function compiled by PyTorch: NumPy code traced whole, without falling back."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from breakeven.model.ported import Compiled

MOST_BREAKS, _LONGEST = 8, 160


class TorchCompiled:
    """A function that takes and gives tensors, its NumPy calls compiled as PyTorch's.

    The graph has to be whole: where it breaks, the rest would run in NumPy on the host, and pass
    for the device's work. What breaks it is then found by tracing once more without compiling.
    `torch.compile` compiles when the function is first called, and again for other shapes; from
    the second shape on sizes are left open (https://docs.pytorch.org/docs/stable/torch.compiler.html).

    Parameters
    ----------
    function : callable
        The user's own, on NumPy's arrays.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        import torch

        self._torch: Any = torch
        wrap: Any = torch.compiler.wrap_numpy
        self._wrapped = wrap(function)
        made: Callable[..., Any] = torch.compile(self._wrapped, fullgraph=True)
        self.function = made

    def first(self, call: Callable[[], object]) -> Compiled:
        """Make the first call, which compiles, and the next, which does not: what it took."""
        begin = time.perf_counter()
        call()
        compiling = time.perf_counter() - begin
        begin = time.perf_counter()
        call()
        return Compiled(seconds=max(0.0, compiling - (time.perf_counter() - begin)), graphs=1)

    def breaks(self, args: tuple[Any, ...], kwargs: dict[str, Any], seconds: float) -> Compiled:
        """Return into how many graphs the function falls, and why; it runs once for that."""
        dynamo = self._torch._dynamo  # noqa: SLF001  the only door to `explain`
        dynamo.reset()
        found = dynamo.explain(self._wrapped)(*args, **kwargs)
        reasons = tuple(dict.fromkeys(_told(reason) for reason in found.break_reasons))
        return Compiled(
            seconds=seconds, graphs=int(found.graph_count), breaks=reasons[:MOST_BREAKS]
        )


def _told(reason: Any) -> str:  # noqa: ANN401  PyTorch's own record
    said = " ".join(str(reason.reason).split())
    said = said.partition(" Developer debug context")[0]
    said = said.partition(" Hint:")[0].replace(" Explanation:", ":")[:_LONGEST]
    frame = reason.user_stack[-1] if reason.user_stack else None
    return said if frame is None else f"line {frame.lineno}: {said}"
