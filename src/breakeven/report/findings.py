"""Findings as text: code, title, place, what was seen, what it is worth, how to mend it."""

from __future__ import annotations

from breakeven import units
from breakeven.model.finding import Finding, Location
from breakeven.model.run import RunRecord
from breakeven.report.view import FindingText

_EVIDENCE = {
    "static": "the source",
    "counter": "counters",
    "trace": "a trace",
    "trial": "a run that tried it",
}
_OUTCOMES = {"none", "cannot-tell"}


def texts(record: RunRecord) -> tuple[FindingText, ...]:
    """Return the stored findings as they are shown; none where none are stored."""
    told = _asked_for(record)
    return tuple(_text(f, told=told or f.severity != "info") for f in record.findings)


def _asked_for(record: RunRecord) -> bool:
    """Return whether the screen tells every finding: where they were asked for, not beside sizes.

    Beside the table of a plain workload only what is more than information is worth a line.
    """
    return bool(record.profiled is not None or record.ported)


def _text(finding: Finding, *, told: bool) -> FindingText:
    outcome = finding.kind in _OUTCOMES
    return FindingText(
        code=finding.code,
        severity="" if outcome else finding.severity,
        title=finding.title,
        place=_place(finding),
        message=_message(finding),
        worth="" if outcome else _worth(finding),
        fix="" if outcome else _fix(finding),
        snippet=finding.snippet,
        line=None if finding.location is None else finding.location.text,
        evidence="" if outcome else _seen(finding),
        risk=finding.risk,
        verify=None if outcome else finding.verify,
        told=told,
    )


def _message(finding: Finding) -> str:
    said = finding.message or ""
    return f"{finding.subject}: {said}" if finding.subject and said else said


def _place(finding: Finding) -> str:
    if finding.location is None:
        return ""
    also = [loc for loc in finding.also if loc.path == finding.location.path]
    more = f" (with {', '.join(str(loc.line) for loc in also)})" if also else ""
    return f"{place(finding.location)}{more}"


def place(location: Location) -> str:
    """Return a place as compilers write it."""
    column = "" if location.column is None else f":{location.column}"
    return f"{location.path}:{location.line}{column}"


def _worth(finding: Finding) -> str:
    """Return what mending is worth: what a trial gained, or what it can gain at most."""
    parts = []
    if finding.gain is not None:
        g = finding.gain
        interval = f"[{units.significant(g.low)}, {units.significant(g.high)}]"
        parts.append(f"tried: {units.ratio(g.value)} as fast {interval}, {g.n} repeats")
    elif finding.gain_ceiling is not None:
        parts.append(f"at most {units.ratio(finding.gain_ceiling)} as fast")
    if finding.effort is not None:
        parts.append(f"effort: {finding.effort}")
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _fix(finding: Finding) -> str:
    return finding.fix or ""


def _seen(finding: Finding) -> str:
    return ", ".join(_EVIDENCE[e] for e in finding.evidence)
