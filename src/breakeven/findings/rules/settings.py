"""Rules about dtypes and switches that change values."""

from __future__ import annotations

from collections.abc import Iterator

from breakeven import units
from breakeven.findings.catalogue import CATALOGUE
from breakeven.findings.gates import always
from breakeven.findings.rule import Seen, StepRule
from breakeven.findings.scene import Window
from breakeven.findings.sites import by_line
from breakeven.findings.threshold import Threshold
from breakeven.model.profiled import Setting

APART = Threshold("difference from the same product without TF32", 1e-5, "ratio")
DOUBLE_SENT = Threshold("bytes of float64 that travel", 1e6, "bytes")
_TF32 = ("torch.backends.cuda.matmul.allow_tf32", "torch.allow_tf32", "NVIDIA_TF32_OVERRIDE")
_HIGH = ("torch.float32_matmul_precision", "torch.get_float32_matmul_precision")


def _tf32(window: Window) -> Iterator[Seen]:
    """TF32 is on. Whether that matters is for the answers to say."""
    switch = window.setting(*_TF32)
    high = next((s for s in _settings(window) if s.name in _HIGH and s.value != "highest"), None)
    on = switch or high
    if on is None or not window.gpu:
        return
    trial = window.trials.get("tf32")
    error = None if trial is None else trial.error
    told = f"; answers differ by {units.scientific(error)}" if error is not None else ""
    yield Seen(
        message=f"{on.name} is {on.value}: products round their inputs to 10 bits{told}.",
        evidence=("counter",) if error is None else ("trial",),
        figures=() if error is None else (APART.figure(error),),
        severity="info",
    )


def _settings(window: Window) -> tuple[Setting, ...]:
    return () if window.profiled is None else window.profiled.settings


def _widened(window: Window) -> Iterator[Seen]:
    """Tell of operators whose result is wider than the array that went in."""
    for line in by_line(s for s in window.sites if "->" in (s.name or "")):
        names = sorted((s.name or "" for s in line.sites), key=lambda n: "scalar" not in n)
        # What a scalar widened meets what follows as an array: the scalar is the cause.
        name = names[0]
        sides, _, made = name.partition(" -> ")
        if not _is_wider(sides, made.strip()):
            continue
        yield Seen(
            message=f"Line {line.location.line} makes {made} of {sides}: twice the bytes.",
            evidence=("counter",),
            location=line.location,
            severity=None if "scalar" in sides else "info",
        )


def _sent_double(window: Window) -> Iterator[Seen]:
    """Tell of float64 that travels to the device: the source says whether it was asked for."""
    sent = [s for s in window.doing("to_device") if s.dtype in {"float64", "complex128"}]
    for line in by_line(sent):
        if line.bytes < DOUBLE_SENT.value:
            continue
        yield Seen(
            message=(
                f"Line {line.location.line} sends {units.size_bytes(line.bytes)} of "
                f"{line.sites[0].dtype} to the device."
            ),
            evidence=("counter",),
            figures=(DOUBLE_SENT.figure(line.bytes),),
            location=line.location,
            severity="info",
        )


def _is_wider(sides: str, made: str) -> bool:
    """Return whether a float32 (or half) array became float64 by what it met."""
    narrow = ("float32 array", "float16 array", "bfloat16 array")
    return made in {"float64", "complex128"} and any(side in sides for side in narrow)


SETTINGS = (
    StepRule(CATALOGUE["BE401"], "kernels", always, _sent_double),
    StepRule(CATALOGUE["BE402"], "kernels", always, _widened),
    StepRule(CATALOGUE["BE404"], "kernels", always, _tf32),
)
