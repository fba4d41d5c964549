"""The tables about a timeline: what sensors read, energy, what is absent."""

from __future__ import annotations

from breakeven import units
from breakeven.model.quantities import Quantity, device_name, gpu_index, is_core, quantity
from breakeven.model.sensing import Reading, Sensing
from breakeven.report.view import Table

METHODS = {
    "counter": "the driver's energy counter",
    "integrated": "power over time",
    "powercap": "the processor's energy counter",
}


def tables(sensing: Sensing) -> tuple[Table, ...]:
    """Return what sensors read, energy and what is absent; a table may have no rows."""
    return (_readings(sensing), _energies(sensing), _absent(sensing))


def _readings(sensing: Sensing) -> Table:
    """Return mean, least and greatest of every sensor; cores are told together elsewhere."""
    kept = [(quantity(r.sensor), r) for r in sensing.readings]
    kept = [(q, r) for q, r in kept if not is_core(q.device)]
    kept.sort(key=lambda pair: _order(pair[0]))
    return Table(
        title="What the sensors read",
        caption="Over the whole time: mean, least and greatest sample.",
        columns=("what", "mean", "least", "most"),
        numeric=(False, True, True, True),
        rows=tuple((_what(q), *_figures(q, r)) for q, r in kept),
    )


def _order(about: Quantity) -> tuple[int, int]:
    index = gpu_index(about.device)
    ranks = {"tree": 0, "cpu": 1, "host": 2}
    return (3, index) if index is not None else (ranks.get(about.device, 4), 0)


def _what(about: Quantity) -> str:
    device = "watched" if about.device == "tree" else device_name(about.device)
    return f"{device}: {about.name}"


def _figures(about: Quantity, r: Reading) -> tuple[str, str, str]:
    def text(value: float) -> str:
        if about.unit == "MiB":
            return units.size_bytes(value)
        if about.unit == "%":
            return units.share(value)
        return f"{units.significant(value * about.scale)} {about.unit}".rstrip()

    return (text(r.mean), text(r.low), text(r.high))


def _energies(sensing: Sensing) -> Table:
    def shown(value: float | None, text: object = units.joules) -> str:
        return "-" if value is None else text(value)  # type: ignore[operator]

    rows = tuple(
        (
            device_name(e.device), shown(e.gross_j), shown(e.uncertainty_j), shown(e.net_j),
            shown(e.idle_w, units.watts), shown(e.integrated_j), units.seconds(e.window_s),
            shown(e.update_period_s, units.seconds), e.why or METHODS.get(e.method or "", "-"),
        )
        for e in sensing.energies
    )  # fmt: skip
    return Table(
        title="Energy",
        caption="Gross is what the meter saw; 'open' is what its steps leave open at both ends.",
        columns=("device", "gross", "open", "net", "idle", "by power", "window", "meter's step",
                 "method, or why not"),
        numeric=(False, True, True, True, True, True, True, True, False),
        rows=rows,
    )  # fmt: skip


def _absent(sensing: Sensing) -> Table:
    return Table(
        title="What was not to be read",
        caption="A sensor that is missing is no zero: why, and how to get it.",
        columns=("sensor", "from", "why", "how to get it"),
        numeric=(False, False, False, False),
        rows=tuple(
            (
                a.sensor, "the start" if a.since_s is None else units.seconds(a.since_s), a.why,
                a.fix or "-",
            )
            for a in sensing.absent
        ),
    )  # fmt: skip
