"""What a CUDA device reaches at best."""

from __future__ import annotations

import pytest

from breakeven import lab
from breakeven.backends import registry
from breakeven.engine import survey
from breakeven.model.machine import Ceilings, Gpu

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(300)]
LARGEST = 256 << 20


@pytest.fixture(scope="module")
def ceilings(gpu: Gpu) -> Ceilings:
    """Return the ceilings of the first GPU, measured with every GPU backend that is here."""
    del gpu
    names = [n for n in registry.names() if registry.get(n).about.device == "cuda:0"]
    (found,) = survey.survey_here(names, lab.read_machine(), lambda *_: None)
    return found


def test_every_part_is_measured(ceilings: Ceilings) -> None:
    """Nothing is missing but what no backend here can do; a reason stands for each of those."""
    assert {"float32", "float64", "float16"} <= set(ceilings.flops_per_s)
    assert ceilings.memory_bytes_per_s is not None
    assert ceilings.link
    assert ceilings.launch_s is not None
    assert ceilings.synchronise_s is not None
    assert set(ceilings.unmeasured()) <= {"bfloat16", "tf32"}, ceilings.why


def test_tf32_forced_on_is_not_told_as_the_float32_peak(
    gpu: Gpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the library heeds the variable or not, no rate of TF32 stands under float32."""
    del gpu
    monkeypatch.setenv("NVIDIA_TF32_OVERRIDE", "1")
    names = [n for n in registry.names() if registry.get(n).about.device == "cuda:0"]
    (found,) = survey.survey_here(names, lab.read_machine(), lambda *_: None)
    assert found.flops_per_s.get("float32", 0.0) < 0.6 * found.flops_per_s["tf32"]
    if "float32" not in found.flops_per_s:
        assert "as tf32 does" in found.why["float32"]


def test_precisions_stand_in_their_order(ceilings: Ceilings) -> None:
    """Half precision uses the tensor cores; float64 may as well, and is cut on many cards."""
    rates = ceilings.flops_per_s
    # Cards for computing do as much in float64 as in float32, cards for games a 64th.
    assert 0.5 * rates["float64"] < rates["float32"] < 80 * rates["float64"]
    assert rates["float16"] > 2 * rates["float32"]
    for quick in ("tf32", "bfloat16"):
        if quick in rates:
            assert rates[quick] > 1.5 * rates["float32"]


def test_memory_is_beyond_the_caches_and_quicker_than_the_link(ceilings: Ceilings) -> None:
    """No GPU's memory reaches 20 TB/s today: more would be a cache's rate."""
    assert ceilings.memory_bytes_per_s is not None
    fastest = max(rate.to_device or 0.0 for rate in ceilings.link)
    assert fastest < ceilings.memory_bytes_per_s < 2e13


def test_locked_memory_travels_faster_in_large_copies(ceilings: Ceilings) -> None:
    """At 256 MiB a page-locked copy needs no staging, each way."""
    largest = next(rate for rate in ceilings.link if rate.bytes == LARGEST)
    assert largest.to_device is not None
    assert largest.to_host is not None
    assert largest.to_device_pinned is not None
    assert largest.to_host_pinned is not None
    assert largest.to_device_pinned > largest.to_device
    assert largest.to_host_pinned > largest.to_host


def test_launches_take_microseconds(ceilings: Ceilings) -> None:
    """Issuing the smallest kernel, and waiting for an idle device, each take under 100 us."""
    assert ceilings.launch_s is not None
    assert ceilings.synchronise_s is not None
    assert 0 < ceilings.launch_s < 1e-4
    assert 0 < ceilings.synchronise_s < 1e-4
