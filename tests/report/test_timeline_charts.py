"""Pictures of a timeline: what is drawn, what is shaded, how long ones are thinned."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.model.sensing import Mark
from breakeven.model.timeline import Series
from breakeven.report import charts, timeline_charts, timeline_data
from timelines import sensing, series, timeline


def lines_of(spec: dict[str, Any]) -> set[str]:
    """Return the lines that a picture has points of."""
    return {p["line"] for p in spec["data"]["values"]}


def drawn(samples: int = 50, gpus: int = 1, **changes: object) -> dict[str, Any]:
    """Return the pictures of a timeline."""
    return timeline_charts.specs(timeline(samples, gpus=gpus), sensing(samples, **changes))


def test_there_is_a_picture_of_each_kind() -> None:
    """CPU, GPUs, power, temperature, clock and both memories have a picture each."""
    assert list(drawn()) == [
        "timeline-cpu", "timeline-gpu", "timeline-power", "timeline-temperature",
        "timeline-clock", "timeline-gpu-memory", "timeline-memory",
    ]  # fmt: skip


def test_every_gpu_has_its_line() -> None:
    """Each GPU is a line of its own in every picture of GPUs."""
    found = drawn(gpus=3)
    for name in ("timeline-gpu", "timeline-power", "timeline-temperature", "timeline-clock"):
        assert lines_of(found[name]) == {"GPU 0", "GPU 1", "GPU 2"}


def test_what_was_not_read_has_no_picture() -> None:
    """Without a GPU no picture of GPUs is drawn, nor one whose readings all failed."""
    found = timeline_charts.specs(
        [*timeline(gpus=0), series("gpu0.power_w", [None, None])], sensing()
    )
    assert list(found) == ["timeline-cpu", "timeline-memory"]
    assert timeline_charts.specs((), None) == {}


def test_shares_become_cores_and_per_cent() -> None:
    """The machine's busy share is drawn in cores, a GPU's in per cent."""
    found = timeline_charts.specs(
        [
            *(series(f"cpu{c}.busy_share", [0.5, 0.5]) for c in range(4)),
            series("cpu.busy_share", [0.5, 0.25]),
            series("gpu0.utilisation_share", [0.5, 1.0]),
        ],
        None,
    )
    assert [p["value"] for p in found["timeline-cpu"]["data"]["values"]] == [2.0, 1.0]
    assert [p["value"] for p in found["timeline-gpu"]["data"]["values"]] == [50.0, 100.0]


def test_a_counter_is_drawn_as_a_rate() -> None:
    """Joules of the CPU become watts between readings, and a counter set anew leaves a gap."""
    found = timeline_charts.specs([series("cpu.energy_j", [0.0, 5.0, 15.0, 1.0, 2.0])], None)
    told = [(p["t"], p["value"]) for p in found["timeline-power"]["data"]["values"]]
    assert told == [(0.05, 50.0), (0.15, 100.0), (0.25, None), (0.35, 10.0)]


def test_a_failed_reading_is_a_gap() -> None:
    """A reading that failed is null, which breaks the line."""
    values = timeline_charts.specs([series("gpu0.power_w", [1.0, None, 3.0])], None)
    assert [p["value"] for p in values["timeline-power"]["data"]["values"]] == [1.0, None, 3.0]


def test_marks_are_shaded_and_the_command_is_not() -> None:
    """What went on in a part of the time is a band with its words; the whole is none."""
    layers = drawn()["timeline-gpu"]["layer"]
    bands = layers[0]["data"]["values"]
    assert [b["what"] for b in bands] == ["torch-cuda, batch 64", "overlaps the steps"]
    assert [b["row"] for b in bands] == [3, 15]


def test_a_mark_outside_is_not_shaded() -> None:
    """What went on before or after the readings has no band."""
    late = Mark(begin_s=90.0, end_s=99.0, kind="steps", label="late")
    assert "layer" in drawn(marks=(late,))["timeline-gpu"]
    assert "late" not in json.dumps(drawn(marks=(late,)))


def test_long_timelines_keep_their_extremes() -> None:
    """A line of 9000 readings is drawn with at most 240, and its one spike is still in the band."""
    values: list[float | None] = [100.0] * 9000
    values[4321] = 700.0
    spec = timeline_charts.specs([series("gpu0.power_w", values)], None)["timeline-power"]
    told = spec["data"]["values"]
    assert len(told) == timeline_data.MOST_POINTS
    assert max(p["high"] for p in told) == 700.0
    assert max(p["value"] for p in told) < 150.0
    assert "Shaded" in spec["title"]["subtitle"]


def test_samples_merged_before_keep_their_band() -> None:
    """Least and greatest that the sampler kept are those of the picture."""
    merged = series("gpu0.power_w", [5.0] * 1000, low=(1.0,) * 1000, high=(9.0,) * 1000)
    point = timeline_charts.specs([merged], None)["timeline-power"]["data"]["values"][0]
    assert (point["low"], point["value"], point["high"]) == (1.0, 5.0, 9.0)


def test_the_unit_of_time_fits_its_length() -> None:
    """Seconds, minutes and hours are used for a short, a long and a very long timeline."""
    for step, said in ((0.1, "seconds"), (2.0, "minutes"), (40.0, "hours")):
        spec = timeline_charts.specs([series("gpu0.power_w", [1.0] * 500, step)], None)
        assert said in json.dumps(spec)


@given(
    values=st.lists(st.none() | st.floats(-1e6, 1e6), min_size=2, max_size=600),
    most=st.integers(2, 60),
)
def test_thinning_loses_no_extreme(values: list[float | None], most: int) -> None:
    """However a series is thinned, its extremes, its ends and the order of time remain."""
    found = timeline_data.thinned(series("x.power_w", values), most)
    assert len(found.t_s) == min(len(values), most)
    assert list(found.t_s) == sorted(found.t_s)
    known = [v for v in values if v is not None]
    lows = [v for v in (found.low or found.value) if v is not None]
    highs = [v for v in (found.high or found.value) if v is not None]
    assert (min(lows, default=None), max(highs, default=None)) == (
        min(known, default=None), max(known, default=None),
    )  # fmt: skip
    for low, value, high in zip(
        found.low or found.value, found.value, found.high or found.value, strict=True
    ):
        if value is not None and low is not None and high is not None:
            assert low - 1e-6 <= value <= high + 1e-6


def test_a_stretch_without_readings_stays_a_gap() -> None:
    """Merged readings are null where the sensor said nothing for a while."""
    times = [*(0.1 * i for i in range(500)), *(100 + 0.1 * i for i in range(500))]
    found = timeline_data.thinned(
        Series(sensor="x", t_s=tuple(times), value=(1.0,) * 1000), most=100
    )
    assert None in found.value[40:60]


@pytest.mark.parametrize("name", ["timeline-cpu", "timeline-power"])
def test_the_pictures_can_be_drawn(name: str) -> None:
    """The drawing library accepts the specification and draws its words."""
    svg = charts.to_svg(drawn(gpus=2)[name])
    assert "seconds since the start" in svg
    assert "torch-cuda, batch 64" in svg
