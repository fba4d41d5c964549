"""A GPU's readings over time, from a driver that answers, refuses, or vanishes half-way."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from breakeven.model.machine import Gpu
from breakeven.sensors.absence import Missing
from breakeven.sensors.base import Sample
from breakeven.sensors.nvml_sampling import FAILURES, NvmlSensor, gpu_sensors
from breakeven.sensors.recording import Recording, read_recording
from breakeven.sensors.sampling import Loop
from breakeven.sensors.writing import Writer
from sensors.recorded import (
    H200,
    NVMLError_DriverNotLoaded,
    NVMLError_LibraryNotFound,
    NVMLError_NoPermission,
    NVMLError_Unknown,
    Recorded,
)
from sensors.sampled import NVMLError_GpuIsLost, Working

GPU = Gpu(uuid=H200["UUID"], name="NVIDIA H200", index=0)


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return a clock; the calendar's runs with it."""
    found = Clock()
    monkeypatch.setattr(time, "clock_gettime", lambda _: found.now + 1_700_000_000.0)
    return found


def _sensor(
    clock: Clock, library: Recorded, cpu_s: Callable[[], float] = lambda: 0.0
) -> NvmlSensor:
    return NvmlSensor(GPU, library, clock=clock, cpu_s=cpu_s)


def _values(sensor: NvmlSensor, tier: str) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for sample in sensor.read(tier):  # type: ignore[arg-type]
        found[sample.sensor.partition(".")[2]] = sample.value
    return found


def test_the_fast_tier_holds_what_changes_quickly(clock: Clock) -> None:
    """Power of the moment, the counter, use, memory without the reserve, clocks and reasons."""
    library = Working(clock)
    sensor = _sensor(clock, library)
    assert _values(sensor, "fast") == {
        "power_w": 400.0, "energy_j": 400_000.0, "utilisation_share": 0.75,
        "memory_busy_share": 0.3, "memory_bytes": 1.2e9, "sm_clock_mhz": 1965.0,
        "memory_clock_mhz": 3201.0, "held_by": 4.0,
    }  # fmt: skip
    assert sensor.absent() == ()
    sensor.close()
    sensor.close()
    assert library.open == 0


def test_power_and_energy_are_one_call(clock: Clock) -> None:
    """The counter as a field comes with the power; alone it would cost many times as much."""
    library = Working(clock)
    sensor = _sensor(clock, library)
    library.asked.clear()
    sensor.read("fast")
    assert library.asked.count("FieldValues") == 1
    assert "TotalEnergyConsumption" not in library.asked


def test_the_call_that_waits_for_20_ms_is_never_made(clock: Clock) -> None:
    """Neither when the sensor is opened nor in any tier."""
    library = Working(clock)
    sensor = _sensor(clock, library)
    for tier in ("fast", "slow", "ends"):
        sensor.read(tier)  # type: ignore[arg-type]
    assert "PcieThroughput" not in library.asked


def test_the_slow_tier_holds_heat_copies_and_durations(clock: Clock) -> None:
    """Copies are told from the GPU's side: what it received came to the device."""
    sensor = _sensor(clock, Working(clock))
    clock.now += 1.0
    found = _values(sensor, "slow")
    found.pop("power_history_w")
    assert found == {
        "temperature_c": 41.0, "temperature_margin_c": 46.0, "to_device_bytes": 1001 * 10e9,
        "to_host_bytes": 1001 * 2e9, "processes": 1.0,
        "held_power_cap_total_s": pytest.approx(100.1), "held_thermal_total_s": 0.0,
        "held_board_limit_total_s": 0.0,
    }  # fmt: skip
    assert _values(sensor, "ends") == {
        "power_limit_w": 700.0, "link_generation": 5.0, "link_width": 16.0,
    }  # fmt: skip


def test_the_drivers_own_samples_come_once_and_at_their_own_times(clock: Clock) -> None:
    """Fifty a second, none from before the recording, on the recording's clock."""
    sensor = _sensor(clock, Working(clock))
    stamps: list[float] = []
    for _ in range(3):
        clock.now += 1.0
        history = [s for s in sensor.read("slow") if s.sensor == "gpu0.power_history_w"]
        assert all(s.value == 400.0 for s in history)
        stamps += [s.t_s for s in history if s.t_s is not None]
    assert len(stamps) == 150
    assert stamps == sorted(set(stamps))
    assert 1000.0 < stamps[0] <= 1000.021
    assert stamps[-1] <= clock.now
    assert [s for s in sensor.read("slow") if "history" in s.sensor] == []


