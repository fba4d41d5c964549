"""Memory for all live workers is foreseen before a size starts."""

from __future__ import annotations

import pytest

from breakeven.engine.room import device_shortage, host_shortage, largest
from breakeven.model.run import Entry
from breakeven.workloads.matmul import Matmul

GIB = 1 << 30
WORK = Matmul()
# Four matrices of 16384 x 16384 float32.
NEED = 4 * GIB
CPUS = [Entry(id=f"numpy-{k}", backend="numpy", device="cpu", threads=k) for k in (1, 2, 4)]
GPUS = [Entry(id=b, backend=b, device="cuda:0") for b in ("cupy", "torch-cuda")]


def test_what_fits_is_no_shortage() -> None:
    """Three processes of 4 GiB fit into 16 GiB, a tenth of which is left alone."""
    assert host_shortage(WORK, 16384, CPUS, 16 * GIB) is None


def test_processes_that_live_together_need_their_sum() -> None:
    """Each alone would fit; the three do not, and figures, size and number that would are told."""
    found = host_shortage(WORK, 16384, CPUS, 10 * GIB)
    assert found == (
        "foreseen: 3 processes that live together need 12.0 GiB of host memory, and 10.0 GiB are "
        "free; N = 14188 would fit, or this size with 2 of the 3 (--backends)"
    )


def test_the_size_that_would_fit_does_fit_and_the_next_does_not() -> None:
    """The figure told is the border itself."""
    assert host_shortage(WORK, 14188, CPUS, 10 * GIB) is None
    assert host_shortage(WORK, 14189, CPUS, 10 * GIB) is not None


def test_the_gpus_memory_is_shared_by_its_processes() -> None:
    """Two libraries on one card need twice the arrays."""
    assert device_shortage(WORK, 16384, GPUS, 9 * GIB) is None
    found = device_shortage(WORK, 16384, GPUS, 8 * GIB)
    assert found is not None
    assert "2 processes that live together need 8.00 GiB of device memory" in found
    assert "8.00 GiB are free on the GPU" in found
    assert "this size with 1 of the 2" in found


def test_locked_copies_need_host_memory_as_well() -> None:
    """Each GPU process keeps what it locked, 256 MiB at most; a CPU process locks nothing."""
    whole = 2 * WORK.need(2048, "float32").host
    locked = 2 * 3 * 2048**2 * 4
    free = int((whole + locked / 2) / 0.9)
    assert host_shortage(WORK, 2048, GPUS, free) is None
    assert host_shortage(WORK, 2048, GPUS, free, locks=True) is not None
    assert host_shortage(WORK, 2048, GPUS, int((whole + locked) / 0.9) + 1, locks=True) is None
    large = 2 * (WORK.need(16384, "float32").host + (256 << 20))
    assert host_shortage(WORK, 16384, GPUS, int(large / 0.9) + 1, locks=True) is None
    cpus = sum(WORK.need(2048, "float32").host for _ in CPUS)
    assert host_shortage(WORK, 2048, CPUS, int(cpus / 0.9) + 1, locks=True) is None


def test_one_process_alone_is_told_as_one() -> None:
    """Nothing is said of leaving others out where there are none."""
    found = device_shortage(WORK, 16384, GPUS[:1], 2 * GIB)
    assert found is not None
    assert found.startswith("foreseen: 1 process needs 4.00 GiB")
    assert "--backends" not in found


def test_entries_of_half_the_digits_need_half_the_bytes() -> None:
    """Each entry's own dtype counts."""
    import msgspec

    halves = [msgspec.structs.replace(e, dtype="float16") for e in GPUS]
    assert device_shortage(WORK, 16384, halves, 5 * GIB) is None


@pytest.mark.parametrize("entries", [[], CPUS])
def test_unknown_memory_foresees_nothing(entries: list[Entry]) -> None:
    """Without a figure, or without entries, nothing is refused."""
    assert host_shortage(WORK, 1 << 20, entries, None) is None
    assert host_shortage(WORK, 1 << 20, [], 1) is None


def test_nothing_fits_into_nothing() -> None:
    """Where not even size 1 fits, no size is named."""
    assert largest(100, lambda _: False) is None
    assert largest(100, lambda n: n <= 37) == 37
