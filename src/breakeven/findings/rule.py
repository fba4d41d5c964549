"""A rule: which fault it tells of, when it may speak, what it looks at, what it explains."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import msgspec

from breakeven.findings.code import Code
from breakeven.findings.scene import Scene, Window
from breakeven.model.estimate import Estimate
from breakeven.model.finding import Evidence, Figure, Location, Severity

Pool = Literal["stall", "busy"]
"""Time that a cause may explain: without a kernel on the device, or with one."""

CAUSES = (
    "never on the GPU",
    "wrong measurement",
    "loader",
    "copies",
    "waiting",
    "launching",
    "kernels",
    "memory",
    "several GPUs",
)
"""Order in which causes explain time away: a later one speaks on what earlier ones left."""


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule saw: the part of a finding that is not in the catalogue.

    Attributes
    ----------
    share : float or None
        Of the time of a step that would vanish.
    claims : float
        Share of the span that it explains in its rule's pool.
    severity : str or None
        Less than the catalogue's, where what was seen proves less.
    """

    message: str
    evidence: tuple[Evidence, ...]
    figures: tuple[Figure, ...] = ()
    location: Location | None = None
    also: tuple[Location, ...] = ()
    share: float | None = None
    claims: float = 0.0
    severity: Severity | None = None
    gain: Estimate | None = None
    fix: str | None = None
    snippet: str | None = None
    subject: str | None = None


Gate = Callable[[Window], str | None]
"""Why a rule may not speak of some steps; None lets it."""


@dataclass(frozen=True)
class StepRule:
    """A rule about steps.

    Attributes
    ----------
    code : Code
        What it tells of.
    cause : str
        Of `CAUSES`.
    gate : callable
        Why it may not speak of a window, or None.
    look : callable
        What it sees in a window; nothing where all is well.
    pool : str or None
        Time that it explains; None where it explains none.
    """

    code: Code
    cause: str
    gate: Gate
    look: Callable[[Window], Iterable[Seen]]
    pool: Pool | None = None


@dataclass(frozen=True)
class RunRule:
    """A rule about a whole run.

    Attributes
    ----------
    code : Code
        What it tells of.
    cause : str
        Of `CAUSES`.
    look : callable
        What it sees in the run.
    """

    code: Code
    cause: str
    look: Callable[[Scene], Iterable[Seen]]


Rule = StepRule | RunRule
