"""What the first answer of a fresh process takes, with kernel caches as found or emptied."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from breakeven.model.ratio import FirstAnswer
from breakeven.model.run import ColdStart, RunRecord
from breakeven.stats.resampling import spread


def first_answers(record: RunRecord) -> tuple[FirstAnswer, ...]:
    """Return the first answers of backends that were started without kernels, beside the usual.

    A backend that was started in one way alone has nothing to be set beside.
    """
    found: dict[tuple[str, str], dict[str, list[ColdStart]]] = {}
    for start in record.cold_starts:
        key = (start.workload, start.backend)
        found.setdefault(key, {}).setdefault(start.caches, []).append(start)
    return tuple(
        _answer(kinds[caches])
        for kinds in found.values()
        if {"emptied", "as found"} <= kinds.keys()
        for caches in ("as found", "emptied")
    )


def _answer(starts: Sequence[ColdStart]) -> FirstAnswer:
    wholes = [s.import_s + s.context_s + s.calls_s[0] for s in starts]
    middle = median(wholes)
    low = high = None
    if len(wholes) > 1:
        down, up = spread(lambda chosen: median(wholes[i] for i in chosen), len(wholes), middle)
        low, high = max(0.0, middle - down), middle + up
    return FirstAnswer(
        workload=starts[0].workload,
        backend=starts[0].backend,
        caches=starts[0].caches,
        import_s=median(s.import_s for s in starts),
        context_s=median(s.context_s for s in starts),
        first_call_s=median(s.calls_s[0] for s in starts),
        last_call_s=median(s.calls_s[-1] for s in starts),
        seconds=middle,
        low=low,
        high=high,
        processes=len(starts),
    )
