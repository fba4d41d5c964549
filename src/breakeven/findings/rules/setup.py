"""Rules about the machine while it was measured: who else, clocks, switches, link."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from breakeven import units
from breakeven.findings.catalogue import CATALOGUE
from breakeven.findings.gates import VOIDED, voided_share
from breakeven.findings.rule import RunRule, Seen
from breakeven.findings.scene import Scene, is_on
from breakeven.findings.threshold import Threshold, figure
from breakeven.model.held import reasons_of

FOREIGN = Threshold("device memory of others", 500e6, "bytes")
HELD = Threshold("samples with clocks held down by heat or hardware", 0.10, "share", "cane")
HELD_MUCH = 0.30
CAPPED = Threshold("samples with clocks held down by the power limit", 0.30, "share", "cane")
LINK = Threshold("rate of large page-locked copies over the link's", 0.70)
LARGE_COPY = 64 * 2**20

SWITCHES = {
    "CUDA_LAUNCH_BLOCKING": "each launch waits for its kernel",
    "PYTORCH_NO_CUDA_MEMORY_CACHING": "each allocation goes to the driver",
    "PYTORCH_DEBUG_CUDA": "the library checks itself",
    "TORCH_SHOW_CPP_STACKTRACES": "each error gathers a stack",
    "torch.anomaly": "each backward pass is checked and remembers its forward pass",
    "torch.anomaly_enabled": "each backward pass is checked and remembers its forward pass",
    "torch.is_anomaly_enabled": "each backward pass is checked and remembers its forward pass",
    "torch.autograd.anomaly": "each backward pass is checked and remembers its forward pass",
    "CUPY_DEBUG": "the library checks itself",
}
"""Switches that make a program slower, with what they do."""

# Bytes a second of one lane and direction, by generation: what 128b/130b coding leaves.
_LANE = {3: 0.985e9, 4: 1.969e9, 5: 3.938e9, 6: 7.563e9}


def _switches(scene: Scene) -> Iterator[Seen]:
    """Switches of the environment, or of a library, that were found on."""
    seen = {} if scene.profiled is None else {s.name: s.value for s in scene.profiled.settings}
    found = {**{k: v for k, v in scene.record.machine.environment.items() if v}, **seen}
    for name, value in found.items():
        if name in SWITCHES and is_on(value):
            yield Seen(
                message=f"{name} is {value}: {SWITCHES[name]}.",
                evidence=("counter",),
            )


def _contended(scene: Scene) -> Iterator[Seen]:
    """Slots that do not count, or device memory that is not ours."""
    share = voided_share(scene)
    if share > VOIDED.value:
        yield Seen(
            message=f"{units.share(share)} of the slots do not count: other processes took time.",
            evidence=("counter",),
            figures=(VOIDED.figure(share),),
        )
    strangers = [g for g in scene.record.machine.gpus if (g.memory_used_bytes or 0) > FOREIGN.value]
    foreign = max((g.memory_used_bytes or 0 for g in strangers), default=0)
    foreign = max(foreign, *_others(scene), 0)
    if foreign > FOREIGN.value:
        yield Seen(
            message=f"Others held {units.size_bytes(foreign)} of device memory meanwhile.",
            evidence=("counter",),
            figures=(FOREIGN.figure(foreign),),
            severity="info",
        )


def _others(scene: Scene) -> list[int]:
    return [
        slot.conditions.gpu.others_bytes or 0
        for case in scene.record.cases
        for block in case.rounds
        for slot in block.slots
        if slot.conditions.gpu is not None
    ]


def _held(scene: Scene) -> Iterator[Seen]:
    """Clocks held down by heat or hardware; by the power limit it is normal, and only told."""
    samples = [*_in_slots(scene), *_in_timeline(scene)]
    if len(samples) < 20:
        return
    faults = [bool({"thermal", "hardware"} & set(found)) for found in samples]
    share = statistics.fmean(faults)
    if share > HELD.value:
        yield Seen(
            message=f"Heat or hardware held the clocks in {units.share(share)} of the samples.",
            evidence=("counter",),
            figures=(HELD.figure(share),),
            severity=None if share > HELD_MUCH else "info",
        )
        return
    capped = statistics.fmean("power_cap" in found for found in samples)
    if capped > CAPPED.value:
        yield Seen(
            message=(
                f"The power limit held the clocks in {units.share(capped)} of the samples, as is "
                "normal at full load."
            ),
            evidence=("counter",),
            figures=(CAPPED.figure(capped),),
            severity="info",
        )


def _in_slots(scene: Scene) -> list[tuple[str, ...]]:
    return [
        slot.conditions.gpu.reasons
        for case in scene.record.cases
        for block in case.rounds
        if block.round > 0
        for slot in block.slots
        if slot.conditions.gpu is not None and slot.conditions.gpu.reasons is not None
    ]


def _in_timeline(scene: Scene) -> list[tuple[str, ...]]:
    """Return why clocks were held in samples of the timeline in which the GPU had work."""
    by_name = {s.sensor: s for s in scene.record.timeline}
    found = []
    for name, held in by_name.items():
        if not name.endswith(".held_by"):
            continue
        used = by_name.get(name.replace(".held_by", ".utilisation_share"))
        work = {} if used is None else dict(zip(used.t_s, used.value, strict=True))
        found += [
            reasons_of(int(v))
            for t, v in zip(held.t_s, held.value, strict=True)
            if v is not None and (not work or (work.get(t) or 0.0) > 0.5)
        ]
    return found


def _link(scene: Scene) -> Iterator[Seen]:
    """Large page-locked copies beside what generation and width of the link allow."""
    gpus, ceilings = scene.record.machine.gpus, scene.ceilings
    if not gpus or ceilings is None or ceilings.disturbed("link"):
        return
    lane, width = _LANE.get(gpus[0].pcie_generation or 0), gpus[0].pcie_width
    rates = [c.to_device_pinned for c in ceilings.link if c.bytes >= LARGE_COPY]
    known = [r for r in rates if r is not None]
    if lane is None or not width or not known:
        return
    share = max(known) / (lane * width)
    if share >= LINK.value:
        return
    yield Seen(
        message=(
            f"Large page-locked copies reach {units.rate(max(known), 'B/s')} of "
            f"{units.rate(lane * width, 'B/s')} (PCIe {gpus[0].pcie_generation} x{width})."
        ),
        evidence=("counter",),
        figures=(LINK.figure(share), figure("rate", max(known), "bytes")),
    )


SETUP = (
    RunRule(CATALOGUE["BE112"], "wrong measurement", _switches),
    RunRule(CATALOGUE["BE110"], "wrong measurement", _contended),
    RunRule(CATALOGUE["BE111"], "wrong measurement", _held),
    RunRule(CATALOGUE["BE114"], "copies", _link),
)