@pytest.mark.parametrize(
    ("lacks", "name", "watts"),
    [({186}, "power_average_w", 390.0), ({186, 185}, "power_plain_w", 312.5)],
)
def test_a_second_choice_of_power_has_its_own_name(
    clock: Clock, lacks: set[str | int], name: str, watts: float
) -> None:
    """An average is not passed off as the power of the moment."""
    sensor = _sensor(clock, Working(clock, lacks))
    found = _values(sensor, "fast")
    assert "power_w" not in found
    assert found[name] == watts
    (said,) = sensor.absent()
    assert said.sensor == "gpu0.power_w"
    assert name in said.why


def test_a_device_without_the_energy_field_is_asked_by_its_call(clock: Clock) -> None:
    """Older drivers have the call alone."""
    library = Working(clock, {83})
    assert _values(_sensor(clock, library), "fast")["energy_j"] == 400_000.0
    assert "TotalEnergyConsumption" in library.asked


def test_what_a_device_does_not_tell_is_asked_once_and_absent(clock: Clock) -> None:
    """It has a reason and no reading; the rest goes on."""
    library = Working(
        clock, {"UtilizationRates", "MarginTemperature", 83, "TotalEnergyConsumption"}
    )
    sensor = _sensor(clock, library)
    library.asked.clear()
    fast, slow = _values(sensor, "fast"), _values(sensor, "slow")
    assert "utilisation_share" not in fast
    assert "UtilizationRates" not in library.asked
    assert fast["power_w"] == 400.0
    assert slow["temperature_c"] == 41.0
    assert {a.sensor for a in sensor.absent()} == {
        "gpu0.utilisation_share", "gpu0.memory_busy_share", "gpu0.energy_j",
        "gpu0.temperature_margin_c",
    }  # fmt: skip
    assert all(a.since_s is None for a in sensor.absent())


def test_durations_come_from_fields_where_the_call_is_not_answered(clock: Clock) -> None:
    """The same count under another name; without either they are absent."""
    found = _values(_sensor(clock, Working(clock, {"ViolationStatus"})), "slow")
    assert found["held_power_cap_total_s"] == pytest.approx(200.0)
    neither = _sensor(clock, Working(clock, {"ViolationStatus", 74, 75, 77}))
    assert [a.sensor for a in neither.absent()] == [
        "gpu0.held_power_cap_total_s", "gpu0.held_thermal_total_s", "gpu0.held_board_limit_total_s",
    ]  # fmt: skip


def test_a_refused_question_says_whom_to_ask(clock: Clock) -> None:
    """Not to be allowed is another matter than not to be known."""
    library = Working(clock, {74, 75, 77})
    library.fails["ViolationStatus"] = NVMLError_NoPermission()
    said = {a.sensor: a for a in _sensor(clock, library).absent()}
    assert "may not ask" in said["gpu0.held_thermal_total_s"].why
    assert said["gpu0.held_thermal_total_s"].fix is not None


def test_a_counter_of_32_bits_is_not_used_for_bytes(clock: Clock) -> None:
    """It wraps many times between two readings, and a difference would be anything."""
    sensor = _sensor(clock, Working(clock, narrow={197, 198}))
    assert "to_device_bytes" not in _values(sensor, "slow")
    assert [a.sensor for a in sensor.absent()] == ["gpu0.to_device_bytes", "gpu0.to_host_bytes"]


def test_a_duration_that_outruns_the_clock_is_no_duration(clock: Clock) -> None:
    """A driver that counts in another unit is found out and given up, not shown."""
    library = Working(clock)
    library.policy_scale = 1000.0
    sensor = _sensor(clock, library)
    for _ in range(FAILURES + 2):
        clock.now += 1.0
        found = _values(sensor, "slow")
    assert "held_power_cap_total_s" not in found
    said = {a.sensor: a for a in sensor.absent()}
    assert "grows faster than time" in said["gpu0.held_power_cap_total_s"].why


