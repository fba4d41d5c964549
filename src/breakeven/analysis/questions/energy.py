"""RQ3, the energy: joules a step and a thousand samples; which side needs less, or when."""

from __future__ import annotations

import math
from collections.abc import Mapping

from breakeven.analysis.energy_rule import (
    CPU,
    EnergyBreakEven,
    EnergyVerdict,
    Side,
    compare_energy,
)
from breakeven.analysis.energy_rule import Answer as EnergyAnswer
from breakeven.analysis.questions import quantities
from breakeven.analysis.questions.subjects import (
    NO_STRETCH,
    ByRound,
    Subjects,
    by_round,
    stretches,
)
from breakeven.analysis.rule import word
from breakeven.model.questions import Answer, AnswerWord, Quantity
from breakeven.model.sensing import Energy
from breakeven.model.study import Stretch, Study
from breakeven.stats.intervals import LOOKS, SAME, interval

SAMPLES = 1000
"""Samples that an energy is told for."""

_WORDS: dict[str, AnswerWord] = {"faster": "less", "slower": "more", "equivalent": "alike"}
_NO_ROUND = "no round ran both sides without a pause"
_NO_IDLE = "no idle stretch was recorded before it"
_NOT_MEASURED = "no meter was read in a stretch of steps"


def figures(subjects: Subjects, study: Study) -> list[Quantity]:
    """Return the energy of the GPU and of the CPU a step and a thousand samples, gross and net.

    A device without a figure has one quantity that says why.
    """
    gpu = subjects.gpu(study.entry)
    devices = [("gpu", gpu)] if gpu is not None else []
    return [
        quantity
        for name, device in [*devices, ("cpu", "cpu")]
        for quantity in _device(subjects, study, name, device)
    ]


def _device(subjects: Subjects, study: Study, name: str, device: str) -> list[Quantity]:
    gross = _per(study, device, "gross_j", samples=True)
    if not gross:
        return [_lacking(subjects, study, name, device)]
    method = next(e.method for s in stretches(study) if (e := _energy(s, device)) and e.method)
    found = [
        quantities.mean(f"{name}_energy_step", "J", _per(study, device, "gross_j", samples=False),
                        method=method),
        quantities.mean(f"{name}_energy", "J", gross, method=method),
    ]  # fmt: skip
    net = _per(study, device, "net_j", samples=True)
    if net:
        found.append(quantities.mean(f"{name}_energy_net", "J", net, method=method))
    else:
        found.append(quantities.missing(f"{name}_energy_net", "J", _no_net(study, device)))
    unsure = by_round(study, lambda s: _unsure(_energy(s, device)))
    if unsure:
        found.append(quantities.mean(f"{name}_energy_unsure", "share", unsure, method=method))
    apart = by_round(study, lambda s: _beside(_energy(s, device)))
    if apart:
        found.append(quantities.mean(f"{name}_energy_beside", "1", apart, method="integrated"))
    return found


def _no_net(study: Study, device: str) -> str:
    """Return why nothing was taken off: what was said of the first stretch that has a figure."""
    told = (_energy(s, device) for s in stretches(study))
    said = (e.why for e in told if e is not None and e.gross_j is not None)
    return next((why for why in said if why is not None), _NO_IDLE)


def _energy(stretch: Stretch, device: str) -> Energy | None:
    return next((e for e in stretch.energies if e.device == device), None)


def _per(study: Study, device: str, field: str, *, samples: bool) -> ByRound:
    """Return joules by round: for a thousand samples, or for a step.

    A meter is read at its own changes, so its window is a little shorter than the stretch: what it
    saw there is taken for the whole.
    """

    def value(stretch: Stretch) -> float | None:
        energy = _energy(stretch, device)
        joules = None if energy is None else getattr(energy, field)
        if energy is None or joules is None or energy.window_s <= 0:
            return None
        whole = joules * (stretch.end_s - stretch.begin_s) / energy.window_s
        return float(whole * SAMPLES / stretch.samples if samples else whole / stretch.steps)

    return by_round(study, value)


def _unsure(energy: Energy | None) -> float | None:
    """Return the half-width of what the meter's steps leave open, as a share of the figure."""
    if energy is None or energy.uncertainty_j is None or not energy.gross_j:
        return None
    return energy.uncertainty_j / energy.gross_j


def _beside(energy: Energy | None) -> float | None:
    """Return the integrated power over what the counter says of the same window."""
    if energy is None or energy.integrated_j is None or not energy.gross_j:
        return None
    return energy.integrated_j / energy.gross_j


