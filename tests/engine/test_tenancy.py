"""Device memory that none of our processes holds is somebody else's."""

from __future__ import annotations

import pytest

from breakeven.engine.tenancy import Tenancy, can_tell, is_shared, void_reason
from breakeven.model.run import GpuConditions

GIB = 1 << 30
MIB = 1 << 20
BOTH = ("cupy", "torch-cuda")


def _opened() -> Tenancy:
    """Return a tenancy of two open processes, whose contexts take a gibibyte."""
    found = Tenancy()
    for entry in BOTH:
        assert found.others_bytes(entry, used=GIB, held=0, alive=BOTH, set_up=True) == 0
    return found


def test_what_our_allocators_hold_is_ours() -> None:
    """Memory grows with what the two libraries took, and nobody else is seen."""
    found = _opened()
    assert found.others_bytes("cupy", used=3 * GIB, held=2 * GIB, alive=BOTH, set_up=True) == 0
    assert found.others_bytes("torch-cuda", used=7 * GIB, held=4 * GIB, alive=BOTH) == 0
    assert found.others_bytes("cupy", used=5 * GIB, held=0, alive=BOTH) == 0


def test_memory_that_jumps_between_slots_is_a_tenants() -> None:
    """Half a gibibyte that no allocator of ours holds is named, as long as it stays."""
    found = _opened()
    for _ in range(2):
        seen = found.others_bytes("cupy", used=3 * GIB + 512 * MIB, held=2 * GIB, alive=BOTH)
        assert seen == 512 * MIB
    assert found.others_bytes("torch-cuda", used=3 * GIB, held=0, alive=BOTH) == 0


def test_workspaces_of_libraries_are_no_tenant() -> None:
    """What is taken without telling is small: under 128 MiB in slots, 384 MiB at set-up."""
    found = _opened()
    assert found.others_bytes("cupy", used=GIB + 100 * MIB, held=0, alive=BOTH) == 0
    grown = GIB + 300 * MIB
    assert found.others_bytes("cupy", used=grown, held=0, alive=BOTH, set_up=True) == 0
    assert found.others_bytes("cupy", used=grown + 100 * MIB, held=0, alive=BOTH) == 0


def test_a_tenant_that_comes_while_cases_are_set_up_stays_a_tenant() -> None:
    """A context of another process is larger than kernels of ours; later set-ups do not adopt it."""
    found = _opened()
    for _ in range(3):
        seen = found.others_bytes("cupy", used=2 * GIB, held=0, alive=BOTH, set_up=True)
        assert seen == GIB
    assert found.others_bytes("cupy", used=2 * GIB, held=0, alive=BOTH) == GIB


def test_what_an_ended_worker_held_is_free() -> None:
    """Memory falls with a process that ends; the rest is counted from there."""
    found = _opened()
    found.others_bytes("torch-cuda", used=5 * GIB, held=4 * GIB, alive=BOTH)
    left = ("cupy",)
    assert found.others_bytes("cupy", used=512 * MIB, held=0, alive=left) == 0
    assert found.others_bytes("cupy", used=GIB, held=0, alive=left) == 512 * MIB


@pytest.mark.parametrize(("used", "held"), [(None, 0), (GIB, None)])
def test_without_figures_nothing_is_known(used: int | None, held: int | None) -> None:
    """A driver or a backend that does not tell gives None, never 0."""
    assert Tenancy().others_bytes("cupy", used=used, held=held, alive=BOTH) is None


@pytest.mark.parametrize(
    ("gpu", "before", "reason"),
    [
        (None, False, None),
        (None, True, "gpu_busy"),
        (GpuConditions(), True, "gpu_busy"),
        (GpuConditions(others=0), True, None),
        (GpuConditions(others=1), False, "gpu_busy"),
        (GpuConditions(others_bytes=GIB), False, "gpu_busy"),
        (GpuConditions(reasons=("thermal",)), False, "thermal"),
        (GpuConditions(others=1, reasons=("thermal",)), False, "gpu_busy"),
        (GpuConditions(reasons=("power_cap", "hardware", "other")), False, None),
    ],
)
def test_a_look_says_why_a_slot_does_not_count(
    gpu: GpuConditions | None, before: bool, reason: str | None
) -> None:
    """Others and heat void a slot; a power limit is the card's real speed and does not."""
    assert void_reason(gpu, shared_before=before) == reason


def test_a_look_that_sees_nobody_differs_from_one_that_cannot_see() -> None:
    """Nobody is a finding; None is not."""
    assert can_tell(GpuConditions(others=0))
    assert can_tell(GpuConditions(others_bytes=0))
    assert not can_tell(GpuConditions())
    assert not is_shared(GpuConditions(others=0, others_bytes=0))
