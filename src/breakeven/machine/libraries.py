"""Installed libraries, with the settings that change how fast they are."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path

from breakeven._version import __version__

CUPY_DISTRIBUTIONS = (
    "cupy",
    "cupy-cuda11x",
    "cupy-cuda12x",
    "cupy-cuda13x",
    "cupy-rocm-5-0",
    "cupy-rocm-7-0",
)
_LIBRARIES = (
    "numpy",
    "scipy",
    "torch",
    "torchvision",
    "triton",
    "jax",
    "scikit-learn",
    "threadpoolctl",
    "msgspec",
    "nvidia-ml-py",
)
_VARIABLES = (
    "OMP_NUM_THREADS",
    "OMP_PROC_BIND",
    "OMP_PLACES",
    "OMP_WAIT_POLICY",
    "GOMP_CPU_AFFINITY",
    "KMP_AFFINITY",
    "KMP_BLOCKTIME",
    "OPENBLAS_NUM_THREADS",
    "OPENBLAS_CORETYPE",
    "GOTO_NUM_THREADS",
    "MKL_NUM_THREADS",
    "MKL_ENABLE_INSTRUCTIONS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NPY_DISABLE_CPU_FEATURES",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_MODULE_LOADING",
    "CUDA_CACHE_DISABLE",
    "CUPY_TF32",
    "CUPY_ACCELERATORS",
    "NVIDIA_TF32_OVERRIDE",
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_NO_CUDA_MEMORY_CACHING",
    "CUBLAS_WORKSPACE_CONFIG",
)
# Their value is a place on this disk, which is nobody's business: only whether they are set.
_PLACES = ("CUPY_CACHE_DIR", "CUDA_CACHE_PATH", "LD_PRELOAD")
_TORCH = re.compile(r"TORCH(INDUCTOR|_)[A-Z0-9_]*")
_SECRET = re.compile(r"TOKEN|SECRET|PASSWORD|KEY")


def installed_version(distribution: str) -> str | None:
    """Return the version of an installed distribution, without importing it."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def read_libraries(
    version: Callable[[str], str | None] = installed_version,
) -> dict[str, str | None]:
    """Return installed versions by distribution name; nothing is imported.

    Parameters
    ----------
    version : callable
        Gives the version of a distribution, or None.

    Returns
    -------
    dict
        CuPy's version stands under ``"cupy"`` whatever its distribution is called; the
        distributions found stand under their own names too.
    """
    libraries = {name: version(name) for name in _LIBRARIES}
    found = {name: v for name in CUPY_DISTRIBUTIONS if (v := version(name)) is not None}
    libraries["cupy"] = next(iter(found.values()), None)
    return libraries | found | {"breakeven": __version__}


def read_environment(
    environ: Mapping[str, str] | None = None, home: Path | None = None
) -> dict[str, str | None]:
    """Return the variables that change how fast libraries are; None when unset.

    Parameters
    ----------
    environ : mapping, optional
        Variables to read; those of this process when not given.
    home : Path, optional
        Folder that is written as ``~``; the user's when not given.

    Returns
    -------
    dict
        Variables that name a place are only said to be set. The home folder and the user's name
        are taken out of all other values.
    """
    given = os.environ if environ is None else environ
    # Where no home is known this stays "~", as nothing is then to be taken out.
    folder = Path(os.path.expanduser("~")) if home is None else home  # noqa: PTH111
    values: dict[str, str | None] = {name: given.get(name) for name in _VARIABLES}
    values |= {name: given[name] for name in sorted(given) if _TORCH.fullmatch(name)}
    hidden = {n for n in values if _SECRET.search(n) or n.endswith(("_DIR", "_HOME", "_PATH"))}
    shown = {
        name: value if value is None or name not in hidden else "set"
        for name, value in values.items()
    }
    places = {name: "set" if given.get(name) else None for name in _PLACES}
    return {n: None if v is None else _impersonal(v, folder) for n, v in (shown | places).items()}


def _impersonal(value: str, home: Path) -> str:
    """Return `value` without the home folder or the user's name as a part of a path."""
    text = value.replace(str(home), "~") if home != Path(home.anchor) else value
    if not home.name:
        return text
    return re.sub(rf"(?<=/){re.escape(home.name)}(?=/|$)", "<user>", text)
