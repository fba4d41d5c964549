"""The calls that clocks are compared on: products and sums of float32, results written in place.

The result has its memory beforehand: a harness that holds the stream while a call is issued would
never return if the call had to wait for memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

Call = Callable[[], object]
SEED = 42
PRODUCTS = (128, 512, 2048, 8192)
SUMS = (10_000, 1_000_000, 100_000_000)
CASES = tuple([f"matmul-{n}" for n in PRODUCTS] + [f"add-{n}" for n in SUMS])


def _shape(case: str) -> tuple[str, tuple[int, ...]]:
    name, _, size = case.partition("-")
    return name, (int(size), int(size)) if name == "matmul" else (int(size),)


def torch_calls(torch: Any, device: str = "cuda") -> dict[str, Callable[[], Call]]:  # noqa: ANN401
    """Return what makes each call ready in PyTorch, by case."""

    def ready(case: str) -> Call:
        name, shape = _shape(case)
        generator = torch.Generator(device=device).manual_seed(SEED)
        a, b = (torch.randn(shape, generator=generator, device=device) for _ in range(2))
        out = torch.empty_like(a)
        function = torch.matmul if name == "matmul" else torch.add
        return partial(function, a, b, out=out)

    return {case: partial(ready, case) for case in CASES}


def array_calls(xp: Any) -> dict[str, Callable[[], Call]]:  # noqa: ANN401  CuPy or NumPy
    """Return what makes each call ready in CuPy (or NumPy), by case."""

    def ready(case: str) -> Call:
        name, shape = _shape(case)
        xp.random.seed(SEED)
        a, b = (xp.random.standard_normal(shape).astype(xp.float32) for _ in range(2))
        out = xp.empty_like(a)
        function = xp.matmul if name == "matmul" else xp.add
        return partial(function, a, b, out=out)

    return {case: partial(ready, case) for case in CASES}
