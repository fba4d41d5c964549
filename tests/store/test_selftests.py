"""Self-tests as documents beside the runs."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from breakeven.errors import StoreError
from breakeven.model.selftest import Check, SelfTest
from breakeven.store.folder import Store
from breakeven.store.privacy import Privacy
from breakeven.store.selftests import SelfTests, encode
from records import machine

FOUND = SelfTest(
    id="2026-12-01T10-22-07-3f9a",
    started="2026-12-01T10:22:07Z",
    finished="2026-12-01T10:23:07Z",
    command=("selftest", "--store", "/home/alice/runs"),
    machine=machine(gpu=False, cores=2),
    fit="fit",
    answer="This machine is fit to be believed for differences of 1.1 times and more.",
    believed_from=1.1,
    checks=(Check(name="steal", title="steal", word="passed", figure="0 s", target="0.1"),),
)


def test_a_stored_self_test_is_read_back_whole(tmp_path: Path) -> None:
    """Nothing of it is lost, and the home folder is not in it."""
    path = SelfTests(tmp_path, privacy=Privacy("/home/alice", "alice", "node-17.lab")).save(FOUND)
    assert path == tmp_path / "selftests" / f"{FOUND.id}.json"
    read = msgspec.json.decode(path.read_bytes(), type=SelfTest)
    assert read == msgspec.structs.replace(FOUND, command=("selftest", "--store", "~/runs"))
    assert encode(FOUND).startswith(b'{\n "id"')


def test_runs_are_listed_without_self_tests(tmp_path: Path) -> None:
    """A store that holds nothing but a self-test has no runs."""
    SelfTests(tmp_path).save(FOUND)
    assert Store(tmp_path).list() == ()


def test_a_folder_that_cannot_be_made_is_told_beforehand(tmp_path: Path) -> None:
    """A file in the place of the store is a reason not to begin."""
    (tmp_path / "store").write_text("")
    with pytest.raises(StoreError):
        SelfTests(tmp_path / "store").check_writable()
