"""Recordings of identical work: read in every form, gated, and drawn with truth 0."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import recordings
from recordings import Cell

CALM, STALL = 3e-4, 8e-3
ROUNDS = 12


def written(folder: Path, name: str, rows: list[dict[str, object]]) -> Path:
    """Write a recording, compressed where its name says so."""
    head = {"machine": "some machine"}
    text = "\n".join(json.dumps(r) for r in [head, *rows]) + "\n"
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def test_a_round_is_the_median_of_its_turns() -> None:
    """The log ratio is base over entry, turn by turn, and an outlier does not move it."""
    value, *lost = recordings.round_value([2.0, 2.0, 9.0], [1.0, 1.0, 1.0], gated=True)
    assert value == pytest.approx(np.log(2.0))
    assert lost == [0.0, 0.0]


def test_slots_of_whole_time_slices_do_not_count() -> None:
    """A stalled slot is left out with the gate, decides the median without it."""
    base, entry = [CALM, CALM, STALL, STALL, STALL], [CALM] * 5
    value, lost, other = recordings.round_value(base, entry, gated=True)
    assert value is None
    assert (lost, other) == (pytest.approx(0.6), 0.0)
    assert recordings.round_value(base, entry, gated=False)[0] == pytest.approx(
        np.log(STALL / CALM)
    )


def test_slots_that_were_void_when_recorded_stay_out() -> None:
    """None stands for a slot that a gate voided on the spot."""
    value, lost, _ = recordings.round_value([CALM, None, CALM, 2 * CALM], [CALM] * 4, gated=True)
    assert value == 0.0
    assert lost == pytest.approx(0.25)


@pytest.mark.parametrize("name", ["pairs-x.jsonl", "pairs-x.jsonl.gz"])
def test_pairs_are_read_compressed_or_not(tmp_path: Path, name: str) -> None:
    """Rounds of one kind and size make one cell."""
    rows = [{"i": i, "kind": "numpy", "n": 64, "a": [2.0, 2.0], "b": [1.0, 1.0]}
            for i in range(ROUNDS)]  # fmt: skip
    (cell,) = recordings.cells_of(written(tmp_path, name, rows))
    assert (cell.source, cell.kind, cell.size, cell.single) == ("pairs-x", "numpy", 64, False)
    assert cell.values == pytest.approx(np.full(ROUNDS, np.log(2.0)))


def test_fresh_processes_are_paired_when_drawn_and_compared_with_numpy(tmp_path: Path) -> None:
    """A kind makes a cell of processes; a second kind one more, against NumPy and centred."""
    rows = [
        {"kind": kind, "r": {"64": [0.1 + i * step, 0.1, 5]}}
        for i in range(ROUNDS)
        for kind, step in (("numpy", 0.01), ("torch-resident", 0.0))
    ]
    cells = recordings.cells_of(written(tmp_path, "fresh-x.jsonl", rows))
    assert [(c.kind, c.single, c.crossed) for c in cells] == [
        ("numpy", True, False), ("torch-resident", True, False),
        ("numpy/torch-resident", False, True),
    ]  # fmt: skip
    assert cells[2].values.mean() == pytest.approx(0.0)
    assert cells[0].spread == pytest.approx(np.sqrt(2) * cells[0].values.std(ddof=1))


def test_mixed_rounds_are_withheld_where_two_states_decide(tmp_path: Path) -> None:
    """A kind of which three slots in eight stalled is shut by the gate on lost turns."""
    rows = [
        {
            "i": i,
            "mode": "all",
            "n": n,
            "numpy": [CALM] * (5 if n == 64 else 8) + [STALL] * (3 if n == 64 else 0),
            "torch-resident": [CALM] * 8,
            "torch-transfer": [CALM] * 8,
        }
        for i in range(ROUNDS)
        for n in (64, 128)
    ]
    cells = recordings.cells_of(written(tmp_path, "mixed-x.jsonl", rows))
    assert {c.size: c.withheld for c in cells} == {64: True, 128: False}
    assert all(c.crossed for c in cells)


def test_new_sessions_compare_their_kinds_within_each_session(tmp_path: Path) -> None:
    """What differs between sessions is taken out before rounds of several are put together."""
    levels = {("one", "numpy-2"): 1.0, ("two", "numpy-2"): 3.0}
    rows: list[dict[str, object]] = []
    for session in ("one", "two"):
        for i in range(8):
            for kind in ("numpy-2", "torch-cpu-2"):
                slots = [levels.get((session, kind), 1.0)] * 4
                row = {"session": session, "i": i, "workload": "matmul", "kind": kind, "n": 64}
                rows.append(row | {"a": slots, "b": slots})
    cells = recordings.cells_of(written(tmp_path, "new-x.jsonl.gz", rows))
    across = next(c for c in cells if c.crossed)
    assert across.kind == "matmul numpy-2/torch-cpu-2"
    assert across.values == pytest.approx(np.zeros(16))
    assert {c.kind for c in cells if not c.crossed} == {"matmul numpy-2", "matmul torch-cpu-2"}


def test_another_document_is_no_recording(tmp_path: Path) -> None:
    """A file in none of the forms is refused by name."""
    with pytest.raises(ValueError, match=r"odd\.jsonl is no recording"):
        recordings.cells_of(written(tmp_path, "odd.jsonl", [{"date": "x"}]))


def test_few_rounds_are_no_cell(tmp_path: Path) -> None:
    """Too few rounds cannot be drawn from."""
    rows = [{"kind": "numpy", "n": 64, "a": [1.0], "b": [1.0]}] * 3
    assert recordings.cells_of(written(tmp_path, "pairs-x.jsonl", rows)) == []


def test_a_window_keeps_the_order_of_the_recording() -> None:
    """Consecutive draws are neighbours in the recording, going round its end."""
    cell = Cell("x", "k", 1, np.arange(10.0), crossed=True)
    drawn = recordings.draw(cell, 5, 50, np.random.default_rng(0), "consecutive")
    assert set(np.unique(np.diff(drawn, axis=1) % 10)) == {1.0}


def test_a_random_draw_takes_each_round_once_as_long_as_they_last() -> None:
    """Ten of ten rounds are all of them; of a cell that is not crossed the side is drawn too."""
    crossed = Cell("x", "k", 1, np.arange(1.0, 11.0), crossed=True)
    rng = np.random.default_rng(0)
    assert set(np.unique(recordings.draw(crossed, 10, 5, rng, "random").sum(axis=1))) == {55.0}
    either = recordings.draw(crossed._replace(crossed=False), 10, 200, rng, "random")
    assert sorted(np.unique(np.abs(either[0]))) == list(range(1, 11))
    assert abs(either.mean()) < 0.5


def test_a_window_of_a_centred_cell_is_at_most_half_of_it() -> None:
    """A centred cell says nothing about windows near its length; another cell has no limit."""
    cell = Cell("x", "k", 1, np.arange(14.0), crossed=True)
    assert cell.most_rounds == 7
    assert cell._replace(crossed=False).most_rounds is None


def test_processes_are_drawn_in_pairs() -> None:
    """The ratio of a round is that of two processes, neighbours in a consecutive draw."""
    cell = Cell("x", "k", 1, np.arange(11.0), single=True)
    drawn = recordings.draw(cell, 3, 40, np.random.default_rng(0), "consecutive")
    assert drawn.shape == (40, 3)
    assert set(np.unique(np.abs(drawn))) <= {1.0, 10.0}


@pytest.mark.parametrize("path", sorted(recordings.FOLDER.glob("*.jsonl.gz")), ids=lambda p: p.name)
def test_what_is_kept_here_can_be_read(path: Path) -> None:
    """Every recording of the project has cells, and says on what machine it was made."""
    assert recordings.cells_of(path)
    head = json.loads(gzip.decompress(path.read_bytes()).decode().splitlines()[0])
    assert "core" in head["machine"]
