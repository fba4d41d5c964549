"""Settings that all tests share."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import settings

# Two shared cores are slow at times: an example may take long without being wrong.
settings.register_profile("breakeven", deadline=None)
settings.load_profile("breakeven")

# Tests take their times from records; a pool of threads would only disturb its neighbours.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")


@pytest.fixture(scope="session", autouse=True)
def _temporary_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give this session a temporary folder, with a lock of its own, and so its child processes.

    The machine's own folder holds the lock of whoever measures there now, and what others left.
    """
    folder = str(tmp_path_factory.mktemp("temporary"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield
