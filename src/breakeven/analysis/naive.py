"""What careless timing would have read, beside the sound figure."""

from __future__ import annotations

from breakeven.analysis.times import Times
from breakeven.model.run import NaiveShot
from breakeven.model.verdict import NaiveCost, Scope


def naive_costs(times: Times) -> tuple[NaiveCost, ...]:
    """Return what each one-shot reading cost, one row a shot.

    The mistakes add up to what was read: a one-shot with the data travelling is the resident
    call, the journey, and what only the first call pays; stopping the clock before the device is
    done hides the rest of the resident call.
    """
    rows = []
    for shot in times.record.naive_shots:
        moving = _sound(times, shot, "transfer")
        resident = _sound(times, shot, "resident")
        rows.append(
            NaiveCost(
                workload=shot.workload,
                size=shot.size,
                entry=shot.entry,
                one_shot_s=shot.one_shot_s,
                unsynchronised_s=shot.unsynchronised_s,
                sound_transfer_s=moving,
                sound_resident_s=resident,
                first_call_s=_less(shot.one_shot_s, moving),
                transfer_s=None if times.on_cpu(shot.entry) else _less(moving, resident),
                missing_sync_s=_less(shot.unsynchronised_s, resident),
            )
        )
    return tuple(rows)


def _sound(times: Times, shot: NaiveShot, scope: Scope) -> float | None:
    """Return the median of the rounds; of the scouting round at a size that has no others."""
    where = (shot.workload, shot.size, shot.entry)
    found = times.median(*where, scope)
    return times.scouted(*where, voided=False, scope=scope) if found is None else found


def _less(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b
