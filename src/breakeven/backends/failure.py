"""What an error raised by a library means for a case."""

from __future__ import annotations

from typing import Literal

from breakeven.backends.found import first_line

# On the CPU, PyTorch says this in a plain RuntimeError; CUDA libraries in errors of many types.
_MEMORY_WORDS = ("can't allocate memory", "cudaErrorMemoryAllocation", "CUBLAS_STATUS_ALLOC_FAILED")


def classify(
    error: Exception, out_of_memory: tuple[type[BaseException], ...] = ()
) -> tuple[Literal["out_of_memory", "unsupported", "crashed"], str]:
    """Map an error to a status, with one line of text.

    Parameters
    ----------
    out_of_memory : tuple of exception types
        What the library in use raises when memory runs out.
    """
    text = first_line(error)
    if isinstance(error, (MemoryError, *out_of_memory)) or any(w in text for w in _MEMORY_WORDS):
        return "out_of_memory", text
    if isinstance(error, (NotImplementedError, AttributeError)):
        return "unsupported", text
    return "crashed", text
