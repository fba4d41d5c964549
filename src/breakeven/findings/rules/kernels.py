"""Rules about what the kernels compute: they speak of busy time, whatever else is idle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from breakeven import units
from breakeven.findings.catalogue import CATALOGUE
from breakeven.findings.gates import on_device
from breakeven.findings.rule import Seen, StepRule
from breakeven.findings.scene import Scene, Window
from breakeven.findings.threshold import Threshold, figure
from breakeven.findings.trials import gain, share_of
from breakeven.model.trace import Operator

DOUBLE = Threshold("float64 kernels' share of the device's time", 0.10)
SLOW_DOUBLE = Threshold("rate in float32 over that in float64", 8.0, "ratio")
PRODUCTS = Threshold("products' share of the device's time", 0.30)
NO_TENSOR = Threshold("tensor cores' share of the device's time", 0.01)
WISE = Threshold("element-wise operators' share of the device's time", 0.30)
WISE_CALLS = 5
LAYOUT = Threshold("copies on the device, of its time", 0.10)
OPTIMISER = Threshold("optimiser's share of a step", 0.10)
SINGLE = Threshold("kernels a step", 500, "count")
ATTENTION = Threshold("softmax and batched products, of the device's time", 0.20)
AMPERE = (8, 0)

_PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "matmul", "linear", "conv", "gemm", "dot")
_WISE = frozenset(
    "add sub mul div neg exp log sqrt rsqrt pow tanh sigmoid relu gelu silu clamp abs maximum "
    "minimum where threshold_backward tanh_backward sigmoid_backward gelu_backward lerp addcmul "
    "addcdiv sin cos".split()
)
_LAYOUT = frozenset({"copy", "contiguous", "clone"})
_FUSED = ("flash", "efficient_attention", "scaled_dot_product", "cudnn_attention")


def _double(window: Window) -> Iterator[Seen]:
    """How bad it is depends on the card: its own ratio decides, where it was measured."""
    trace = window.trace
    share = None if trace is None else trace.fp64_share
    if share is None or share < DOUBLE.value:
        return
    ratio = slowness_of_double(window.scene)
    if ratio is not None and ratio < SLOW_DOUBLE.value and not _doubted(window.scene):
        return
    said = f"float64 kernels take {units.share(share)} of the device's time"
    figures = [DOUBLE.figure(share)]
    if ratio is None:
        said += "; how slow this card is at it was not measured"
    else:
        said += f"; this card is {units.significant(ratio, 2)} times faster in float32"
        figures.append(SLOW_DOUBLE.figure(ratio))
    sure = ratio is not None and ratio >= SLOW_DOUBLE.value and _doubted(window.scene)
    busy = window.kernels or 0.0
    saved = 0.0 if ratio is None else busy * share * (1 - 1 / ratio)
    trial = window.trials.get("float32")
    yield Seen(
        message=f"{said}.",
        evidence=("trace",) if trial is None or share_of(trial) is None else ("trial",),
        figures=tuple(figures),
        share=saved or None,
        claims=busy * share,
        severity=None if sure else "info",
        gain=gain(trial),
    )


def slowness_of_double(scene: Scene) -> float | None:
    """Return how many times faster the card is in float32 than in float64, as measured here."""
    ceilings = scene.ceilings
    if ceilings is None:
        return None
    single, double = (ceilings.flops_per_s.get(p) for p in ("float32", "float64"))
    return single / double if single and double else None


def _doubted(scene: Scene) -> bool:
    """Return whether the source shows float64 that nobody asked for."""
    return any(scene.smells("float64-compute", "dtype-promotion"))


def _tensor_cores(window: Window) -> Iterator[Seen]:
    """Large float32 products on a card that has tensor cores, none of which was used."""
    trace = window.trace
    if trace is None or not _has_tensor_cores(window.scene):
        return
    tensor, double = trace.tensor_core_share, trace.fp64_share
    products = _share(window, _PRODUCTS)
    if tensor is None or tensor > NO_TENSOR.value or products < PRODUCTS.value:
        return
    if (double or 0.0) >= products / 2:
        return
    trial = window.trials.get("tf32")
    said = (
        f"Products take {units.share(products)} of the device's time and none ran on tensor cores"
    )
    if trial is not None and trial.error is not None:
        said += f"; with TF32 the answers differ by {units.scientific(trial.error)}"
    yield Seen(
        message=f"{said}.",
        evidence=("trial",) if share_of(trial) is not None else ("trace",),
        figures=(PRODUCTS.figure(products), NO_TENSOR.figure(tensor)),
        share=share_of(trial),
        claims=(window.kernels or 0.0) * products,
        gain=gain(trial),
    )


def _has_tensor_cores(scene: Scene) -> bool:
    gpus = scene.record.machine.gpus
    if not gpus or gpus[0].compute_capability is None:
        return False
    major, _, minor = gpus[0].compute_capability.partition(".")
    return (int(major), int(minor or 0)) >= AMPERE


def _element_wise(window: Window) -> Iterator[Seen]:
    """Several element-wise operators to a step that together take the device's time."""
    mine = [o for o in _operators(window) if _short(o) in _WISE]
    share = _part(window, mine)
    calls = sum(o.calls for o in mine) / max(1, window.steps)
    if share < WISE.value or calls < WISE_CALLS:
        return
    yield Seen(
        message=(
            f"{calls:.0f} element-wise operators a step take {units.share(share)} of the device's "
            "time, each with a pass over memory of its own."
        ),
        evidence=("trace",),
        figures=(WISE.figure(share), figure("operators a step", calls, "count")),
        claims=(window.kernels or 0.0) * share,
    )


