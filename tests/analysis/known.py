"""Records of sessions whose answer is known: the same code twice, and planted differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from breakeven.engine.plan import planted
from breakeven.model.run import Conditions, RunRecord, Slot
from records import Curve, entry, record

CALLS = (12, 11)
BASE, TWIN, BY_20, BY_10 = ENTRIES = planted(entry("numpy", 2, default=True), CALLS)
SIZES = (96, 256)


def _true(n: int) -> float:
    return 1e-5 + n**3 * 2e-11


def curves(**factors: float) -> dict[str, Curve]:
    """Return honest cost curves by entry, times a factor where one is given (by its place)."""
    made: dict[str, Curve] = {}
    for name, one in zip(("base", "twin", "by_20", "by_10"), ENTRIES, strict=True):
        times = one.calls * factors.get(name, 1.0)
        made[one.id] = lambda n, times=times: times * _true(n)  # type: ignore[misc]
    return made


def known(
    given: Mapping[str, Curve] | None = None,
    *,
    rounds: int = 8,
    spread: float = 0.01,
    seed: int = 3,
) -> RunRecord:
    """Return a finished session of known order."""
    return record(
        ENTRIES, given or curves(), sizes=SIZES, rounds=rounds, slots=8, spread=spread, seed=seed
    )


def with_slots(run: RunRecord, change: Callable[[Slot], Slot]) -> RunRecord:
    """Return a record with every slot changed."""
    replace = msgspec.structs.replace
    cases = tuple(
        replace(
            case,
            rounds=tuple(
                replace(block, slots=tuple(change(s) for s in block.slots)) for block in case.rounds
            ),
        )
        for case in run.cases
    )
    return replace(run, cases=cases)


def busy(slot: Slot) -> Slot:
    """Return a slot in which others took eight tenths of a core, void for it."""
    return msgspec.structs.replace(
        slot, voided="busy", conditions=Conditions(foreign_cores=0.8, cores_used=1.2)
    )
