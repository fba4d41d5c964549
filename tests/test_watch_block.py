"""`breakeven.watch()`: a block of Python under the sensors."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import breakeven
from breakeven.errors import InputError
from breakeven.lab import load


@pytest.fixture(scope="module")
def seen() -> breakeven.Watch:
    """Return a block that has been watched: it held 60 MiB."""
    with breakeven.watch("sixty MiB", interval=0.02) as made:
        held = bytearray(60 << 20)
        held[:] = b"1" * len(held)
        sum(range(3_000_000))
    return made


def test_a_block_has_its_readings(seen: breakeven.Watch) -> None:
    """Time, readings of this process and energy, or the reason why not, are there afterwards."""
    by_name = {s.sensor: s for s in seen.timeline}
    assert max(v for v in by_name["tree.rss_bytes"].value if v is not None) > 60 << 20
    assert seen.seconds > 0
    assert all(e.gross_j is not None or e.why for e in seen.energy)
    (mark,) = seen.record.sensing.marks  # type: ignore[union-attr]
    assert (mark.label, mark.begin_s, mark.end_s) == ("sixty MiB", 0.0, seen.seconds)


def test_a_block_can_be_looked_at(seen: breakeven.Watch, tmp_path: Path) -> None:
    """Table, document, report, picture and a notebook's form are made from it."""
    assert seen.table().startswith("sixty MiB ran ")
    assert seen.to_dict()["sensing"]["watched"]["command"] == ["sixty MiB"]
    assert "sixty MiB" in seen.report(tmp_path / "a.html").read_text()
    assert "<svg" in str(seen.plot())
    assert seen._repr_html_().startswith("<pre>sixty MiB ran ")


def test_nothing_is_kept_unasked(seen: breakeven.Watch) -> None:
    """A block is in memory alone unless it is asked to be kept."""
    assert seen.result.path is None


def test_a_kept_block_is_a_run_like_any_other(tmp_path: Path) -> None:
    """With a store it is found there again, whole, and nothing of the sampler's is left."""
    with breakeven.watch(store=tmp_path / "store") as made:
        pass
    again = load("last", tmp_path / "store")
    assert again == made.record
    assert [p.suffix for p in (tmp_path / "store").iterdir()] == [".json"]


def test_an_error_goes_on_its_way(tmp_path: Path) -> None:
    """What the block raised is raised, and what was read until then is kept with its name."""
    made = breakeven.watch(store=tmp_path)
    with pytest.raises(ZeroDivisionError), made:
        _ = 1 / 0
    assert "The block ended with ZeroDivisionError." in made.record.remarks
    assert load("last", tmp_path) == made.record


def test_blocks_lie_in_each_other() -> None:
    """The inner block has its own, shorter, time."""
    with breakeven.watch("outer") as outer, breakeven.watch("inner") as inner:
        sum(range(100_000))
    assert 0 < inner.seconds < outer.seconds


def test_a_forked_child_leaves_the_watch_alone(tmp_path: Path) -> None:
    """A child that leaves the block as well neither ends the sampler nor writes the run."""
    reader, writer = os.pipe()
    with breakeven.watch(store=tmp_path) as made:
        pid = os.fork()
        if pid == 0:
            made.__exit__(None, None, None)
            os.write(writer, b"left")
            os._exit(0)
        os.waitpid(pid, 0)
        assert os.read(reader, 4) == b"left"
        assert not list(tmp_path.glob("*.json"))
    os.close(reader)
    os.close(writer)
    assert made.record.sensing is not None
    assert made.record.sensing.ended_early is None


def test_what_is_asked_too_early_or_twice_is_refused() -> None:
    """A block that runs still has no figures; one that ended is not begun again."""
    made = breakeven.watch()
    with pytest.raises(InputError, match="still being watched"):
        made.table()
    with made:
        pass
    with pytest.raises(InputError, match="make a new one"), made:
        pass
    with pytest.raises(InputError, match="not possible"):
        breakeven.watch(interval=1e-6)
