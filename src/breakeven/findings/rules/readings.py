"""Rules about readings of energy and utilisation."""

from __future__ import annotations

from collections.abc import Iterator

from breakeven import units
from breakeven.findings.catalogue import CATALOGUE
from breakeven.findings.rule import RunRule, Seen
from breakeven.findings.scene import Scene
from breakeven.findings.threshold import Threshold, figure
from breakeven.model.sensing import Energy, Reading

PERIODS = Threshold("window over the meter's period", 20, "ratio", "10 % at both ends")
USED = Threshold("utilisation", 0.80)
FEW_LOOKS = 3
WEAK = Threshold("power over the limit", 0.50)


def _short(scene: Scene) -> Iterator[Seen]:
    """Tell of an energy whose window holds few periods of its meter."""
    if scene.profiled is None and not scene.record.studies:
        return
    short = [e for e in _energies(scene) if _periods(e) < PERIODS.value]
    if not short:
        return
    worst = min(short, key=_periods)
    yield Seen(
        message=(
            f"Energy of {worst.device} was read over {units.seconds(worst.window_s)}, its meter "
            f"moves every {units.seconds(worst.update_period_s or 0.0)}."
        ),
        evidence=("counter",),
        figures=(PERIODS.figure(_periods(worst)),),
        severity="info",
    )


def _energies(scene: Scene) -> list[Energy]:
    found = [e for study in scene.record.studies for s in study.stretches for e in s.energies]
    if scene.record.sensing is not None:
        found += scene.record.sensing.energies
    return [e for e in found if e.gross_j is not None and e.update_period_s]


def _periods(energy: Energy) -> float:
    return energy.window_s / (energy.update_period_s or energy.window_s)


def _misread(scene: Scene) -> Iterator[Seen]:
    """Utilisation reads high while the card draws little: something ran, but little of it."""
    for subject, readings in _stretches(scene):
        for gpu, limit in _limits(scene).items():
            used, power = readings.get(f"{gpu}.utilisation_share"), readings.get(f"{gpu}.power_w")
            if used is None or power is None or used.mean < USED.value or not limit:
                continue
            share = power.mean / limit
            if share >= WEAK.value:
                continue
            yield Seen(
                message=(
                    f"{gpu} reads {units.share(used.mean)} utilisation at {units.share(share)} of "
                    "its power limit: something always runs, but it does not fill the card."
                ),
                evidence=("counter",),
                figures=(
                    USED.figure(used.mean),
                    WEAK.figure(share),
                    figure("power", power.mean, "w"),
                ),
                subject=subject,
            )
            return


def _stretches(scene: Scene) -> Iterator[tuple[str | None, dict[str, Reading]]]:
    """Yield whose readings they are, with the readings."""
    for study in scene.record.studies:
        for stretch in study.stretches[-1:]:
            named = f"{study.workload} on {study.entry}, batch {study.size}"
            yield named, {r.sensor: r for r in stretch.readings}
    if scene.profiled is not None and scene.record.sensing is not None:
        yield None, {r.sensor: r for r in scene.record.sensing.readings}


def _limits(scene: Scene) -> dict[str, float | None]:
    return {f"gpu{i}": g.power_limit_w for i, g in enumerate(scene.record.machine.gpus)}


def _one_look(scene: Scene) -> Iterator[Seen]:
    """Tell of power that was asked once or few times; the source shows what became of it."""
    seen = scene.profiled
    if seen is None:
        return
    for site in seen.sites:
        name = (site.name or "").lower()
        asked = ("nvidia-smi" in name and "power" in name) or "powerusage" in name
        if asked and site.calls <= FEW_LOOKS:
            yield Seen(
                message=(
                    f"Line {site.location.line} asks for the power {site.calls} times in "
                    f"{units.seconds(seen.wall_s)}."
                ),
                evidence=("counter",),
                figures=(figure("looks at the power", site.calls, "count"),),
                location=site.location,
            )


READINGS = (
    RunRule(CATALOGUE["BE701"], "wrong measurement", _one_look),
    RunRule(CATALOGUE["BE702"], "wrong measurement", _short),
    RunRule(CATALOGUE["BE703"], "kernels", _misread),
)
