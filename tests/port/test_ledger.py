"""What a recorded call tells: calls by line, bytes, waits, bridges; and what a failure tells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from breakeven.backends.libraries import library
from breakeven.backends.library import Library
from breakeven.backends.stand_in import StandIn
from breakeven.model.ported import CallSite, PortFailure
from breakeven.port.run import PortedCall, prepare
from breakeven.port.scan import scan_file
from port.conftest import Write

X = np.array([1.0, -2.0, 3.0, 4.0])


@pytest.fixture(params=["stand-in", "torch-cpu"])
def device(request: pytest.FixtureRequest) -> Library:
    """Return each library that can be had without a GPU."""
    return library(request.param)


def at(sites: tuple[CallSite, ...], name: str) -> CallSite:
    """Return the only site of a name."""
    (found,) = [site for site in sites if site.name == name]
    return found


def test_calls_and_lines(write: Write, device: Library) -> None:
    """Each call is told with its line, its text and how often the line made it."""
    source = """
        import numpy as np
        def f(x):
            for _ in range(3):
                x = np.sqrt(np.abs(x))
            return x.sum(axis=0)
    """
    _, sites = prepare("users.py:f", write(source), device).recorded(X)
    sqrt = at(sites, "numpy.sqrt")
    assert (sqrt.calls, sqrt.location.line) == (3, 5)
    assert sqrt.location.text == "x = np.sqrt(np.abs(x))"
    assert at(sites, "ndarray.sum").calls == 1


@pytest.mark.parametrize(
    ("line", "name", "read_bytes"),
    [
        ("float(x[0])", "ndarray.__float__", 8),
        ("int(x[0])", "ndarray.__int__", 8),
        ("bool((x > 0).any())", "ndarray.__bool__", 1),
        ("1 if (x > 0).any() else 0", "ndarray.__bool__", 1),
        ("x.sum().item()", "ndarray.item", 8),
        ("x.tolist()", "ndarray.tolist", 32),
        ("str(x)", "ndarray.__str__", 32),
        ("f'{x[0]:.2f}'", "ndarray.__format__", 8),
        ("x[x > 0]", "ndarray.__getitem__", 0),
        ("np.nonzero(x)", "numpy.nonzero", 0),
    ],
)
def test_waits(write: Write, device: Library, line: str, name: str, read_bytes: int) -> None:
    """What reads a value, or must know a count, is counted as a wait with its bytes."""
    folder = write(f"import numpy as np\ndef f(x):\n    return {line}\n")
    _, sites = prepare("users.py:f", folder, device).recorded(X)
    seen = [site for site in sites if site.name == name and site.synchronised]
    assert [site.synchronised for site in seen] == [1]
    assert seen[0].to_host_bytes == read_bytes


def test_uploads(write: Write, device: Library) -> None:
    """Arrays that a function makes of host values, and draws, are counted as bytes to the device."""
    folder = write(
        "import numpy as np\ndef f(x):\n    a = np.array([1.0, 2.0])\n"
        "    b = np.random.default_rng(0).normal(size=3)\n    return a.sum() + b.sum()\n"
    )
    _, sites = prepare("users.py:f", folder, device).recorded(X)
    assert at(sites, "numpy.array").to_device_bytes == 16
    assert at(sites, "numpy.random.Generator.normal").to_device_bytes == 24


def test_timed(write: Write, device: Library) -> None:
    """Calls are timed where that is asked for, and have no time where it is not."""
    ported = prepare(
        "users.py:f", write("import numpy as np\ndef f(x):\n    return np.exp(x)\n"), device
    )
    _, plain = ported.recorded(X)
    _, timed = ported.recorded(X, timed=True)
    assert plain[0].seconds is None
    assert timed[0].seconds is not None
    assert timed[0].seconds > 0


def test_plain_is_not_counted(write: Write, device: Library) -> None:
    """A plain call leaves no trace in the ledger: nothing stands between it and the facade."""
    ported = prepare(
        "users.py:f", write("import numpy as np\ndef f(x):\n    return np.exp(x)\n"), device
    )
    ported.call(ported.to_library(X))
    assert ported.ledger() == ()


def test_residency(write: Write, device: Library) -> None:
    """Answers are on the device, or on the host where the function reads them."""
    folder = write(
        "def f(x):\n    return {'a': x + 1, 'b': (x, [x])}\ndef g(x):\n    return float(x[0]), x\n"
    )
    ported = prepare("users.py:f", folder, device)
    assert ported.answers_on(ported.call(ported.to_library(X))) == (device.about.device,) * 3
    other = prepare("users.py:g", folder, device)
    assert other.answers_on(other.call(other.to_library(X))) == (device.about.device,)


GAPS = "import numpy as np\ndef f(x):\n    y = x * 2\n    z = np.nanpercentile(y, 50)\n    return y + z\n"


def _lacking() -> StandIn:
    return StandIn(lacks=frozenset({"nanpercentile"}))


def test_bridge(write: Write) -> None:
    """Under bridge NumPy does what is missing, its copies counted, and the answer is right."""
    ported = prepare("users.py:f", write(GAPS), _lacking(), "bridge")
    answer = ported.call(ported.to_library(X))
    site = at(ported.ledger(), "numpy.nanpercentile")
    assert (site.bridged, site.to_host_bytes, site.to_device_bytes) == (1, 32, 8)
    assert ported.bridged() == 1
    np.testing.assert_allclose(ported.to_host(answer), X * 2 + np.percentile(X * 2, 50))


def test_bridge_of_a_host_array(write: Write) -> None:
    """Under bridge a host array of another library meets the device; under strict it fails."""
    write("import math\ndef f(x, h):\n    return x + h[0]\n")
    folder = write("def f(x, box):\n    return x + box.values\n")
    box = type("Box", (), {"__slots__": ("values",)})()
    box.values = X
    bridged = prepare("users.py:f", folder, StandIn(), "bridge")
    answer = bridged.call(bridged.to_library(X), box)
    assert bridged.bridged() == 1
    assert bridged.to_host(answer).tolist() == (X + X).tolist()
    strict = prepare("users.py:f", folder, StandIn())
    with pytest.raises(TypeError) as raised:
        strict.call(strict.to_library(X), box)
    assert strict.failure(raised.value).category == "host-array-mixed-in"


def test_bridge_keeps_the_users_error(write: Write) -> None:
    """An error that NumPy makes as well is the function's own, and is not bridged away."""
    folder = write("import numpy as np\ndef f(x):\n    return np.reshape(x, (3, 3))\n")
    ported = prepare("users.py:f", folder, StandIn(), "bridge")
    with pytest.raises(ValueError, match="reshape"):
        ported.call(ported.to_library(X))
    assert ported.bridged() == 0


