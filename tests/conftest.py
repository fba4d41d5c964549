"""Settings that all tests share."""

from __future__ import annotations

import os

from hypothesis import settings

# Two shared cores are slow at times: an example may take long without being wrong.
settings.register_profile("breakeven", deadline=None)
settings.load_profile("breakeven")

# Tests take their times from records; a pool of threads would only disturb its neighbours.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
