"""The five questions, each answered with one sentence of figures and intervals."""

from __future__ import annotations

from breakeven import units
from breakeven.model.questions import Answer, Quantity
from breakeven.report import names
from breakeven.report.evidence import NONE
from breakeven.report.training import figures, several, theirs
from breakeven.report.training.told import Told
from breakeven.report.training.view import Reply

TITLES = {
    "RQ1": "How busy are the GPU and the CPU?",
    "RQ2": "What does the batch size do to memory, utilisation and throughput?",
    "RQ3": "How do power and temperature move?",
    "RQ4": "How much does the time differ, and the accuracy?",
    "RQ5": "How fast is inference?",
    "GPUs": "What do several processes bring?",
}


def replies(told: Told) -> tuple[Reply, ...]:
    """Return the questions that this run has something to say to, in their order."""
    texts = {
        "RQ1": _utilisation(told),
        "RQ2": _batch(told),
        "RQ3": _power(told),
        "RQ4": _time(told) if told.trains else "",
        "RQ5": "" if told.trains else _inference(told),
        "GPUs": several.sentence(told),
    }
    return tuple(
        Reply(label=label, title=TITLES[label], text=text, theirs=theirs.FOUND[label])
        for label, text in texts.items()
        if text
    )


def _utilisation(told: Told) -> str:
    parts = []
    usable = told.evidence.record.machine.cpu.cores_usable
    for entry in told.sides(told.size):
        found = told.answer("utilisation", entry, told.size)
        if found is None:
            continue
        cores = found.figure("cpu_cores")
        used = (
            f"{figures.shown(cores)} of {usable} cores"
            if cores is not None and cores.value is not None
            else f"cores not read ({figures.why(cores)})"
        )
        who = told.label(entry)
        parts.append(
            f"with {who} {_gpu(found)}, beside {used}"
            if told.evidence.on_gpu(entry)
            else f"{who} used {used}"
        )
    return _at_batch(told, parts)


def _gpu(found: Answer) -> str:
    """Return the driver's share with the trace's, each named for what it is."""
    share, busy = found.figure("gpu_utilisation"), found.figure("gpu_busy")
    said = (
        f"a kernel ran {figures.shown(share)} of the time"
        if share is not None and share.value is not None
        else f"the driver's utilisation is unknown ({figures.why(share)})"
    )
    if busy is not None and busy.value is not None:
        said += f" (of a trace the device was busy {figures.short(busy)})"
    return said


def _batch(told: Told) -> str:
    return _sentence("; ".join(_curve(told, entry) for entry in told.sides(told.size)))


def _curve(told: Told, entry: str) -> str:
    """Return where throughput stops growing, then memory and utilisation from end to end."""
    sizes = told.sizes(entry)
    bend = told.answer("batch", entry, None)
    who = told.label(entry)
    if bend is None or bend.word is None:
        why = "" if bend is None else f" ({bend.why})"
        said = f"{who} reaches {_rate(told, entry, sizes[0])} at batch {sizes[0]}{why}"
    else:
        said = f"with {who} throughput {_knee(told, bend)}"
    ends = [
        _from_to(told, entry, sizes, *which)
        for which in (
            ("device_memory", "device memory"),
            ("host_memory", "host memory"),
            ("gpu_utilisation", "time with a kernel"),
        )
    ]
    return ", ".join([said, *(e for e in ends if e)])


def _knee(told: Told, bend: Answer) -> str:
    best, at = bend.figure("best_throughput"), bend.figure("best_batch")
    rate = figures.rate(best, told.things)
    if bend.word == "not_reached":
        growth = figures.ratio(bend.figure("last_growth"))
        return (
            f"still grows at the largest batch, {figures.short(at)}: {rate}, {growth} of the batch "
            f"before (knee not reached)"
        )
    bent = bend.figure("knee")
    span = ""
    if bent is not None and bent.low is not None and bent.high is not None and bent.low < bent.high:
        span = f" (somewhere from {units.whole(bent.low)} to {units.whole(bent.high)})"
    return (
        f"stops growing at batch {figures.short(bent)}{span}, at best {rate} at batch "
        f"{figures.short(at)}"
    )


def _rate(told: Told, entry: str, size: int) -> str:
    return figures.rate(told.figure("batch", entry, size, "throughput"), told.things)


def _from_to(told: Told, entry: str, sizes: list[int], name: str, title: str) -> str:
    """Return a figure at the smallest and at the largest batch; once where they are alike."""
    first, last = (told.figure("batch", entry, s, name) for s in (sizes[0], sizes[-1]))
    if first is None or last is None or first.value is None or last.value is None:
        return ""
    low, high = figures.short(first), figures.short(last)
    if low == high:
        return f"{title} {low} at {'any' if len(sizes) > 1 else 'this'} batch"
    return f"{title} {low} at batch {sizes[0]} and {high} at {sizes[-1]}"


