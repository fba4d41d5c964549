"""Rules about a user's function on another library."""

from __future__ import annotations

import re
from collections.abc import Iterator

from breakeven import units
from breakeven.findings.catalogue import CATALOGUE
from breakeven.findings.rule import RunRule, Seen
from breakeven.findings.scene import Scene
from breakeven.findings.threshold import Threshold, figure
from breakeven.model.ported import CallSite, Ported

_DTYPE = re.compile(r"\b(?:u?int|float|complex)\d+\b|\bdtype\b")
BRIDGED = Threshold("calls that NumPy did, of the function's time", 0.05)


def _on_host(scene: Scene) -> Iterator[Seen]:
    """Tell of calls that NumPy did in the library's stead, of each entry at its largest size."""
    for port in _largest(scene):
        whole = sum(s.seconds or 0.0 for s in port.sites)
        for site in (s for s in port.sites if s.bridged):
            share = (site.seconds or 0.0) / whole if whole > 0 else None
            yield Seen(
                message=f"{_bridged(port, site)}{_cost(site, share)}.",
                evidence=("counter",),
                figures=() if share is None else (BRIDGED.figure(share),),
                location=site.location,
                share=share,
                severity=None if share is None or share >= BRIDGED.value else "info",
                subject=_subject(port),
            )
        if port.reach == "host_part" and not any(s.bridged for s in port.sites):
            where = ", ".join(dict.fromkeys(port.answers_on)) or "the host"
            yield Seen(
                message=f"On {port.entry} the answers lay on {where}.",
                evidence=("counter",),
                subject=_subject(port),
            )


def _bridged(port: Ported, site: CallSite) -> str:
    return f"On {port.entry}, {site.name} at line {site.location.line} ran on NumPy"


def _cost(site: CallSite, share: float | None) -> str:
    moved = site.to_device_bytes + site.to_host_bytes
    said = f"; {units.size_bytes(moved)} travelled for it" if moved else ""
    return said if share is None else f"{said}, {units.share(share)} of the function's time"


def _wrong(scene: Scene) -> Iterator[Seen]:
    """Answers beyond the bound of agreement, one finding an entry."""
    seen: set[str] = set()
    for port in scene.record.ported:
        failure = port.failure
        if failure is None or failure.category != "wrong-value" or port.entry in seen:
            continue
        seen.add(port.entry)
        yield Seen(
            message=f"On {port.entry}: {failure.message}".rstrip(".") + ".",
            evidence=("trial",),
            location=failure.location,
            subject=_subject(port),
            fix=failure.suggestion,
        )
    if not scene.record.ported:
        return
    for case in scene.record.cases:
        if case.status == "disagrees" and case.entry not in seen and case.agreement is not None:
            seen.add(case.entry)
            yield Seen(
                message=(
                    f"{case.entry} differs by {units.scientific(case.agreement.error)} at size "
                    f"{case.size}; {units.scientific(case.agreement.bound)} is allowed."
                ),
                evidence=("trial",),
                figures=(figure("error", case.agreement.error, "ratio"),),
                subject=f"{case.workload} on {case.entry}, size {case.size}",
            )


def _narrowed(scene: Scene) -> Iterator[Seen]:
    """Answers of another dtype than NumPy's."""
    seen: set[str] = set()
    for port in scene.record.ported:
        failed = port.failure if _is_narrowed(port) else None
        told = next((o for o in port.outside if _DTYPE.search(o)), None)
        if port.entry in seen or (failed is None and told is None):
            continue
        seen.add(port.entry)
        said = told if failed is None else failed.message
        yield Seen(
            message=f"On {port.entry}: {said}".rstrip(".") + ".",
            evidence=("trial",),
            location=None if failed is None else failed.location,
            subject=_subject(port),
            severity="info" if failed is None else None,
        )


def _is_narrowed(port: Ported) -> bool:
    return port.failure is not None and port.failure.category == "dtype-narrowed"


def _largest(scene: Scene) -> Iterator[Ported]:
    """Yield what became of each entry at its largest size that was run."""
    by_entry: dict[tuple[str, str], Ported] = {}
    for port in sorted(scene.record.ported, key=lambda p: p.size):
        if port.reach != "preview":
            by_entry[port.workload, port.entry] = port
    yield from by_entry.values()


def _subject(port: Ported) -> str:
    return f"{port.workload} on {port.entry}, size {port.size}"


PORTED = (
    RunRule(CATALOGUE["BE107"], "never on the GPU", _on_host),
    RunRule(CATALOGUE["BE412"], "wrong measurement", _wrong),
    RunRule(CATALOGUE["BE413"], "kernels", _narrowed),
)
