"""What a smell of the source costs in a run: most cost nothing where the device is busy."""

from __future__ import annotations

from msgspec.structs import replace

from breakeven import units
from breakeven.findings.gates import stalled, without_kernels
from breakeven.findings.merging import same_line, sentence
from breakeven.findings.scene import Scene, Window
from breakeven.model.finding import Evidence, Finding

WORTH = 0.05
"""Share of the time below which mending is not worth it: our judgement."""

_STALLS = frozenset(
    {"implicit-sync", "element-loop", "launch-bound", "dataloader-starvation", "allocator-churn"}
)
_COPIES = frozenset({"transfer-in-loop", "pageable-transfer"})


def priced(smell: Finding, scene: Scene) -> Finding:
    """Return a smell with what the run says of it, where no rule found it costly.

    Where the device was busy, or the line took under 5 % of the time, it is told as ``info``.
    """
    if smell.kind not in _STALLS | _COPIES or smell.severity == "info":
        return smell
    window = next((w for w in scene.windows if w.profiled is not None), None)
    if window is None:
        return smell
    gate = without_kernels if smell.kind in _COPIES else stalled
    evidence: tuple[Evidence, ...] = ("trace",) if window.trace is not None else ("counter",)
    if (why := gate(window)) is not None:
        return _told(smell, f"It costs little here: {why}.", evidence)
    share = _cost(window, smell)
    if share is None or share >= WORTH:
        return smell
    return _told(smell, f"It takes {units.share(share)} of the time here.", evidence)


def _told(smell: Finding, said: str, evidence: tuple[Evidence, ...]) -> Finding:
    text = f"{sentence(smell.message)} {said}" if smell.message else said
    return replace(smell, severity="info", message=text, evidence=(*smell.evidence, *evidence))


def _cost(window: Window, smell: Finding) -> float | None:
    """Return the share of the time that a smell's lines take; None where no site is known."""
    places = (*((smell.location,) if smell.location else ()), *smell.also)
    mine = [s for s in window.sites if any(same_line(s.location, p) for p in places)]
    if not mine or any(s.host_s is None and s.device_s is None for s in mine):
        return None
    spent = sum(max(s.host_s or 0.0, s.device_s or 0.0) + (s.idle_after_s or 0.0) for s in mine)
    return window.share(spent)