def _power(told: Told) -> str:
    """Return power and heat of both sides, then what that makes of the energy."""
    gpu, cpu = told.gpu, told.cpu(told.size)
    heat = [_heat(told, entry) for entry in told.sides(told.size)]
    pair = None if gpu is None else told.answer("power", gpu, told.size, cpu)
    energy = [p for p in (_cpu_energy(told, cpu), _energy(told, pair)) if p]
    said = (_at_batch(told, [p for p in heat if p]), _sentence(", ".join(energy)))
    return " ".join(s for s in said if s)


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
        return f"power not read ({figures.why(power)})"
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
        said = figures.why(start)
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
    return f"clocks held in {figures.short(held)} of the slots ({reasons})"


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


def _time(told: Told) -> str:
    parts = [_took(told, entry) for entry in told.sides(told.size)]
    verb = "takes" if told.plan.epochs == 1 else "take"
    said = f"{told.whole} {verb} {' and '.join(p for p in parts if p)}" if any(parts) else ""
    ratio = None if told.gpu is None else told.figure("time", told.gpu, told.size, "ratio")
    if told.gpu is not None and ratio is not None and said:
        said += f", {figures.ratio(ratio)}{_word(told, told.gpu)}, {names.rounds(ratio.n)}"
    return _at_batch(told, [p for p in (said, _run(told), _accuracy(told)) if p])


def _took(told: Told, entry: str) -> str:
    """Return the time of the training from measured steps; of a step where that is not known."""
    training = told.figure("time", entry, told.size, "training")
    who = told.label(entry)
    if training is None or training.value is None:
        step = told.figure("time", entry, told.size, "step")
        why = figures.why(training)
        return f"an unknown time with {who} ({why}; a step {figures.shown(step)})"
    each = figures.short(told.figure("time", entry, told.size, "epoch"))
    return f"{figures.shown(training)} ({each} an epoch) with {who}"


def _run(told: Told) -> str:
    """Return how long epochs took that were run, beside what steps foretell."""
    known = [
        f"{figures.shown(q)} with {told.label(e)}"
        for e in told.sides(told.size)
        if (q := told.figure("time", e, told.size, "epoch_run")) is not None and q.value is not None
    ]
    return f"an epoch that was run took {' and '.join(known)}" if known else ""


def _word(told: Told, entry: str) -> str:
    """Return the verdict's word over the best CPU entry."""
    for v in (
        *told.evidence.verdicts(told.workload),
        *told.evidence.variant_verdicts(told.workload),
    ):
        if (v.entry, v.size, v.scope, v.base_kind) == (entry, told.size, "transfer", "best-cpu"):
            return f" ({names.word(v.word)})"
    return ""


def _accuracy(told: Told) -> str:
    """Return test accuracy of both sides with intervals, and whether they are on a par."""
    found = [(e, told.figure("accuracy", e, told.size, "accuracy")) for e in told.sides(told.size)]
    known = [(e, q) for e, q in found if q is not None and q.value is not None]
    if not known:
        return ""
    said = "accuracy " + " and ".join(f"{figures.accuracy(q)} on {told.label(e)}" for e, q in known)
    gpu, cpu = told.gpu, told.cpu(told.size)
    pair = None if gpu is None else told.answer("accuracy", gpu, told.size, cpu)
    if pair is None or pair.word is None:
        return said
    words = {"parity": "on a par", "different": "not on a par"}
    apart = pair.figure("difference")
    points = "" if apart is None else f", {figures.accuracy(apart).replace(' %', ' points')} apart"
    return f"{said}: {words.get(pair.word, 'not settled whether on a par')}{points}"


def _inference(told: Told) -> str:
    size = told.size
    parts = []
    for entry in told.sides(size):
        rate = figures.rate(told.figure("inference", entry, size, "throughput"), told.things)
        tails = [
            f"{name} {figures.shown(q)}"
            for name in ("p50", "p95", "p99")
            if (q := told.figure("inference", entry, size, name)) is not None
            and q.value is not None
        ]
        absent = figures.why(told.figure("inference", entry, size, "p99"))
        tails += [f"no p99: {absent}"] if absent else []
        limit = _limit(told, told.answer("inference", entry, None))
        parts.append(f"{told.label(entry)}: {', '.join([rate, *tails, *limit])}")
    gpu = told.gpu
    ratio = None if gpu is None else told.figure("time", gpu, size, "ratio")
    if gpu is not None and ratio is not None:
        parts.append(f"{figures.ratio(ratio)}{_word(told, gpu)}, {names.rounds(ratio.n)}")
    return _at_batch(told, parts)


def _limit(told: Told, found: Answer | None) -> list[str]:
    if found is None or found.word is None or told.plan.latency_limit_s is None:
        return []
    limit = units.seconds(told.plan.latency_limit_s)
    if found.word == "found":
        return [
            f"batch {figures.short(found.figure('largest_batch'))} is the largest under {limit}"
        ]
    return [f"no batch is surely under {limit} ({found.why})"]


def _at_batch(told: Told, parts: list[str]) -> str:
    return _sentence(f"at batch {told.size}, {'; '.join(parts)}") if parts else ""


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""
