"""GPUs are told as their driver told them once; what it left out is None."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from breakeven.model.machine import Gpu
from breakeven.sensors.base import GpuFacts, GpuSensor
from breakeven.sensors.nvml import Nvml, probe_gpus, read_gpus
from sensors.recorded import (
    H200,
    NVMLError_DriverNotLoaded,
    NVMLError_LibraryNotFound,
    NVMLError_NoPermission,
    NVMLError_Unknown,
    Recorded,
)

UUID = str(H200["UUID"])
PARTS = {
    0: {"UUID": "MIG-aaaa", "Name": "NVIDIA H200 MIG 3g.71gb", "memory": (71 << 30, 5 << 20)},
    2: {"UUID": "MIG-bbbb", "Name": "NVIDIA H200 MIG 4g.71gb", "memory": (71 << 30, 6 << 20)},
}
DIVIDED = H200 | {"MigMode": (1, 1), "MaxMigDeviceCount": 7, "parts": PARTS}


def test_an_h200_is_told_in_full() -> None:
    """Every field of a GPU comes from the driver, with its unit."""
    library = Recorded(H200)
    assert Nvml(library, {}).read_gpus() == GpuFacts(
        gpus=(Gpu(uuid=UUID, name="NVIDIA H200", index=0, memory_bytes=150_754_820_096,
                  memory_used_bytes=1_200_000_000,
                  compute_capability="9.0", power_limit_w=700.0, sm_clock_max_mhz=1980,
                  pcie_generation=5, pcie_width=16, mig=False),),
        driver="580.159.04", cuda_driver="13.0", uuids=(UUID,), boards=(UUID,),
    )  # fmt: skip
    assert (library.open, library.loads) == (0, 1)


def test_hidden_devices_are_still_known_by_name() -> None:
    """What CUDA_VISIBLE_DEVICES hides stays in the list of boards, and instances stand beside."""
    facts = Nvml(Recorded(DIVIDED), {"CUDA_VISIBLE_DEVICES": ""}).read_gpus()
    assert (facts.gpus, facts.boards) == ((), (UUID,))
    assert facts.uuids == ("MIG-aaaa", "MIG-bbbb")


class Refusing(Recorded):
    """Refuses memory and power, as on a slice without the right to monitor."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  any question
        """Return the question called `name`; some are refused under their own names."""
        if not name.endswith(("MemoryInfo", "EnforcedPowerLimit")):
            return super().__getattr__(name)

        def ask(*_arguments: object, **_options: object) -> None:
            raise NVMLError_NoPermission

        ask.__name__ = name
        return ask


def test_refused_questions_are_named() -> None:
    """What NVML refuses is told apart from what it does not support, each question once."""
    facts = Nvml(Refusing(H200, H200 | {"UUID": "GPU-2"}), {}).read_gpus()
    assert facts.refused == ("MemoryInfo", "EnforcedPowerLimit")
    assert facts.gpus[0].memory_bytes is None
    assert Nvml(Recorded(H200), {}).read_gpus().refused == ()


def test_a_share_of_a_board_is_told() -> None:
    """NVML's mode of virtualisation tells a vGPU from a card that is passed through."""
    shared = Recorded(H200 | {"VirtualizationMode": 2})
    shared.NVML_GPU_VIRTUALIZATION_MODE_VGPU = 2
    assert Nvml(shared, {}).read_gpus().vgpu is True
    passed = Recorded(H200 | {"VirtualizationMode": 1})
    passed.NVML_GPU_VIRTUALIZATION_MODE_VGPU = 2
    assert Nvml(passed, {}).read_gpus().vgpu is False


