"""The private import: what a user's module is handed, and that nobody else is."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from breakeven.backends.stand_in import DeviceArray, StandIn
from breakeven.errors import InputError, MissingError
from breakeven.port.run import PortFailedError, prepare
from port.conftest import Write

WAYS = {
    "as": "import numpy as np\ndef f(n):\n    return np.ones(n)",
    "from": "from numpy import ones\ndef f(n):\n    return ones(n)",
    "below": "import numpy.linalg\ndef f(n):\n    return numpy.linalg.inv(numpy.eye(n))",
    "from below": "from numpy.linalg import inv\nimport numpy\ndef f(n):\n    return inv(numpy.eye(n))",
    "local": "def f(n):\n    import numpy as inner\n    return inner.ones(n)",
    "star": "from numpy import *\ndef f(n):\n    return ones(n)",
    "scipy": "import scipy.special as sp, numpy as np\ndef f(n):\n    return sp.erf(np.ones(n))",
    "scipy below": "import scipy\nimport numpy as np\ndef f(n):\n    return scipy.special.erf(np.ones(n))",
    "closure": (
        "import numpy as np\ndef outer(a):\n    def inner(n):\n        return np.ones(n) * a\n"
        "    return inner\nf = outer(2)"
    ),
    "decorated": (
        "import functools, numpy as np\ndef deco(g):\n    @functools.wraps(g)\n"
        "    def h(*a):\n        return np.sqrt(g(*a))\n    return h\n@deco\n"
        "def f(n):\n    return np.ones(n)"
    ),
    "lambda": "import numpy as np\nf = lambda n: np.ones(n)",
    "constant": "import numpy as np\nK = np.arange(3.0)\ndef f(n):\n    return K * n",
    "default": "import numpy as np\ndef f(n, k=np.arange(3.0)):\n    return k + n",
    "method": (
        "import numpy as np\nclass A:\n    @staticmethod\n    def f(n):\n        return np.ones(n)\n"
        "f = A.f"
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_ways(write: Write, way: str) -> None:
    """Arrays come from the library whichever way NumPy was imported."""
    ported = prepare("users.py:f", write(WAYS[way]), StandIn())
    assert isinstance(ported.call(3), DeviceArray)


def test_others_untouched(write: Write) -> None:
    """Other code keeps the true NumPy, and the user's module is not importable by its name."""
    before = sys.modules["numpy"]
    prepare("users.py:f", write(WAYS["as"]), StandIn())
    assert sys.modules["numpy"] is before is np
    assert "users" not in sys.modules


def test_neighbours(write: Write) -> None:
    """A module beside the user's is executed afresh as well, one of a package through dots too."""
    write("import numpy as np\ndef one(n):\n    return np.ones(n)\n", "beside.py")
    write("from .deep import two\n", "pack/__init__.py")
    write("from beside import one\ndef two(n):\n    return one(n) * 2\n", "pack/deep.py")
    folder = write(
        "import pack\nimport beside as b\ndef f(n):\n    return pack.two(n) + b.one(n)\n"
    )
    ported = prepare("users.py:f", folder, StandIn())
    assert ported.to_host(ported.call(2)).tolist() == [3.0, 3.0]
    assert "beside" not in sys.modules


def test_future_and_dataclass(write: Write) -> None:
    """A module's future statements are its own, and its dataclasses work with textual types."""
    folder = write(
        """
        from __future__ import annotations
        from dataclasses import dataclass
        import numpy as np
        @dataclass
        class Pair:
            a: np.ndarray
            b: float = 2.0
        def f(p: Pair) -> Pair:
            return Pair(p.a * p.b)
        def hinted(x: "no such thing"):
            return hinted.__annotations__
        """
    )
    ported = prepare("users.py:f", folder, StandIn())
    pair = ported._plain.hook.own["users"].Pair(np.arange(3.0))
    answer = ported.to_host(ported.call(ported.to_library(pair)))
    assert answer.a.tolist() == [0.0, 2.0, 4.0]


def test_package_target(write: Write) -> None:
    """``package.module:FUNC`` is found beside the user, and relative imports within it work."""
    write("", "mine/__init__.py")
    write("import numpy as np\nK = np.ones(2)\n", "mine/base.py")
    folder = write("from .base import K\ndef f(x):\n    return x + K\n", "mine/work.py")
    ported = prepare("mine.work:f", folder, StandIn())
    assert ported.to_host(ported.call(ported.to_library(np.zeros(2)))).tolist() == [1.0, 1.0]


def test_unused_missing_name(write: Write) -> None:
    """A missing name that is imported and never called fails nothing; once called it is refused."""
    folder = write(
        "from numpy import nanpercentile, ones\nimport numpy as np\ndef f(n):\n    return ones(n)\n"
        "def g(n):\n    return nanpercentile(ones(n), 5)\ndef h(n):\n"
        "    return hasattr(np, 'nanpercentile')\n"
    )
    lacking = StandIn(lacks=frozenset({"nanpercentile"}))
    assert prepare("users.py:f", folder, lacking).call(2).shape == (2,)
    with pytest.raises(MissingError, match=r"has no numpy\.nanpercentile"):
        prepare("users.py:g", folder, lacking).call(2)
    assert prepare("users.py:h", folder, lacking).call(2) is False


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("users.py", "names no function"),
        ("nowhere.py:f", "there is no file"),
        ("no_such_package_at_all:f", "no module"),
        ("users.py:g", "has no function 'g'"),
        ("users.py:K", "cannot be called"),
    ],
)
def test_wrong_targets(write: Write, target: str, said: str) -> None:
    """A target that names nothing is the user's input, told in one line with what there is."""
    folder = write("K = 1\ndef f(n):\n    return n\n")
    with pytest.raises(InputError, match=said):
        prepare(target, folder, StandIn())


def test_failing_import(write: Write) -> None:
    """A module that fails on import is told by the user's own line."""
    folder = write("import numpy as np\nK = np.ones(3)\nL = K / undefined\ndef f():\n    pass\n")
    with pytest.raises(PortFailedError) as raised:
        prepare("users.py:f", folder, StandIn())
    failure = raised.value.failure
    assert failure.phase == "import"
    assert failure.category == "error-of-the-function"
    assert failure.location is not None
    assert (failure.location.line, failure.location.text) == (3, "L = K / undefined")