def _layout(window: Window) -> Iterator[Seen]:
    """Tell of copies from device to device."""
    share = _part(window, [o for o in _operators(window) if _short(o) in _LAYOUT])
    if share < LAYOUT.value:
        return
    lines = sorted(window.doing("on_device"), key=lambda s: -(s.device_s or 0.0))
    yield Seen(
        message=f"Copies on the device take {units.share(share)} of its time.",
        evidence=("trace",),
        figures=(LAYOUT.figure(share),),
        location=lines[0].location if lines else None,
        share=(window.kernels or 0.0) * share,
        claims=(window.kernels or 0.0) * share,
        severity="info",
    )


def _optimiser(window: Window) -> Iterator[Seen]:
    """Tell of an optimiser that goes parameter by parameter."""
    parts = [p.optimiser_s / p.step_s for p in window.phases if p.optimiser_s and p.step_s]
    trace = window.trace
    if not parts or trace is None or any("_foreach_" in o.name for o in _operators(window)):
        return
    if any("_fused_" in o.name for o in _operators(window)):
        return
    share, kernels = sum(parts) / len(parts), trace.kernels / max(1, trace.steps)
    if share < OPTIMISER.value or kernels < SINGLE.value:
        return
    yield Seen(
        message=(
            f"The optimiser takes {units.share(share)} of a step of {kernels:.0f} kernels, without "
            "its foreach or fused form."
        ),
        evidence=("trace",),
        figures=(OPTIMISER.figure(share), SINGLE.figure(kernels)),
        share=share,
    )


def _attention(window: Window) -> Iterator[Seen]:
    """Tell of a softmax between batched products, and no fused attention."""
    found = _operators(window)
    if any(word in o.name for o in found for word in _FUSED):
        return
    softmax = [o for o in found if "softmax" in o.name and "log" not in o.name]
    products = [o for o in found if _short(o) in {"bmm", "baddbmm"}]
    share = _part(window, [*softmax, *products])
    if not softmax or not products or share < ATTENTION.value:
        return
    yield Seen(
        message=(
            f"Softmax and batched products take {units.share(share)} of the device's time: "
            "attention that is not fused."
        ),
        evidence=("trace",),
        figures=(ATTENTION.figure(share),),
    )


def _operators(window: Window) -> tuple[Operator, ...]:
    return () if window.trace is None else window.trace.operators


def _short(operator: Operator) -> str:
    return operator.name.rpartition("::")[2].strip("_")


def _share(window: Window, words: Iterable[str]) -> float:
    return _part(
        window, [o for o in _operators(window) if any(_is(_short(o), word) for word in words)]
    )


def _is(name: str, word: str) -> bool:
    return name == word or name.startswith(f"{word}_") or (word == "conv" and "conv" in name)


def _part(window: Window, mine: Iterable[Operator]) -> float:
    """Return the share of the operators' device time that some of them take."""
    whole = sum(o.device_self_s or 0.0 for o in _operators(window))
    return sum(o.device_self_s or 0.0 for o in mine) / whole if whole > 0 else 0.0


KERNELS = (
    StepRule(CATALOGUE["BE401"], "kernels", on_device, _double),
    StepRule(CATALOGUE["BE403"], "kernels", on_device, _tensor_cores),
    StepRule(CATALOGUE["BE405"], "kernels", on_device, _element_wise),
    StepRule(CATALOGUE["BE406"], "kernels", on_device, _layout),
    StepRule(CATALOGUE["BE407"], "kernels", on_device, _optimiser),
    StepRule(CATALOGUE["BE409"], "kernels", on_device, _attention),
)
