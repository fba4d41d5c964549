"""One chart specification for each picture, shown as HTML, SVG or PNG."""

from __future__ import annotations

import json
from collections.abc import Iterable

from breakeven.report import (
    chart_data,
    marks,
    names,
    precision_chart,
    roofline,
    timeline_charts,
)
from breakeven.report.marks import INK, Spec
from breakeven.report.training import charts as training_charts
from breakeven.report.view import Page, WorkloadPage

_KINDS = ("time", "precision", "phases", "losses", "roofline")
_WIDTH = 680
_PHASE_COLOURS = ["#0072B2", "#56B4E9", "#CC79A7", "#E69F00", "#009E73", "#D55E00"]


def specs(page: Page) -> dict[str, Spec]:
    """Return the Vega-Lite specifications of a page's pictures, by name.

    Names are ``WORKLOAD-time``, ``WORKLOAD-speedup-BASE``, ``WORKLOAD-precision``,
    ``WORKLOAD-phases``, ``WORKLOAD-losses`` and ``WORKLOAD-roofline``, with those of a training
    before them; a picture without data is left out.
    """
    found: dict[str, Spec] = {}
    for w in page.workloads:
        made = {f"{w.name}-time": _time(w)}
        kinds = dict.fromkeys(s.base_kind for row in w.rows for s in row.speedups)
        # The picture of the answer's own base comes first.
        for kind in sorted(kinds, key=lambda k: k != w.base_kind):
            made[f"{w.name}-speedup-{kind}"] = _speedup(w, kind)
        made[f"{w.name}-precision"] = precision_chart.spec(w)
        made[f"{w.name}-phases"] = _phases(w)
        made[f"{w.name}-losses"] = _losses(w)
        made[f"{w.name}-roofline"] = roofline.picture(w)
        if w.training is not None:
            # A training's own pictures come first: they show what its answer says.
            made = training_charts.specs(w.name, w.training) | made
        found |= {name: spec for name, spec in made.items() if spec}
    if page.timeline is not None:
        found |= timeline_charts.specs(page.timeline.series, page.timeline.sensing)
    return found


def pictures_of(workload: str, found: Iterable[str]) -> list[str]:
    """Return those of the names that `specs` gave to a workload's pictures, in their order."""
    exact = {f"{workload}-{kind}" for kind in (*_KINDS, *training_charts.KINDS)}
    over = f"{workload}-speedup-"
    return [name for name in found if name in exact or name.startswith(over)]


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
    labels = marks.present(w, points)
    scopes = [s for s in marks.DASHES if any(p["scope"] == s for p in points)]
    foretold = chart_data.predicted(w, labels)
    everything = [*points, *foretold]
    encoding = {
        "x": marks.size_axis(w, points, beyond=foretold),
        "y": marks.log_axis(
            "seconds", f"time of one {_unit(w)}", everything, "format(datum.value, '~s') + 's'"
        ),
        **marks.by_entry(labels, chart_data.columns(w)),
    }
    bars = {
        "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.8},
        "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}},
    }
    said = "Bars span the rounds." + (" Rings: foretold, not measured." if foretold else "")
    title = (f"{w.name} ({w.dtype}): time of one {_unit(w)}", said)
    rings = [marks.rings(encoding, foretold)] if foretold else []
    return marks.picture(
        title,
        [*marks.bands(w, w.base_kind), *rings, marks.lines(encoding, bars, scopes)],
        marks.widened(points, labels),
    )


def _unit(w: WorkloadPage) -> str:
    return "call" if w.training is None else "step"


def _speedup(w: WorkloadPage, kind: str) -> Spec:
    points = chart_data.speedups(w, kind)
    if not points:
        return {}
    labels = marks.present(w, points)
    scopes = [s for s in marks.DASHES if any(p["scope"] == s for p in points)]
    even = {"low": 1.0, "high": 1.0}
    base = {"same": "the same entry"}.get(kind, names.base(kind, kind))
    encoding = {
        "x": marks.size_axis(w, points),
        "y": marks.log_axis(
            "ratio", "base time / entry time", [*points, even], "format(datum.value, '~g') + 'x'"
        ),
        **marks.by_entry(labels, chart_data.columns(w)),
    }
    bars = {
        "mark": {"type": "rule", "strokeWidth": 1.5},
        "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}},
    }
    line_at_one = {
        "data": {"values": [even]},
        "mark": {"type": "rule", "color": INK, "strokeWidth": 1.5, "opacity": 0.7},
        "encoding": {"y": {"field": "low", "type": "quantitative"}},
    }
    title = (f"{w.name} ({w.dtype}): speed-up", f"Over {base}, with 95 % intervals.")
    return marks.picture(
        title,
        [*marks.bands(w, kind), line_at_one, marks.lines(encoding, bars, scopes)],
        marks.widened(points, labels),
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
    return marks.picture(title, [spec], values, height=30 * len(labels))


def _losses(w: WorkloadPage) -> Spec:
    if not w.losses:
        return {}
    size = max(p.size for p in w.losses)
    shown = [p for p in w.losses if p.size == size]
    by_epoch = all(p.epoch is not None for p in shown)
    field, title_x = ("epoch", "epoch") if by_epoch else ("reading", "loss reading, in order")
    read = sorted({p.epoch if by_epoch and p.epoch is not None else p.reading for p in shown})
    values = [
        {"entry": p.label, field: p.epoch if by_epoch else p.reading, "loss": p.loss} for p in shown
    ]
    labels = list(dict.fromkeys(str(p["entry"]) for p in values))
    encoding = {
        "x": {"field": field, "type": "quantitative", "title": title_x,
              "axis": {"values": read, "format": "d",
                       "labelOverlap": "greedy"}},
        "y": {"field": "loss", "type": "quantitative", "title": "training loss",
              "scale": {"zero": False}},
        **marks.by_entry(labels, labels),
    }  # fmt: skip
    title = (f"{w.name}: training losses", f"{w.axis} = {size}; equal losses lie on each other.")
    return marks.picture(title, [marks.lines(encoding, None, [])], marks.widened(values, labels))


def _standing_alone(spec: Spec) -> Spec:
    # Outside a page there is no text colour to take and no container to fill.
    text = json.dumps(spec).replace(f'"{INK}"', '"#1a1a1a"')
    alone: Spec = json.loads(text)
    if "vconcat" in alone:
        return alone | {"background": "white"}
    return alone | {"width": _WIDTH, "background": "white"}
