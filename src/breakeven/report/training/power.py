"""RQ3 in words: power, temperature, what held the clocks down, and energy."""

from __future__ import annotations

from breakeven import units
from breakeven.model.questions import Answer, Quantity
from breakeven.report import names
from breakeven.report.evidence import NONE
from breakeven.report.training import figures, phrases
from breakeven.report.training.told import Told


def sentence(told: Told) -> str:
    """Return power and heat of both sides, then what that makes of the energy."""
    gpu, cpu = told.gpu, told.cpu(told.size)
    heat = [_heat(told, entry) for entry in told.sides(told.size)]
    pair = None if gpu is None else told.answer("power", gpu, told.size, cpu)
    energy = [p for p in (_cpu_energy(told, cpu), _energy(told, pair)) if p]
    first = phrases.at_batch(told.size, [p for p in heat if p])
    return " ".join(s for s in (first, phrases.sentence(", ".join(energy))) if s)


def nothing(told: Told) -> str | None:
    """Return one line where no sensor was there to read; None where any was."""
    for entry in told.sides(told.size):
        found = told.answer("power", entry, told.size)
        if found is not None and any(q.value is not None for q in found.figures):
            return None
    return "neither power nor temperature nor energy could be read here (the report says why)."


def _cpu_energy(told: Told, cpu: str | None) -> str:
    """Return the energy of the CPU on the CPU run; why there is none is the same on both."""
    found = None if cpu is None else told.answer("power", cpu, told.size)
    if found is None:
        return ""
    said = _joules(told, found, "cpu")
    return (
        f"{said[0]} with {told.label(cpu or '')}"
        if said and "not" not in said[0]
        else "".join(said)
    )


def _heat(told: Told, entry: str) -> str:
    found = told.answer("power", entry, told.size)
    if found is None:
        return ""
    said = []
    power = found.figure("power")
    if power is not None:
        said.append(_power_of(found, power))
    warm = _warmth(found)
    if warm:
        said.append(warm)
    held = _held(found)
    if held:
        said.append(held)
    said += _joules(told, found, "gpu")
    return f"{told.label(entry)}: {', '.join(said)}" if said else ""


def _power_of(found: Answer, power: Quantity) -> str:
    if power.value is None:
        return f"power not read ({figures.reason(power)})"
    limit = found.figure("power_of_limit")
    of = "" if limit is None else f" ({figures.short(limit)} of its limit)"
    start, end = found.figure("power_start"), found.figure("power_end")
    span = "" if NONE in {figures.short(start), figures.short(end)} else (
        f", {figures.short(start)} at the start and {figures.short(end)} at the end"
    )  # fmt: skip
    return f"{figures.shown(power)}{of}{span}"


def _warmth(found: Answer) -> str:
    start, end = found.figure("temperature_start"), found.figure("temperature_end")
    if start is None or start.value is None or end is None:
        said = figures.reason(start)
        return f"temperature not read ({said})" if said else ""
    word = {None: "", "undecided": ", not told whether steady"}.get(found.word, f", {found.word}")
    return f"{figures.short(start)} to {figures.shown(end)}{word}"


def _held(found: Answer) -> str:
    held = found.figure("held")
    if held is None or held.value is None:
        return ""
    if held.value == 0:
        return "clocks held by nothing"
    kinds = [f for f in found.figures if f.name.startswith("held_")]
    reasons = names.joined([f"{names.word(f.name.removeprefix('held_'))} {figures.short(f)}"
                            for f in kinds])  # fmt: skip
    of = "readings after slots" if held.method and "slots" in held.method else "samples"
    return f"clocks held in {figures.short(held)} of the {of} ({reasons})"


def _joules(told: Told, found: Answer, kind: str) -> list[str]:
    """Return energy of a thousand samples, gross and net; why there is none, once a device."""
    gross = found.figure(f"{kind}_energy")
    if gross is None:
        return []
    device = "" if kind == "gpu" else "the CPU's energy was "
    if gross.value is None:
        return [f"{device or 'energy was '}not measured ({figures.why(gross)})"]
    net, unsure = found.figure(f"{kind}_energy_net"), found.figure(f"{kind}_energy_unsure")
    parts = [figures.shown(gross), f"a thousand {told.things}"]
    beside = [f"net of idle {figures.shown(net)}"] if net is not None and net.value else []
    beside.append(f"by {gross.method}" if gross.method else "")
    if unsure is not None and unsure.value is not None:
        beside.append(f"meter good to {figures.short(unsure)}")
    return [f"{device}{' '.join(parts)} ({', '.join(b for b in beside if b)})"]


def _energy(told: Told, found: Answer | None) -> str:
    """Return which side needs less energy, or the break-even statement."""
    if found is None or found.word is None:
        return ""
    ratio = found.figure("energy_ratio")
    gpu, cpu = told.label(found.entry or ""), told.label(found.base or "")
    if ratio is not None:
        said = {"less": "less energy than", "more": "more energy than",
                "alike": "as much energy as"}.get(found.word)  # fmt: skip
        if said is None:
            return f"which run needs less energy is not settled ({figures.ratio(ratio)})"
        return f"the {gpu} run needs {said} the {cpu} run: {figures.ratio(ratio)}"
    host, part = found.figure("host_power"), found.figure("host_share")
    if host is None or part is None or part.value is None:
        return ""
    said = (
        f"so no energy verdict: the {cpu} run needs less only while the host draws under "
        f"{figures.shown(host)} on average, plus {units.share(part.value)} of what it drew in the "
        f"{gpu} run"
    )
    same = found.figure("same_host_power")
    return (
        said if same is None else f"{said}; under {figures.shown(same)} if it draws alike in both"
    )