def test_one_failure_is_a_gap_and_no_more(clock: Clock) -> None:
    """The reading is None, and the next one is there again."""
    library = Working(clock)
    sensor = _sensor(clock, library)
    library.fails["UtilizationRates"] = NVMLError_Unknown()
    assert _values(sensor, "fast")["utilisation_share"] is None
    library.fails.clear()
    assert _values(sensor, "fast")["utilisation_share"] == 0.75
    assert sensor.absent() == ()


def test_a_question_that_keeps_failing_is_given_up_from_its_first_failure(clock: Clock) -> None:
    """The others go on."""
    library = Working(clock)
    sensor = _sensor(clock, library)
    library.fails["UtilizationRates"] = NVMLError_Unknown()
    for _ in range(FAILURES):
        clock.now += 0.1
        sensor.read("fast")
    assert "utilisation_share" not in _values(sensor, "fast")
    said = sensor.absent()[0]
    assert said.since_s == pytest.approx(1000.1)
    assert _values(sensor, "fast")["power_w"] == 400.0


def test_an_empty_list_is_no_count_of_processes_until_one_was_seen(
    clock: Clock, tmp_path: Path
) -> None:
    """A driver that hides the list says the same as one that has nothing to list."""
    hiding, later = Working(clock, devices=(H200,)), Working(clock, devices=(H200 | {"pids": ()},))
    sensor = _sensor(clock, hiding)
    assert "processes" not in _values(sensor, "slow")
    (said,) = sensor.absent()
    assert said.sensor == "gpu0.processes"
    assert "may hide" in said.why

    def comes(at_s: float) -> None:
        later.devices[0]["pids"] = (10,) if 2.5 < at_s < 4.5 else ()

    found = _record(tmp_path / "late.rec", clock, _sensor(clock, later), comes, 6.0)
    series = next(s for s in found.timeline if s.sensor == "gpu0.processes")
    assert set(series.value) == {1.0, 0.0}
    assert series.value[0] == 1.0
    assert "gpu0.processes" not in {a.sensor for a in found.absent}


def test_power_and_energy_are_never_thinned(clock: Clock) -> None:
    """Energy needs ten readings a second; what all others may take is what they leave."""
    spent = [0.0]

    def cpu_s() -> float:
        spent[0] += 2e-3
        return spent[0]

    sensor = _sensor(clock, Working(clock), cpu_s)
    seen: list[set[str]] = []
    for _ in range(5):
        sensor.read("slow")
        seen += [{s.sensor for s in sensor.read("fast")} for _ in range(10)]
    assert all({"gpu0.power_w", "gpu0.energy_j"} <= found for found in seen)
    slower = sensor.slower()
    assert "gpu0.sm_clock_mhz" in slower
    assert "gpu0.power_w" not in slower


def _record(
    path: Path, clock: Clock, sensor: NvmlSensor, at: Callable[[float], None], until_s: float
) -> Recording:
    """Sample on the clock given, with something that happens on the way."""

    def wait(seconds: float) -> str | None:
        clock.now += seconds
        at(clock.now - 1000.0)
        return "" if clock.now >= 1000.0 + until_s else None

    writer = Writer(path, clock.now)
    loop = Loop([sensor], writer, fast_s=0.1, slow_s=1.0, wait=wait, clock=clock, cpu_s=lambda: 0.0)
    loop.begin()
    loop.run()
    writer.close()
    return read_recording(path)


@pytest.mark.parametrize("error", [NVMLError_GpuIsLost(), NVMLError_DriverNotLoaded()])
def test_a_driver_that_vanishes_half_way_leaves_what_was_read(
    clock: Clock, tmp_path: Path, error: Exception
) -> None:
    """Readings up to then stand, a gap follows, and the device is absent from that moment on."""
    library = Working(clock)
    sensor = _sensor(clock, library)
    late: list[int] = []

    def at(since_s: float) -> None:
        if since_s > 2.0:
            library.lost = error
        if since_s > 3.0:
            late.append(len(library.asked))

    found = _record(tmp_path / "a", clock, sensor, at, 5.0)
    power = next(s for s in found.timeline if s.sensor == "gpu0.power_w")
    assert len([v for v in power.value if v is not None]) >= 20
    assert power.value[-1] is None
    (said,) = found.absent
    assert said.sensor == "gpu0"
    assert said.since_s == pytest.approx(1002.1, abs=0.11)
    assert said.fix is not None
    assert found.ended_early is None
    # A driver that is gone is left alone.
    assert late[0] == late[-1]


