"""What a backend has to know of the precision that it was asked to compute in."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from breakeven.model.spec import DType, Precision

DTYPES: dict[Precision, DType] = {
    "float16": "float16",
    "bfloat16": "bfloat16",
    "tf32": "float32",
    "float32": "float32",
    "float64": "float64",
}
NO_TF32_ON_CPU = "TF32 is a mode of the tensor cores of NVIDIA GPUs: a CPU has none"
NO_BFLOAT16 = "{} has no bfloat16 arrays"
NO_COMPLEX = "there are no complex numbers of 16 bits here"


def caster(precision: Precision, missing: dict[Precision, str]) -> Callable[[Any], Any]:
    """Return what makes a NumPy array one of `precision`, for libraries that read NumPy's types.

    Arrays that hold no floating-point numbers stay as they are.

    Parameters
    ----------
    missing : dict
        Precisions that the library lacks, each with the reason.
    """

    def cast(array: Any) -> Any:  # noqa: ANN401  NumPy in and out
        if precision in missing:
            raise NotImplementedError(missing[precision])
        wanted = DTYPES[precision]
        if array.dtype.kind == "c" and wanted == "float16":
            raise NotImplementedError(NO_COMPLEX)
        return array.astype(wanted, copy=False) if array.dtype.kind == "f" else array

    return cast


def plain(array: Any) -> Any:  # noqa: ANN401  NumPy in and out
    """Return a NumPy array of 16 bits as float32, any other as it is."""
    return array.astype("float32") if array.dtype.name == "float16" else array


def rule_cupy(precision: Precision) -> None:
    """Set what CuPy reads before its first product, in the environment of this process alone.

    It multiplies float32 in TF32 when ``CUPY_TF32`` is 1, whatever the code says; one that was
    exported in a user's shell must not reach entries that are called float32.
    """
    os.environ["CUPY_TF32"] = "1" if precision == "tf32" else "0"


class TorchSettings:
    """PyTorch's switches for TF32, set for this process and read back.

    Products (`torch.set_float32_matmul_precision`) and cuDNN's convolutions, which use TF32 unless
    told otherwise, are switched together. Both switches are there from PyTorch 2.4 on; from 2.9 on
    there are finer ones (``fp32_precision``), which must not be mixed with these.

    Parameters
    ----------
    torch : module
    """

    def __init__(self, torch: Any) -> None:  # noqa: ANN401  a module
        self._torch = torch

    def apply(self, precision: Precision) -> str | None:
        """Switch TF32 on or off; return what is wrong where it did not take."""
        on = precision == "tf32"
        self._torch.set_float32_matmul_precision("high" if on else "highest")
        self._torch.backends.cudnn.allow_tf32 = on
        products = self._torch.get_float32_matmul_precision() != "highest"
        convolutions = bool(self._torch.backends.cudnn.allow_tf32)
        if products == convolutions == on:
            return None
        asked = "on" if on else "off"
        return f"PyTorch did not switch TF32 {asked} when it was told to"


def torch_caster(torch: Any, precision: Precision, *, cuda: bool) -> Callable[[Any], Any]:  # noqa: ANN401
    """Return what gives a NumPy array `precision`, for PyTorch.

    NumPy has no bfloat16: in that it is a host tensor, in all others a NumPy array as before.

    Parameters
    ----------
    torch : module
    cuda : bool
        Whether the device has tensor cores, on which TF32 is computed.
    """
    if precision != "bfloat16":
        return caster(precision, {} if cuda else {"tf32": NO_TF32_ON_CPU})

    def cast(array: Any) -> Any:  # noqa: ANN401  NumPy in, a tensor out
        if array.dtype.kind == "c":
            raise NotImplementedError(NO_COMPLEX)
        return torch.from_numpy(array).bfloat16() if array.dtype.kind == "f" else array

    return cast


def torch_plain(array: Any) -> Any:  # noqa: ANN401  what TorchBackend.to_host gives
    """Return what PyTorch brought to the host as a NumPy array; 16 bits as float32."""
    return plain(array) if hasattr(array, "astype") else array.float().numpy()
