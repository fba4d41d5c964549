"""What a kernel computes with, as far as its name tells: float64, and the tensor cores.

Where the words come from:

- ``884``, ``1688``, ``16816``, ``16832`` and the like are shapes of the matrix instruction
  (``mma.m16n8k16`` and so on), which cuBLAS and CUTLASS write into their kernels' names; ``h``,
  ``s``, ``i``, ``c`` and ``d`` before them is the type. NVIDIA's PyProf, and after it PyTorch's
  own TensorBoard plugin, told tensor cores by these (``h884``, ``s1688``, ``hmma``, ``16816``).
- ``tensorop`` is CUTLASS's class of operations on tensor cores (``simt`` that of the others), and
  ``tensor16x8x16`` the instruction's shape in xmma kernels, which else say ``ffma``.
- ``gmma`` and ``wgmma`` are the instructions of Hopper (sm_90), ``tcgen05`` and ``umma`` those of
  Blackwell. ``nvjet`` is the family of cuBLAS for both, on tensor cores throughout.
- ``tf32`` names a type that only tensor cores have; xmma kernels of half precision and less use
  them too.
- flash attention, and the memory-efficient kernels in half precision, multiply on tensor cores.

Not told by their names: kernels of Triton and of ``torch.compile``. They count as neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from breakeven.trace.chrome import Work

_TENSOR = re.compile(
    r"""
    tensorop | tensor\d+x\d+(x\d+)? | [hi]mma(?![a-z]) | gmma | tcgen05 | umma | nvjet
    | (?<![a-z0-9])[hsicd](884|1688|16816|16832|16864)(?!\d)     # type and shape: s16816
    | (?<!\d)(1688|16816|16832)(?=gemm|fprop|dgrad|wgrad|_)        # shape alone
    | tf32 | (?<![a-z0-9])(bf16bf16|f16f16|e4m3e4m3|e5m2e5m2|i8i8)_   # types of xmma's operands
    | (bf16|f16|e4m3|e5m2)_?s\d+                                   # bf16_s16816gemm
    | flash_fwd | flash_bwd | flash_attn | fmha_cutlass[fb]_(f16|bf16) | sdpa_sm\d+_flash
    """,
    re.IGNORECASE | re.VERBOSE,
)
# cuBLAS writes the letter of the type before the operation (dgemm, zgemm); templates write
# double, and xmma kernels f64f64.
_FLOAT64 = re.compile(
    r"""
    (?<![a-z])[dz](gemm|gemv|symm|syrk|trsm|trmm|symv|ger|dot|scal|axpy|nrm2)
    | (?<![a-z0-9])d884 | f64f64 | (?<![a-z0-9])f64(?![0-9]) | (?<![a-z0-9_])double(?![a-z0-9_])
    | complex<double> | dfma
    """,
    re.IGNORECASE | re.VERBOSE,
)


def on_tensor_cores(name: str) -> bool:
    """Return whether a kernel's name says that it multiplies on tensor cores."""
    return _TENSOR.search(name) is not None


def in_float64(name: str) -> bool:
    """Return whether a kernel's name says that it computes in float64."""
    return _FLOAT64.search(name) is not None


def shares(work: Iterable[Work]) -> tuple[float | None, float | None]:
    """Return the shares of the kernels' time in float64 and on tensor cores.

    Both are None where no kernel ran for any time.
    """
    fp64 = tensor = total = 0.0
    for piece in work:
        if piece.kind != "kernel":
            continue
        took = piece.end - piece.begin
        total += took
        fp64 += took * in_float64(piece.name)
        tensor += took * on_tensor_cores(piece.name)
    return (fp64 / total, tensor / total) if total > 0 else (None, None)
