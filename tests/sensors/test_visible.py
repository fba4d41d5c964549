"""CUDA_VISIBLE_DEVICES is read as CUDA reads it."""

from __future__ import annotations

import pytest

from breakeven.model.machine import Gpu
from breakeven.sensors.visible import choose

A, B = (Gpu(uuid=f"GPU-{x}{x}11", name="NVIDIA H200", index=i) for i, x in enumerate("ab"))
SMALL = Gpu(uuid="GPU-cc11", name="NVIDIA T4", index=2)
M1, M2 = (Gpu(uuid=f"MIG-{x}1", name="MIG", index=0, mig=True) for x in "mn")
ALIKE = [(A, A.uuid), (B, B.uuid)]


def seen(wish: str | None, devices: list[tuple[Gpu, str]] = ALIKE) -> list[str]:
    """Return the UUIDs that are left."""
    environ = {} if wish is None else {"CUDA_VISIBLE_DEVICES": wish}
    return [gpu.uuid for gpu in choose(devices, environ).gpus]


@pytest.mark.parametrize(
    ("wish", "uuids"),
    [
        (None, [A.uuid, B.uuid]),
        ("0", [A.uuid]),
        ("1,0", [B.uuid, A.uuid]),
        (" 1 , 0 ", [B.uuid, A.uuid]),
        ("GPU-bb", [B.uuid]),
        ("GPU-bb11,0", [B.uuid, A.uuid]),
        ("0,-1,1", [A.uuid]),
        ("0,7,1", [A.uuid]),
        ("GPU-", []),
        ("", []),
        ("-1", []),
        ("NoDevFiles", []),
        ("0,0", []),
    ],
)
def test_the_list_is_read_up_to_its_first_fault(wish: str | None, uuids: list[str]) -> None:
    """Numbers, UUIDs and the starts of UUIDs choose; the first word that names nothing ends it."""
    assert seen(wish) == uuids


@pytest.mark.parametrize(
    ("wish", "words"),
    [("", "is empty"), ("5", "names no GPU"), ("1,1", "twice")],
)
def test_an_empty_choice_has_a_reason(wish: str, words: str) -> None:
    """Each way to hide every GPU is told apart."""
    assert words in (choose(ALIKE, {"CUDA_VISIBLE_DEVICES": wish}).reason or "")


def test_instances_are_chosen_by_uuid_or_by_their_board() -> None:
    """A part is named by its own UUID; a number names the first part of its board."""
    devices = [(M1, A.uuid), (M2, A.uuid), (B, B.uuid)]
    assert seen("MIG-n1", devices) == ["MIG-n1"]
    assert seen("0", devices) == ["MIG-m1"]
    assert seen("1", devices) == [B.uuid]


def test_the_older_name_of_an_instance_needs_a_board_with_one() -> None:
    """MIG-GPU-<board>/1/0 names a part only where its board has one."""
    word = f"MIG-{A.uuid}/1/0"
    assert seen(word, [(M1, A.uuid)]) == ["MIG-m1"]
    assert seen(word, [(M1, A.uuid), (M2, A.uuid)]) == []


def test_unlike_gpus_are_remarked_on_when_numbered() -> None:
    """CUDA numbers the fastest first, so a number is uncertain unless the order is set."""
    devices = [*ALIKE, (SMALL, SMALL.uuid)]
    assert choose(devices, {"CUDA_VISIBLE_DEVICES": "0"}).remarks
    assert choose(devices, {}).remarks
    assert not choose(devices, {"CUDA_VISIBLE_DEVICES": "GPU-cc11"}).remarks
    assert not choose(devices, {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}).remarks
    assert not choose(ALIKE, {}).remarks
