"""Pictures of a training: curves over batch size with the knee, phases of a step, accuracy."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven.report import marks
from breakeven.report.marks import INK, Spec
from breakeven.report.training.view import CurvePoint, TrainingPage

_PHASE_COLOURS = {
    "loader": "#D55E00",
    "to_device": "#E69F00",
    "forward": "#56B4E9",
    "backward": "#0072B2",
    "optimiser": "#009E73",
    "to_host": "#CC79A7",
}
_PERCENT = "format(datum.value, '.0%')"
_GIB = "format(datum.value, '~r') + ' GiB'"
_BYTES_OF_GIB = 2.0**30
_CURVES = {
    "throughput": ("throughput", "throughput", ("throughput",), "format(datum.value, '~s')"),
    "memory": ("memory", "peak", ("device_memory", "host_memory"), _GIB),
    "load": ("how busy", "share", ("gpu_utilisation", "cpu_share"), _PERCENT),
}
_SIDES = {
    "device_memory": "device",
    "host_memory": "host",
    "gpu_utilisation": "time with a kernel",
    "cpu_share": "share of CPU cores",
}
_DASHES = ([1, 0], [6, 3])
KINDS = (*(f"batch-{kind}" for kind in _CURVES), "step-phases", "accuracy")


def specs(name: str, page: TrainingPage) -> dict[str, Spec]:
    """Return the Vega-Lite specifications of a training's pictures, by name.

    Names are ``WORKLOAD-batch-throughput``, ``WORKLOAD-batch-memory``, ``WORKLOAD-batch-load``,
    ``WORKLOAD-step-phases`` and ``WORKLOAD-accuracy``; a picture without data is left out.
    """
    found = {f"{name}-batch-{kind}": _curve(name, page, kind) for kind in _CURVES}
    found[f"{name}-step-phases"] = _phases(name, page)
    found[f"{name}-accuracy"] = _accuracy(name, page)
    return {key: spec for key, spec in found.items() if spec}


def _everyone(page: TrainingPage) -> list[str]:
    return list(dict.fromkeys(p.label for p in page.curves))


def _curve(name: str, page: TrainingPage, kind: str) -> Spec:
    title, axis, measures, label = _CURVES[kind]
    points = [p for p in page.curves if p.measure in measures]
    sizes = sorted({p.size for p in points})
    if len(sizes) < 2:
        return {}
    labels = [e for e in _everyone(page) if any(p.label == e for p in points)]
    sides = [_SIDES[m] for m in measures if m in _SIDES and any(p.measure == m for p in points)]
    values = marks.widened([_value(p) for p in points], labels)
    y: Spec = {"field": "value", "type": "quantitative", "title": axis,
               "axis": {"labelExpr": label, "tickCount": 6}, "scale": {"zero": True}}  # fmt: skip
    if kind == "throughput":
        spans = [{"low": p.low, "high": p.high} for p in points]
        y = marks.log_axis("value", axis, spans, label)
    if kind == "load":
        y["scale"] = {"domain": [0, 1]}
    encoding = {"x": _batch_axis(sizes), "y": y, **marks.by_entry(labels, _everyone(page))}
    said = "Bars: 95 % intervals over rounds."
    if len(sides) == 1:
        # One measure needs no legend, and has to be named all the same.
        said = f"{sides[0][0].upper()}{sides[0][1:]}. {said}"
    layers = _layers(encoding, sides)
    if kind == "throughput" and page.knees:
        layers = [*layers, _knees(page, encoding)]
        said += " Ring: the knee."
    return marks.picture((f"{name}: {title} by batch size", said), layers, values)


def _value(p: CurvePoint) -> Spec:
    # An axis of bytes has round labels in powers of two alone.
    scale = _BYTES_OF_GIB if p.measure.endswith("memory") else 1.0
    return {"size": p.size, "entry": p.label, "side": _SIDES.get(p.measure, ""),
            "value": p.value / scale, "low": p.low / scale, "high": p.high / scale,
            "shown": p.shown}  # fmt: skip


def _batch_axis(sizes: Sequence[int]) -> Spec:
    return {
        "field": "size", "type": "quantitative", "title": "batch size",
        "scale": {"type": "log", "base": 2, "nice": False,
                  "domain": [sizes[0] / 1.15, sizes[-1] * 1.15]},
        "axis": {"values": list(sizes), "format": "d", "labelOverlap": "greedy",
                 "labelSeparation": 4},
    }  # fmt: skip


def _layers(encoding: Spec, sides: Sequence[str]) -> list[Spec]:
    """Return line, interval and point; two measures are told apart by dash and by filling."""
    line: Spec = {
        "strokeWidth": {"field": "width", "type": "quantitative", "scale": None, "legend": None}
    }
    if len(sides) > 1:
        line["strokeDash"] = {
            "field": "side", "type": "nominal", "title": None,
            "scale": {"domain": list(sides), "range": [list(d) for d in _DASHES[: len(sides)]]},
            "legend": {"symbolType": "stroke", "symbolSize": 300, "symbolStrokeColor": INK,
                       "labelLimit": 220, "columns": 2},
        }  # fmt: skip
    shared = {key: value for key, value in encoding.items() if key != "shape"}
    if len(sides) > 1:
        line["detail"] = {"field": "side"}
    spanned = {"y": {**encoding["y"], "field": "low"}, "y2": {"field": "high"}}
    bars: Spec = {"mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.8}, "encoding": spanned}
    tooltip = [{"field": f} for f in ("size", "entry", *(["side"] if sides else []), "shown")]
    point: Spec = {"mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                   "encoding": {"shape": encoding["shape"], "tooltip": tooltip}}  # fmt: skip
    return [{"encoding": shared, "layer": [{"mark": {"type": "line"}, "encoding": line}, bars,
                                           point]}]  # fmt: skip


def _knees(page: TrainingPage, encoding: Spec) -> Spec:
    """Return a ring around each knee, with its words above it: on its curve it is plain whose."""
    values = [{"size": k.size, "value": k.value, "say": k.shown} for k in page.knees]
    place = {"x": encoding["x"], "y": encoding["y"]}
    ring: Spec = {"mark": {"type": "point", "filled": False, "size": 320, "color": INK,
                           "strokeWidth": 1.5}}  # fmt: skip
    text: Spec = {
        "mark": {"type": "text", "color": INK, "fontSize": 11, "dy": -16, "align": "center"},
        "encoding": {"text": {"field": "say"}},
    }
    return {"data": {"values": values}, "encoding": place, "layer": [ring, text]}


def _phases(name: str, page: TrainingPage) -> Spec:
    """Return the phases as shares of the step: beside a CPU's a GPU's seconds would not be seen."""
    if not page.bars:
        return {}
    wholes = {b.label: b.whole for b in page.bars}
    order = [p for p in _PHASE_COLOURS if any(b.phase == p for b in page.bars)]
    said = [p.replace("_", " ") for p in order]
    values = [
        {"entry": f"{b.label}, {b.whole}", "phase": b.phase.replace("_", " "), "share": b.share,
         "order": order.index(b.phase), "shown": b.shown} for b in page.bars
    ]  # fmt: skip
    labels = [f"{label}, {whole}" for label, whole in wholes.items()]
    spec: Spec = {
        "mark": {"type": "bar", "stroke": INK, "strokeWidth": 0.5},
        "encoding": {
            "y": {"field": "entry", "type": "nominal", "sort": labels, "title": None,
                  "axis": {"labelLimit": 170}},
            "x": {"field": "share", "type": "quantitative", "title": "share of the step",
                  "stack": "zero", "axis": {"tickCount": 5, "labelExpr": _PERCENT}},
            "order": {"field": "order"},
            "color": {"field": "phase", "type": "nominal", "title": None, "sort": said,
                      "scale": {"domain": said, "range": [_PHASE_COLOURS[p] for p in order]},
                      "legend": {"symbolType": "square", "columns": 3}},
            "tooltip": [{"field": f} for f in ("entry", "phase", "shown")],
        },
    }  # fmt: skip
    title = (f"{name}: phases of a step", f"Batch {page.told_size}, the device awaited after each.")
    return marks.picture(title, [spec], values, height=40 * len(labels))


def _accuracy(name: str, page: TrainingPage) -> Spec:
    if len({p.epoch for p in page.epochs}) < 2:
        return {}
    labels = list(dict.fromkeys(p.label for p in page.epochs))
    values = [
        {"epoch": p.epoch + 1, "entry": p.label, "accuracy": p.correct / p.total,
         "shown": f"{p.correct} of {p.total}"} for p in page.epochs
    ]  # fmt: skip
    encoding = {
        "x": {"field": "epoch", "type": "quantitative", "title": "epoch",
              "axis": {"format": "d", "values": sorted({p.epoch + 1 for p in page.epochs}),
                       "labelOverlap": "greedy"}},
        "y": {"field": "accuracy", "type": "quantitative", "title": "test accuracy",
              "scale": {"zero": False}, "axis": {"labelExpr": "format(datum.value, '.1%')"}},
        **marks.by_entry(labels, _everyone(page) or labels),
    }  # fmt: skip
    shared = {key: value for key, value in encoding.items() if key != "shape"}
    tooltip = [{"field": f} for f in ("epoch", "entry", "shown")]
    line = {"strokeWidth": {"field": "width", "type": "quantitative", "scale": None,
                            "legend": None}}  # fmt: skip
    layers: list[Spec] = [{"encoding": shared, "layer": [
        {"mark": {"type": "line"}, "encoding": line},
        {"mark": {"type": "point", "filled": True, "size": 40, "opacity": 1},
         "encoding": {"shape": encoding["shape"], "tooltip": tooltip}},
    ]}]  # fmt: skip
    title = (
        f"{name}: test accuracy after each epoch",
        f"Batch {page.told_size}, one training each.",
    )
    return marks.picture(title, layers, marks.widened(values, labels))
