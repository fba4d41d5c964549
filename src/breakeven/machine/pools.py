"""Thread pools that the libraries of this process brought along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from breakeven.model.machine import Blas


def read_pools(told: Sequence[Mapping[str, Any]] | None = None) -> tuple[Blas, ...]:
    """Return the BLAS and OpenMP pools loaded here; call it in a worker, after import.

    Parameters
    ----------
    told : sequence of mapping, optional
        What threadpoolctl says; asked of it when not given.

    Returns
    -------
    tuple of Blas
        Sorted by interface, then by library; the path of a library is left out.
    """
    if told is None:
        from threadpoolctl import threadpool_info  # noqa: PLC0415  only a worker needs it

        told = threadpool_info()
    pools = (
        Blas(
            library=str(pool.get("internal_api") or pool.get("prefix") or "unknown"),
            user_api=str(pool.get("user_api") or "unknown"),
            version=_text(pool.get("version")),
            core_type=_text(pool.get("architecture")),
            threads=pool.get("num_threads"),
            threading=_text(pool.get("threading_layer")),
        )
        for pool in told
    )
    return tuple(sorted(pools, key=lambda p: (p.user_api, p.library, p.version or "")))


def _text(value: object) -> str | None:
    return None if value is None else str(value)
