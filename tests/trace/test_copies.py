"""Copies by direction and memory, from the names that CUPTI's kinds are written with."""

from __future__ import annotations

import pytest

from breakeven.model.trace import Copies
from breakeven.trace.chrome import Work
from breakeven.trace.copies import copies, way


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Memcpy HtoD (Pageable -> Device)", ("to_device", "pageable")),
        ("Memcpy HtoD (Pinned -> Device)", ("to_device", "pinned")),
        ("Memcpy DtoH (Device -> Pageable)", ("to_host", "pageable")),
        ("Memcpy DtoH (Device -> Pinned)", ("to_host", "pinned")),
        ("Memcpy HtoD (Managed -> Device)", ("to_device", "unknown")),
        ("Memcpy HtoA (Pinned -> Array)", ("to_device", "pinned")),
        ("Memcpy DtoD (Device -> Device)", ("on_device", "unknown")),
        ("Memcpy PtoP (Device -> Device)", ("between_devices", "unknown")),
        ("Memcpy HtoD", ("to_device", "unknown")),
        ("CopyHostToDevice", ("to_device", "unknown")),
        ("Memcpy HtoH (Pageable -> Pinned)", None),
        ("Memset (Device)", None),
    ],
)
def test_a_name_tells_where_a_copy_goes(name: str, expected: tuple[str, str] | None) -> None:
    """What the name does not tell is unknown; what touches no device is none of its copies."""
    assert way(name) == expected


def test_copies_of_one_kind_are_added() -> None:
    """Most bytes first; kernels, and copies whose size nobody wrote, are left out."""

    def copy(name: str, size: int | None, took: float) -> Work:
        return Work("copy", name, 0.0, took, 0, 7, bytes=size)

    up, down = "Memcpy HtoD (Pinned -> Device)", "Memcpy DtoH (Device -> Pinned)"
    work = [copy(down, 4, 1.0), copy(up, 10, 2.0), copy(up, 30, 3.0), copy(up, None, 9.0)]
    work.append(Work("kernel", up, 0.0, 1.0, 0, 7, bytes=99))
    assert copies(work) == (
        Copies(direction="to_device", memory="pinned", number=2, bytes=40, seconds=5.0),
        Copies(direction="to_host", memory="pinned", number=1, bytes=4, seconds=1.0),
    )
