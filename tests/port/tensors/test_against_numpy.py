"""Each call of the table, on NumPy and on the facade: values, shapes and types."""

from __future__ import annotations

import numpy as np
import pytest

from port.tensors.calls import calls
from port.tensors.conftest import Side, parts


@pytest.mark.parametrize("call", calls())
@pytest.mark.parametrize("seed", [0, 1])
def test_call(side: Side, call: str, seed: int) -> None:
    """The facade gives NumPy's values in NumPy's shape and type."""

    def made(namespace: object, host: dict[str, object]) -> object:
        return eval(call, {"np": namespace, **host})

    expected, found = side.both(made, seed)
    one, other = parts(expected), parts(found)
    assert len(one) == len(other)
    for left, right in zip(one, other, strict=True):
        if not isinstance(left, (np.ndarray, np.generic, int, float)):
            assert left == right
            continue
        assert np.shape(left) == np.shape(right)
        assert np.asarray(left).dtype == np.asarray(right).dtype
        wide = 1e-3 if np.asarray(left).dtype == np.float16 else 1e-6
        np.testing.assert_allclose(
            np.asarray(right), np.asarray(left), rtol=wide, atol=1e-9 if wide < 1e-3 else 1e-3
        )
