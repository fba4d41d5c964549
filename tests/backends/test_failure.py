"""What an error raised by a library means for a case."""

from __future__ import annotations

from collections.abc import Callable

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
        (RuntimeError("cuDNN error: CUDNN_STATUS_ALLOC_FAILED"), "out_of_memory"),
        (RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB."), "out_of_memory"),
        (
            RuntimeError("[enforce fail] not enough memory: you tried to allocate 9 bytes"),
            "out_of_memory",
        ),
        (NotImplementedError("no such kernel"), "unsupported"),
        (AttributeError("module has no attribute 'erf'"), "unsupported"),
        (RuntimeError("\"svd_cuda_gesvdj\" not implemented for 'Half'"), "unsupported"),
        (RuntimeError("\"geqrf_cuda\" not implemented for 'BFloat16'"), "unsupported"),
        (RuntimeError("Unsupported dtype Half"), "unsupported"),
        (
            RuntimeError(
                "cuFFT only supports dimensions whose sizes are powers of two when computing in "
                "half precision, but got a signal size of[1280]"
            ),
            "unsupported",
        ),
        (RuntimeError("linalg.inv: Low precision dtypes not supported. Got Half"), "unsupported"),
        (TypeError("Got unsupported ScalarType ComplexHalf"), "unsupported"),
        (TypeError("float16 is unsupported in linalg"), "unsupported"),
        (ImportError("libcusolver.so.12: cannot open shared object file"), "unsupported"),
        (RuntimeError("device-side assert triggered"), "crashed"),
        (TypeError("solve() missing 1 required positional argument: 'b'"), "crashed"),
        (np.linalg.LinAlgError("Singular matrix"), "crashed"),
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


@pytest.mark.parametrize(
    "call",
    [
        lambda a: np.linalg.solve(a, a),
        lambda a: np.linalg.svd(a, full_matrices=False),
        lambda _: np.fft.no_such_transform,
        lambda _: np.no_such_function,
    ],
    ids=["solve", "svd", "a transform", "a function"],
)
def test_what_numpy_lacks_is_unsupported(call: Callable[[object], object]) -> None:
    """Linear algebra in 16 bits, and names that it does not have, met in practice."""
    with pytest.raises((TypeError, AttributeError)) as caught:
        call(np.ones((2, 2), np.float16))
    assert classify(caught.value)[0] == "unsupported"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("function", ["linalg.solve", "linalg.svd", "fft.rfft"])
def test_what_torch_lacks_in_16_bits_is_unsupported(function: str, dtype: str) -> None:
    """PyTorch's own errors on the CPU, of several types, met in practice."""
    torch = pytest.importorskip("torch")
    module, name = function.split(".")
    call = getattr(getattr(torch, module), name)
    a = torch.ones((2, 2), dtype=getattr(torch, dtype))
    with pytest.raises((NotImplementedError, RuntimeError)) as caught:
        call(a, a) if name == "solve" else call(a)
    status, why = classify(caught.value)
    assert status == "unsupported", why


def test_the_first_line_says_of_what_type_it_is() -> None:
    """The type comes first, then the first line that says something."""
    assert first_line(ValueError("  one\ntwo")) == "ValueError: one"
    assert first_line(KeyboardInterrupt()) == "KeyboardInterrupt"
