"""What is wrong with a set-up is told from its recording alone."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from breakeven.findings.catalogue import CATALOGUE
from breakeven.findings.setup.builds import _covers
from breakeven.findings.setup.commands import wheel_for
from breakeven.findings.setup.judge import headline, judge_setup, wrong
from breakeven.lab.computer import examined
from breakeven.lab.shelf import load
from breakeven.model.run import RunRecord
from breakeven.model.setup import MachineFacts
from machine.recorded_setups import NAMES, facts_of, recording

_ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", NAMES)
def test_each_recording_is_told_with_its_commands(name: str) -> None:
    """Exactly the faults that are in it are found, each with the command that mends it."""
    kept, found = recording(name), judge_setup(facts_of(name))
    assert sorted(f.code for f in found) == kept.findings
    assert {f.code: f.snippet for f in found} == kept.commands
    told = " ".join(f.message or "" for f in found)
    assert [words for words in kept.says if words not in told] == []


def test_every_fault_of_a_set_up_has_a_recording() -> None:
    """No code of this family is without a recording in which it is found."""
    seen = {code for name in NAMES for code in recording(name).findings}
    assert {code for code in CATALOGUE if code.startswith("BE8")} <= seen


@pytest.mark.parametrize("name", NAMES)
def test_a_message_is_one_line_and_what_is_wrong_has_a_command(name: str) -> None:
    """No explanation runs over lines, and each error and warning comes with a command."""
    for found in judge_setup(facts_of(name)):
        assert found.message is not None
        assert "\n" not in found.message
        assert found.severity == "info" or found.snippet


@pytest.mark.parametrize("name", ["healthy-h200", "healthy-cpu"])
def test_nothing_is_wrong_with_a_healthy_machine(name: str) -> None:
    """On a healthy machine the first line says so, and nothing else is found."""
    seen = examined(facts_of(name))
    assert (seen.answer, seen.findings) == ("Nothing is wrong here.", ())


def test_facts_of_a_stored_run_alone_are_nothing_wrong() -> None:
    """The machine of the stored tour, without anything else read, shows no fault."""
    machine = read_tour().machine
    assert judge_setup(MachineFacts(machine=machine)) == ()


def read_tour() -> RunRecord:
    """Return the run of the tour on an H200."""
    return load(str(_ROOT / "examples" / "h200" / "tour.json"))


def test_the_first_line_counts_and_names() -> None:
    """Three things are counted, and each is named by its title."""
    found = judge_setup(facts_of("combined-container"))
    line = headline(found)
    assert line.startswith("3 things are wrong: PyTorch is a CPU build")
    assert "the GPU is not passed into the container" in line


def test_what_only_explains_is_nothing_wrong() -> None:
    """A MIG instance without permission for readings is sound."""
    found = judge_setup(facts_of("nvml-no-permission"))
    assert (wrong(found), headline(found)) == ((), "Nothing is wrong here.")


def test_a_failed_trial_is_no_fault_of_the_library_where_no_gpu_is_reached() -> None:
    """Where the container lacks the GPU, neither library is blamed for finding none."""
    codes = {f.code for f in judge_setup(facts_of("container-without-gpu"))}
    assert not codes & {"BE815", "BE816", "BE802", "BE814"}


def test_a_kernel_that_ran_outdoes_what_versions_promise() -> None:
    """A forward-compatible driver runs what its own number rules out: nothing is wrong."""
    facts = facts_of("healthy-h200")
    machine = msgspec.structs.replace(facts.machine, cuda_driver="12.4")
    assert judge_setup(msgspec.structs.replace(facts, machine=machine)) == ()


@pytest.mark.parametrize(
    ("built", "card", "fits"),
    [
        (("sm_80",), (8, 6), True),
        (("sm_86",), (8, 0), False),
        (("sm_90",), (12, 0), False),
        (("sm_50", "compute_90"), (12, 0), True),
        (("sm_90a",), (9, 0), True),
        (("sm_100a",), (10, 3), False),
        (("sm_100f",), (10, 3), True),
        (("compute_90a",), (12, 0), False),
        (("sm_120",), (12, 0), True),
    ],
)
def test_machine_code_runs_within_its_major(
    built: tuple[str, ...], card: tuple[int, int], *, fits: bool
) -> None:
    """Machine code runs on later minors of its major, PTX on all later cards."""
    assert _covers(built, card) is fits


@pytest.mark.parametrize(
    ("driver", "card", "tag"),
    [
        ((13, 0), (9, 0), "cu130"),
        ((12, 9), (9, 0), "cu128"),
        ((12, 2), (9, 0), "cu126"),
        ((11, 4), (8, 0), "cu118"),
        ((13, 0), (6, 1), "cu126"),
        ((12, 8), (12, 0), "cu128"),
        ((12, 2), (12, 0), "cu128"),
        ((10, 1), (7, 0), None),
    ],
)
def test_the_build_that_is_named_fits_driver_and_card(
    driver: tuple[int, int], card: tuple[int, int], tag: str | None
) -> None:
    """No build is named that the driver cannot run, or that has no kernels for the card."""
    wheel = wheel_for(driver, (card,))
    assert (None if wheel is None else wheel.tag) == tag


def test_what_uv_installed_is_mended_with_uv() -> None:
    """An environment of uv has no pip: its own command is named."""
    facts = facts_of("torch-cpu-build")
    facts = msgspec.structs.replace(facts, installers={"torch": "uv"})
    (found,) = judge_setup(facts)
    assert (found.snippet or "").startswith("uv pip uninstall torch && uv pip install torch ")


def test_other_backends_speak_for_themselves() -> None:
    """A backend of another package that fails is told with its own remedy."""
    facts = facts_of("healthy-cpu")
    odd = msgspec.structs.replace(
        facts.backends[0], name="odd", available=False, why_not="no luck", fix="pip install odd"
    )
    (found,) = judge_setup(msgspec.structs.replace(facts, backends=(odd,)))
    assert (found.code, found.fix) == ("BE816", "pip install odd")
