"""Libraries and settings are told without importing anything or naming anyone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from breakeven import __version__
from breakeven.machine.libraries import read_environment, read_libraries

HOME = Path("/home/ada")


def test_cupy_is_told_whatever_its_distribution_is_called() -> None:
    """The version stands under cupy and under the distribution's own name."""
    told = read_libraries({"cupy-cuda12x": "14.2.0", "numpy": "2.4.6"}.get)
    assert (told["cupy"], told["cupy-cuda12x"], told["numpy"]) == ("14.2.0", "14.2.0", "2.4.6")
    assert "cupy-cuda13x" not in told


def test_what_is_not_installed_is_none() -> None:
    """An absent library is None, not left out and not an empty text."""
    told = read_libraries({}.get)
    assert told["torch"] is None
    assert told["cupy"] is None
    assert told["breakeven"] == __version__


def test_two_cupys_are_both_told() -> None:
    """Two distributions over each other's files can be seen in the record."""
    told = read_libraries({"cupy-cuda11x": "13.0", "cupy-cuda12x": "14.2.0"}.get)
    assert (told["cupy-cuda11x"], told["cupy-cuda12x"]) == ("13.0", "14.2.0")


def test_reading_versions_imports_no_library() -> None:
    """A fresh interpreter that reads the versions has loaded none of them."""
    code = (
        "import sys; from breakeven.machine.libraries import read_libraries; read_libraries();"
        "print([n for n in ('numpy', 'torch', 'cupy', 'sklearn', 'scipy') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_settings_that_are_unset_are_none() -> None:
    """A variable that nobody set is told as None."""
    told = read_environment({}, HOME)
    assert told["OMP_NUM_THREADS"] is None
    assert told["CUPY_CACHE_DIR"] is None


def test_places_are_only_said_to_be_set() -> None:
    """Where the cache is says nothing about speed, and may name a person."""
    told = read_environment({"CUPY_CACHE_DIR": "/home/ada/.cupy", "TORCH_HOME": "/data/ada"}, HOME)
    assert (told["CUPY_CACHE_DIR"], told["TORCH_HOME"]) == ("set", "set")


def test_home_and_user_are_taken_out_of_values() -> None:
    """No value names the home folder or the user."""
    given = {
        "TORCH_LOGS_OUT": "/home/ada/x:/scratch/ada/y",
        "OMP_PLACES": "{0:4}",
        "UNRELATED": "ada",
    }
    told = read_environment(given, HOME)
    assert told["TORCH_LOGS_OUT"] == "~/x:/scratch/<user>/y"
    assert told["OMP_PLACES"] == "{0:4}"
    assert "UNRELATED" not in told


def test_a_home_at_the_root_hides_no_slashes() -> None:
    """A service account whose home is / keeps the paths of its values readable."""
    assert read_environment({"TORCH_LOGS_OUT": "/a/b"}, Path("/"))["TORCH_LOGS_OUT"] == "/a/b"


def test_secrets_are_not_told() -> None:
    """A variable that may hold a secret is only said to be set."""
    assert read_environment({"TORCH_HUB_TOKEN": "abc"}, HOME)["TORCH_HUB_TOKEN"] == "set"
