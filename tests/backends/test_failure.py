"""What an error raised by a library means for a case."""

from __future__ import annotations

import numpy as np
import pytest

from breakeven.backends.failure import classify
from breakeven.backends.found import first_line


class DeviceMemoryError(Exception):
    """What a device library raises when memory runs out."""


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (MemoryError(), "out_of_memory"),
        (DeviceMemoryError("CUDA out of memory"), "out_of_memory"),
        (RuntimeError("cudaErrorMemoryAllocation: out of memory"), "out_of_memory"),
        (RuntimeError("CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate"), "out_of_memory"),
        (NotImplementedError("no such kernel"), "unsupported"),
        (AttributeError("module has no attribute 'erf'"), "unsupported"),
        (RuntimeError("device-side assert triggered"), "crashed"),
        (ValueError(""), "crashed"),
        (ZeroDivisionError(), "crashed"),
    ],
)
def test_errors_have_a_status_and_one_line(error: Exception, status: str) -> None:
    """Each kind is told apart; the text is one line, never empty."""
    found, text = classify(error, (DeviceMemoryError,))
    assert found == status
    assert text
    assert "\n" not in text


def test_numpy_without_memory_is_out_of_memory() -> None:
    """NumPy's own error, met in practice: an array that no machine has room for."""
    with pytest.raises(MemoryError) as caught:
        np.empty(2**58, np.uint8)
    assert classify(caught.value)[0] == "out_of_memory"


def test_torch_without_memory_is_out_of_memory() -> None:
    """PyTorch says it on the CPU in a plain RuntimeError, met in practice."""
    torch = pytest.importorskip("torch")
    with pytest.raises(RuntimeError) as caught:
        torch.empty(2**58, dtype=torch.uint8)
    assert classify(caught.value, (torch.OutOfMemoryError,))[0] == "out_of_memory"


def test_the_first_line_says_of_what_type_it_is() -> None:
    """The type comes first, then the first line that says something."""
    assert first_line(ValueError("  one\ntwo")) == "ValueError: one"
    assert first_line(KeyboardInterrupt()) == "KeyboardInterrupt"
