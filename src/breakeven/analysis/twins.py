"""What a session can tell apart: an entry measured against its twin."""

from __future__ import annotations

import math
from typing import NamedTuple

from breakeven.analysis.rule import Look, first_settled, margin_of
from breakeven.analysis.times import WARM_SCOPES, Times
from breakeven.model.verdict import AaCheck, Scope
from breakeven.stats.intervals import LOOKS, SAME, interval


class _Twin(NamedTuple):
    workload: str
    size: int
    scope: Scope
    entry: str
    twin: str
    values: tuple[float, ...]
    look: Look | None

    @property
    def names_winner(self) -> bool:
        return self.look is not None and self.look.word in {"faster", "slower"}

    def margin(self, rounds: int) -> float | None:
        """Return the far bound of the 95 % interval after as many rounds (or all there are)."""
        return margin_of(self.values, rounds)


class Twins:
    """The A/A pairs of a record: the margin of every verdict, and a check on the session.

    The A/A pair goes through the same rule as any comparison, with the least margin: a margin
    of its own would never let it name a winner.
    """

    def __init__(self, times: Times) -> None:
        self._found: dict[tuple[str, int], list[_Twin]] = {}
        for twin in times.record.entries:
            if twin.variant == "twin" and twin.twin_of in times.entries:
                self._add(times, twin.twin_of, twin.id)

    def _add(self, times: Times, entry: str, twin: str) -> None:
        scopes = WARM_SCOPES[:1] if times.on_cpu(entry) else WARM_SCOPES
        for workload in times.workloads():
            for size in times.sizes(workload):
                for scope in scopes:
                    rounds = times.paired(workload, size, scope, entry, twin)
                    values = tuple(rounds[r] for r in sorted(rounds))
                    if values:
                        look = first_settled(values, lambda _: SAME)
                        row = _Twin(workload, size, scope, entry, twin, values, look)
                        self._found.setdefault((workload, size), []).append(row)

    def _speaking(self, workload: str, size: int, scope: Scope) -> list[_Twin]:
        """Return twins that bear on a scope: CPU twins, recorded as resident, bear on both."""
        found = self._found.get((workload, size), [])
        matching = [t for t in found if t.scope in {scope, "resident"}]
        return [t for t in matching if t.margin(LOOKS[0]) is not None]

    def margin(self, workload: str, size: int, scope: Scope, rounds: int) -> float | None:
        """Return the margin (log ratio) at a size after some rounds; None without an A/A pair."""
        margins = [t.margin(rounds) for t in self._speaking(workload, size, scope)]
        return max((m for m in margins if m is not None), default=None)

    def winner(self, workload: str, size: int, scope: Scope) -> str | None:
        """Return the entry whose A/A pair names a winner at a size; None when none does."""
        speaking = self._speaking(workload, size, scope)
        return next((t.entry for t in speaking if t.names_winner), None)

    def checks(self) -> tuple[AaCheck, ...]:
        """Return one row for each twin at each size.

        A GPU twin has two scopes; the row shows the one that says more against the session.
        """
        rows: dict[tuple[str, int, str], _Twin] = {}
        for found in self._found.values():
            for t in found:
                key = (t.workload, t.size, t.twin)
                rank = (t.names_winner, t.margin(len(t.values)) or 0.0)
                old = rows.get(key)
                if old is None or rank > (old.names_winner, old.margin(len(old.values)) or 0.0):
                    rows[key] = t
        return tuple(_row(rows[key]) for key in sorted(rows))


def _row(twin: _Twin) -> AaCheck:
    seen = twin.look.interval if twin.look else interval(twin.values)
    margin = twin.margin(seen.n)
    return AaCheck(
        workload=twin.workload,
        size=twin.size,
        entry=twin.entry,
        twin=twin.twin,
        ratio=math.exp(seen.mean),
        low=math.exp(seen.low),
        high=math.exp(seen.high),
        word=twin.look.word if twin.look else "withheld",
        margin=None if margin is None else math.exp(margin),
        rounds=seen.n,
    )
