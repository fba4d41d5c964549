"""Counts the kernels that a call makes the device run, as CUPTI reports them."""

from __future__ import annotations

from collections.abc import Callable

from breakeven.backends.found import installed


def count_kernels(
    call: Callable[[], object], synchronise: Callable[[], None], own: str
) -> int | None:
    """Call under PyTorch's profiler, which sees the kernels of every library in the process.

    Copies and fills are no kernels. None, and a plain call, where PyTorch's CUDA build is not
    there to listen, or something else holds CUPTI.

    Parameters
    ----------
    own : str
        Library that makes the call: CuPy's kernels are seen by PyTorch only if PyTorch is there.
    """
    if own != "torch" and not installed("torch"):
        call()
        return None
    import torch

    if not torch.cuda.is_available():
        call()
        return None
    from torch.profiler import ProfilerActivity, profile

    synchronise()
    with profile(activities=[ProfilerActivity.CUDA]) as watched:
        call()
        synchronise()
    seen = [e for e in watched.events() if "CUDA" in str(e.device_type)]
    kernels = sum(not e.name.startswith(("Memcpy", "Memset")) for e in seen)
    # A call that gave CUPTI nothing at all to tell is not proof that nothing ran.
    return kernels if seen else None
