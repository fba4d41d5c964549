"""A recording is played look by look, as often as it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.errors import InputError
from breakeven.sensors.replay import Recording, ReplayWatch, Shot, read_recording

TWO = (Shot(sm_clock_mhz=1980.0, others=0), Shot(sm_clock_mhz=900.0, reasons=("thermal",)))


def test_looks_come_in_their_order_and_begin_again() -> None:
    """After the last look the first follows."""
    watch = ReplayWatch(Recording(looks=TWO))
    seen = [watch.look([]).conditions for _ in range(3)]
    assert [c.sm_clock_mhz for c in seen] == [1980.0, 900.0, 1980.0]
    assert [c.reasons for c in seen] == [(), ("thermal",), ()]
    assert [c.others for c in seen] == [0, None, 0]


def test_the_last_look_can_be_held() -> None:
    """A tenant who came stays."""
    watch = ReplayWatch(Recording(looks=TWO, then="hold"))
    assert [watch.look([]).conditions.sm_clock_mhz for _ in range(3)] == [1980.0, 900.0, 900.0]


def test_a_warm_up_reads_the_clock_of_the_look_to_come() -> None:
    """Reading the clock alone takes no look away."""
    watch = ReplayWatch(Recording(looks=TWO))
    assert [watch.sm_clock_mhz() for _ in range(3)] == [1980.0] * 3
    watch.look([])
    assert watch.sm_clock_mhz() == 900.0


def test_a_warm_up_may_have_clocks_of_its_own() -> None:
    """A clock that never rests is planted there."""
    watch = ReplayWatch(Recording(looks=TWO, warm_up_mhz=(1000.0, 1500.0)))
    assert [watch.sm_clock_mhz() for _ in range(3)] == [1000.0, 1500.0, 1000.0]


def test_a_look_says_that_it_is_played_and_what_it_lacks() -> None:
    """Nobody can take it for a measurement, and what is left out is None."""
    look = ReplayWatch(Recording(looks=TWO)).look([])
    assert look.source == "replay"
    assert look.conditions.power_w is None
    assert {"power", "temperature", "memory in use"} <= set(look.unknown)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"looks": []}', "is no recording"),
        ('{"looks": [{"reasons": ["gremlins"]}]}', "is no recording"),
        ('{"looks": [{"sm_clock": 5}]}', "is no recording"),
        ("nonsense", "is no recording"),
        (None, "cannot be read"),
    ],
)
def test_what_is_no_recording_is_refused(tmp_path: Path, text: str | None, words: str) -> None:
    """The fault is named, with the variable that asked for it."""
    path = tmp_path / "played.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=words) as caught:
        read_recording(str(path))
    assert "BREAKEVEN_REPLAY" in (caught.value.fix or "")
