"""A GPU is looked at between slots; what its driver leaves out is None, with its name told."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.errors import UnavailableError
from breakeven.model.held import reasons_of
from breakeven.model.run import GpuConditions
from breakeven.sensors.base import GpuWatch
from breakeven.sensors.replay import ReplayWatch
from breakeven.sensors.watching import NoWatch, NvmlWatch, open_watch
from sensors.recorded import H200, NVMLError_LibraryNotFound, Recorded

UUID = str(H200["UUID"])
BARE = {"UUID": UUID, "Name": "NVIDIA H200"}


def test_a_look_tells_clocks_power_temperature_and_reasons() -> None:
    """Every figure comes from the driver, in the unit of its name; power is that of the moment."""
    look = NvmlWatch(UUID, Recorded(H200 | {"pids": (10,)})).look([10])
    assert look.conditions == GpuConditions(
        sm_clock_mhz=1965.0, memory_clock_mhz=3201.0, power_w=455.25, temperature_c=41.0,
        reasons=("power_cap",), others=0,
    )  # fmt: skip
    assert look.memory_used_bytes == 1_200_000_000
    assert (look.unknown, look.why, look.source) == ((), None, "driver")


@pytest.mark.parametrize("field", [None, (3, 0)])
def test_power_averaged_over_a_second_stands_in(field: tuple[int, int] | None) -> None:
    """A driver without the field, or whose field answers an error, gives its average."""
    device = {k: v for k, v in H200.items() if k != "field 186"}
    device |= {} if field is None else {"field 186": field}
    assert NvmlWatch(UUID, Recorded(device)).look([]).conditions.power_w == 312.5


def test_an_older_driver_calls_its_reasons_otherwise() -> None:
    """The mask is asked for by its new name, then by its old one."""
    device = {k: v for k, v in H200.items() if k != "CurrentClocksEventReasons"}
    device["CurrentClocksThrottleReasons"] = 0x20
    assert NvmlWatch(UUID, Recorded(device)).look([]).conditions.reasons == ("thermal",)


@pytest.mark.parametrize(
    ("mask", "reasons"),
    [
        (0x0, ()),
        (0x1, ()),
        (0x4, ("power_cap",)),
        (0x20, ("thermal",)),
        (0x40 | 0x8, ("thermal",)),
        (0x8, ("hardware",)),
        (0x80 | 0x8, ("hardware",)),
        (0x40 | 0x80 | 0x8, ("thermal", "hardware")),
        (0x2, ("other",)),
        (0x10 | 0x4, ("power_cap", "other")),
        (0x100000, ("other",)),
    ],
)
def test_bits_have_a_name(mask: int, reasons: tuple[str, ...]) -> None:
    """Being idle is no reason; the slowdown bit beside the thermal one is thermal."""
    assert reasons_of(mask) == reasons


def test_what_the_driver_does_not_tell_is_none_and_named() -> None:
    """A device that knows nothing leaves holes, not zeros, and says which."""
    look = NvmlWatch(UUID, Recorded(BARE)).look([1])
    assert look.conditions == GpuConditions()
    assert look.memory_used_bytes is None
    assert set(look.unknown) == {
        "SM clock", "memory clock", "power", "temperature", "reasons of slow clocks",
        "memory in use",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("running", "own", "others"),
    [((10, 20, 30), [10], 2), ((10,), [10, 11], 0), ((), [10], None), ((20,), [10], None)],
)
def test_processes_that_are_not_ours_are_counted(
    running: tuple[int, ...], own: list[int], others: int | None
) -> None:
    """A list that does not name ours hides or renumbers processes, and proves nothing."""
    look = NvmlWatch(UUID, Recorded(H200 | {"pids": running})).look(own)
    assert look.conditions.others == others


def test_a_part_of_a_gpu_has_the_clocks_of_its_board_and_memory_of_its_own() -> None:
    """Clocks, power and temperature are shared by the parts of a divided GPU."""
    part = {"UUID": "MIG-aaaa", "memory": (71 << 30, 5 << 20), "DeviceIsMigDeviceHandle": 1}
    part["DeviceHandleFromMigDeviceHandle"] = H200
    board = H200 | {"parts": {0: part}}
    look = NvmlWatch("MIG-aaaa", Recorded(board)).look([])
    assert look.conditions.sm_clock_mhz == 1965.0
    assert look.memory_used_bytes == 5 << 20


def test_the_session_stays_open_between_looks() -> None:
    """The driver is loaded once, and left when the watch is closed."""
    library = Recorded(H200)
    watch = NvmlWatch(UUID, library)
    watch.look([])
    assert watch.sm_clock_mhz() == 1965.0
    assert (library.open, library.loads) == (1, 1)
    watch.close()
    assert library.open == 0


@pytest.mark.parametrize(
    ("library", "uuid", "words"),
    [
        (Recorded(H200), "GPU-?", "no device GPU-?"),
        (Recorded(init_error=NVMLError_LibraryNotFound()), UUID, "no NVIDIA driver was found"),
    ],
)
def test_a_gpu_that_cannot_be_looked_at_has_a_reason(
    library: Recorded, uuid: str, words: str
) -> None:
    """Neither a strange UUID nor a missing driver leaves a session open."""
    with pytest.raises(UnavailableError, match=words.replace("?", r"\?")):
        NvmlWatch(uuid, library)
    assert library.open == 0


def test_where_nothing_can_look_the_reason_is_all_there_is() -> None:
    """Without a device or a recording a look holds its reason, and no figure."""
    watch: GpuWatch = open_watch(None, {})
    assert isinstance(watch, NoWatch)
    look = watch.look([1])
    assert look.why == "no driver knows this device"
    assert look.conditions == GpuConditions()
    assert watch.sm_clock_mhz() is None
    watch.close()


def test_a_recording_is_played_instead_of_the_driver(tmp_path: Path) -> None:
    """A variable names it, whatever the device."""
    path = tmp_path / "hot.json"
    path.write_text('{"looks": [{"sm_clock_mhz": 1200}]}')
    watch = open_watch("GPU-1", {"BREAKEVEN_REPLAY": str(path)})
    assert isinstance(watch, ReplayWatch)
    assert watch.look([]).conditions.sm_clock_mhz == 1200.0


class _Broken(Recorded):
    """Bindings that do not fit the driver."""

    def nvmlDeviceGetClockInfo(self, *_: object) -> int:  # noqa: N802  NVML's name
        raise TypeError("an integer is required")


def test_bindings_that_do_not_fit_leave_a_hole() -> None:
    """Whatever they raise, the clock is unknown and the rest of the look stands."""
    look = NvmlWatch(UUID, _Broken(H200)).look([1])
    assert look.conditions.sm_clock_mhz is None
    assert look.conditions.temperature_c is not None