def test_what_the_driver_does_not_know_is_none() -> None:
    """A driver without power, clocks or MIG leaves holes, not zeros."""
    facts = Nvml(Recorded({"UUID": "GPU-1", "Name": b"Old GPU"}), {}).read_gpus()
    assert facts.gpus == (Gpu(uuid="GPU-1", name="Old GPU", index=0),)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NVMLError_LibraryNotFound(), "no NVIDIA driver was found; "),
        (NVMLError_DriverNotLoaded(), "installed but not loaded; "),
        (NVMLError_NoPermission(), "may not talk to the NVIDIA driver; "),
        (NVMLError_Unknown("odd"), "NVML: odd; "),
    ],
)
def test_without_a_driver_there_is_a_reason_with_what_to_try(error: Exception, words: str) -> None:
    """Each fault of the driver is told in words, with a remedy, and no session stays open."""
    library = Recorded(H200, init_error=error)
    facts = Nvml(library, {}).read_gpus()
    assert facts.gpus == ()
    assert words in (facts.reason or "")
    assert library.open == 0


def test_a_driver_without_devices_has_a_reason() -> None:
    """A driver that lists nothing is told apart from no driver."""
    facts = Nvml(Recorded(), {}).read_gpus()
    assert (facts.gpus, facts.driver) == ((), "580.159.04")
    assert "lists no GPU" in (facts.reason or "")


def test_a_divided_gpu_is_told_as_its_parts() -> None:
    """Each MIG instance has its own memory, and no power limit of its own."""
    facts = Nvml(Recorded(DIVIDED), {"CUDA_VISIBLE_DEVICES": "MIG-bbbb"}).read_gpus()
    (gpu,) = facts.gpus
    assert (gpu.uuid, gpu.index, gpu.mig, gpu.memory_bytes) == ("MIG-bbbb", 0, True, 71 << 30)
    assert (gpu.power_limit_w, gpu.compute_capability) == (None, "9.0")


def test_numbers_follow_what_cuda_sees() -> None:
    """With the second GPU chosen, it is cuda:0, so its index is 0."""
    other = H200 | {"UUID": "GPU-other"}
    facts = Nvml(Recorded(H200, other), {"CUDA_VISIBLE_DEVICES": "1"}).read_gpus()
    assert [(gpu.uuid, gpu.index) for gpu in facts.gpus] == [("GPU-other", 0)]


def test_it_keeps_the_seam() -> None:
    """The driver's session can stand wherever a GPU sensor is asked for."""
    sensor: GpuSensor = Nvml(Recorded(H200), {})
    assert sensor.read_gpus().gpus


def test_the_probe_reads_in_a_child() -> None:
    """The child answers for this machine, and this process has not loaded the bindings for it."""
    before = "pynvml" in sys.modules
    facts = probe_gpus()
    assert bool(facts.gpus) != bool(facts.reason)
    assert ("pynvml" in sys.modules) == before


def test_a_child_that_answers_is_believed() -> None:
    """What the child prints is what is told."""
    text = '{"gpus": [{"uuid": "GPU-1", "name": "X", "index": 0}], "driver": "1", "reason": null}'
    facts = probe_gpus(command=[sys.executable, "-c", f"print({text!r})"])
    assert facts == GpuFacts(gpus=(Gpu(uuid="GPU-1", name="X", index=0),), driver="1")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "ended by signal 11"),
        ("raise SystemExit('a word')", "the GPU probe failed: a word"),
        ("print('not json')", "something unreadable"),
        ("import os; os._exit(3)", "exit code 3"),
    ],
)
def test_a_child_that_breaks_is_a_reason(code: str, words: str) -> None:
    """A crash in the driver's library ends the child, not the program."""
    assert words in (probe_gpus(command=[sys.executable, "-c", code]).reason or "")


def test_a_driver_that_hangs_is_given_up() -> None:
    """A child that waits for ever is ended, with a reason."""
    code = "import sys, threading; threading.Event().wait()"
    facts = probe_gpus(timeout_s=0.2, command=[sys.executable, "-c", code])
    assert "did not answer within 0.2 s" in (facts.reason or "")


def test_a_missing_program_is_a_reason() -> None:
    """A child that cannot be started does not raise."""
    assert "could not be started" in (probe_gpus(command=["/no/such/program"]).reason or "")


def test_bindings_are_asked_for_by_default() -> None:
    """On whatever machine this runs, the answer is GPUs or a reason."""
    facts = read_gpus()
    assert bool(facts.gpus) != bool(facts.reason)
