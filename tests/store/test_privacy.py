"""Names that must not be stored, and words that must not be mistaken for them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from breakeven.model.event import CeilingsDone
from breakeven.model.machine import Ceilings
from breakeven.store.privacy import Privacy, here
from records import record

ALICE = Privacy("/home/alice", "alice", "node-17.lab")


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("/home/alice", "~"),
        ("/home/alice/code/f.py:3", "~/code/f.py:3"),
        ("--report=/home/alice/r.html", "--report=~/r.html"),
        ("no module in /home/alice.", "no module in ~."),
        ("file:///home/alice/r.html", "file://~/r.html"),
        ("/home/alicent/code", "/home/alicent/code"),
        ("/home/alice-old/code", "/home/alice-old/code"),
        ("/scratch/alice/data", "/scratch/USER/data"),
        ("/mnt/home/alice/data", "/mnt/home/USER/data"),
        ("-I/home/alice/include", "-I/home/USER/include"),
        ("alice@node-17.lab: denied", "USER@HOST: denied"),
        ("other work on node-17.lab", "other work on HOST"),
        ("/net/node-17.lab/x", "/net/HOST/x"),
        ("alice", "alice"),
        ("the alice model is slow", "the alice model is slow"),
        ("numpy-16", "numpy-16"),
    ],
)
def test_names_go_and_other_words_stay(text: str, cleaned: str) -> None:
    """The home folder, the user in paths, the host anywhere in a sentence: nothing else."""
    assert ALICE.text(text) == cleaned
    assert ALICE.text(cleaned) == cleaned


@pytest.mark.parametrize("host", ["gpu", "cuda", "localhost", ""])
def test_a_host_named_like_a_word_takes_no_words_away(host: str) -> None:
    """A machine called gpu does not strike every gpu from the texts."""
    text = "the gpu is idle, cuda 13 on localhost"
    assert Privacy("", "", host).text(text) == text


@pytest.mark.parametrize("home", ["/", ""])
def test_a_home_at_the_root_changes_nothing(home: str) -> None:
    """Containers whose home is / keep their paths."""
    assert Privacy(home, "root", "").text("/usr/lib and /root/x") == "/usr/lib and /root/x"


def test_a_whole_record_is_cleaned() -> None:
    """Texts deep inside a record are cleaned; one without names stays the same object."""
    run = record(rounds=1)
    assert ALICE.clean(run) is run
    case = msgspec.structs.replace(run.cases[0], status="crashed", why="see /home/alice/log")
    machine = msgspec.structs.replace(run.machine, environment={"CUDA_PATH": "/home/alice/cuda"})
    cleaned = ALICE.clean(msgspec.structs.replace(run, cases=(case,), machine=machine))
    assert cleaned.cases[0].why == "see ~/log"
    assert cleaned.machine.environment == {"CUDA_PATH": "~/cuda"}
    assert cleaned.entries == run.entries


def test_reasons_of_ceilings_are_cleaned() -> None:
    """Why a ceiling is missing may quote what a library said, with a path in it."""
    found = Ceilings(device="cpu", backend="numpy", why={"memory": "no /home/alice/lib.so here"})
    event = ALICE.event(CeilingsDone(ceilings=found))
    assert isinstance(event, CeilingsDone)
    assert event.ceilings.why == {"memory": "no ~/lib.so here"}


def test_this_machine_is_known() -> None:
    """By default the user's own home is taken out."""
    assert here().text(f"{Path.home()}/x y") == "~/x y"


def test_a_short_host_goes_where_it_can_be_nothing_else() -> None:
    """A host of two letters is taken out after an at sign, and left in words and paths."""
    text = "ssh root@vm: no /usr/lib/vm in vm"
    assert Privacy("/root", "root", "vm").text(text) == "ssh root@HOST: no /usr/lib/vm in vm"