def _lacking(subjects: Subjects, study: Study, name: str, device: str) -> Quantity:
    title = f"{name}_energy"
    for stretch in stretches(study):
        energy = _energy(stretch, device)
        if energy is not None and energy.why is not None:
            return quantities.missing(title, "J", energy.why, energy.fix)
    absent = subjects.absent(f"{device}.energy_j")
    if absent is not None:
        return quantities.missing(title, "J", absent.why, absent.fix)
    why = _NOT_MEASURED if study.stretches else study.why or NO_STRETCH
    return quantities.missing(title, "J", why)


def comparisons(subjects: Subjects, workload: str) -> list[Answer]:
    """Return each GPU entry against the best CPU entry: less energy, or from which power on.

    A verdict needs the CPU's meter on both sides; without it the break-even statement stands.
    """
    found = []
    for entry in subjects.entries(workload):
        if subjects.gpu(entry) is None:
            continue
        for size in subjects.sizes(workload, entry):
            base = subjects.base(workload, size)
            if base is not None:
                ours, theirs = (subjects.study(workload, size, e) for e in (entry, base))
                found.append(_compared(subjects, ours, theirs))
    return found


def _compared(subjects: Subjects, ours: Study, theirs: Study) -> Answer:
    """Return what each round says of both sides, put together over the rounds."""
    gpu = subjects.gpu(ours.entry) or ""
    rounds = _by_round(ours, theirs, gpu)
    metered = [a for a in rounds.values() if isinstance(a, EnergyVerdict)]
    evens = {r: a for r, a in rounds.items() if isinstance(a, EnergyBreakEven)}
    figures_: tuple[Quantity, ...] = ()
    said: AnswerWord | None = None
    if metered:
        figures_, said, why = _verdict(metered)
    elif evens:
        figures_, said = _break_even(evens), "break_even"
        # The CPU's own words, where they were kept, say more than that it was not measured.
        why = _lacking(subjects, theirs, "cpu", "cpu").why
    elif rounds:
        why = _lacking(subjects, ours, "gpu", gpu).why
    else:
        why = _NO_ROUND
    return Answer(
        question="power",
        workload=ours.workload,
        entry=ours.entry,
        size=ours.size,
        base=theirs.entry,
        word=said,
        figures=figures_,
        why=why,
    )


def _by_round(ours: Study, theirs: Study, gpu: str) -> dict[int, EnergyAnswer]:
    """Return the comparison of a thousand samples on either side, in each round that has both."""
    here, there = ({s.round: s for s in stretches(study)} for study in (ours, theirs))

    def side(stretch: Stretch, devices: set[str]) -> Side:
        kept = tuple(e for e in stretch.energies if e.device in devices)
        return Side(seconds=SAMPLES / stretch.samples_per_s, energies=kept)

    return {
        r: compare_energy(cpu=side(there[r], {CPU}), gpu=side(here[r], {gpu, CPU}))
        for r in sorted(here.keys() & there.keys())
    }


def _verdict(metered: list[EnergyVerdict]) -> tuple[tuple[Quantity, ...], AnswerWord, str | None]:
    """Return energy of the base over that of the entry, with the word that verdicts go by.

    What a meter leaves open is the same in every round, and more rounds do not narrow it: where
    it could turn the word of one of them, nobody is named.
    """
    seen = interval([math.log(a.ratio) for a in metered])
    ratio = Quantity(
        name="energy_ratio",
        unit="1",
        value=math.exp(seen.mean),
        low=math.exp(seen.low),
        high=math.exp(seen.high),
        n=seen.n,
    )
    if seen.n < LOOKS[0]:
        return (ratio,), "undecided", f"fewer than {LOOKS[0]} rounds"
    said = _WORDS.get(word(seen, SAME), "undecided")
    if said in {"less", "more"} and any(a.word == "too_close" for a in metered):
        return (ratio,), "undecided", "what the meters leave open at their ends could turn it"
    return (ratio,), said, None


def _break_even(evens: Mapping[int, EnergyBreakEven]) -> tuple[Quantity, ...]:
    """Return below which mean power of the host the CPU run needs less energy than the GPU run."""
    same = {r: e.same_host_w for r, e in evens.items() if e.same_host_w is not None}
    found = [
        quantities.mean("gpu_energy", "J", {r: e.gpu_j for r, e in evens.items()}),
        quantities.geometric("gpu_seconds", "s", {r: e.gpu_s for r, e in evens.items()}),
        quantities.geometric("cpu_seconds", "s", {r: e.cpu_s for r, e in evens.items()}),
        quantities.geometric("host_power", "W", {r: e.watts for r, e in evens.items()}),
        quantities.geometric("host_share", "1", {r: e.share for r, e in evens.items()}),
    ]
    if len(same) == len(evens):
        found.append(quantities.geometric("same_host_power", "W", same))
    return tuple(found)
