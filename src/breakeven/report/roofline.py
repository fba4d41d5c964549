"""The roofline: what cases reached below what their device reached at best."""

from __future__ import annotations

from breakeven.report import chart_data, marks
from breakeven.report.marks import INK, Spec
from breakeven.report.view import WorkloadPage

_MARGIN = 4.0


def picture(w: WorkloadPage) -> Spec:
    """Return the picture of a workload; nothing without ceilings or without points.

    Each roof rises with the bandwidth of its device to where the peak of the arithmetic begins.
    """
    if not w.roofs or not w.reached:
        return {}
    xs = [p.flops_per_byte for p in w.reached] + [r.peak / r.bandwidth for r in w.roofs]
    low, high = min(xs) / _MARGIN, max(xs) * _MARGIN
    roofs = [
        {"x": x, "y": min(r.peak, r.bandwidth * x), "roof": r.label}
        for r in w.roofs
        for x in (low, r.peak / r.bandwidth, high)
    ]
    values = [
        {"x": p.flops_per_byte, "y": p.flops_per_s, "entry": p.label, "size": p.size}
        for p in w.reached
    ]
    ys = [v["y"] for v in (*roofs, *values)]
    spans = [{"low": y, "high": y} for y in ys if isinstance(y, float)]
    wide = [{"low": low * 1.3, "high": high / 1.3}]
    labels = list(dict.fromkeys(p.label for p in w.reached))
    x = marks.log_axis("x", "operations / byte", wide, "format(datum.value, '~g')")
    y = marks.log_axis("y", "operations / s", spans, "format(datum.value, '~s')")
    lines = {
        "data": {"values": roofs},
        "mark": {"type": "line", "color": INK, "strokeWidth": 1.5, "opacity": 0.7},
        "encoding": {"x": x, "y": y, "detail": {"field": "roof"}},
    }
    said = {
        "data": {"values": [r for r in roofs if r["x"] == high]},
        "mark": {"type": "text", "color": INK, "align": "right", "dy": -7, "fontSize": 11},
        "encoding": {"x": x, "y": y, "text": {"field": "roof"}},
    }
    points = {
        "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
        "encoding": {
            "x": x,
            "y": y,
            **marks.by_entry(labels, [*chart_data.columns(w), *labels]),
            "tooltip": [{"field": f} for f in ("entry", "size", "x", "y")],
        },
    }
    title = (f"{w.name} ({w.dtype}): roofline", "Lines: the best that each device reached.")
    return marks.picture(title, [lines, said, points], values)
