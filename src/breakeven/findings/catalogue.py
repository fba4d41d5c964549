"""Every fault that has a name: what it is, how to mend it, how to see that it is gone."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from breakeven.findings.code import Code
from breakeven.findings.codes.feeding import FEEDING
from breakeven.findings.codes.kernels import KERNELS
from breakeven.findings.codes.memory import MEMORY
from breakeven.findings.codes.outcomes import OUTCOMES
from breakeven.findings.codes.placement import PLACEMENT
from breakeven.findings.codes.readings import READINGS
from breakeven.findings.codes.setup import SETUP
from breakeven.findings.codes.several_gpus import SEVERAL_GPUS
from breakeven.findings.codes.waiting import WAITING

__all__ = ["CATALOGUE", "NOTHING", "UNKNOWN", "Code"]

_FAMILIES = (OUTCOMES, PLACEMENT, FEEDING, WAITING, KERNELS, MEMORY, SEVERAL_GPUS, READINGS, SETUP)
CATALOGUE: Mapping[str, Code] = MappingProxyType(
    {code.code: code for family in _FAMILIES for code in family}
)
NOTHING = "BE000"
UNKNOWN = "BE001"
