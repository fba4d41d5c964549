"""Kernel caches pointed to an empty folder, for one process."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VARIABLES = (
    "CUDA_CACHE_PATH",
    "CUPY_CACHE_DIR",
    "PYTORCH_KERNEL_CACHE_PATH",
    "TORCHINDUCTOR_CACHE_DIR",
    "TRITON_CACHE_DIR",
)
"""Where the CUDA driver, CuPy, PyTorch's own compiler of kernels, its Inductor and Triton keep what
they have compiled. Each is read by its library when that is first used, so it is set before."""


@contextmanager
def emptied(scratch: Path) -> Iterator[dict[str, str]]:
    """Give the variables that point all kernel caches to empty folders, removed at the end.

    The caches of this user stay as they are.

    Parameters
    ----------
    scratch : Path
        Folder of this run.
    """
    root = Path(tempfile.mkdtemp(prefix="caches-", dir=scratch))
    try:
        folders = {name: root / name.lower() for name in VARIABLES}
        for folder in folders.values():
            folder.mkdir()
        yield {name: str(folder) for name, folder in folders.items()}
    finally:
        # A worker that was killed may have left files; a folder that stays is the run's, and goes
        # with it.
        shutil.rmtree(root, ignore_errors=True)
