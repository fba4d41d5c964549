"""The last run, where it is a watched command, and what is asked of runs that measured."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from breakeven import lab
from breakeven.errors import InputError
from breakeven.lab.watching import record_of
from breakeven.model.run import RunRecord
from breakeven.store.folder import Store
from cli.spoken import Speaker
from records import record
from study_records import trained


@pytest.fixture
def watched(breakeven: Speaker, stored: RunRecord) -> RunRecord:
    """Put a watch that came after the judged run into the store."""
    del stored
    run = replace(
        record_of(("watch", "--", "sh", "-c", "sleep 1; true"), record().machine),
        id="2027-01-01T00-00-00-aaaa",
    )
    Store(breakeven.store).save(run)
    return run


def test_the_list_tells_watches_apart_and_quotes_them(
    breakeven: Speaker, watched: RunRecord
) -> None:
    """What is printed can be given to a shell again."""
    said = breakeven("runs").out
    line = next(x for x in said.splitlines() if watched.id in x)
    assert "  watch  " in line
    assert "'sleep 1; true'" in " ".join(said.split())


def test_a_last_run_that_is_a_watch_names_the_last_that_measured(
    breakeven: Speaker, watched: RunRecord, judged: RunRecord
) -> None:
    """The watch is shown, as it was asked for."""
    said = breakeven("report", "last")
    assert watched.id in said.out
    assert judged.id in said.err


def test_what_a_watch_has_not_is_asked_of_the_last_that_measured(
    breakeven: Speaker, watched: RunRecord, judged: RunRecord, tmp_path: Path
) -> None:
    """A workload, and a judgement, are those of a measuring run; so is a run to complete."""
    del watched
    assert judged.id in breakeven("report", "last", "--judge-again").out
    drawn = tmp_path / "drawn.svg"
    assert breakeven("report", "last", "--plot", drawn, "--workload", "matmul").code == 0
    assert "<svg" in drawn.read_text()
    with Store(breakeven.store).resume("last") as sink:
        assert sink.record().id == judged.id


@pytest.mark.parametrize("more", [(), ("--plot", "x.svg")])
def test_a_workload_that_is_not_there_is_refused(
    breakeven: Speaker, stored: RunRecord, more: tuple[str, ...]
) -> None:
    """Without a picture to draw the option would do nothing; with one it is not another's."""
    said = breakeven("report", stored.id, "--workload", "nonsense", *more)
    assert said.code == 2
    assert "--plot" in said.err if not more else "choose from: matmul" in said.err


def test_a_training_is_drawn_over_its_batch_sizes() -> None:
    """With one batch size there is no curve: the parts of its step are drawn."""
    several = lab.judged(trained(batches=(64, 128), rounds=3))
    assert b"throughput" in lab.drawing(several, ".svg")
    one = lab.judged(trained(batches=(64,), rounds=3))
    assert b"phases of a step" in lab.drawing(one, ".svg")
    with pytest.raises(InputError, match="has no workload 'infer'"):
        lab.drawing(one, ".svg", "infer")
