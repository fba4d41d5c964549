"""A backend of your own: NumPy that copies what it is given, registered for this script's length.

A package registers it for good in its ``pyproject.toml``::

    [project.entry-points."breakeven.backends"]
    numpy-copies = "own_backend:Copies"
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import breakeven
from breakeven.backends.base import About, DeviceMemory, Opening
from breakeven.model.machine import BackendInfo


class Copies:
    """NumPy arrays, each a copy of what came in: where a device would have memory of its own."""

    about = About(name="numpy-copies", device="cpu", pools=True)

    def find(self) -> BackendInfo:
        """Say whether it can run here, and if not, why and what to do; import nothing heavy."""
        return BackendInfo(
            name=self.about.name, device="cpu", available=True, version=version("numpy")
        )

    def open(self) -> Opening:
        """Import the library; raise `UnavailableError` with what it said if it does not work."""
        start = time.perf_counter()
        import numpy as np  # noqa: PLC0415  timed here

        return Opening(
            xp=np,
            version=np.__version__,
            import_s=time.perf_counter() - start,
            context_s=0.0,
            clock=time.perf_counter,
        )

    def begin_case(self, workload: str, size: int) -> None:
        """Free what earlier cases held: nothing is kept here."""

    def to_device(self, array: Any) -> Any:  # noqa: ANN401  NumPy in, the library's own out
        """Return a copy."""
        return array.copy()

    def to_host(self, array: Any) -> Any:  # noqa: ANN401  the library's own in, NumPy out
        """Return a copy."""
        return array.copy()

    def synchronise(self) -> None:
        """Wait until the device is idle: a NumPy call returns when it is done."""

    def memory(self) -> DeviceMemory:
        """Say that there is no device memory to count."""
        return DeviceMemory()


def register(folder: Path) -> None:
    """Do what installing a package does: put an entry point where Python looks for them."""
    about = folder / "own_backend-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: own-backend\nVersion: 1\n")
    (about / "entry_points.txt").write_text(
        "[breakeven.backends]\nnumpy-copies = own_backend:Copies\n"
    )
    here = [str(folder), str(Path(__file__).parent)]
    sys.path[:0] = here
    # The processes that measure find it by the same road.
    os.environ["PYTHONPATH"] = os.pathsep.join([*here, os.environ.get("PYTHONPATH", "")])


def main() -> None:
    """Measure it quickly beside NumPy, and print what came out."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        register(folder)
        result = breakeven.run(
            "matmul",
            sizes=(64, 128),
            backends=["numpy", "numpy-copies"],
            quick=True,
            budget=5,
            store=folder / "store",
        )
    for case in result.record.cases:
        assert case.agreement is not None, case.why
        print(
            f"matmul {case.size} on {case.entry}: {case.status}, error {case.agreement.error:.0e}"
        )


if __name__ == "__main__":
    sys.exit(main())
