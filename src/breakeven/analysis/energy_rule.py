"""Does the GPU need less energy than the CPU? Only where both were measured; else, below what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from breakeven.model.sensing import Energy

CPU = "cpu"
NOT_MEASURED = "the CPU's energy was not measured on {side}"
NO_GPU = "the GPU's energy was not measured"


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One way of doing the same work.

    Attributes
    ----------
    seconds : float
        That the work took.
    energies : tuple of Energy
        Of the devices of the machine that did it, each over a window of its own.
    """

    seconds: float
    energies: tuple[Energy, ...]


class EnergyVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """Both sides measured: joules for the same work, gross, all devices of each side together.

    Attributes
    ----------
    word : str
        ``gpu_less``, ``cpu_less``, or ``too_close`` where the meters leave open which it is.
    ratio, low, high : float
        CPU side's joules over GPU side's, with what the meters leave open.
    """

    word: Literal["gpu_less", "cpu_less", "too_close"]
    gpu_side_j: float
    cpu_side_j: float
    ratio: float
    low: float
    high: float


class EnergyBreakEven(msgspec.Struct, frozen=True, kw_only=True):
    """The GPU measured, the CPU not: the power below which the CPU run would have needed less.

    The CPU run needs less where ``cpu_w * cpu_s < gpu_j + host_w * gpu_s``, with the power of the
    host in each run: below ``cpu_w = watts + share * host_w``.

    Attributes
    ----------
    gpu_j : float
        What the GPU took for the work, gross.
    gpu_s, cpu_s : float
        That the work took on each side.
    watts : float
        ``gpu_j / cpu_s``.
    share : float
        ``gpu_s / cpu_s``: so much of what the host drew during the GPU run comes on top.
    same_host_w : float or None
        The limit if the host drew the same in both runs; None where the CPU was no slower, which
        settles it for the CPU at any power.
    why : str
        Why there is no verdict.
    fix : str or None
        How to get one.
    """

    gpu_j: float
    gpu_s: float
    cpu_s: float
    watts: float
    share: float
    same_host_w: float | None
    why: str
    fix: str | None = None


class EnergyUnknown(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing can be said, and why."""

    why: str
    fix: str | None = None


Answer = EnergyVerdict | EnergyBreakEven | EnergyUnknown


def compare_energy(cpu: Side, gpu: Side) -> Answer:
    """Return which side needed less energy for the same work, or what can be said instead.

    A GPU run burns the CPU as well, so both devices count on the GPU's side; on the CPU's side an
    idle GPU in the same machine is not counted, as that machine would do without one.

    Parameters
    ----------
    cpu, gpu : Side
        The same work on each side, with the devices that took part in it. Energy of a window is
        scaled to the work's seconds: power times time.
    """
    on_gpu = _joules([e for e in gpu.energies if e.device != CPU], gpu.seconds)
    if on_gpu is None:
        missing = next((e for e in gpu.energies if e.device != CPU), None)
        return EnergyUnknown(
            why=(missing.why if missing is not None else None) or NO_GPU,
            fix=None if missing is None else missing.fix,
        )
    host = {
        side: _joules([e for e in each.energies if e.device == CPU], each.seconds)
        for side, each in (("the GPU's side", gpu), ("the CPU's side", cpu))
    }
    unknown = next((side for side, found in host.items() if found is None), None)
    if unknown is not None:
        source = gpu if unknown == "the GPU's side" else cpu
        said = next((e for e in source.energies if e.device == CPU), None)
        why = (said.why if said is not None else None) or NOT_MEASURED.format(side=unknown)
        return _break_even(on_gpu[0], gpu.seconds, cpu.seconds, why, said.fix if said else None)
    beside, alone = host["the GPU's side"], host["the CPU's side"]
    assert beside is not None
    assert alone is not None
    return _verdict((on_gpu[0] + beside[0], on_gpu[1] + beside[1]), alone)


def _joules(energies: Sequence[Energy], seconds: float) -> tuple[float, float] | None:
    """Return joules of all devices with what is left open; None unless each is told."""
    total = open_j = 0.0
    for one in energies:
        if one.gross_j is None or one.window_s <= 0:
            return None
        scale = seconds / one.window_s
        total += one.gross_j * scale
        open_j += (one.uncertainty_j or 0.0) * scale
    return (total, open_j) if energies else None


def _verdict(gpu: tuple[float, float], cpu: tuple[float, float]) -> EnergyVerdict:
    low = (cpu[0] - cpu[1]) / (gpu[0] + gpu[1])
    high = (cpu[0] + cpu[1]) / (gpu[0] - gpu[1])
    word: Literal["gpu_less", "cpu_less", "too_close"] = "too_close"
    if low > 1:
        word = "gpu_less"
    elif high < 1:
        word = "cpu_less"
    return EnergyVerdict(
        word=word, gpu_side_j=gpu[0], cpu_side_j=cpu[0], ratio=cpu[0] / gpu[0], low=low, high=high
    )


def _break_even(
    gpu_j: float, gpu_s: float, cpu_s: float, why: str, fix: str | None
) -> EnergyBreakEven:
    return EnergyBreakEven(
        gpu_j=gpu_j,
        gpu_s=gpu_s,
        cpu_s=cpu_s,
        watts=gpu_j / cpu_s,
        share=gpu_s / cpu_s,
        same_host_w=gpu_j / (cpu_s - gpu_s) if cpu_s > gpu_s else None,
        why=why,
        fix=fix,
    )
