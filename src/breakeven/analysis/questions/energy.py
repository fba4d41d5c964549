"""RQ3, the energy: joules a step and a thousand samples; which side needs less, or when."""

from __future__ import annotations

import math

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
        why = "no idle stretch was recorded before it"
        found.append(quantities.missing(f"{name}_energy_net", "J", why))
    unsure = by_round(study, lambda s: _unsure(_energy(s, device)))
    if unsure:
        found.append(quantities.mean(f"{name}_energy_unsure", "share", unsure, method=method))
    apart = by_round(study, lambda s: _beside(_energy(s, device)))
    if apart:
        found.append(quantities.mean(f"{name}_energy_beside", "1", apart, method="integrated"))
    return found


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
    def answer(
        quantities_: tuple[Quantity, ...] = (),
        said: AnswerWord | None = None,
        why: str | None = None,
    ) -> Answer:
        return Answer(
            question="power",
            workload=ours.workload,
            entry=ours.entry,
            size=ours.size,
            base=theirs.entry,
            word=said,
            figures=quantities_,
            why=why,
        )

    gpu = subjects.gpu(ours.entry) or ""
    on_gpu = _per(ours, gpu, "gross_j", samples=True)
    if not on_gpu:
        return answer(why=_lacking(subjects, ours, "gpu", gpu).why)
    beside = _per(ours, "cpu", "gross_j", samples=True)
    on_cpu = _per(theirs, "cpu", "gross_j", samples=True)
    both = sorted(on_gpu.keys() & beside.keys() & on_cpu.keys())
    if both:
        return answer(*_verdict([math.log(on_cpu[r] / (on_gpu[r] + beside[r])) for r in both]))
    lacking = on_cpu or beside
    why = _lacking(subjects, ours if lacking and not beside else theirs, "cpu", "cpu").why
    return answer(_break_even(ours, theirs, on_gpu), "break_even", why)


def _verdict(logs: list[float]) -> tuple[tuple[Quantity, ...], AnswerWord, str | None]:
    """Return energy of the base over that of the entry, with the word that verdicts go by."""
    seen = interval(logs)
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
    return (ratio,), _WORDS.get(word(seen, SAME), "undecided"), None


def _break_even(ours: Study, theirs: Study, joules: ByRound) -> tuple[Quantity, ...]:
    """Return from which mean power of the host on the CPU run needs more energy than the GPU run.

    With a thousand samples on either side: the CPU run wins while P_c t_c < E_g + P_h t_g, so while
    the host draws less than E_g / t_c, plus the share t_g / t_c of what it drew in the GPU run.
    """
    here, there = _seconds(ours), _seconds(theirs)
    shared = sorted(joules.keys() & here.keys() & there.keys())
    if not shared:
        return ()
    power = {r: joules[r] / there[r] for r in shared}
    share = {r: here[r] / there[r] for r in shared}
    return (
        quantities.mean("gpu_energy", "J", {r: joules[r] for r in shared}),
        quantities.geometric("gpu_seconds", "s", {r: here[r] for r in shared}),
        quantities.geometric("cpu_seconds", "s", {r: there[r] for r in shared}),
        quantities.geometric("host_power", "W", power),
        quantities.geometric("host_share", "1", share),
    )


def _seconds(study: Study) -> ByRound:
    return by_round(study, lambda s: SAMPLES / s.samples_per_s)
