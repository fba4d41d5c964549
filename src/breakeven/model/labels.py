"""What entries, libraries and axes are called wherever a person reads of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from breakeven.model.run import Entry
from breakeven.model.spec import RunSpec

_BACKENDS = {
    "numpy": "NumPy",
    "torch-cpu": "torch-CPU",
    "cupy": "CuPy",
    "torch-cuda": "torch-CUDA",
}
_AXES_BEFORE = {"matmul": "N", "mlp": "hidden"}


def backend(name: str) -> str:
    """Return a backend's name as its users write it, such as ``"CuPy"``."""
    return _BACKENDS.get(name, name)


def labels(entries: Sequence[Entry]) -> dict[str, str]:
    """Return what each entry id is called: the library on a GPU, the id (with threads) on a CPU.

    A backend that is not one of the known libraries (a scripted one) goes by the entry's id.
    """
    wanted = {e.id: _label(e) for e in entries}
    shared = Counter(wanted.values())
    return {key: label if shared[label] == 1 else key for key, label in wanted.items()}


def elsewhere(identity: str) -> str:
    """Return what an entry of another run is called, of which no more than its id is known."""
    return _BACKENDS.get(identity, identity)


def precision(name: str) -> str:
    """Return a precision as people write it, such as ``"TF32"``."""
    return {"tf32": "TF32"}.get(name, name)


def axis(workload: str, spec: RunSpec) -> str:
    """Return what the size of a workload is called, such as ``"N"``.

    A run stores it, since a report is also made where the workload is not installed. Those stored
    before did not: their workloads are known.
    """
    stored = next((w.axis for w in spec.workloads if w.name == workload and w.axis), None)
    return stored or _AXES_BEFORE.get(workload, "size")


def _label(entry: Entry) -> str:
    if entry.device == "cpu" or entry.variant == "twin" or entry.backend not in _BACKENDS:
        return entry.id
    if entry.variant == "precision":
        return f"{backend(entry.backend)} {precision(entry.precision)}"
    variant = "hand-written" if entry.variant == "against" else entry.variant
    return backend(entry.backend) + ("" if variant == "default" else f" {variant}")
