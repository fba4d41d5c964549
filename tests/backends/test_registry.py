"""Backends by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from breakeven.backends import registry
from breakeven.errors import InputError


def _script(folder: Path) -> Path:
    path = folder / "cast.json"
    actor = {"compute_s": {"matmul": {"8": 1e-3}}}
    path.write_text(json.dumps({"actors": {"a": actor, "b": actor | {"device": "cuda:0"}}}))
    return path


@pytest.mark.parametrize("name", ["numpy", "torch-cpu", "cupy", "torch-cuda"])
def test_built_in_backends_have_their_names(name: str) -> None:
    """What is listed can be had, whether it can run here or not."""
    assert name in registry.names()
    assert registry.get(name).about.name == name
    assert registry.get(name).find().name == name


def test_a_script_stands_for_its_actors(tmp_path: Path) -> None:
    """Each actor is a backend with the device that the script gives it."""
    name = f"scripted:{_script(tmp_path)}"
    assert registry.expand(name) == (f"{name}#a", f"{name}#b")
    assert registry.expand(f"{name}#b") == (f"{name}#b",)
    assert registry.expand("numpy") == ("numpy",)
    assert [registry.get(f"{name}#{a}").about.device for a in "ab"] == ["cpu", "cuda:0"]


@pytest.mark.parametrize("name", ["jax", "scripted:/no/such/file", ""])
def test_what_is_no_backend_is_refused(name: str) -> None:
    """Unknown names, and scripts that are not there, are the user's to mend."""
    with pytest.raises(InputError):
        registry.get(name)


def test_an_actor_that_the_script_lacks_is_refused_with_those_it_has(tmp_path: Path) -> None:
    """The message lists the cast."""
    with pytest.raises(InputError, match="'c'") as caught:
        registry.get(f"scripted:{_script(tmp_path)}#c")
    assert "a, b" in caught.value.fix
