"""Pictures of a timeline: what each sensor read, with what went on shaded behind it."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven.model.sensing import Mark, Sensing
from breakeven.model.timeline import Series
from breakeven.report import marks, timeline_data
from breakeven.report.marks import INK, Spec
from breakeven.report.timeline_data import Line

_HEIGHT, _SHEET_WIDTH = 170, 680
_GIB = 2.0**30
# A line keeps its pattern beside its colour: no difference hangs on colour alone.
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [10, 4], [1, 3], [4, 1], [12, 2, 2, 2])
_SHADES = {"idle": "#999999", "steps": "#009E73", "trace": "#CC79A7", "epochs": "#56B4E9",
           "phase": "#E69F00"}  # fmt: skip
# A band narrower than this share of the picture is told by its tooltip alone.
_LABEL_FROM, _MOST_ROWS, _ROOM = 0.07, 3, 560


def specs(timeline: Sequence[Series], sensing: Sensing | None) -> dict[str, Spec]:
    """Return the Vega-Lite specifications of a timeline's pictures, by name.

    Names are ``timeline-cpu``, ``timeline-gpu``, ``timeline-power``, ``timeline-temperature``,
    ``timeline-clock``, ``timeline-gpu-memory``, ``timeline-memory`` and ``timeline-link``; a
    picture without a reading is left out.

    Parameters
    ----------
    timeline : sequence of Series
        Of one run, on its clock.
    sensing : Sensing or None
        Its marks are shaded; the whole of a watched command is not, as it is the whole picture.
    """
    of_gpus = timeline_data.of_gpus
    wanted = (
        ("cpu", "CPU cores busy", "cores", timeline_data.cpu(timeline)),
        ("gpu", "GPU busy", "% of the time", of_gpus(timeline, "utilisation_share", 100.0)),
        ("power", "Power", "W", timeline_data.power(timeline)),
        ("temperature", "Temperature", "°C", timeline_data.temperature(timeline)),
        ("clock", "SM clock", "MHz", of_gpus(timeline, "sm_clock_mhz")),
        ("gpu-memory", "GPU memory in use", "GiB", of_gpus(timeline, "memory_bytes", 1 / _GIB)),
        ("memory", "Host memory in use", "GiB", timeline_data.memory(timeline)),
        ("link", "Bytes over the link", "GB/s", timeline_data.link(timeline)),
    )
    span = _span([line for _, _, _, lines in wanted for line in lines], sensing)
    return {
        f"timeline-{name}": _picture(title, unit, lines, span, sensing)
        for name, title, unit, lines in wanted
        if lines
    }


def sheet(timeline: Sequence[Series], sensing: Sensing | None) -> Spec:
    """Return all pictures of a timeline as one, under each other; empty without a reading."""
    found = list(specs(timeline, sensing).values())
    if not found:
        return {}
    config = found[0]["config"]
    apart = [
        {k: v for k, v in spec.items() if k not in {"config", "autosize", "background"}}
        | {"width": _SHEET_WIDTH}
        for spec in found
    ]
    return {"vconcat": apart, "config": config, "resolve": {"scale": {
        "color": "independent", "strokeDash": "independent", "fill": "independent"}}}  # fmt: skip


def _span(lines: Sequence[Line], sensing: Sensing | None) -> tuple[float, float]:
    """Return the stretch of time that all pictures show: of a watched command, its own."""
    if sensing is not None and sensing.watched is not None and sensing.watched.wall_s > 0:
        return (0.0, sensing.watched.wall_s)
    begin = min((line.series.t_s[0] for line in lines), default=0.0)
    end = max((line.series.t_s[-1] for line in lines), default=1.0)
    # One reading alone is no stretch.
    return (begin, max(end, begin + 1e-3))


def _picture(
    title: str,
    unit: str,
    lines: Sequence[Line],
    span: tuple[float, float],
    sensing: Sensing | None,
) -> Spec:
    begin, end = span
    per_unit_s, said = _unit(end - begin)
    banded = timeline_data.banded(lines)
    subtitle = "Shaded: least to greatest of merged samples." if banded else "Every sample."
    shades = _shades(_shown(sensing, begin, end), begin, end, per_unit_s)
    values = timeline_data.points(lines, per_unit_s)
    body = _drawn(unit, lines, (begin / per_unit_s, end / per_unit_s), said)
    # Degrees begin anywhere; of all else, nothing is a line of its own.
    zero = unit != "°C"
    scale: Spec = {"zero": zero}
    if len(shades) > 1:
        # The words of the shades stand above the lines.
        tops = [v for p in values for v in (p["value"], p.get("high")) if v is not None]
        scale["domainMax"] = _short(max(tops) + 0.15 * (max(tops) - (0 if zero else min(tops))))
    body["layer"][-1]["encoding"]["y"]["scale"] = scale
    return marks.picture((title, subtitle), [*shades, body], values, height=_HEIGHT)


def _drawn(unit: str, lines: Sequence[Line], span: tuple[float, float], said: str) -> Spec:
    labels = [line.label for line in lines]
    colours = {"domain": labels, "range": marks.colours(len(labels))}
    dashes = {"domain": labels, "range": [_DASHES[i % len(_DASHES)] for i in range(len(labels))]}
    legend = {"columns": 4, "labelLimit": 150, "symbolType": "stroke", "symbolSize": 300,
              "symbolOpacity": 1}  # fmt: skip
    shown = legend if len(labels) > 1 else None
    tooltip = [{"field": "line"}, {"field": "t", "title": said}, {"field": "value", "title": unit}]
    colour = {"field": "line", "type": "nominal", "title": None, "scale": colours, "legend": shown}
    # Ends are given: without them, rounded ends would leave a fifth of the picture empty.
    x = {"field": "t", "type": "quantitative", "title": f"{said} since the start",
         "scale": {"domain": [round(s, 6) for s in span], "nice": False},
         "axis": {"tickCount": 8}}  # fmt: skip
    layers: list[Spec] = []
    if timeline_data.banded(lines):
        layers.append({
            "mark": {"type": "area", "opacity": 0.22, "clip": True},
            "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}},
        })  # fmt: skip
    layers.append({
        "mark": {"type": "line", "strokeWidth": 1.5, "clip": True},
        "encoding": {
            "y": {"field": "value", "type": "quantitative", "title": unit,
                  "axis": {"tickCount": 5}},
            "strokeDash": {"field": "line", "type": "nominal", "title": None, "scale": dashes,
                           "legend": shown},
            "tooltip": tooltip,
        },
    })  # fmt: skip
    return {"encoding": {"x": x, "color": colour}, "layer": layers}


def _short(value: float) -> float:
    return float(f"{value:.6g}")


def _unit(span_s: float) -> tuple[float, str]:
    if span_s >= 3 * 3600:
        return 3600.0, "hours"
    return (60.0, "minutes") if span_s >= 600 else (1.0, "seconds")


def _shown(sensing: Sensing | None, begin: float, end: float) -> list[Mark]:
    found = sensing.marks if sensing is not None else ()
    return [m for m in found if m.kind != "command" and m.end_s > begin and m.begin_s < end]


def _shades(found: Sequence[Mark], begin: float, end: float, per_unit_s: float) -> list[Spec]:
    """Return what went on as bands behind the lines; wide ones say what it was."""
    if not found:
        return []
    kinds = list(dict.fromkeys(m.kind for m in found))
    scale = {"domain": kinds, "range": [_SHADES.get(k, "#999999") for k in kinds]}
    values: list[Spec] = []
    rows: list[float] = []
    for m in sorted(found, key=lambda m: (m.begin_s, -m.end_s)):
        low, high = max(m.begin_s, begin), min(m.end_s, end)
        share = (high - low) / (end - begin)
        # Words stand below those of a band that they would run into.
        row = next((i for i, until in enumerate(rows) if until <= low), len(rows))
        wide = share >= _LABEL_FROM and row < _MOST_ROWS
        if wide:
            rows[row : row + 1] = [high]
        values.append({
            "from": round(low / per_unit_s, 6), "to": round(high / per_unit_s, 6),
            "kind": m.kind, "what": m.label, "say": m.label if wide else "",
            "row": 3 + 12 * row, "room": round(share * _ROOM),
        })  # fmt: skip
    band: Spec = {
        "data": {"values": values},
        "mark": {"type": "rect", "opacity": 0.16},
        "encoding": {
            "x": {"field": "from", "type": "quantitative"}, "x2": {"field": "to"},
            "fill": {"field": "kind", "type": "nominal", "title": None, "scale": scale,
                     "legend": {"columns": 6, "symbolType": "square"}},
            "tooltip": [{"field": "what"}, {"field": "from"}, {"field": "to"}],
        },
    }  # fmt: skip
    words: Spec = {
        "data": {"values": [v for v in values if v["say"]]},
        "mark": {"type": "text", "align": "left", "baseline": "top", "dx": 3, "fontSize": 10,
                 "color": INK, "limit": {"expr": "datum.room"}, "clip": True},
        "encoding": {"x": {"field": "from", "type": "quantitative"},
                     "y": {"field": "row", "type": "quantitative", "scale": None},
                     "text": {"field": "say"}},
    }  # fmt: skip
    return [band, words] if words["data"]["values"] else [band]
