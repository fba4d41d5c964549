"""An environment is made once, mended when broken, and left alone when it is not ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import setup
import setup_stamp
from setup_plan import Plan
from setup_venv import SetupError, create, link, site_packages, works

BARE = Plan(extra="cpu", requirements=(), tools=(), constraints=(), with_pip=False)


def ready(folder: Path, key: str, *, dev: bool = False) -> None:
    """Make what a finished environment looks like from outside."""
    (folder / "bin").mkdir(parents=True)
    for name in ("python", "breakeven"):
        (folder / "bin" / name).touch()
    setup_stamp.write(folder, key, dev=dev)


def test_a_finished_environment_is_ready(tmp_path: Path) -> None:
    """The same key needs nothing more; the gate's tools serve a run as well, not the reverse."""
    ready(tmp_path / "a", "k")
    ready(tmp_path / "b", "k", dev=True)
    assert setup_stamp.is_ready(tmp_path / "a", "k", dev=False)
    assert not setup_stamp.is_ready(tmp_path / "a", "k", dev=True)
    assert setup_stamp.is_ready(tmp_path / "b", "k", dev=False)
    assert not setup_stamp.is_ready(tmp_path / "a", "other", dev=False)


def test_a_python_that_went_away_makes_it_unready(tmp_path: Path) -> None:
    """After an upgrade of the system the link leads nowhere."""
    ready(tmp_path, "k")
    (tmp_path / "bin/python").unlink()
    (tmp_path / "bin/python").symlink_to("/no/such/python")
    assert not setup_stamp.is_ready(tmp_path, "k", dev=False)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"dev": true}'])
def test_a_damaged_mark_makes_it_unready(tmp_path: Path, text: str) -> None:
    """What cannot be read is not believed."""
    ready(tmp_path, "k")
    (tmp_path / setup_stamp.NAME).write_text(text)
    assert not setup_stamp.is_ready(tmp_path, "k", dev=False)


def test_the_key_follows_requirements_and_wishes(tmp_path: Path) -> None:
    """A changed requirement, pin or choice of PyTorch makes the environment again."""
    (tmp_path / "pyproject.toml").write_text("a")
    first = setup_stamp.key_of(tmp_path, "")
    assert setup_stamp.key_of(tmp_path, "") == first
    assert setup_stamp.key_of(tmp_path, "torch==2.9") != first
    (tmp_path / "constraints.txt").write_text("b")
    second = setup_stamp.key_of(tmp_path, "")
    (tmp_path / "pyproject.toml").write_text("c")
    assert len({first, second, setup_stamp.key_of(tmp_path, "")}) == 3


def test_a_broken_environment_is_made_again(tmp_path: Path) -> None:
    """A half-made one, whose Python does not start, is replaced by one that works."""
    folder = tmp_path / ".venv"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/python").write_text("not a program")
    (folder / "bin/python").chmod(0o755)
    assert not works(folder, BARE)
    create(folder, BARE)
    assert works(folder, BARE)


def test_an_environment_without_pip_cannot_be_completed(tmp_path: Path) -> None:
    """A making that was stopped before pip came is seen."""
    create(tmp_path / ".venv", BARE)
    with_pip = Plan(extra="cpu", requirements=(), tools=(), constraints=(), with_pip=True)
    assert not works(tmp_path / ".venv", with_pip)


def test_a_folder_of_the_users_is_not_removed(tmp_path: Path) -> None:
    """Whatever is no environment stays, and the user is told."""
    folder = tmp_path / ".venv"
    folder.mkdir()
    (folder / "thesis.txt").write_text("years")
    with pytest.raises(SetupError, match="move it away"):
        create(folder, BARE)
    assert (folder / "thesis.txt").read_text() == "years"


def test_what_is_linked_comes_after_the_environments_own(tmp_path: Path) -> None:
    """The user's packages are seen, and the environment's own win over them."""
    folder, parent = tmp_path / ".venv", tmp_path / "parent"
    create(folder, BARE)
    parent.mkdir()
    for place in (parent, site_packages(folder)):
        (place / "both.py").write_text(f"where = {str(place)!r}\n")
    (parent / "theirs.py").write_text("")
    link(folder, (parent,))
    words = [str(folder / "bin/python"), "-c", "import both, theirs; print(both.where)"]
    told = subprocess.run(words, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == str(site_packages(folder))
    link(folder, ())
    assert subprocess.run(words, capture_output=True, check=False).returncode != 0


def test_a_second_start_needs_no_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a ready environment nothing is looked at and nothing is said."""
    ready(tmp_path / ".venv", setup_stamp.key_of(setup.ROOT, ""))
    assert setup.main(["--venv", str(tmp_path / ".venv")]) == 0
    assert capsys.readouterr().out == ""


def test_an_old_python_is_told_in_one_line() -> None:
    """The line names the version that is needed and the one that is here."""
    text = setup.too_old()
    assert "Python 3.11 or later" in text
    assert sys.executable in text
    assert "\n" not in text


def test_an_activated_environment_knows_the_python_below(tmp_path: Path) -> None:
    """Its own Python is not a new one: the environment is not made again for it."""
    setup_stamp.write(tmp_path, "k", dev=False)
    assert setup_stamp.maker_of(tmp_path, tmp_path) == sys.executable
    assert setup_stamp.maker_of(tmp_path, tmp_path / "elsewhere") is None
    assert setup_stamp.maker_of(tmp_path / "missing", tmp_path / "missing") is None
