"""Writes the table of names that the facade over PyTorch offers; a test compares both."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np

from breakeven.backends.libraries import library
from breakeven.port import host_names
from breakeven.port.facades import facade_of

TARGET = Path(__file__).parents[1] / "src/breakeven/port/names_torch.py"
MODULES = (
    "numpy",
    "numpy.linalg",
    "numpy.fft",
    "numpy.lib.stride_tricks",
    "scipy.special",
    "scipy.fft",
    "scipy.linalg",
)
SLOW = "array_equiv common_type histogram2d histogramdd iscomplex isreal real_if_close"


def text() -> str:
    """Return the module's source."""
    facade = facade_of(library("torch-cpu"))
    host = set(host_names.names())
    tables = {m: sorted(set(facade.namespaces(m) or ()) - host) for m in MODULES}
    tables["numpy"] = [name for name in tables["numpy"] if name not in SLOW.split()]
    tables["ndarray"] = [
        n for n in dir(np.ndarray) if not n.startswith("_") and hasattr(facade.array_type, n)
    ]
    tables["ufunc"] = ["accumulate", "at", "outer", "reduce"]
    lines = [
        '"""What the facade over PyTorch offers, as tools/torch_names.py writes it."""',
        "",
        "from __future__ import annotations",
        "",
        "OFFERED: dict[str, str] = {",
    ]
    for module, names in tables.items():
        lines += [f'    "{module}": """']
        lines += textwrap.wrap(
            " ".join(names), 92, initial_indent=" " * 8, subsequent_indent=" " * 8
        )
        lines += ['    """,']
    lines += ["}", "# By PyTorch's own shim of NumPy: tens of microseconds a call."]
    lines += ["SLOW: dict[str, str] = {", f'    "numpy": "{SLOW}",', "}", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    TARGET.write_text(text())
