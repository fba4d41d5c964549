"""What held a GPU's clocks down is told apart by cause."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from breakeven.analysis.conditions import looked, thermal_share
from breakeven.analysis.gates import HOT_SHARE, gate
from breakeven.analysis.judge import judge
from breakeven.analysis.pairs import Pair
from breakeven.analysis.times import Times
from breakeven.analysis.twins import Twins
from breakeven.model.run import Case, Conditions, GpuConditions, RunRecord, Slot
from records import record

PAIR = Pair("matmul", 2048, "transfer", "torch-cpu-16", "best-cpu", "cupy")
FINE = GpuConditions(sm_clock_mhz=1980.0, power_w=400.0, temperature_c=50.0, others=0, reasons=())
GIB = 1 << 30
Edit = Callable[..., RunRecord]


def _looks(edit: Edit, *looks: GpuConditions, entry: str = "cupy", size: int = 2048) -> RunRecord:
    """Return a record in which the slots of one case saw these looks, by turn, in every round."""

    def change(case: Case, _round: int, slot: Slot) -> Slot:
        if case.size != size:
            return slot
        return replace(slot, conditions=Conditions(gpu=looks[slot.turn % len(looks)]))

    return edit(record(), change, entry=entry)


def _causes(run: RunRecord) -> list[str | None]:
    """Return the cause of each slot of one round."""
    found = [s for s in looked(run) if s.round == 1 and s.slot.order < 6]
    one = found[: len({s.slot.order for s in found})]
    return [s.cause for s in one]


@pytest.mark.parametrize(
    ("looks", "causes"),
    [
        ((FINE,), [None] * 6),
        ((replace(FINE, reasons=("power_cap",)),), ["power_cap"] * 6),
        ((replace(FINE, reasons=("power_cap", "thermal")),), ["thermal"] * 6),
        ((replace(FINE, reasons=("hardware", "other")),), ["hardware"] * 6),
        ((replace(FINE, others=1, reasons=("thermal",)),), ["tenant"] * 6),
        ((replace(FINE, others_bytes=GIB),), ["tenant"] * 6),
        (tuple(replace(FINE, sm_clock_mhz=c) for c in (900.0, 1500.0, *[1980.0] * 4)),
         ["ramp", "ramp", None, None, None, None]),
        (tuple(replace(FINE, sm_clock_mhz=c) for c in (*[1980.0] * 3, 1200.0, *[1980.0] * 2)),
         [None, None, None, "unexplained", None, None]),
        (tuple(replace(FINE, sm_clock_mhz=c) for c in (*[900.0] * 3, *[1980.0] * 3)),
         ["unexplained"] * 3 + [None] * 3),
        ((replace(FINE, sm_clock_mhz=None),), [None] * 6),
    ],
)  # fmt: skip
def test_each_cause_is_told_apart(
    edit_slots: Edit, looks: Sequence[GpuConditions], causes: list[str | None]
) -> None:
    """Others come before heat, heat before power; a drop without a reason is left open."""
    assert _causes(_looks(edit_slots, *looks)) == causes


def test_slots_without_a_look_have_no_cause() -> None:
    """CPU entries, and runs of before, are left out."""
    assert looked(record()) == []
    assert thermal_share([]) == (0, 0)


def _gate(run: RunRecord, pair: Pair = PAIR) -> str | None:
    times = Times(run)
    found = gate(times, Twins(times), pair)
    return None if found is None else f"{found.reason}: {found.why}"


def test_heat_in_over_a_tenth_of_slots_withholds(edit_slots: Edit) -> None:
    """One hot slot in six is over a tenth: reason, count, temperature and remedy are told."""
    hot = replace(FINE, sm_clock_mhz=1200.0, temperature_c=91.0, reasons=("thermal",))
    run = _looks(edit_slots, hot, *[FINE] * 5)
    said = _gate(run)
    assert said is not None
    assert said.startswith("thermal: heat held the GPU's clock down in 5 of 30 slots of CuPy")
    assert "91 degrees C" in said
    assert "let it cool" in said
    words = {v.word for v in judge(run).verdicts if v.entry == "cupy" and v.size == 2048}
    assert words == {"withheld"}


def test_heat_in_a_tenth_of_slots_is_borne(edit_slots: Edit) -> None:
    """Three of thirty slots are a tenth, not over it."""
    hot = Conditions(gpu=replace(FINE, reasons=("thermal",)))

    def change(_case: Case, round_: int, slot: Slot) -> Slot:
        held = hot if round_ in {1, 2, 3} and slot.turn == 0 else Conditions(gpu=FINE)
        return replace(slot, conditions=held)

    assert HOT_SHARE == 0.10
    assert _gate(edit_slots(record(), change, entry="cupy")) is None


@pytest.mark.parametrize("reason", ["power_cap", "hardware", "other"])
def test_other_reasons_do_not_withhold(edit_slots: Edit, reason: str) -> None:
    """A limit of power is how the card is: it is told, and judged all the same."""
    held = replace(FINE, sm_clock_mhz=1400.0, reasons=(reason,))
    assert _gate(_looks(edit_slots, held)) is None
