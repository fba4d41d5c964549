"""What the user's lines did in a window, gathered for rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from breakeven.findings.scene import Window
from breakeven.model.finding import Location
from breakeven.model.profiled import Site

SMALL = 64
"""Bytes of a copy to the host that only reads a value."""

EACH_STEP = 0.5
"""Calls in each step from which on a line counts as repeated in steps: logging every some steps
stays below."""


class Line(NamedTuple):
    """Sites of one line that do the same sort of thing.

    Attributes
    ----------
    calls : int
        In the window, of the site that has most.
    host_s, device_s, idle_s : float
        Summed over the sites.
    bytes : int
        That moved.
    """

    location: Location
    sites: tuple[Site, ...]
    calls: int
    host_s: float
    device_s: float
    idle_s: float
    bytes: int

    @property
    def names(self) -> str:
        """Names of operators, kernels and functions, joined."""
        return " ".join(s.name for s in self.sites if s.name).lower()

    @property
    def cost_s(self) -> float:
        """The longer of host and device time: neither can be shorter than the step's share."""
        return max(self.host_s, self.device_s)


def by_line(sites: Iterable[Site]) -> list[Line]:
    """Return sites gathered by line, the costliest first."""
    found: dict[tuple[str, int], list[Site]] = {}
    for site in sites:
        found.setdefault((site.location.path, site.location.line), []).append(site)
    lines = [_line(mine) for mine in found.values()]
    return sorted(lines, key=lambda line: (-line.cost_s, -line.calls))


def _line(mine: list[Site]) -> Line:
    return Line(
        location=mine[0].location,
        sites=tuple(mine),
        calls=max(s.calls for s in mine),
        host_s=_host_s(mine),
        device_s=sum(s.device_s or 0.0 for s in mine),
        idle_s=sum(s.idle_after_s or 0.0 for s in mine),
        bytes=sum(s.bytes or 0 for s in mine),
    )


def _host_s(mine: list[Site]) -> float:
    """Return the host's time in a line; a site without a name holds the line's other sites."""
    named = sum(s.host_s or 0.0 for s in mine if s.name is not None or s.doing != "host_work")
    whole = (s.host_s or 0.0 for s in mine if s.name is None and s.doing == "host_work")
    return max(named, *whole, 0.0)


def repeated(window: Window, line: Line) -> bool:
    """Return whether a line does it in each step, as far as steps are known."""
    if window.steps > 1:
        return line.calls / window.steps >= EACH_STEP
    return line.calls > 1 or any(s.in_step for s in line.sites)


def reads(window: Window) -> Iterator[Line]:
    """Yield lines that wait for a value of the device: told so, or by a copy of few bytes."""
    small = [s for s in window.doing("to_host") if _mean_bytes(s) <= SMALL]
    yield from by_line([*window.doing("implicit_sync"), *small])


def journeys(window: Window, doing: str) -> list[Line]:
    """Return lines that copy data, ``to_device`` or ``to_host``, single values left out."""
    return by_line(s for s in window.doing(doing) if _mean_bytes(s) > SMALL)


def _mean_bytes(site: Site) -> float:
    if site.bytes is None:
        return float(max(site.sizes, default=SMALL + 1))
    return site.bytes / max(1, site.calls)
