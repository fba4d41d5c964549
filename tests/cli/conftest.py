"""A command line, and a store that holds a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven import lab
from breakeven.model.run import RunRecord
from breakeven.store.folder import Store
from cli.spoken import Speaker
from records import record


@pytest.fixture
def breakeven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Speaker:
    """Return the command line."""
    return Speaker(tmp_path, monkeypatch, capsys)


@pytest.fixture(scope="session")
def judged() -> RunRecord:
    """Return a judged run with a GPU."""
    return lab.judged(record(rounds=3, slots=3))


@pytest.fixture
def stored(breakeven: Speaker, judged: RunRecord) -> RunRecord:
    """Put the judged run into the store of the command line."""
    Store(breakeven.store).save(judged)
    return judged
