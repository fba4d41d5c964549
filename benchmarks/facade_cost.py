"""What does the facade cost a call? Softmax of 8 x 8, written by hand for a library and ported.

``python benchmarks/facade_cost.py`` takes some seconds a library; it needs no GPU, and measures
the GPU libraries that work here as well. On a GPU it is the time until a call returns, with the
device awaited once after a block of calls.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import results_file
from breakeven import units
from breakeven.backends import registry
from breakeven.backends.libraries import library
from breakeven.backends.library import Library
from breakeven.port.run import prepare
from quiet import Watch

ROW = "facade_cost"
CLAIM = "facade cost: what stands between a user's function and the library, a call of NumPy's"
TARGET = "about 1 us a call"
MOST_S = 1.5e-6
SIDE, BLOCK, BLOCKS, NUMPY_CALLS = 8, 500, 30, 5
# Five calls: the greatest, a difference, an exponential, a sum, a quotient.
SOURCE = """\
import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
"""


class Cost(NamedTuple):
    """Seconds of one softmax: by hand, and ported."""

    name: str
    by_hand_s: float
    ported_s: float

    @property
    def a_call_s(self) -> float:
        """What the facade adds to one of NumPy's calls."""
        return (self.ported_s - self.by_hand_s) / NUMPY_CALLS


def by_hand(of: Library) -> Callable[[Any], Any]:
    """Return softmax as it is written for the library."""
    if of.about.family == "torch":
        torch = of.module("torch")

        def written(x: Any) -> Any:  # noqa: ANN401  a tensor
            e = torch.exp(x - torch.amax(x, dim=1, keepdim=True))
            return e / torch.sum(e, dim=1, keepdim=True)

        return written
    xp = np if of.about.family == "numpy" else of.module("cupy")

    def array_written(x: Any) -> Any:  # noqa: ANN401  an array
        e = xp.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    return array_written


def block_s(call: Callable[[Any], Any], given: Any, wait: Callable[[], None]) -> float:  # noqa: ANN401
    """Return the seconds of one call within a block of them."""
    wait()
    begin = time.perf_counter()
    for _ in range(BLOCK):
        call(given)
    wait()
    return (time.perf_counter() - begin) / BLOCK


def cost(name: str, folder: Path) -> Cost:
    """Measure one library, both ways in turn, so that a drift meets both."""
    of = library(name)
    ported = prepare("user.py:softmax", folder, of)
    host = np.random.default_rng(0).random((SIDE, SIDE))
    own, seen = of.to_device(host), ported.to_library(host)
    written = by_hand(of)
    both: tuple[list[float], list[float]] = ([], [])
    for _ in range(BLOCKS):
        both[0].append(block_s(written, own, of.synchronise))
        both[1].append(block_s(ported.function, seen, of.synchronise))
    return Cost(name, statistics.median(both[0]), statistics.median(both[1]))


def result(costs: list[Cost], conditions: dict[str, Any]) -> results_file.Result:
    """Return the row: met when the dearest facade costs little enough a call."""
    worst = max(costs, key=lambda one: one.a_call_s)
    figure = f"{units.seconds(max(worst.a_call_s, 0.0))} a call at most ({worst.name})"
    rows = [
        {
            "backend": c.name,
            "by_hand_s": c.by_hand_s,
            "ported_s": c.ported_s,
            "a_call_s": c.a_call_s,
        }
        for c in costs
    ]
    return results_file.result(
        row=ROW, claim=CLAIM, target=TARGET, figure=figure, met=worst.a_call_s < MOST_S,
        details={"costs": rows, **conditions},
    )  # fmt: skip


def main() -> None:
    """Measure, print, and write the result where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder for the result; none is written without")
    asked = parser.parse_args()
    watch = Watch()
    costs = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "user.py").write_text(SOURCE)
        for name in ("numpy", "torch-cpu", "cupy", "torch-cuda"):
            backend = registry.get(name)
            if not backend.find().available:
                continue
            backend.open()
            found = cost(name, Path(folder))
            costs.append(found)
            print(
                f"{name:<11} by hand {units.seconds(found.by_hand_s)}, ported "
                f"{units.seconds(found.ported_s)}: {found.a_call_s * 1e6:.2f} us a call"
            )
    made = result(costs, watch.told())
    print(made.figure)
    if asked.out is not None:
        results_file.write(results_file.path_of(made.row, made.machine, asked.out), made)


if __name__ == "__main__":
    main()
