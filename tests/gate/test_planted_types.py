"""A planted hole in the types is found, with the project's own settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.places import ROOT, run_tool

PLANTED = '''\
"""Planted."""

from enum import Enum

import somewhere_untyped


class Side(Enum):
    CPU = 1
    GPU = 2


def untyped(x):
    return x


def partial(side: Side) -> int:
    match side:
        case Side.CPU:
            return 1
    return 0


def maybe(flag: bool) -> int:
    if flag:
        value = 1
    return value


x: int = "text"  # type: ignore
'''
CODES = [
    "no-untyped-def",
    "import-not-found",
    "exhaustive-match",
    "possibly-undefined",
    "ignore-without-code",
]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return what mypy says about the planted module."""
    folder: Path = tmp_path_factory.mktemp("types")
    path = folder / "planted.py"
    path.write_text(PLANTED, encoding="utf-8")
    settings = ("--strict", "--config-file", str(ROOT / "pyproject.toml"))
    done = run_tool(
        "-m", "mypy", *settings, "--cache-dir", str(folder / "cache"), str(path), cwd=folder
    )
    assert done.returncode == 1, done.stderr
    return done.stdout


@pytest.mark.parametrize("code", CODES)
def test_a_planted_hole_is_found(told: str, code: str) -> None:
    """The check fires under the project's settings."""
    assert f"[{code}]" in told
