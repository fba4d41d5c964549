"""What several processes bring, and who keeps them from bringing more, in words."""

from __future__ import annotations

from breakeven import units
from breakeven.model.questions import Answer
from breakeven.report import cells, names
from breakeven.report.evidence import NONE
from breakeven.report.training import figures
from breakeven.report.training.told import Told
from breakeven.report.view import Table

_OPEN = "what holds them up is not settled"
_CAUSES = {
    "balanced": "all of them are evenly at work",
    "exchange": "the exchange between them takes the most that is lost",
    "contention": "each one's own step is slower beside the others",
    "undecided": _OPEN,
}


def sentence(told: Told) -> str:
    """Return what each number of processes brought; empty where there was one alone."""
    return " ".join(_one(told, a) for a in told.all("scaling"))


def _one(told: Told, a: Answer) -> str:
    count = a.figure("processes")
    many = NONE if count is None or count.value is None else units.whole(count.value)
    opening = f"{many} {_what(told, many)} at batch {a.size} each"
    rate = a.figure("throughput")
    if rate is None or rate.value is None:
        return f"{opening} could not be measured ({a.why or 'no reason was recorded'})."
    parts = [f"{opening} reach {figures.rate(rate, told.things)}"]
    efficiency = a.figure("efficiency")
    if efficiency is not None and efficiency.value is not None:
        parts.append(
            f"an efficiency of {figures.shown(efficiency)} beside as many single ones "
            f"({names.rounds(efficiency.n)})"
        )
    elif efficiency is not None:
        parts.append(f"efficiency unknown ({figures.why(efficiency)})")
    waits = a.figure("waiting_share")
    exchange = a.figure("exchange_share")
    if waits is not None and exchange is not None:
        parts.append(
            f"the exchange takes {figures.shown(exchange)} and the one that waits most waits "
            f"{figures.shown(waits)} of its time"
        )
    return f"{', '.join(parts)}: {_cause(told, a)}."


def _what(told: Told, many: str) -> str:
    """Return what there were several of: DataParallel drives all GPUs from one process."""
    training = told.evidence.record.spec.training
    if training is None or training.strategy == "ddp":
        return "processes"
    return f"GPU{'' if many == '1' else 's'} of one process (DataParallel)"


def _cause(told: Told, a: Answer) -> str:
    """Return who or what holds the others up, the device by its name."""
    culprit = a.figure("culprit")
    who = a.why or "one of them"
    card = _card(told, who)
    if a.word == "idle_rank":
        share = "" if culprit is None or culprit.value is None else (
            f", with {units.share(culprit.value)} of the others' work"
        )  # fmt: skip
        return f"{who}{card} is idle{share}: the load is not balanced"
    if a.word == "slow_rank":
        ratio = "" if culprit is None or culprit.value is None else (
            f": its own step takes {units.ratio(culprit.value)} as long as theirs"
        )  # fmt: skip
        return f"the others wait for {who}{card}{ratio}"
    return _CAUSES.get(a.word or "", _OPEN)


def _card(told: Told, who: str) -> str:
    """Return the name of the GPU that a rank worked on; empty for a CPU."""
    for gpu in told.evidence.record.machine.gpus:
        if f"(cuda:{gpu.index})" in who:
            return f" {gpu.name}"
    return ""


def table(told: Told) -> Table:
    """Return one row for each number of processes at each batch size."""
    columns = ("batch", "processes", f"{told.things}/s", "efficiency", "exchange", "waiting",
               "exchange in the open", "busy: most / mean", "memory: most / mean", "held up by",
               "who")  # fmt: skip
    body = []
    for a in told.all("scaling"):
        count = a.figure("processes")
        shown = [figures.shown(a.figure(n)) for n in
                 ("throughput", "efficiency", "exchange_share", "waiting_share",
                  "exposed_exchange_share", "busy_spread", "memory_spread")]  # fmt: skip
        shown[0] = shown[0].replace("/s", "")
        many = NONE if count is None or count.value is None else units.whole(count.value)
        body.append((str(a.size), many, *shown, names.word(a.word or NONE), a.why or ""))
    caption = (
        "Each process works on a batch of its own. Efficiency: throughput over as many times that "
        "of one process alone. Exchange and waiting: shares of a process's time, in a pass apart; "
        "waiting is that of the one that waits most. Intervals over rounds, 95 %."
    )
    return cells.table("Several processes", caption, columns, body, text=(9, 10))
