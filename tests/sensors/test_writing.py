"""The sampler's file: whole whenever it stops, bounded in size, and a disk that is full."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from breakeven.errors import InputError
from breakeven.model.sensing import Absent, SamplerCost
from breakeven.sensors.base import Sample
from breakeven.sensors.recording import KILLED, decoded, read_recording
from breakeven.sensors.writing import FILE, RETRY_BYTES, Writer

COST = SamplerCost(fast_s=0.1, slow_s=1.0, samples=3, late=0, cpu_s=0.001, wall_s=0.3)


def _fill(writer: Writer, count: int, begin: int = 0) -> None:
    for place in range(begin, begin + count):
        writer.samples(
            100.0 + 0.1 * place,
            [Sample("gpu0.power_w", 80.0 + place % 5), Sample("tree.rss_bytes", None)],
        )


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    """Readings, gaps, what is absent, the cost and the end, to the same series as in memory."""
    writer = Writer(tmp_path / "a", 100.0)
    writer.absent(Absent(sensor="cpu.energy_j", why="refused", fix="ask"))
    _fill(writer, 3)
    writer.samples(100.4, [Sample("gpu0.power_w", 91.5, t_s=100.35)])
    writer.cost(COST)
    writer.end(None, 101.0)
    writer.close()
    found = read_recording(tmp_path / "a")
    assert found.timeline == writer.tape.series()
    assert found.timeline[0].t_s == (100.0, 100.1, 100.2, 100.35)
    assert found.timeline[1].value == (None, None, None)
    assert found.absent == (Absent(sensor="cpu.energy_j", why="refused", fix="ask"),)
    assert (found.cost, found.ended_early, found.thinned) == (COST, None, 0)
    assert (found.began_s, found.ended_s) == (100.0, 101.0)


def test_every_sample_is_in_the_file_at_once(tmp_path: Path) -> None:
    """A sampler killed after any sample has lost none, and its recording says that it was cut."""
    writer = Writer(tmp_path / "a", 100.0)
    for place in range(5):
        _fill(writer, 1, place)
        found = read_recording(tmp_path / "a")
        assert len(found.timeline[0].t_s) == place + 1
        assert found.ended_early == KILLED
    writer.close()


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_torn_last_line_is_left_out(tmp_path: Path, cut: int) -> None:
    """Bytes of a line that was not written whole cost that sample and no other."""
    writer = Writer(tmp_path / "a", 100.0)
    _fill(writer, 4)
    writer.close()
    path = tmp_path / "a"
    path.write_bytes(path.read_bytes()[:-cut])
    assert read_recording(path).timeline[0].value == (80.0, 81.0, 82.0)


def test_the_file_does_not_grow_without_end(tmp_path: Path) -> None:
    """It is made anew, merged, again and again; what is read is what memory holds in the end."""
    writer = Writer(tmp_path / "a", 100.0, points=64, tail_bytes=4096)
    largest = 0
    for place in range(5000):
        _fill(writer, 1, place)
        largest = max(largest, (tmp_path / "a").stat().st_size)
    assert largest < 20_000
    writer.end(None, 700.0)
    writer.close()
    found = read_recording(tmp_path / "a")
    power = found.timeline[0]
    assert len(power.t_s) <= 65
    assert found.thinned >= 6
    # The first point stands for the first hundred samples or so.
    assert power.t_s[0] < 110.0
    assert min(v for v in power.low if v is not None) == 80.0
    assert max(v for v in power.high if v is not None) == 84.0
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


class _Disk:
    """A disk with so many bytes of room."""

    def __init__(self, room: int) -> None:
        self.room = room

    def write(self, descriptor: int, data: bytes) -> int:
        if self.room <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken = os.write(descriptor, data[: self.room])
        self.room -= taken
        return taken


def test_a_full_disk_keeps_readings_in_memory_and_says_so(tmp_path: Path) -> None:
    """The file ends with the last whole sample; the whole recording can be sent from memory."""
    writer = Writer(tmp_path / "a", 100.0, write=_Disk(700).write)
    _fill(writer, 50)
    assert writer.in_memory
    kept = read_recording(tmp_path / "a")
    assert 5 < len(kept.timeline[0].t_s) < 50
    assert kept.ended_early == KILLED
    writer.end(None, 110.0)
    sent = decoded(b"".join(writer.whole()))
    assert len(sent.timeline[0].t_s) == 50
    assert sent.ended_early is None
    (said,) = sent.absent
    assert said.sensor == FILE
    assert "No space left on device" in said.why
    assert said.since_s is not None
    assert 100.0 < said.since_s < 105.0


def test_room_on_the_disk_is_used_when_it_comes_back(tmp_path: Path) -> None:
    """After a while the file is made anew with everything that memory kept."""
    disk = _Disk(700)
    writer = Writer(tmp_path / "a", 100.0, write=disk.write)
    _fill(writer, 50)
    disk.room = 1 << 30
    _fill(writer, RETRY_BYTES // 20, 50)
    assert not writer.in_memory
    writer.close()
    found = read_recording(tmp_path / "a")
    assert found.timeline[0].t_s[0] < 101.0
    assert [a.sensor for a in found.absent] == [FILE]


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    """Everything stays in memory from the first sample on."""
    writer = Writer(tmp_path / "nowhere" / "a", 100.0)
    _fill(writer, 3)
    assert writer.in_memory
    assert len(decoded(b"".join(writer.whole())).timeline[0].t_s) == 3


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{}\n", b"[]\n", b'["at", 1.0]\n', b'["head", {"version": 99}]\n', b"\xff\n",
        b'["head", {"version": 1, "points": 9, "thinned": 0, "began_s": 0, "source": ""}]\n["x"]\n',
        b'["head", {"version": 1, "points": 9, "thinned": 0, "began_s": 0, "source": ""}]\n["at", 1, 0, 2]\n',
        b'["head", {"version": 1}]\n', b'["head", 3]\n', b'["head"]\n', b'["head", {"version": 1, "points": "x"}]\n',
    ],
)  # fmt: skip
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    """What is no recording is named in one line, not with a traceback."""
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(InputError, match="is no recording"):
        read_recording(tmp_path / "a")


def test_times_can_be_counted_from_another_moment(tmp_path: Path) -> None:
    """A run counts from its own start, on the same clock."""
    writer = Writer(tmp_path / "a", 100.0)
    writer.absent(Absent(sensor="gpu0", why="gone", since_s=100.2))
    _fill(writer, 2)
    writer.close()
    found = read_recording(tmp_path / "a").since(99.0)
    assert found.timeline[0].t_s == pytest.approx((1.0, 1.1))
    assert found.absent[0].since_s == pytest.approx(1.2)
    assert (found.began_s, found.origin_s) == (1.0, 99.0)
    assert found.since(100.0).timeline[0].t_s == pytest.approx((0.0, 0.1))


def test_the_time_of_day_moves_with_the_origin(tmp_path: Path) -> None:
    """The Unix time of what times are counted from is that of the beginning, moved as far."""
    writer = Writer(tmp_path / "a", 100.0, unix_s=5000.0)
    writer.end(None, 101.0)
    writer.close()
    found = read_recording(tmp_path / "a")
    assert found.unix_s == 4900.0
    assert found.since(100.5).unix_s == 5000.5
    assert found.since(100.5).sensing().unix_s == 5000.5
    plain = Writer(tmp_path / "b", 100.0)
    plain.close()
    assert read_recording(tmp_path / "b").since(7.0).unix_s is None


def test_a_file_is_made_anew_in_little_memory(tmp_path: Path) -> None:
    """What is written at once is a small part of the whole, and the whole comes back."""
    writer = Writer(tmp_path / "a", 100.0)
    _fill(writer, 4000)
    pieces = list(writer.whole())
    assert max(len(piece) for piece in pieces) < 10_000 < sum(len(piece) for piece in pieces) / 5
    assert decoded(b"".join(pieces)).timeline == read_recording(tmp_path / "a").timeline
