"""What a person must know beside the figures of a case."""

from __future__ import annotations

from breakeven.engine import messages
from breakeven.engine.context import Context
from breakeven.engine.tenancy import can_tell
from breakeven.model.run import Agreement, Entry, GpuConditions
from breakeven.stats.classes import WRONG, honest

UNSEEN = (
    "other processes on the GPU are not named here (the driver names none of ours, as in "
    "containers): only their memory gives them away"
)
UNSEEN_AT_ALL = (
    "other processes on the GPU cannot be seen from here (the driver names none of ours, as in "
    "containers): slots that they disturb count"
)
BLIND = (
    "clocks, power and temperature of the GPU cannot be read, and others on the GPU cannot be "
    "seen, so that slots which either disturbs count"
)
REPLAYED = "the GPU's conditions were played from a recording (BREAKEVEN_REPLAY), not measured"


def remark_on(entry: Entry, agreement: Agreement) -> str | None:
    """Return what an answer's error says of its case; None where there is nothing to say."""
    if not agreement.passed:
        if agreement.class_ == WRONG or honest(agreement.class_, entry.precision):
            return "its answer is further from the reference than rounding is"
        return f"it errs as {agreement.class_} does, though {entry.precision} was asked for"
    if entry.precision == "tf32" and agreement.class_ in {"float32", "float64"}:
        return "it errs no more than float32 does: here TF32 changes little, or did not take"
    return None


def tell_look(context: Context, ready: messages.Ready, gpu: GpuConditions | None) -> None:
    """Journal what a look at the GPU could not see, or saw of others."""
    look = ready.look
    assert look is not None
    if gpu is not None and gpu.others:
        context.remark(f"{gpu.others} other process(es) used the GPU; slots do not count")
    if look.source == "replay":
        context.remark(REPLAYED)
        return
    if not ready.real:
        return
    if look.why is not None:
        context.remark(f"{BLIND}: {look.why}")
    elif look.unknown:
        context.remark(f"the GPU's driver does not tell here: {', '.join(look.unknown)}")
    if gpu is not None and gpu.others is None:
        context.remark(UNSEEN if can_tell(gpu) else UNSEEN_AT_ALL)


def tell_facts(context: Context) -> None:
    """Remark what is to be known of each training job: once a workload, and once a run."""
    told = set(context.sink.record().remarks)
    for workload, known in context.facts.items():
        clauses = dict.fromkeys(clause for facts in known.values() for clause in facts.remarks)
        for clause in clauses:
            if (text := f"{workload}: {clause}") not in told:
                context.remark(text)
