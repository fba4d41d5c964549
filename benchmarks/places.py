"""What a product takes by where its result begins, from a cache line on.

``python benchmarks/places.py --out FILE`` multiplies float32 matrices into results that begin at
chosen places, in blocks of random order, and prints the best time of each place. Two threads that
write parts of each row share a line in every row, unless the result begins at one (decision 016).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from breakeven import lab
from breakeven.engine.clock import stamp

if TYPE_CHECKING:
    from numpy.typing import NDArray

PAGE, ITEM = 4096, 4
PLACES = (0, 16, 32, 48, 64, 80, 512, 528, 2048, 2064)
BLOCKS, CALLS = 60, 40


def placed(size: int, begin: int) -> NDArray[Any]:
    """Return an empty square of float32 that begins `begin` bytes into a page."""
    import numpy as np  # noqa: PLC0415  once the threads are set

    raw = np.empty(size * size * ITEM + 2 * PAGE, dtype=np.uint8)
    first = -raw.ctypes.data % PAGE + begin
    return raw[first : first + size * size * ITEM].view(np.float32).reshape(size, size)


def best_of_places(size: int) -> dict[int, float]:
    """Return the shortest seconds of a product by where its result begins."""
    import numpy as np  # noqa: PLC0415  once the threads are set

    rng = np.random.default_rng(42)
    one, other = placed(size, 3 * 64), placed(size, 17 * 64)
    one[...], other[...] = rng.standard_normal((2, size, size))
    results = {begin: placed(size, begin) for begin in PLACES}
    best = dict.fromkeys(PLACES, float("inf"))
    for _ in range(BLOCKS):
        for begin in random.sample(PLACES, len(PLACES)):
            for _ in range(CALLS):
                start = time.perf_counter()
                np.matmul(one, other, out=results[begin])
                best[begin] = min(best[begin], time.perf_counter() - start)
    return best


def main() -> None:
    """Measure and print a row for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sizes", default="96,160,256")
    asked = parser.parse_args()
    # Read when NumPy loads its pool, which it has not done yet.
    os.environ["OPENBLAS_NUM_THREADS"] = str(asked.threads)
    rows = {size: best_of_places(size) for size in map(int, asked.sizes.split(","))}
    print(f"{'begins at':>9}" + "".join(f"{f'N = {size}':>12}" for size in rows))
    for begin in PLACES:
        print(f"{begin:>9}" + "".join(f"{rows[s][begin] * 1e6:>9.1f} us" for s in rows))
    if asked.out:
        machine = lab.read_machine()
        document = {
            "date": stamp(),
            "cpu": machine.cpu.model,
            "cores": machine.cpu.cores_usable,
            "threads": asked.threads,
            "libraries": machine.libraries,
            "best_s": {size: {str(b): s for b, s in row.items()} for size, row in rows.items()},
        }
        asked.out.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
