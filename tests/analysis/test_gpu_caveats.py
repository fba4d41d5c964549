"""What held a GPU's clocks down is told with its figures."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from breakeven.analysis.caveats import caveats
from breakeven.analysis.comparisons import Comparisons
from breakeven.model.run import Case, Conditions, GpuConditions, Round, RunRecord, Slot
from records import record

FINE = GpuConditions(sm_clock_mhz=1980.0, power_w=400.0, temperature_c=50.0, others=0)
Edit = Callable[..., RunRecord]


def _said(edit: Edit, look: GpuConditions, voided: str | None = None) -> str:
    """Return the caveats of a run whose third slot of each round saw `look`, the others nothing."""

    def change(case: Case, _round: int, slot: Slot) -> Slot:
        hit = slot.turn == 2 and case.size == 8192
        gpu = look if hit else FINE
        return replace(slot, conditions=Conditions(gpu=gpu), voided=voided if hit else None)

    return "\n".join(caveats(Comparisons(edit(record(), change, entry="cupy"))))


@pytest.mark.parametrize(
    ("look", "words"),
    [
        (replace(FINE, sm_clock_mhz=1410.0, power_w=699.0, reasons=("power_cap",)),
         ("Power limit: the GPU's clock was held at its power limit: at least 12 of 288 GPU "
         "slots (sizes 8192), 1,410 MHz against 1,980 MHz, 699 W, 50 degrees C; that is this "
         "card's speed")),
        (replace(FINE, sm_clock_mhz=990.0, reasons=("hardware",)),
         "Hardware slowdown: the GPU's board or its power supply slowed it down: at least 12"),
        (replace(FINE, reasons=("other",)), "Clock setting: the GPU's clock was held down by a"),
        (replace(FINE, sm_clock_mhz=1000.0), "its driver named no reason: 12 of 288 GPU slots"),
    ],
)  # fmt: skip
def test_each_cause_is_a_caveat_with_figures(
    edit_slots: Edit, look: GpuConditions, words: str
) -> None:
    """How often, at which sizes, and the clock there beside the usual one."""
    assert words in _said(edit_slots, look)


def test_a_calm_gpu_has_no_caveat(edit_slots: Edit) -> None:
    """Where no clock was held down nothing is said of clocks."""
    assert "clock" not in _said(edit_slots, FINE)


def test_heat_is_told_among_the_void_slots(edit_slots: Edit) -> None:
    """Clock and temperature stand beside the number of slots that do not count."""
    hot = replace(FINE, sm_clock_mhz=1200.0, temperature_c=91.0, reasons=("thermal",))
    assert (
        "Hot GPU: heat held its clock down, 1,200 MHz against 1,980 MHz, 400 W, 91 degrees C; 12 of"
    ) in _said(edit_slots, hot, "thermal")


def test_a_tenants_memory_is_told(edit_slots: Edit) -> None:
    """A neighbour whose process cannot be seen is given away by its memory."""
    there = replace(FINE, others=None, others_bytes=3 << 30)
    said = _said(edit_slots, there, "gpu_busy")
    assert "Busy GPU: another process used it, 3.00 GiB of its memory were held by none" in said


@pytest.mark.parametrize(("used", "told"), [(None, False), (1 << 20, False), (12 << 30, True)])
def test_memory_in_use_before_the_run_is_told(used: int | None, told: bool) -> None:
    """A tenant who was there first is not seen by growth, so what was held is a caveat."""
    run = record()
    gpu = replace(run.machine.gpus[0], memory_used_bytes=used)
    run = replace(run, machine=replace(run.machine, gpus=(gpu,)))
    said = "\n".join(caveats(Comparisons(run)))
    assert ("12.0 GiB of the GPU's memory were in use before the run" in said) == told


def test_a_ramp_is_told(edit_slots: Edit) -> None:
    """A clock that rises in the first slots of rounds is told with both clocks."""

    def change(_case: Case, _round: int, slot: Slot) -> Slot:
        clock = 1300.0 if slot.turn == 0 else 1980.0
        return replace(slot, conditions=Conditions(gpu=replace(FINE, sm_clock_mhz=clock)))

    said = "\n".join(caveats(Comparisons(edit_slots(record(), change, entry="cupy"))))
    assert "Clock ramp: the GPU's clock still rose in the first slots of a round: 48 of 288" in said
    assert "1,300 MHz against 1,980 MHz" in said


def test_warm_ups_whose_clock_did_not_rest_are_counted() -> None:
    """Rounds are named by entry with their sizes; those that could not be read are left out."""

    def moving(c: Case, r: Round) -> Round:
        told = {512: False, 2048: True}.get(c.size) if c.entry == "cupy" else None
        return replace(r, clock_steady=told)

    run = record()
    cases = tuple(replace(c, rounds=tuple(moving(c, r) for r in c.rounds)) for c in run.cases)
    said = "\n".join(caveats(Comparisons(replace(run, cases=cases))))
    assert (
        "The SM clock was not steady (within 2 %) when slots of CuPy began in 10 of 20 warm-ups "
        "(sizes 512)."
    ) in said
