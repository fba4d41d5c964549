"""A finding about a set-up, made from its code."""

from __future__ import annotations

from breakeven.findings.catalogue import CATALOGUE
from breakeven.model.finding import Finding


def found(code: str, message: str, command: str | None, fix: str | None = None) -> Finding:
    """Return what was found, with the command that mends it.

    Parameters
    ----------
    message : str
        One line: what is wrong here.
    command : str or None
        To be typed as it stands; None where nothing is to be mended.
    fix : str or None
        What to do in words, where it is not what the catalogue says.
    """
    known = CATALOGUE[code]
    return Finding(
        code=code,
        title=known.title,
        severity=known.severity,
        evidence=("counter",),
        kind=known.kind,
        message=message,
        fix=fix or known.fix,
        snippet=command,
        effort=known.effort,
        risk=known.risk,
        verify=known.verify,
    )
