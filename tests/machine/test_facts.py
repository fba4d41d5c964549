"""A machine's record holds facts about the machine, none about its owner."""

from __future__ import annotations

import getpass
import platform
from pathlib import Path

import msgspec

from breakeven.machine.facts import read_machine
from breakeven.model.machine import Machine
from records import GPU


def test_the_record_survives_a_round_trip() -> None:
    """What is read here can be written to a document and read back."""
    machine = read_machine((GPU,), driver="580.1", cuda_driver="13.0")
    assert msgspec.json.decode(msgspec.json.encode(machine), type=Machine) == machine
    assert (machine.gpus, machine.no_gpu_reason) == ((GPU,), None)


def test_without_a_gpu_there_is_a_reason() -> None:
    """An empty list of GPUs never stands alone."""
    assert read_machine(no_gpu_reason="no driver").no_gpu_reason == "no driver"
    assert read_machine().no_gpu_reason


def test_no_host_no_home() -> None:
    """Neither the host's name nor the home folder is in the record."""
    text = msgspec.json.encode(read_machine()).decode()
    assert platform.node() not in text or len(platform.node()) < 4
    assert str(Path.home()) not in text
    assert f'"{getpass.getuser()}"' not in text
