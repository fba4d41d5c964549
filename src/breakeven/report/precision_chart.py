"""The picture of time against error: one point for each entry in each precision."""

from __future__ import annotations

from breakeven.report import marks
from breakeven.report.marks import INK, Spec
from breakeven.report.view import PrecisionPoint, WorkloadPage

_SHAPES = {
    "float64": "square",
    "float32": "circle",
    "TF32": "triangle-up",
    "float16": "diamond",
    "bfloat16": "cross",
}


def spec(w: WorkloadPage) -> Spec:
    """Return the picture of a workload's precisions, both axes logarithmic; empty without any.

    Colour tells the library, shape the precision, which is written beside the point as well.
    """
    if not w.precisions:
        return {}
    values = [_value(p) for p in w.precisions]
    families = list(dict.fromkeys(p.family for p in w.precisions))
    kinds = [k for k in _SHAPES if any(p.precision == k for p in w.precisions)]
    shared: Spec = {
        "x": _across(
            marks.log_axis(
                "error",
                "error relative to float64 (left is better)",
                # Room for the words at both ends.
                [{"low": p.error / 3, "high": 3 * p.error} for p in w.precisions],
                "format(datum.value, '.0e')",
            )
        ),
        "y": marks.log_axis(
            "seconds",
            "time of one call, data on the device",
            [{"low": p.seconds, "high": 1.2 * p.seconds} for p in w.precisions],
            "format(datum.value, '~s') + 's'",
        ),
    }
    points: Spec = {
        "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
        "encoding": {
            "color": {
                "field": "entry", "type": "nominal", "title": None,
                "scale": {"domain": families, "range": marks.colours(len(families))},
                "legend": {"columns": 2, "labelLimit": 150, "symbolType": "circle"},
            },
            "shape": {
                "field": "precision", "type": "nominal", "title": None,
                "scale": {"domain": kinds, "range": [_SHAPES[k] for k in kinds]},
                "legend": {"columns": 5, "symbolFillColor": INK, "symbolStrokeColor": INK},
            },
            "tooltip": [{"field": f} for f in ("entry", "precision", "shown", "error", "class")],
        },
    }  # fmt: skip
    words: Spec = {
        "mark": {"type": "text", "color": INK, "fontSize": 10, "dy": -11},
        "encoding": {"text": {"field": "precision"}},
    }
    size = w.precisions[0].size
    title = (f"{w.name}: time against error", f"{w.axis} = {size}, one point an entry.")
    return marks.picture(title, [{"encoding": shared, "layer": [points, words]}], values)


def _value(p: PrecisionPoint) -> Spec:
    return {
        "entry": p.family, "precision": p.precision, "error": p.error, "seconds": p.seconds,
        "shown": p.text, "class": p.class_,
    }  # fmt: skip


def _across(axis: Spec) -> Spec:
    """Return an axis over many decades with labels that leave each other room."""
    return axis | {"axis": axis["axis"] | {"labelOverlap": "greedy", "labelSeparation": 6}}
