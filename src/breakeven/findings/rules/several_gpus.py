"""Rules about work on several GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from breakeven import units
from breakeven.findings.catalogue import CATALOGUE
from breakeven.findings.rule import RunRule, Seen
from breakeven.findings.scene import Scene
from breakeven.findings.threshold import Threshold
from breakeven.model.questions import Answer
from breakeven.model.scaling import Team

SLOWER = Threshold("busiest rank over the mean", 1.10, "ratio", "gpuprof")
MUCH_SLOWER = 1.20
EXCHANGE = Threshold("exchange's share of the stretch", 0.10, "share", "torch-tb-profiler")
MUCH_EXCHANGE = 0.20
EFFICIENCY = Threshold("throughput over as many times one GPU", 0.70)
SPREAD = Threshold("spread of the GPUs' utilisation", 0.20, "share", "cane")
TAKEN = 500e6


def _unbalanced(scene: Scene) -> Iterator[Seen]:
    """One rank works while others wait, by the teams of a training."""
    for answer in _on_gpus(scene, "slow_rank", "idle_rank"):
        spread = answer.figure("busy_spread")
        value = None if spread is None else spread.value
        if value is None or value < SLOWER.value:
            continue
        planted = next((t.planted for t in _teams(scene, answer) if t.planted), None)
        said = f"The busiest of {_processes(answer)} processes works for {units.ratio(value)} the"
        said += f" mean; {answer.why}" if answer.why else " mean"
        said += f" (made so on purpose: {planted})" if planted else ""
        yield Seen(
            message=f"{said}.",
            evidence=("trial",),
            figures=(SLOWER.figure(value),),
            share=1 - 1 / value,
            subject=_subject(answer),
            severity=None if value >= MUCH_SLOWER else "info",
        )


def _apart(scene: Scene) -> Iterator[Seen]:
    """GPUs that a script uses together and that are not equally busy, by the sensors."""
    sensing = scene.record.sensing
    if scene.profiled is None or sensing is None or scene.record.teams:
        return
    by_name = {r.sensor: r for r in sensing.readings}
    before = {f"gpu{i}": g.memory_used_bytes or 0 for i, g in enumerate(scene.record.machine.gpus)}
    used = {
        name: by_name[f"{name}.utilisation_share"].mean
        for name, taken in before.items()
        if f"{name}.utilisation_share" in by_name
        and f"{name}.memory_bytes" in by_name
        and by_name[f"{name}.memory_bytes"].high - taken > TAKEN
    }
    if len(used) < 2 or max(used.values()) - min(used.values()) < SPREAD.value:
        return
    listed = ", ".join(f"{name} {units.share(value)}" for name, value in used.items())
    yield Seen(
        message=f"The GPUs that the script uses are not equally busy: {listed}.",
        evidence=("counter",),
        figures=(SPREAD.figure(max(used.values()) - min(used.values())),),
    )


def _exchange(scene: Scene) -> Iterator[Seen]:
    """Tell of an exchange of gradients that takes the time."""
    for answer in _on_gpus(scene, "exchange"):
        found = answer.figure("exposed_exchange_share") or answer.figure("exchange_share")
        if found is None or found.value is None or found.value < EXCHANGE.value:
            continue
        yield Seen(
            message=(
                f"With {_processes(answer)} processes the exchange takes "
                f"{units.share(found.value)} of the time."
            ),
            evidence=("trial",),
            figures=(EXCHANGE.figure(found.value),),
            share=found.value,
            subject=_subject(answer),
            severity=None if found.value >= MUCH_EXCHANGE else "info",
        )


def _poor(scene: Scene) -> Iterator[Seen]:
    """Several GPUs give little more than one; spoken where the whole interval says so."""
    for answer in _on_gpus(scene):
        found = answer.figure("efficiency")
        if found is None or found.value is None or found.value >= EFFICIENCY.value:
            continue
        sure = found.high is not None and found.high < EFFICIENCY.value
        yield Seen(
            message=(
                f"{_processes(answer)} GPUs give {units.share(found.value)} of as many times one."
            ),
            evidence=("trial",),
            figures=(EFFICIENCY.figure(found.value),),
            subject=_subject(answer),
            severity=None if sure else "info",
        )


def _on_gpus(scene: Scene, *words: str) -> Iterator[Answer]:
    """Yield answers about several processes that had a GPU each, one of these words if any."""
    for answer in scene.record.questions:
        if answer.question != "scaling" or (words and answer.word not in words):
            continue
        teams = _teams(scene, answer)
        several = any(len(t.ranks) > 1 for t in teams)
        if several and all(r.device.startswith("cuda") for t in teams for r in t.ranks):
            yield answer


def _teams(scene: Scene, answer: Answer) -> list[Team]:
    wanted = answer.figure("processes")
    processes = None if wanted is None else wanted.value
    return [t for t in scene.record.teams if (t.size, t.processes) == (answer.size, processes)]


def _processes(answer: Answer) -> str:
    found = answer.figure("processes")
    return "several" if found is None or found.value is None else f"{found.value:.0f}"


def _subject(answer: Answer) -> str:
    return f"{answer.workload} on {_processes(answer)} GPUs, batch {answer.size}"


SEVERAL_GPUS = (
    RunRule(CATALOGUE["BE601"], "several GPUs", _unbalanced),
    RunRule(CATALOGUE["BE601"], "several GPUs", _apart),
    RunRule(CATALOGUE["BE602"], "several GPUs", _exchange),
    RunRule(CATALOGUE["BE603"], "several GPUs", _poor),
)
