"""One chart specification for each picture, shown as HTML, SVG or PNG."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from breakeven.report import chart_data, names
from breakeven.report.view import Page, WorkloadPage

Spec = dict[str, Any]
INK = "currentColor"
# Okabe and Ito's palette, less the tones that vanish on a white or on a dark page.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6BB1", "#7F7F7F")
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left")
_DASHES = {
    names.SCOPE_TITLES["resident"]: [1, 0],
    names.SCOPE_TITLES["transfer"]: [6, 3],
    names.SCOPE_TITLES["cold"]: [2, 3],
}
_BANDS = {"transfer": "#E69F00", "resident": "#56B4E9"}
_WIDTH, _HEIGHT = 680, 340


def specs(page: Page) -> dict[str, Spec]:
    """Return the Vega-Lite specifications of a page's pictures, by name.

    Names are ``WORKLOAD-time``, ``WORKLOAD-speedup-BASE``, ``WORKLOAD-phases`` and
    ``WORKLOAD-losses``; a picture without data is left out.
    """
    found: dict[str, Spec] = {}
    for w in page.workloads:
        made = {f"{w.name}-time": _time(w)}
        for kind in dict.fromkeys(s.base_kind for row in w.rows for s in row.speedups):
            made[f"{w.name}-speedup-{kind}"] = _speedup(w, kind)
        made[f"{w.name}-phases"] = _phases(w)
        made[f"{w.name}-losses"] = _losses(w)
        found |= {name: spec for name, spec in made.items() if spec}
    return found


def to_svg(spec: Spec) -> str:
    """Return a picture as SVG text on a white ground."""
    import vl_convert  # noqa: PLC0415 - loaded only when a picture is drawn

    return str(vl_convert.vegalite_to_svg(_standing_alone(spec), vl_version=vega_lite_version()))


def to_png(spec: Spec, scale: float = 2) -> bytes:
    """Return a picture as PNG bytes on a white ground, `scale` pixels a point."""
    import vl_convert  # noqa: PLC0415 - loaded only when a picture is drawn

    drawn = vl_convert.vegalite_to_png(
        _standing_alone(spec), vl_version=vega_lite_version(), scale=scale
    )
    return bytes(drawn)


def vega_lite_version() -> str:
    """Return the newest Vega-Lite that the installed converter carries."""
    import vl_convert  # noqa: PLC0415 - loaded only when a picture is drawn

    return str(vl_convert.get_vegalite_versions()[-1])


def _time(w: WorkloadPage) -> Spec:
    points = chart_data.times(w)
    if not points:
        return {}
    labels = _present(w, points)
    scopes = [s for s in _DASHES if any(p["scope"] == s for p in points)]
    encoding = {
        "x": _size_axis(w, points),
        "y": _log_axis("seconds", "time of one call", points, "format(datum.value, '~s') + 's'"),
        **_marks(labels, chart_data.columns(w)),
    }
    bars = {
        "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.8},
        "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}},
    }
    title = (f"{w.name} ({w.dtype}): time of one call", "Bars span the rounds.")
    return _picture(title, [*_bands(w, w.base_kind), _layer(encoding, bars, scopes)], points)


def _speedup(w: WorkloadPage, kind: str) -> Spec:
    points = chart_data.speedups(w, kind)
    if not points:
        return {}
    labels = _present(w, points)
    scopes = [s for s in _DASHES if any(p["scope"] == s for p in points)]
    base = {"same": "the same entry"}.get(kind, names.base(kind, kind))
    encoding = {
        "x": _size_axis(w, points),
        "y": _log_axis(
            "ratio", "base time / entry time", points, "format(datum.value, '~g') + 'x'"
        ),
        **_marks(labels, chart_data.columns(w)),
    }
    bars = {
        "mark": {"type": "rule", "strokeWidth": 1.5},
        "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}},
    }
    even = {
        "data": {"values": [{"one": 1}]},
        "mark": {"type": "rule", "color": INK, "strokeWidth": 1.5, "opacity": 0.7},
        "encoding": {"y": {"field": "one", "type": "quantitative"}},
    }
    title = (f"{w.name} ({w.dtype}): speed-up", f"Over {base}, with 95 % intervals.")
    return _picture(
        title, [*_bands(w, kind), even, _layer(encoding, bars, scopes)], _widened(points, labels)
    )


def _phases(w: WorkloadPage) -> Spec:
    if not w.phases:
        return {}
    order = [p for p in chart_data.PHASES if any(b.phase == p for b in w.phases)]
    labels = list(dict.fromkeys(b.label for b in w.phases))
    values = [
        {"entry": b.label, "phase": names.word(b.phase), "seconds": b.seconds,
         "order": order.index(b.phase)} for b in w.phases if b.seconds > 0
    ]  # fmt: skip
    said = [names.word(p) for p in order]
    spec = {
        "mark": {"type": "bar", "stroke": INK, "strokeWidth": 0.5},
        "encoding": {
            "y": {"field": "entry", "type": "nominal", "sort": labels, "title": None,
                  "axis": {"labelLimit": 110}},
            "x": {"field": "seconds", "type": "quantitative", "title": "seconds", "stack": "zero",
                  "axis": {"tickCount": 6}},
            "order": {"field": "order"},
            "color": {"field": "phase", "type": "nominal", "title": None, "sort": said,
                      "scale": {"domain": said, "range": _PHASE_COLOURS[: len(said)]},
                      "legend": {"symbolType": "square", "columns": 3}},
            "tooltip": [{"field": f} for f in ("entry", "phase", "seconds")],
        },
    }  # fmt: skip
    title = (f"{w.name}: start to first answer", f"{w.axis} = {w.phase_size}, fresh interpreter.")
    return _picture(title, [spec], values, height=30 * len(labels))


def _losses(w: WorkloadPage) -> Spec:
    if not w.losses:
        return {}
    size = max(p.size for p in w.losses)
    values = [
        {"entry": p.label, "reading": p.reading, "loss": p.loss}
        for p in w.losses if p.size == size
    ]  # fmt: skip
    labels = list(dict.fromkeys(str(p["entry"]) for p in values))
    encoding = {
        "x": {"field": "reading", "type": "quantitative", "title": "loss reading, in order",
              "axis": {"tickMinStep": 1, "format": "d"}},
        "y": {"field": "loss", "type": "quantitative", "title": "training loss",
              "scale": {"zero": False}},
        **_marks(labels, labels),
    }  # fmt: skip
    title = (f"{w.name}: training losses", f"{w.axis} = {size}; equal losses lie on each other.")
    return _picture(title, [_layer(encoding, None, [])], _widened(values, labels))


_PHASE_COLOURS = ["#0072B2", "#56B4E9", "#CC79A7", "#E69F00", "#009E73", "#D55E00"]


def _layer(encoding: Spec, bars: Spec | None, scopes: Sequence[str]) -> Spec:
    """Return lines, bars over the interval, points: colour and shape by entry, dash by scope."""
    shared = {key: value for key, value in encoding.items() if key != "shape"}
    line: Spec = {
        "strokeWidth": {"field": "width", "type": "quantitative", "scale": None, "legend": None}
    }
    if scopes:
        line["strokeDash"] = {
            "field": "scope", "type": "nominal", "title": None,
            "scale": {"domain": list(scopes), "range": [_DASHES[s] for s in scopes]},
            "legend": {"columns": 2, "labelLimit": 200, "symbolType": "stroke", "symbolSize": 300,
                       "symbolStrokeColor": INK, "symbolStrokeWidth": 2},
        }  # fmt: skip
    tooltip = [{"field": encoding["x"]["field"]}, {"field": "entry"}]
    tooltip += [{"field": f} for f in (("scope", "shown") if scopes else ("loss",))]
    point = {"shape": encoding["shape"], "tooltip": tooltip}
    layers: list[Spec] = [{"mark": {"type": "line"}, "encoding": line}]
    layers += [bars] if bars is not None else []
    mark = {"type": "point", "filled": True, "size": 60, "opacity": 1}
    return {"encoding": shared, "layer": [*layers, {"mark": mark, "encoding": point}]}


def _marks(labels: Sequence[str], everyone: Sequence[str]) -> Spec:
    """Return colour and shape by entry: no difference hangs on colour alone."""
    # The base is drawn in ink; every other entry takes a colour of its own.
    coloured = [label for label in everyone if label != chart_data.BEST]
    colours = {label: _COLOURS[i % len(_COLOURS)] for i, label in enumerate(coloured)}
    shapes = {label: _SHAPES[i % len(_SHAPES)] for i, label in enumerate(everyone)}

    def by_entry(found: Sequence[str]) -> Spec:
        return {
            "field": "entry", "type": "nominal", "title": None,
            "scale": {"domain": list(labels), "range": list(found)},
            "legend": {"columns": 2, "labelLimit": 150},
        }  # fmt: skip

    return {
        "color": by_entry([colours.get(label, INK) for label in labels]),
        "shape": by_entry([shapes[label] for label in labels]),
    }


def _widened(points: Sequence[Spec], labels: Sequence[str]) -> list[Spec]:
    """Return points with the width of their line.

    Lines lie on each other where results agree: later ones are thinner and leave both in sight.
    """
    step = 3.0 / max(len(labels) - 1, 1)
    widths = {label: round(4.5 - step * i, 2) for i, label in enumerate(labels)}
    return [{**p, "width": widths[p["entry"]]} for p in points]


def _present(w: WorkloadPage, points: Sequence[Spec]) -> list[str]:
    found = {p["entry"] for p in points}
    return [c for c in chart_data.columns(w) if c in found]


def _bands(w: WorkloadPage, kind: str) -> list[Spec]:
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


def _size_axis(w: WorkloadPage, points: Sequence[Spec]) -> Spec:
    sizes = sorted({p["size"] for p in points})
    asked = [row.size for row in w.rows if row.in_plan]
    low, high = min(sizes), max(sizes)
    return {
        "field": "size", "type": "quantitative", "title": w.axis,
        "scale": {"type": "log", "base": 2, "nice": False,
                  "domain": [low / 1.15, high * 1.15]},
        "axis": {"values": asked or sizes, "format": "d", "labelOverlap": "greedy",
                 "labelSeparation": 4},
    }  # fmt: skip


def _log_axis(field: str, title: str, points: Sequence[Spec], label: str) -> Spec:
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


def _picture(
    title: tuple[str, str],
    layers: Sequence[Spec],
    values: Sequence[Spec],
    height: object = _HEIGHT,
) -> Spec:
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


def _standing_alone(spec: Spec) -> Spec:
    # Outside a page there is no text colour to take and no container to fill.
    text = json.dumps(spec).replace(f'"{INK}"', '"#1a1a1a"')
    alone: Spec = json.loads(text)
    return alone | {"width": _WIDTH, "background": "white"}
