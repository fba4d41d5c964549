"""How the GPU was during slots is a table of the report."""

from __future__ import annotations

from msgspec.structs import replace

from analysis.conftest import edit_slots
from breakeven.model.run import Case, Conditions, GpuConditions, RunRecord, Slot
from breakeven.report.evidence import Evidence
from breakeven.report.gpu_state import table
from records import record


def _run(look: GpuConditions) -> RunRecord:
    """Return a run in which CuPy saw `look` in every slot at one size, faster from turn to turn."""

    def change(case: Case, round_: int, slot: Slot) -> Slot:
        if case.size != 512:
            return slot
        clock = None if look.sm_clock_mhz is None else look.sm_clock_mhz + 10 * slot.turn
        # Scouting is hotter than anything later.
        heat = None if look.temperature_c is None else look.temperature_c + 40 * (round_ == 0)
        gpu = replace(look, sm_clock_mhz=clock, temperature_c=heat)
        return replace(slot, conditions=Conditions(gpu=gpu))

    return edit_slots(record(), change, entry="cupy")


def test_a_case_has_a_row_with_its_clocks_power_and_reasons() -> None:
    """Slots of all rounds but scouting count, in both scopes."""
    look = GpuConditions(
        sm_clock_mhz=1900.0, memory_clock_mhz=3201.0, power_w=412.4, temperature_c=61.0,
        reasons=("power_cap",),
    )  # fmt: skip
    (row,) = table(Evidence(_run(look)), "matmul").rows
    assert row == (
        "512", "cupy", "60", "1,925 MHz", "1,900 to 1,950", "3,201 MHz", "412 W", "61 °C",
        "power cap (60)",
    )  # fmt: skip


def test_what_was_not_told_is_no_zero() -> None:
    """Holes are dashes; a clock that the driver says nothing held down is told so."""
    (row,) = table(Evidence(_run(GpuConditions())), "matmul").rows
    assert row[3:] == ("-",) * 6
    (row,) = table(Evidence(_run(GpuConditions(sm_clock_mhz=1900.0))), "matmul").rows
    assert row[-1] == "-"
    told = GpuConditions(sm_clock_mhz=1900.0, reasons=())
    (row,) = table(Evidence(_run(told)), "matmul").rows
    assert row[-1] == "nothing"


def test_runs_without_looks_have_no_such_table() -> None:
    """Runs of before stay as they were."""
    assert table(Evidence(record()), "matmul").rows == ()


def test_counts_of_held_clocks_are_called_lower_bounds() -> None:
    """A look comes after its slot, which title and caption say."""
    found = table(Evidence(_run(GpuConditions(sm_clock_mhz=1900.0))), "matmul")
    assert found.title == "The GPU right after each slot"
    assert "lower bounds" in found.caption
