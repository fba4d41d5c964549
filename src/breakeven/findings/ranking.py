"""Which finding comes first: errors, then what gains most for the least effort."""

from __future__ import annotations

from breakeven.findings.catalogue import NOTHING, UNKNOWN
from breakeven.model.finding import Finding, Severity

_SEVERITY: dict[Severity, int] = {"error": 0, "warning": 1, "info": 2}
_EFFORT = {"one line": 1.0, "some lines": 2.0, "redesign": 5.0}
_UNSAID = 2.0
MOST = 0.99
"""Share of a step beyond which no ceiling is told: it would be a hundredfold and more."""


def ceiling(share: float | None) -> float | None:
    """Return how many times faster a step could at most become, were that share of it gone."""
    if share is None or share <= 0:
        return None
    return 1.0 / (1.0 - min(share, MOST))


def ranked(found: list[Finding]) -> tuple[Finding, ...]:
    """Return findings by severity, then by gain over effort; what judges nothing comes last."""
    return tuple(sorted(found, key=_key))


def _key(finding: Finding) -> tuple[int, int, float, str, int]:
    last = finding.code in {NOTHING, UNKNOWN}
    gain = finding.gain.value if finding.gain is not None else finding.gain_ceiling or 1.0
    worth = (gain - 1.0) / _EFFORT.get(finding.effort or "", _UNSAID)
    line = 0 if finding.location is None else finding.location.line
    return int(last), _SEVERITY[finding.severity], -worth, finding.code, line


def less(a: Severity, b: Severity | None) -> Severity:
    """Return the lesser of two severities; None says nothing."""
    return a if b is None or _SEVERITY[a] >= _SEVERITY[b] else b
