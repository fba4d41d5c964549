"""The command line in the test's own process."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from breakeven.cli.main import main


class Said(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


class Speaker:
    """Runs commands with a store of their own."""

    def __init__(
        self, folder: Path, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.folder = folder
        self.store = folder / "store"
        self._patch = patch
        self._capsys = capsys
        patch.setenv("BREAKEVEN_STORE", str(self.store))
        patch.setattr("tempfile.tempdir", str(folder))
        patch.chdir(folder)

    def __call__(self, *arguments: str | Path) -> Said:
        """Run one command."""
        self._patch.setattr(sys, "argv", ["breakeven", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = self._capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Said(ended.value.code, printed.out, printed.err)