def test_a_gpu_lost_in_the_middle_of_a_sample_leaves_a_gap_after_it(
    clock: Clock, tmp_path: Path
) -> None:
    """What was read in that sample stands, and every series ends in a gap."""
    library = Working(clock)
    sensor = _sensor(clock, library)

    def at(since_s: float) -> None:
        if since_s > 2.0:
            library.fails["UtilizationRates"] = NVMLError_GpuIsLost()

    found = _record(tmp_path / "a", clock, sensor, at, 4.0)
    ends = {s.sensor.partition(".")[2]: s.value[-1] for s in found.timeline}
    assert (ends["power_w"], ends["utilisation_share"], ends["temperature_c"]) == (None,) * 3
    power = next(s for s in found.timeline if s.sensor == "gpu0.power_w")
    assert power.value[-2] == 400.0
    assert power.t_s[-1] == pytest.approx(1002.2, abs=0.11)


def test_a_dear_question_is_asked_less_often_and_said_to_be(clock: Clock) -> None:
    """Utilisation that takes 2 ms of CPU time a call leaves the power at its tier."""
    spent = [0.0]
    library = Working(clock)
    rates = library.nvmlDeviceGetUtilizationRates

    def dear(device: object) -> object:
        spent[0] += 2e-3
        return rates(device)

    library.nvmlDeviceGetUtilizationRates = dear
    sensor = _sensor(clock, library, lambda: spent[0])
    seen = []
    for tick in range(200):
        clock.now += 0.1
        seen.append(_values(sensor, "fast"))
        if tick % 10 == 0:
            sensor.read("slow")
    tail = seen[100:]
    assert all(v["power_w"] == 400.0 for v in tail)
    asked = sum("utilisation_share" in v for v in tail)
    # 2 ms every second are 0.2 % of a core.
    assert 8 <= asked <= 11
    assert sensor.costs()["gpu0.utilisation_share"] == pytest.approx(2e-3, rel=0.1)
    assert sensor.costs()["gpu0.power_w"] == 0.0
    slower = sensor.slower()
    assert set(slower) == {"gpu0.utilisation_share", "gpu0.memory_busy_share"}
    assert slower["gpu0.utilisation_share"] == pytest.approx(1.0, abs=0.11)


def test_gpus_are_those_that_cuda_would_show(clock: Clock) -> None:
    """Numbers are CUDA's: the second board alone is gpu0."""
    other = {**H200, "UUID": "GPU-2", "clock 1": 1200}
    library = Working(clock, devices=(H200, other))
    (sensor,) = gpu_sensors(library=library, environ={"CUDA_VISIBLE_DEVICES": "1"})
    found = {s.sensor: s.value for s in sensor.read("fast")}
    assert found["gpu0.sm_clock_mhz"] == 1200.0
    both = gpu_sensors(library=library, environ={"CUDA_VISIBLE_DEVICES": "GPU-2,0"})
    names = [Sample("gpu0.sm_clock_mhz", 1200.0), Sample("gpu1.sm_clock_mhz", 1965.0)]
    clocks = [s for one in both for s in one.read("fast") if "sm_clock" in s.sensor]
    assert [(s.sensor, s.value) for s in clocks] == [(s.sensor, s.value) for s in names]


@pytest.mark.parametrize(
    ("library", "environ", "words"),
    [
        (Recorded(init_error=NVMLError_LibraryNotFound()), {}, "no NVIDIA driver"),
        (Recorded(init_error=NVMLError_NoPermission()), {}, "may not talk"),
        (Recorded(H200), {"CUDA_VISIBLE_DEVICES": ""}, "hides every GPU"),
    ],
)
def test_no_gpu_is_a_reason_and_not_an_error(
    library: Recorded, environ: dict[str, str], words: str
) -> None:
    """What stands for it reads nothing, and says why and what to try."""
    (sensor,) = gpu_sensors(library=library, environ=environ)
    assert isinstance(sensor, Missing)
    assert [*sensor.read("fast"), *sensor.read("slow")] == []
    (said,) = sensor.absent()
    assert words in said.why
    assert said.fix is not None
    assert library.open == 0
