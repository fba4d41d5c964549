"""Thread pools are told as the libraries themselves say."""

from __future__ import annotations

import numpy as np

from breakeven.machine.pools import read_pools
from breakeven.model.machine import Blas

TOLD = [
    {"user_api": "openmp", "internal_api": "openmp", "num_threads": 8, "prefix": "libgomp",
     "filepath": "/home/ada/lib/libgomp.so", "version": None},
    {"user_api": "blas", "internal_api": "openblas", "num_threads": 16, "prefix": "libscipy_openblas",
     "filepath": "/x/libscipy_openblas.so", "version": "0.3.31", "threading_layer": "pthreads",
     "architecture": "SkylakeX"},
]  # fmt: skip


def test_pools_are_sorted_and_carry_no_path() -> None:
    """The order does not depend on load order, and the path of a library stays here."""
    assert read_pools(TOLD) == (
        Blas(library="openblas", user_api="blas", version="0.3.31", core_type="SkylakeX", threads=16,
             threading="pthreads"),
        Blas(library="openmp", user_api="openmp", threads=8),
    )  # fmt: skip


def test_numpys_own_pool_is_seen() -> None:
    """With NumPy loaded, its BLAS is among the pools."""
    assert np.ones((2, 2)) @ np.ones(2) is not None
    assert "blas" in {pool.user_api for pool in read_pools()}