def failed(ported: PortedCall, *args: object) -> PortFailure:
    """Return the failure of a recorded call."""
    with pytest.raises(Exception) as raised:  # noqa: PT011  whichever it is
        ported.recorded(*args)
    return ported.failure(raised.value)


def test_failure_tells_all(write: Write) -> None:
    """A failure has its line and text, NumPy's name, how far it got and what mends it."""
    failure = failed(prepare("users.py:f", write(GAPS), _lacking()), X)
    assert failure.category == "missing-function"
    assert failure.name == "numpy.nanpercentile"
    assert failure.location is not None
    assert (failure.location.line, failure.location.text) == (4, "z = np.nanpercentile(y, 50)")
    assert (failure.reached, failure.of) == (2, 3)
    assert (failure.available, failure.calls) == (0, 1)
    assert failure.suggestion is not None
    assert "numpy.percentile" in failure.suggestion


@pytest.mark.parametrize(
    ("body", "category", "name"),
    [
        ("np.array(['a', 'b'])", "object-or-structured-dtype", "numpy.dtype"),
        ("np.zeros(2, dtype=[('a', float)])", "object-or-structured-dtype", "numpy.dtype"),
        ("np.zeros(2, dtype=np.longdouble)", "unsupported-dtype", "numpy.dtype"),
        ("np.vectorize(abs)(x)", "missing-function", "numpy.vectorize"),
        ("np.sum(x, no_such=1)", "missing-method-or-argument", "numpy.sum"),
        ("x.no_such_method()", "missing-method-or-argument", "ndarray.no_such_method"),
        ("undefined + x", "error-of-the-function", None),
        ("x[99]", "error-of-the-function", None),
        ("{}['key']", "error-of-the-function", None),
        ("real_sum(x)", "host-array-mixed-in", "ndarray.__array__"),
    ],
)
def test_categories(write: Write, body: str, category: str, name: str | None) -> None:
    """Each way to fail has its category, with the name of the call where one was made."""
    folder = write(
        "import numpy as np\nimport importlib\n"
        "def real_sum(x):\n    return importlib.import_module('numpy').asarray(x)\n"
        f"def f(x):\n    return {body}\n"
    )
    failure = failed(prepare("users.py:f", folder, library("torch-cpu")), X)
    assert failure.category == category
    if category != "error-of-the-function":
        assert failure.name == name


def test_scan(write: Write, tmp_path: Path) -> None:
    """Names alone tell the calls of a function and its helpers, and the first that would fail."""
    write(
        """
        import numpy as np
        from numpy.linalg import norm as length
        def helper(x):
            return np.nanpercentile(x, 5)
        def f(x):
            y = length(x) + helper(x)
            return y.sum()
        def other(x):
            return np.block([x])
        """
    )
    scan = scan_file(tmp_path / "users.py", "f", "cupy")
    assert scan is not None
    assert [call.name for call in scan.calls] == [
        "numpy.nanpercentile", "numpy.linalg.norm", "ndarray.sum",
    ]  # fmt: skip
    failure = scan.failure()
    assert failure is not None
    assert (failure.phase, failure.name, failure.available, failure.calls) == (
        "scan", "numpy.nanpercentile", 2, 3,
    )  # fmt: skip
    on_torch = scan_file(tmp_path / "users.py", "f", "torch")
    assert on_torch is not None
    assert on_torch.failure() is None


def test_arguments_are_fresh(write: Write, device: Library) -> None:
    """A function that writes its argument writes a copy on the device, never the caller's."""
    ported = prepare("users.py:f", write("def f(x):\n    x += 1\n    return x\n"), device)
    mine = X.copy()
    given = ported.to_library(mine)
    ported.call(given)
    assert mine.tolist() == X.tolist()
    assert ported.to_host(given).tolist() == (X + 1).tolist()


def test_same_draws(write: Write, device: Library) -> None:
    """Streams that a function leaves unseeded give every library what they give NumPy."""
    source = "import numpy as np\ndef f():\n    return np.random.default_rng().random(3) + np.random.rand(3)\n"
    answers = []
    for which in (library("numpy"), device):
        ported = prepare("users.py:f", write(source), which)
        ported.reseed(11)
        answers.append(ported.to_host(ported.call()))
    np.testing.assert_allclose(*answers)
