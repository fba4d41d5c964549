"""From a record and what its source shows to findings: explained away, joined, ranked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from breakeven.findings.catalogue import CATALOGUE, NOTHING, UNKNOWN
from breakeven.findings.explain import Told, told
from breakeven.findings.gates import hindrances
from breakeven.findings.merging import merged
from breakeven.findings.pricing import WORTH, priced
from breakeven.findings.ranking import ceiling, less, ranked
from breakeven.findings.registry import rules
from breakeven.findings.rule import Rule, Seen, StepRule
from breakeven.findings.scene import Scene
from breakeven.findings.snippets import mended
from breakeven.model.finding import Finding, Severity
from breakeven.model.run import RunRecord

__all__ = ["judge", "merged"]


def judge(
    record: RunRecord, static: tuple[Finding, ...] = (), given: Sequence[Rule] | None = None
) -> tuple[Finding, ...]:
    """Return what stands in the way, by its weight; that nothing does is a finding as well.

    Parameters
    ----------
    record : RunRecord
        With what was concluded from it: verdicts and answers are read, findings are not.
    static : tuple of Finding
        What the source of the files that took part shows.
    given : sequence of rules, optional
        In place of all that there are.
    """
    scene = Scene(record, static)
    asked = rules() if given is None else given
    measured = _one_a_group([(t, finding_of(t)) for t in told(scene, asked)])
    found = merged(static, measured)
    unpriced = [priced(f, scene) if _only_source(f) else f for f in found]
    return ranked([*unpriced, *_outcome(scene, unpriced)])


def finding_of(told_: Told) -> Finding:
    """Return the finding of what a rule saw, filled from the catalogue."""
    code, seen = told_.rule.code, told_.seen
    text = None if seen.location is None else seen.location.text
    subject = seen.subject or (None if told_.window is None else told_.window.subject)
    return Finding(
        code=code.code,
        title=code.title,
        severity=less(less(code.severity, seen.severity), _worth(told_.rule, seen)),
        evidence=seen.evidence,
        kind=code.kind,
        location=seen.location,
        also=seen.also,
        message=seen.message,
        figures=seen.figures,
        explains_share=seen.share,
        gain_ceiling=ceiling(seen.share),
        gain=seen.gain,
        fix=seen.fix or code.fix,
        snippet=seen.snippet or (None if text is None else mended(code.code, text)),
        effort=code.effort,
        risk=code.risk,
        verify=code.verify,
        subject=subject,
    )


def _worth(rule: Rule, seen: Seen) -> Severity | None:
    """Return ``info`` for a stall whose mending would gain too little."""
    small = seen.share is not None and seen.share < WORTH
    return "info" if isinstance(rule, StepRule) and rule.pool == "stall" and small else None


def _only_source(found: Finding) -> bool:
    return found.evidence == ("static",)


def _one_a_group(found: Sequence[tuple[Told, Finding]]) -> list[Finding]:
    """Return one finding for all batch sizes of an entry: that of the largest share."""
    kept: list[Finding] = []
    groups: dict[tuple[str, tuple[str, str]], list[tuple[Told, Finding]]] = {}
    for one in found:
        window = one[0].window
        if window is None or window.group is None:
            kept.append(one[1])
        else:
            groups.setdefault((one[1].code, window.group), []).append(one)
    return kept + [_largest(mine) for mine in groups.values()]


def _largest(mine: Sequence[tuple[Told, Finding]]) -> Finding:
    ordered = sorted(mine, key=lambda one: -(one[1].explains_share or 0.0))
    first = ordered[0][1]
    sizes = sorted({t.window.size for t, _ in ordered[1:] if t.window and t.window.size})
    if not sizes:
        return first
    also = ", ".join(map(str, sizes))
    return replace(first, message=f"{first.message} Likewise at batch {also}.")


def _outcome(scene: Scene, found: Iterable[Finding]) -> list[Finding]:
    """Return that nothing is wrong, or that it cannot be told, or what was not seen besides."""
    above = [f for f in found if f.severity != "info"]
    why = hindrances(scene)
    if why:
        text = "; ".join(why)
        return [_plain(UNKNOWN, f"{text[:1].upper()}{text[1:]}.", text)]
    return [] if above else [_plain(NOTHING, "No rule that could speak found a fault.", None)]


def _plain(code: str, message: str, why: str | None) -> Finding:
    known = CATALOGUE[code]
    return Finding(
        code=code,
        title=known.title,
        severity=known.severity,
        evidence=("counter",),
        kind=known.kind,
        message=message,
        fix=known.fix,
        verify=known.verify,
        why=why,
    )
