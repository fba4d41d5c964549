"""A test that warns, or wears an unknown mark, fails the run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from gate.places import ROOT

WARNS = 'import warnings\n\n\ndef test_x():\n    warnings.warn("odd", stacklevel=1)\n'
MARKED = "import pytest\n\n\n@pytest.mark.slwo\ndef test_x():\n    pass\n"
FINE = "def test_x():\n    pass\n"
FIXED = "import pytest\n\n\n@pytest.mark.xfail(reason='known')\ndef test_x():\n    assert 1 == 1\n"


def outcome(folder: Path, source: str) -> tuple[int, str]:
    """Return how pytest ends for one planted test under the project's settings."""
    (folder / "tests").mkdir()
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "tests/test_planted.py").write_text(source, encoding="utf-8")
    plugins = ("-p", "pytest_timeout", "-p", "no:cacheprovider")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins], cwd=folder, capture_output=True, text=True,
        check=False, env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_a_warning_fails(tmp_path: Path) -> None:
    """A warning is an error until somebody says why it may stay."""
    code, text = outcome(tmp_path, WARNS)
    assert (code, "UserWarning: odd" in text) == (1, True)


def test_an_unknown_mark_fails(tmp_path: Path) -> None:
    """A mistyped mark would else run a test where it should not."""
    code, text = outcome(tmp_path, MARKED)
    assert (code != 0, "slwo" in text) == (True, True)


def test_a_mended_expected_failure_fails(tmp_path: Path) -> None:
    """A failure that is known has to go from the list when it is mended."""
    assert outcome(tmp_path, FIXED)[0] == 1


def test_a_sound_test_passes(tmp_path: Path) -> None:
    """Without a plant the run passes, so it is the plant that fails it."""
    code, text = outcome(tmp_path, FINE)
    assert code == 0, text
