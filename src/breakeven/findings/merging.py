"""The same fault seen in source and priced in a run is one finding with both kinds of evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from msgspec.structs import replace

from breakeven.model.finding import Evidence, Finding, Location, Severity

_ORDER: tuple[Evidence, ...] = ("static", "counter", "trace", "trial")

_OF_THE_LOOP = frozenset({"BE304", "BE311"})
"""Codes whose place is the whole loop."""

PRICED = frozenset(
    {"implicit-sync", "element-loop", "launch-bound", "dataloader-starvation", "allocator-churn"}
    | {"transfer-in-loop", "pageable-transfer", "float64-compute", "layout", "kernel-quality"}
)
"""Kinds whose weight is what they cost, which the run tells; of others a run shows no more than the
source does."""

_OF_SPANS = frozenset({"missing-sync", "no-warmup"})
"""Kinds whose place in a run is a span: its end, then its begin."""

ABSORBED: dict[str, frozenset[str]] = {
    "BE305": frozenset({"BE301", "BE302", "BE303", "BE304", "BE306", "BE209"}),
    "BE306": frozenset({"BE304"}),
    "BE208": frozenset({"BE202", "BE203"}),
    "BE204": frozenset({"BE203", "BE209", "BE301"}),
    "BE205": frozenset({"BE203"}),
    "BE202": frozenset({"BE203"}),
    "BE309": frozenset({"BE311"}),
    "BE302": frozenset({"BE301"}),
}
"""Codes that a more telling one at the same line leaves nothing to."""


def merged(static: Sequence[Finding], measured: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return findings of source and run, those that are the same joined.

    Two are the same if they are of one kind and share a line, or the run tells a span that holds
    the smell's line; or if nobody knows the run's line, or the code is the same and the source has
    no other of it.

    Parameters
    ----------
    static, measured : sequence of Finding
        From source, from a run.
    """
    left = list(measured)
    found = []
    for smell in static:
        match = _match(smell, left, static)
        if match is None:
            found.append(smell)
            continue
        left.remove(match)
        found.append(_joined(smell, match))
    return without_absorbed((*found, *left))


def without_absorbed(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings without those that a more telling one of the same line makes needless."""
    kept = tuple(found)
    return tuple(f for f in kept if not any(_absorbs(other, f) for other in kept))


def _absorbs(other: Finding, mine: Finding) -> bool:
    if mine.code not in ABSORBED.get(other.code, ()):
        return False
    if mine.location is None or mine.code in _OF_THE_LOOP:
        return mine.subject == other.subject
    return _share_a_line(other, mine)


def _match(smell: Finding, left: Sequence[Finding], static: Sequence[Finding]) -> Finding | None:
    alike = [m for m in left if m.kind == smell.kind]
    for one in alike:
        if _share_a_line(smell, one) or _within(smell, one):
            return one
    sole = sum(s.code == smell.code for s in static) == 1
    for one in alike:
        if one.location is None or (one.code == smell.code and sole):
            return one
    return None


def _joined(smell: Finding, run: Finding) -> Finding:
    """Return one finding: its place and code from source, its weight and figures from the run."""
    evidence = {*smell.evidence, *run.evidence}
    said = [sentence(text) for text in (smell.message, run.message) if text]
    return replace(
        smell,
        severity=run.severity if run.kind in PRICED else _graver(smell.severity, run.severity),
        evidence=tuple(e for e in _ORDER if e in evidence),
        location=smell.location or run.location,
        also=_others(smell, run),
        message=" ".join(said) or None,
        figures=(*run.figures, *smell.figures),
        explains_share=run.explains_share,
        gain_ceiling=run.gain_ceiling,
        gain=run.gain,
        fix=smell.fix or run.fix,
        snippet=smell.snippet or run.snippet,
        subject=run.subject,
    )


def sentence(text: str) -> str:
    """Return words that end as a sentence does; they may begin with a name of the user's."""
    made = text.strip()
    return made if made.endswith((".", "!", "?")) else f"{made}."


def _graver(a: Severity, b: Severity) -> Severity:
    ordered: tuple[Severity, ...] = ("error", "warning", "info")
    return min(a, b, key=ordered.index)


def _others(smell: Finding, run: Finding) -> tuple[Location, ...]:
    """Return further places of both, each line once."""
    first = smell.location or run.location
    found: list[Location] = []
    for place in (*smell.also, *((run.location,) if run.location else ()), *run.also):
        if first is not None and same_line(place, first):
            continue
        if not any(same_line(place, other) for other in found):
            found.append(place)
    return tuple(found)


def _share_a_line(a: Finding, b: Finding) -> bool:
    return any(same_line(x, y) for x in _places(a) for y in _places(b))


def _within(smell: Finding, run: Finding) -> bool:
    """Return whether a smell of a timing lies in the span that the run says it of."""
    if run.kind not in _OF_SPANS or run.location is None or not run.also or smell.location is None:
        return False
    last, first = run.location, run.also[0]
    if not same_line(replace(smell.location, line=last.line), last):
        return False
    return first.path == last.path and first.line <= smell.location.line <= last.line


def _places(found: Finding) -> tuple[Location, ...]:
    return (*((found.location,) if found.location else ()), *found.also)


def same_line(a: Location, b: Location) -> bool:
    """Return whether two places are one line, paths given alike or one within the other."""
    if a.line != b.line:
        return False
    ours, theirs = PurePath(a.path).parts, PurePath(b.path).parts
    short = min(len(ours), len(theirs))
    return ours[-short:] == theirs[-short:]
