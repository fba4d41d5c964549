"""What an error raised by a library means for a case."""

from __future__ import annotations

from typing import Literal

from breakeven.backends.found import first_line

# On the CPU, PyTorch says this in a plain RuntimeError; CUDA libraries in errors of many types.
_MEMORY_WORDS = (
    "can't allocate memory",
    "not enough memory: you tried to allocate",
    "CUDA out of memory",
    "cudaErrorMemoryAllocation",
    "CUBLAS_STATUS_ALLOC_FAILED",
    "CUDNN_STATUS_ALLOC_FAILED",
    "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
)
# What a library lacks for a type is at times told in errors of other types: PyTorch's in
# RuntimeError and TypeError ("svd_cuda" not implemented for 'Half'; Unsupported dtype Half; cuFFT
# only supports dimensions whose sizes are powers of two when computing in half precision; Got
# unsupported ScalarType BFloat16), NumPy's and CuPy's in TypeError (float16 is unsupported in
# linalg; ufunc 'sqrt' not supported for the input types).
_LACKING_WORDS = (
    "not implemented for '",
    "Unsupported dtype",
    "unsupported ScalarType",
    "unsupported in linalg",
    "not supported for the input types",
    "cuFFT only supports",
    "Low precision dtypes not supported",
)


def classify(
    error: Exception, out_of_memory: tuple[type[BaseException], ...] = ()
) -> tuple[Literal["out_of_memory", "unsupported", "crashed"], str]:
    """Map an error to a status, with one line of text.

    A function that the namespace has not, a type that a function does not take, or a part of the
    library that is not installed is `unsupported`; whatever else the library raises, `crashed`.

    Parameters
    ----------
    out_of_memory : tuple of exception types
        What the library in use raises when memory runs out.
    """
    text = first_line(error)
    if isinstance(error, (MemoryError, *out_of_memory)) or any(w in text for w in _MEMORY_WORDS):
        return "out_of_memory", text
    if isinstance(error, NotImplementedError) and str(error).strip():
        # What is missing says more than the type that says so.
        return "unsupported", text.partition(": ")[2]
    lacking = (NotImplementedError, AttributeError, ImportError)
    if isinstance(error, lacking) or any(w in text for w in _LACKING_WORDS):
        return "unsupported", text
    return "crashed", text
