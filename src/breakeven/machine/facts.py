"""All facts about a computer in one record."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence

from breakeven._version import __version__
from breakeven.machine.cpu import read_cpu
from breakeven.machine.libraries import read_environment, read_libraries
from breakeven.machine.memory import read_memory
from breakeven.model.machine import Blas, Gpu, Machine


def read_machine(
    gpus: Sequence[Gpu] = (),
    no_gpu_reason: str | None = None,
    driver: str | None = None,
    cuda_driver: str | None = None,
    blas: Mapping[str, tuple[Blas, ...]] | None = None,
) -> Machine:
    """Return the facts about this computer, with what others read about its GPUs.

    Parameters
    ----------
    gpus : sequence of Gpu
        GPUs that this process may use, by the driver.
    no_gpu_reason : str or None
        Why `gpus` is empty.
    driver, cuda_driver : str or None
        Version of the GPU driver, and the newest CUDA that it serves.
    blas : mapping, optional
        Thread pools by backend name, read in workers.

    Returns
    -------
    Machine
        It holds no host name, user name or home folder.
    """
    memory = read_memory()
    return Machine(
        cpu=read_cpu(),
        memory_bytes=memory.total_bytes,
        memory_available_bytes=memory.available_bytes,
        gpus=tuple(gpus),
        no_gpu_reason=None if gpus else (no_gpu_reason or "nobody looked for a GPU"),
        driver=driver,
        cuda_driver=cuda_driver,
        platform=f"{platform.system()}-{platform.machine()}",
        kernel=platform.release(),
        python=platform.python_version(),
        libraries=read_libraries(),
        blas=dict(blas or {}),
        environment=read_environment(),
        breakeven=__version__,
    )
