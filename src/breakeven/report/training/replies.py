"""The five questions, each answered with one sentence of figures and intervals."""

from __future__ import annotations

from breakeven import units
from breakeven.model.questions import Answer
from breakeven.report import names
from breakeven.report.evidence import NONE
from breakeven.report.training import figures, phrases, power, several, theirs
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


# The interval of a difference is of the images that both answered, never of the seeds.
_ONE = " (one training a side, n = 1: the interval is of the test images, not of other seeds)"


def replies(told: Told) -> tuple[Reply, ...]:
    """Return the questions that this run has something to say to, in their order."""
    texts = {
        "RQ1": _utilisation(told),
        "RQ2": _batch(told),
        "RQ3": power.sentence(told),
        "RQ4": _time(told) if told.trains else "",
        "RQ5": "" if told.trains else _inference(told),
        "GPUs": several.sentence(told),
    }
    return tuple(
        Reply(
            label=label,
            title=TITLES[label],
            text=text,
            theirs=theirs.FOUND[label],
            brief=power.nothing(told) if label == "RQ3" else None,
        )
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
        who, cores = told.label(entry), found.figure("cpu_cores")
        known = cores is not None and cores.value is not None
        used = f"{figures.shown(cores)} of {usable} cores" if known else figures.reason(cores)
        if told.evidence.on_gpu(entry):
            beside = f"beside {used}" if known else f"CPU cores not read ({used})"
            parts.append(f"with {who} {_gpu(found)}{_elsewhere(told, entry)}, {beside}")
        else:
            parts.append(f"{who} used {used}" if known else f"cores of {who} not read ({used})")
    return phrases.at_batch(told.size, parts)


def _elsewhere(told: Told, entry: str) -> str:
    """Return the same share at the paper's other batch size."""
    found = [
        f"{figures.short(q)} at batch {size}"
        for size in told.other_sizes()
        if (q := told.figure("utilisation", entry, size, "gpu_utilisation")) is not None
        and q.value is not None
    ]
    return f", {names.joined(found)}" if found else ""


def _gpu(found: Answer) -> str:
    """Return the driver's share with the trace's, each named for what it is."""
    share, busy = found.figure("gpu_utilisation"), found.figure("gpu_busy")
    said = (
        f"a kernel ran {figures.shown(share)} of the time"
        if share is not None and share.value is not None
        else f"the driver's utilisation is unknown ({figures.reason(share)})"
    )
    if busy is not None and busy.value is not None:
        said += f" (of a trace the device was busy {figures.short(busy)})"
    return said


def _batch(told: Told) -> str:
    found = (_curve(told, entry) for entry in told.sides(told.size))
    return phrases.sentence("; ".join(text for text in found if text))


def _curve(told: Told, entry: str) -> str:
    """Return where throughput stops growing, then memory and utilisation from end to end."""
    sizes = told.sizes(entry)
    bend = told.answer("batch", entry, None)
    who = told.label(entry)
    if bend is None or bend.word is None:
        why = "" if bend is None else f" ({bend.why})"
        known = [s for s in sizes if _rate(told, entry, s) != NONE]
        if not known:
            return ""
        said = f"{who} reaches {_rate(told, entry, known[0])} at batch {known[0]}{why}"
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
            f"before (knee not reached{_alone(bend)})"
        )
    if bend.word == "undecided":
        return f"is {rate} at the largest batch, {figures.short(at)} (knee not settled: {bend.why})"
    bent = bend.figure("knee")
    span = ""
    if bent is not None and bent.low is not None and bent.high is not None and bent.low < bent.high:
        span = f" (somewhere from {units.whole(bent.low)} to {units.whole(bent.high)})"
    where = f"{figures.short(bent)}{span or _alone(bend)}"
    return f"stops growing at batch {where}, at best {rate} at batch {figures.short(at)}"


def _alone(bend: Answer) -> str:
    """Return the words for a knee that one round alone speaks for."""
    at = bend.figure("knee")
    return ", one round" if at is not None and at.low is None else ""


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


def _time(told: Told) -> str:
    verb = "takes" if told.plan.epochs == 1 else "take"
    said = _sides_at(told, told.size, full=True)
    parts = [f"{told.whole} {verb} {said}"] if said else []
    for size in told.other_sizes():
        beside = _sides_at(told, size, full=False)
        parts += [f"at batch {size}: {beside}"] if beside else []
    return phrases.at_batch(told.size, [*parts, *(p for p in (_run(told), _accuracy(told)) if p)])


def _sides_at(told: Told, size: int | None, *, full: bool) -> str:
    """Return the time of both sides at a batch size, with the ratio of the verdict."""
    parts = [_took(told, entry, size, full=full) for entry in told.sides(size)]
    said = " and ".join(p for p in parts if p)
    ratio = None if told.gpu is None else told.figure("time", told.gpu, size, "ratio")
    if told.gpu is not None and ratio is not None and said:
        return f"{said}, {figures.ratio(ratio)}{_word(told, told.gpu, size)}, " + names.rounds(
            ratio.n
        )
    return said


def _took(told: Told, entry: str, size: int | None, *, full: bool) -> str:
    """Return the time of the training from measured steps; of a step where that is not known."""
    training = told.figure("time", entry, size, "training")
    who = told.label(entry)
    if training is None or training.value is None:
        return f"an unknown time with {who} ({figures.why(training)})"
    each = figures.short(told.figure("time", entry, size, "epoch"))
    return f"{figures.shown(training)}{f' ({each} an epoch)' if full else ''} with {who}"


def _run(told: Told) -> str:
    """Return how long epochs took that were run, beside what steps foretell."""
    known = [
        f"{figures.shown(q)} with {told.label(e)}"
        for e in told.sides(told.size)
        if (q := told.figure("time", e, told.size, "epoch_run")) is not None and q.value is not None
    ]
    return f"an epoch that was run took {' and '.join(known)}" if known else ""


def _word(told: Told, entry: str, size: int | None) -> str:
    """Return the verdict's word over the best CPU entry."""
    found = told.verdict(entry, size)
    return "" if found is None else f" ({names.word(found.word)})"


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
    return f"{said}: {words.get(pair.word, 'not settled whether on a par')}{points}{_ONE}"


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
        parts.append(f"{figures.ratio(ratio)}{_word(told, gpu, size)}, {names.rounds(ratio.n)}")
    return phrases.at_batch(told.size, parts)


def _limit(told: Told, found: Answer | None) -> list[str]:
    if found is None or found.word is None or told.plan.latency_limit_s is None:
        return []
    limit = units.seconds(told.plan.latency_limit_s)
    if found.word == "found":
        return [
            f"batch {figures.short(found.figure('largest_batch'))} is the largest under {limit}"
        ]
    return [f"no batch is surely under {limit} ({found.why})"]
