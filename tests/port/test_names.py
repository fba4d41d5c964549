"""The tables of names: as the code is, and as releases differ."""

from __future__ import annotations

import pytest

import torch_names
from breakeven.port.names import offered


def test_torch_table() -> None:
    """The committed table of the facade over PyTorch is what its code offers."""
    assert torch_names.TARGET.read_text().split() == torch_names.text().split()


@pytest.mark.parametrize(
    ("name", "cupy", "torch"),
    [
        ("numpy.sum", "yes", "yes"),
        ("numpy.nanpercentile", "no", "yes"),
        ("numpy.lib.stride_tricks.sliding_window_view", "yes", "yes"),
        ("numpy.vectorize", "yes", "no"),
        ("numpy.histogram2d", "yes", "slow"),
        ("numpy.add.reduce", "yes", "yes"),
        ("numpy.random.default_rng", "yes", "yes"),
        ("numpy.errstate", "yes", "yes"),
        ("scipy.special.erf", "yes", "yes"),
        ("scipy.optimize.minimize", "no", "no"),
        ("ndarray.sum", "yes", "yes"),
        ("Generator.normal", "yes", "yes"),
    ],
)
def test_offers(name: str, cupy: str, torch: str) -> None:
    """Names tell which library has a call, and which has it by a slow way."""
    assert (offered(name, "cupy"), offered(name, "torch")) == (cupy, torch)


def test_older_release() -> None:
    """A name that came with a release is not in the one before."""
    assert offered("numpy.trapezoid", "cupy", "14.2.0") == "yes"
    assert offered("numpy.trapezoid", "cupy", "13.6.0") == "no"
