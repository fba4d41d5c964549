"""What the facade over PyTorch offers of NumPy and SciPy."""

from __future__ import annotations

OFFERED: dict[str, str] = {}
SLOW: dict[str, str] = {}
