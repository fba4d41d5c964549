"""NumPy functions, unmodified, on the libraries of a CUDA device."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from breakeven.backends import registry
from breakeven.backends.libraries import library
from breakeven.backends.library import Library
from breakeven.errors import MissingError
from breakeven.port import convert
from breakeven.port.facade import Modules
from breakeven.port.facades import facade_of
from breakeven.port.names import offered
from breakeven.port.run import prepare
from port.tensors.calls import calls
from port.tensors.conftest import parts, values
from port.tensors.test_silent import PLANTS

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(300)]
USER = """\
import numpy as np
from numpy.linalg import norm

SCALE = np.array([1.0, 2.0, 3.0])


def run(x):
    y = np.sqrt(np.abs(x) + 1) * SCALE
    y[y > 2] = 0
    y -= y.mean(axis=0)
    return {"y": y, "n": norm(y, axis=1), "c": np.cov(y, rowvar=False)}


def waits(x):
    return x * float(x.sum())


def starved(x):
    return np.zeros((1 << 24, 1 << 24)) + x[0]


def draws(n):
    return np.random.default_rng(5).normal(size=n)
"""


@pytest.fixture(params=["cupy", "torch-cuda"])
def device(request: pytest.FixtureRequest) -> Library:
    """Return each GPU library that works here."""
    backend = registry.get(request.param)
    info = backend.find()
    if not info.available:
        pytest.skip(f"{request.param}: {info.why_not}")
    backend.open()
    return library(request.param)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a user's module."""
    (tmp_path / "user.py").write_text(USER)
    return tmp_path


def _rows() -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.random.default_rng(0).normal(size=(50, 3))


def test_runs_fully_there(device: Library, folder: Path) -> None:
    """Answers lie on the device, nothing is bridged, kernels are seen, values are NumPy's."""
    ported = prepare("user.py:run", folder, device)
    answer = ported.call(ported.to_library(_rows()))
    expected = prepare("user.py:run", folder, library("numpy")).call(_rows())
    assert ported.answers_on(answer) == (device.about.device,) * 3
    for name, array in ported.to_host(answer).items():
        np.testing.assert_allclose(array, expected[name], rtol=1e-9, atol=1e-12)
    seen = ported.kernels(ported.to_library(_rows()))
    assert seen is None or seen > 0
    if device.about.family == "torch":
        assert seen is not None


def test_recorded_as_plain(device: Library, folder: Path) -> None:
    """A recorded call gives the answer of a plain one, and its wait for the device is counted."""
    ported = prepare("user.py:waits", folder, device)
    answer, sites = ported.recorded(_rows(), timed=True)
    np.testing.assert_allclose(answer, _rows() * _rows().sum())
    read = [site for site in sites if site.name == "ndarray.__float__"]
    assert [(site.synchronised, site.to_host_bytes) for site in read] == [(1, 8)]
    assert all(site.seconds is not None and site.seconds >= 0 for site in sites)


def test_out_of_memory(device: Library, folder: Path) -> None:
    """An array that the device has no room for is told as that, with the line."""
    ported = prepare("user.py:starved", folder, device)
    with pytest.raises(Exception) as raised:  # noqa: PT011  each library has its own
        ported.call(ported.to_library(_rows()))
    failure = ported.failure(raised.value)
    assert failure.category == "out-of-memory"
    assert failure.location is not None
    assert failure.location.text == "return np.zeros((1 << 24, 1 << 24)) + x[0]"


def test_draws(device: Library, folder: Path) -> None:
    """Random numbers are NumPy's own, on the device."""
    ported = prepare("user.py:draws", folder, device)
    drawn = ported.call(6)
    assert ported.answers_on(drawn) == (device.about.device,)
    np.testing.assert_array_equal(ported.to_host(drawn), np.random.default_rng(5).normal(size=6))


def test_table(device: Library) -> None:
    """Each call of the table gives NumPy's values, or is refused: none is wrong in silence."""
    # CuPy may lack a call or refuse an argument; PyTorch on the GPU multiplies no whole numbers.
    facade = facade_of(device)
    namespace = Modules(facade)("numpy")
    wrong, refused = [], []
    for call in calls():
        host = values()
        given = convert.mapped(
            host,
            lambda array: facade.wrap(device.to_device(array)),
            lambda part: isinstance(part, np.ndarray),
        )
        expected = eval(call, {"np": np, **values()})
        try:
            found = eval(call, {"np": namespace, **given})
        except (
            MissingError,
            AttributeError,
            TypeError,
            NotImplementedError,
            RuntimeError,
            ValueError,
            IndexError,
        ) as error:
            refused.append((call, repr(error)[:80]))
            continue
        fetched = convert.mapped(
            found,
            lambda array: device.to_host(facade.unwrap(array)),
            lambda part: isinstance(part, facade.array_type),
        )
        if not _agree(expected, fetched):
            wrong.append((call, expected, fetched))
    assert wrong == []
    assert len(refused) < (60 if device.about.family == "cupy" else 8), refused


def _agree(expected: object, found: object) -> bool:
    one, other = parts(expected), parts(found)
    if len(one) != len(other):
        return False
    return all(
        np.shape(a) == np.shape(b)
        and (
            a == b
            if not isinstance(a, (np.ndarray, np.generic, int, float))
            else np.allclose(
                a,
                b,
                rtol=2e-3 if np.asarray(a).dtype == np.float16 else 1e-6,
                atol=1e-7,
                equal_nan=True,
            )
        )
        for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("plant", PLANTS)
def test_plant(device: Library, plant: str) -> None:
    """What a library would answer otherwise is done as NumPy does it, or refused."""
    facade = facade_of(device)
    names: list[dict[str, object]] = [{"np": np}, {"np": Modules(facade)("numpy")}]
    exec(PLANTS[plant], names[0])
    try:
        exec(PLANTS[plant], names[1])
    except (AttributeError, TypeError, NotImplementedError, RuntimeError):
        if device.about.family == "torch":
            raise
        return
    found = names[1]["r"]
    if isinstance(found, facade.array_type):
        found = device.to_host(facade.unwrap(found))
    np.testing.assert_allclose(np.asarray(found), np.asarray(names[0]["r"]), rtol=1e-12)


def test_names_are_there(device: Library) -> None:
    """What the table of names promises, this release has."""
    top = Modules(facade_of(device))("numpy")
    assert top is not None
    for name in (
        "sum",
        "where",
        "einsum",
        "linspace",
        "sort",
        "unique",
        "percentile",
        "cov",
        "histogram",
    ):
        assert offered(f"numpy.{name}", device.about.family, device.about.version) == "yes"
        assert callable(getattr(top, name))
