"""Carries a plan out: the environment's folder, the packages in it, the project itself."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

import setup_stamp
from setup_plan import Plan

# Sorts after any other: what it names is looked at last.
LINK_FILE = "zz-breakeven-parent.pth"


class SetupError(Exception):
    """The environment could not be made; the message says what to do."""


def build(root: Path, folder: Path, plan: Plan, key: str, *, dev: bool) -> None:
    """Make or complete the environment in `folder`.

    Raises
    ------
    SetupError
        When the user has to do something first, or when pip failed.
    """
    with (root / "pyproject.toml").open("rb") as held:
        # A second make waits here instead of filling the same folder at the same time.
        fcntl.flock(held, fcntl.LOCK_EX)
        if setup_stamp.is_ready(folder, key, dev=dev):
            return
        setup_stamp.remove(folder)
        if not works(folder, plan):
            create(folder, plan)
        fill(root, folder, plan)
        setup_stamp.write(folder, key, dev=dev)


def works(folder: Path, plan: Plan) -> bool:
    """Tell whether `folder` holds an environment of this Python that can be completed."""
    python = folder / "bin/python"
    if not python.exists():
        return False
    check = "import sys; print(sys.version_info[:2] == {!r} and sys.prefix != sys.base_prefix)"
    code = check.format(tuple(sys.version_info[:2])) + ("; import pip" if plan.with_pip else "")
    try:
        done = subprocess.run(
            [str(python), "-c", code], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.strip() == "True"


def create(folder: Path, plan: Plan) -> None:
    """Make a bare environment; a broken one in its place is removed first."""
    if folder.is_symlink() or (folder.exists() and not is_environment(folder)):
        raise SetupError(f"{folder} is there and is no environment; move it away")
    if folder.exists():
        shutil.rmtree(folder)
    try:
        venv.create(folder, symlinks=True, with_pip=plan.with_pip)
    except (OSError, subprocess.CalledProcessError) as error:
        version = "{}.{}".format(*sys.version_info[:2])
        raise SetupError(
            f"the environment could not be made ({error}); on Debian or Ubuntu try: "
            f"apt-get install python{version}-venv"
        ) from error


def is_environment(folder: Path) -> bool:
    """Tell whether a folder is an environment, or the beginning of one, and nothing else."""
    names = {path.name for path in folder.iterdir()}
    return "pyvenv.cfg" in names or names <= {"bin", "include", "lib", "lib64"}


def link(folder: Path, links: tuple[Path, ...]) -> None:
    """Let the environment see the packages in `links` after its own."""
    site = site_packages(folder)
    path = site / LINK_FILE
    if not links:
        path.unlink(missing_ok=True)
        return
    path.write_text("".join(f"{place}\n" for place in links), encoding="utf-8")


def site_packages(folder: Path) -> Path:
    """Return where the environment keeps its packages."""
    names = {"base": str(folder), "platbase": str(folder)}
    return Path(sysconfig.get_path("purelib", scheme="venv", vars=names))


def fill(root: Path, folder: Path, plan: Plan) -> None:
    """Install what the plan needs, then the project itself from its sources.

    The gate's tools come first, while nothing else is seen: their versions are the pinned ones
    and their commands lie in the environment, whatever the user's Python holds.
    """
    link(folder, ())
    with tempfile.TemporaryDirectory() as scratch:
        pins = Path(scratch) / "constraints.txt"
        pins.write_text("\n".join(plan.constraints) + "\n", encoding="utf-8")
        if plan.tools:
            pip(folder, plan, "install", "--constraint", str(pins), *plan.tools)
        link(folder, plan.links)
        pip(folder, plan, "install", "--constraint", str(pins), *plan.requirements)
    pip(folder, plan, "install", "--no-deps", "--no-build-isolation", "--editable", str(root))


def pip(folder: Path, plan: Plan, *arguments: str) -> None:
    """Run pip for the environment: its own, or this Python's where ensurepip is missing."""
    python = str(folder / "bin/python")
    own = (
        [python, "-m", "pip"]
        if plan.with_pip
        else [sys.executable, "-m", "pip", "--python", python]
    )
    quiet = [] if sys.stdout.isatty() else ["--quiet"]
    words = [*own, "--disable-pip-version-check", "--no-input", *quiet, *arguments]
    done = subprocess.run(words, env=_environment(), stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise SetupError(
            "pip could not install what is needed (its own words are above); without a network, "
            "point pip to a folder of wheels with PIP_NO_INDEX=1 PIP_FIND_LINKS=folder. What was "
            "installed stays, and the next call goes on from there"
        )


def _environment() -> dict[str, str]:
    """Return the variables for pip, without those that would lead it to another place."""
    hidden = {
        "PYTHONHOME",
        "PYTHONPATH",
        "PIP_TARGET",
        "PIP_PREFIX",
        "PIP_USER",
        "PIP_REQUIRE_VIRTUALENV",
    }
    return {name: value for name, value in os.environ.items() if name not in hidden}
