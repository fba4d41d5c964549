"""What a step computes in, and the process's switches for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from breakeven.backends.precision import NO_TF32_ON_CPU, TorchSettings
from breakeven.model.spec import Precision

StepPrecision = Literal["fp32", "tf32", "bf16"]
PRODUCTS: dict[StepPrecision, Precision] = {"fp32": "float32", "tf32": "tf32", "bf16": "float32"}


@contextmanager
def products(precision: StepPrecision, device: str) -> Iterator[None]:
    """Multiply float32 in TF32 or in full while it lasts, and as before afterwards.

    Raises
    ------
    NotImplementedError
        If TF32 is asked of a CPU, or PyTorch did not switch.
    """
    import torch

    if precision == "tf32" and device == "cpu":
        raise NotImplementedError(NO_TF32_ON_CPU)
    matmul = torch.get_float32_matmul_precision()
    convolutions = torch.backends.cudnn.allow_tf32
    try:
        refused = TorchSettings(torch).apply(PRODUCTS[precision])
        if refused is not None:
            raise NotImplementedError(refused)
        yield
    finally:
        torch.set_float32_matmul_precision(matmul)
        torch.backends.cudnn.allow_tf32 = convolutions


def autocast(precision: StepPrecision, device: str) -> Any:  # noqa: ANN401  a context
    """Return the context of a forward pass: bfloat16 where it is safe for bf16, else as it is."""
    import torch

    kind = device.partition(":")[0]
    return torch.autocast(kind, dtype=torch.bfloat16, enabled=precision == "bf16")
