"""The parts that pictures are put together from: axes, marks, bands, frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from breakeven.report import chart_data, names
from breakeven.report.view import WorkloadPage

Spec = dict[str, Any]
INK = "currentColor"
# Okabe and Ito's palette, less the tones that vanish on a white or on a dark page.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6BB1", "#7F7F7F")
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left")
DASHES = {
    names.SCOPE_TITLES["resident"]: [1, 0],
    names.SCOPE_TITLES["transfer"]: [6, 3],
    names.SCOPE_TITLES["cold"]: [2, 3],
}
_BANDS = {"transfer": "#E69F00", "resident": "#56B4E9"}
HEIGHT = 340


def lines(encoding: Spec, bars: Spec | None, scopes: Sequence[str]) -> Spec:
    """Return lines, bars over the interval, points: colour and shape by entry, dash by scope."""
    shared = {key: value for key, value in encoding.items() if key != "shape"}
    line: Spec = {
        "strokeWidth": {"field": "width", "type": "quantitative", "scale": None, "legend": None}
    }
    if scopes:
        legend = {
            "columns": 2, "labelLimit": 200, "symbolType": "stroke", "symbolSize": 300,
            "symbolStrokeColor": INK, "symbolStrokeWidth": 2,
        }  # fmt: skip
        line["strokeDash"] = {
            "field": "scope", "type": "nominal", "title": None,
            "scale": {"domain": list(scopes), "range": [DASHES[s] for s in scopes]},
            # One scope tells nothing apart: without a GPU there is no device to speak of.
            "legend": legend if len(scopes) > 1 else None,
        }  # fmt: skip
    tooltip = [{"field": encoding["x"]["field"]}, {"field": "entry"}]
    tooltip += [{"field": f} for f in (("scope", "shown") if scopes else ("loss",))]
    point = {"shape": encoding["shape"], "tooltip": tooltip}
    layers: list[Spec] = [{"mark": {"type": "line"}, "encoding": line}]
    layers += [bars] if bars is not None else []
    mark = {"type": "point", "filled": True, "size": 60, "opacity": 1}
    return {"encoding": shared, "layer": [*layers, {"mark": mark, "encoding": point}]}


def by_entry(labels: Sequence[str], everyone: Sequence[str]) -> Spec:
    """Return colour and shape by entry: no difference hangs on colour alone."""
    # The base is drawn in ink; every other entry takes a colour of its own.
    coloured = [label for label in everyone if label != chart_data.BEST]
    colours = {label: _COLOURS[i % len(_COLOURS)] for i, label in enumerate(coloured)}
    shapes = {label: _SHAPES[i % len(_SHAPES)] for i, label in enumerate(everyone)}

    def scaled(found: Sequence[str]) -> Spec:
        return {
            "field": "entry", "type": "nominal", "title": None,
            "scale": {"domain": list(labels), "range": list(found)},
            "legend": {"columns": 2, "labelLimit": 150},
        }  # fmt: skip

    return {
        "color": scaled([colours.get(label, INK) for label in labels]),
        "shape": scaled([shapes[label] for label in labels]),
    }


def colours(count: int) -> list[str]:
    """Return as many colours as there are things to tell apart, in the order of the palette."""
    return [_COLOURS[i % len(_COLOURS)] for i in range(count)]


def widened(points: Sequence[Spec], labels: Sequence[str]) -> list[Spec]:
    """Return points with the width of their line.

    Lines lie on each other where results agree: later ones are thinner and leave both in sight.
    """
    step = 3.0 / max(len(labels) - 1, 1)
    widths = {label: round(4.5 - step * i, 2) for i, label in enumerate(labels)}
    return [{**p, "width": widths[p["entry"]]} for p in points]


def present(w: WorkloadPage, points: Sequence[Spec]) -> list[str]:
    """Return the columns that have points, in their common order."""
    found = {p["entry"] for p in points}
    return [c for c in chart_data.columns(w) if c in found]


def bands(w: WorkloadPage, kind: str) -> list[Spec]:
    """Return the shaded brackets of the lead over one base, each with its scope in words."""
    layers = []
    for b in w.brackets:
        colour = _BANDS.get(b.scope)
        if not b.lead or b.base_kind != kind or colour is None:
            continue
        words = {"transfer": "travels", "resident": "on device" if kind != "numpy" else ""}[b.scope]
        values = [{"from": b.low, "to": b.high, "middle": (b.low * b.high) ** 0.5, "say": words}]
        scale = {"scale": {"type": "log"}}
        layers.append({
            "data": {"values": values},
            "encoding": {"x": {"field": "from", "type": "quantitative", **scale},
                         "x2": {"field": "to"}},
            "mark": {"type": "rect", "color": colour, "opacity": 0.28},
        })  # fmt: skip
        layers.append({
            "data": {"values": values},
            "encoding": {"x": {"field": "middle", "type": "quantitative", **scale},
                         "y": {"value": 4}, "text": {"field": "say"}},
            "mark": {"type": "text", "color": INK, "fontSize": 11, "angle": 270, "align": "right",
                     "baseline": "middle"},
        })  # fmt: skip
    return layers


def rings(encoding: Spec, values: Sequence[Spec]) -> Spec:
    """Return small rings for points that were not measured."""
    tooltip = [{"field": f} for f in (encoding["x"]["field"], "entry", "scope", "shown")]
    kept = {key: encoding[key] for key in ("x", "y", "color")}
    return {
        "data": {"values": list(values)},
        "mark": {"type": "point", "filled": False, "size": 22, "opacity": 0.75,
                 "strokeWidth": 1.2},
        "encoding": kept | {"tooltip": tooltip},
    }  # fmt: skip


def size_axis(w: WorkloadPage, points: Sequence[Spec], beyond: Sequence[Spec] = ()) -> Spec:
    """Return the logarithmic axis of sizes, labelled at the sizes asked for.

    Parameters
    ----------
    beyond : sequence of dict
        Points that have no labels of their own, and for which the axis has to reach further.
    """
    sizes = sorted({p["size"] for p in points})
    asked = [row.size for row in w.rows if row.in_plan]
    low = min([*sizes, *(p["size"] for p in beyond)])
    high = max([*sizes, *(p["size"] for p in beyond)])
    return {
        "field": "size", "type": "quantitative", "title": w.axis,
        "scale": {"type": "log", "base": 2, "nice": False,
                  "domain": [low / 1.15, high * 1.15]},
        "axis": {"values": asked or sizes, "format": "d", "labelOverlap": "greedy",
                 "labelSeparation": 4},
    }  # fmt: skip


def log_axis(field: str, title: str, points: Sequence[Spec], label: str) -> Spec:
    """Return a logarithmic axis that holds the intervals of all points."""
    low = min(p["low"] for p in points) / 1.3
    high = max(p["high"] for p in points) * 1.3
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    # Few decades need steps between them, or an axis has one label.
    steps = (1,) if len(decades) > 4 else (1, 2, 5)
    values = [step * 10.0**k for k in decades for step in steps]
    return {
        "field": field, "type": "quantitative", "title": title,
        "scale": {"type": "log", "domain": [low, high], "nice": False},
        "axis": {"values": [v for v in values if low <= v <= high], "labelExpr": label},
    }  # fmt: skip


def picture(
    title: tuple[str, str],
    layers: Sequence[Spec],
    values: Sequence[Spec],
    height: object = HEIGHT,
) -> Spec:
    """Return layers as one specification: ink of the page's text, as wide as its container."""
    body: Spec = dict(layers[0]) if len(layers) == 1 else {"layer": list(layers)}
    return {
        "data": {"values": list(values)},
        "title": {"text": title[0], "subtitle": title[1], "anchor": "start", "fontSize": 13,
                  "fontWeight": "bold", "color": INK, "subtitleColor": INK, "frame": "bounds"},
        "width": "container", "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "background": "transparent",
        **body,
        "config": {
            "font": "sans-serif", "view": {"stroke": None},
            "axis": {"labelColor": INK, "titleColor": INK, "domainColor": INK, "tickColor": INK,
                     "gridColor": INK, "gridOpacity": 0.13, "labelFontSize": 11,
                     "titleFontSize": 12, "titleFontWeight": "normal"},
            "legend": {"orient": "bottom", "labelColor": INK, "titleColor": INK,
                       "labelFontSize": 11, "symbolStrokeWidth": 2,
                       "layout": {"bottom": {"anchor": "start", "direction": "vertical"}}},
        },
    }  # fmt: skip
