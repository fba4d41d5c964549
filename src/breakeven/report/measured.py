"""The measurements and checks behind the verdicts as tables: one function a table."""

from __future__ import annotations

from collections import Counter

from breakeven import units
from breakeven.report import cells, names
from breakeven.report.evidence import NONE, Evidence
from breakeven.report.view import Table


def agreement(evidence: Evidence, workload: str) -> Table:
    """Return each result's error beside its bound, with the class of the error."""
    columns = (evidence.axis(workload), "entry", "error", "bound", "class", "passed", "rule")
    body = [
        (str(c.size), c.entry, units.scientific(a.error), units.scientific(a.bound), a.class_,
         "yes" if a.passed else "NO", a.rule)
        for c in evidence.cases(workload) if (a := c.agreement) is not None
    ]  # fmt: skip
    caption = (
        "Error of each result against a float64 reference, with the largest error that passes; "
        "results that disagree are not ranked."
    )
    return cells.table("Agreement", caption, columns, body, text=(1, 4, 5, 6))


def phases(evidence: Evidence, workload: str) -> Table:
    """Return the seconds of each phase by case."""
    fields = ("import_s", "context_s", "first_call_s", "to_device_s", "compute_s", "to_host_s")
    columns = (evidence.axis(workload), "entry", "import", "context", "first call", "to device",
               "compute", "to host")  # fmt: skip
    body = []
    for c in evidence.cases(workload):
        values = [getattr(c.phases, field) for field in fields]
        if any(v is not None for v in values):
            body.append((str(c.size), c.entry, *(cells.seconds(v) for v in values)))
    caption = (
        "Import, context and first call (beyond the steady call) in fresh processes started one "
        "at a time, kernel caches as found; the rest on warm processes. - was not measured."
    )
    return cells.table("Phases", caption, columns, body, text=(1,))


def achieved(evidence: Evidence, workload: str) -> Table:
    """Return FLOP/s and bytes/s reached on resident data."""
    columns = (evidence.axis(workload), "entry", "FLOP/s", "bytes/s")
    body = [
        (str(a.size), a.entry,
         NONE if a.flops_per_s is None else units.rate(a.flops_per_s, "FLOP/s"),
         NONE if a.bytes_per_s is None else units.rate(a.bytes_per_s, "B/s"))
        for a in evidence.record.achieved if a.workload == workload
    ]  # fmt: skip
    caption = "Work counted from the definition, over the median time on resident data."
    return cells.table("Rates achieved", caption, columns, body, text=(1,))


def memory(evidence: Evidence, workload: str) -> Table:
    """Return peak memory by case."""
    columns = (evidence.axis(workload), "entry", "host peak", "device peak", "device in use")
    body = []
    for c in evidence.cases(workload):
        if (m := c.memory) is not None:
            values = (m.host_peak_bytes, m.device_peak_bytes, m.device_used_bytes)
            shown = (NONE if v is None else units.size_bytes(v) for v in values)
            body.append((str(c.size), c.entry, *shown))
    caption = (
        "Peak of the worker process, peak of the framework's allocator, and device memory in use "
        "by everyone as the driver says. - could not be read or does not apply."
    )
    return cells.table("Memory", caption, columns, body, text=(1,))


def naive(evidence: Evidence, workload: str) -> Table:
    """Return what a one-shot timing reads, and what each mistake cost."""
    columns = (evidence.axis(workload), "entry", "one shot reads", "sound, travels",
               "sound, on device", "without synchronise", "first call cost", "transfer cost",
               "missing synchronise")  # fmt: skip
    body = [
        (str(n.size), n.entry, *(cells.seconds(v) for v in (
            n.one_shot_s, n.sound_transfer_s, n.sound_resident_s, n.unsynchronised_s,
            n.first_call_s, n.transfer_s, n.missing_sync_s)))
        for n in evidence.record.naive if n.workload == workload
    ]  # fmt: skip
    caption = (
        "What a one-shot timing reads and what each mistake cost: the first call at each size in "
        "one fresh process, transfer inside. A negative cost hid time instead of adding it."
    )
    return cells.table("One-shot timing", caption, columns, body, text=(1,))


def aa(evidence: Evidence, workload: str) -> Table:
    """Return the same entry against its twin, by size."""
    columns = (evidence.axis(workload), "entry", "twin", "ratio [95 %]", "margin", "rounds", "word")
    body = []
    for check in evidence.record.limits.aa:
        if check.workload != workload:
            continue
        ratio = NONE
        if check.ratio is not None and check.low is not None and check.high is not None:
            ratio = f"{units.ratio(check.ratio)} {names.interval(check.low, check.high)}"
        margin = NONE if check.margin is None else units.ratio(check.margin)
        body.append((str(check.size), check.entry, check.twin, ratio, margin,
                     str(check.rounds), names.word(check.word)))  # fmt: skip
    caption = (
        "The same entry measured twice under the same rule (a GPU entry: the scope that says more "
        "against the session): the margin is the least ratio that may be called faster or slower."
    )
    return cells.table("A/A check", caption, columns, body, text=(1, 2, 6))


def references(evidence: Evidence, workload: str) -> Table:
    """Return this machine's times beside a stored run of another machine."""
    columns = (evidence.axis(workload), "scope there", "here", "time here", "there", "time there",
               "here / there")  # fmt: skip
    body = [
        (str(r.size), r.scope if evidence.on_gpu_there(r) else NONE,
         r.here_entry, units.seconds(r.here_s),
         f"{r.machine}: {r.there_entry}", units.seconds(r.there_s), units.ratio(r.ratio))
        for r in evidence.record.references if r.workload == workload
    ]  # fmt: skip
    caption = (
        "Beside a stored run: other machine, not paired, indicative; no interval can be given."
    )
    return cells.table("Another machine", caption, columns, body, text=(1, 2, 4))


def losses(evidence: Evidence, workload: str) -> Table:
    """Return the training losses by case, in order of training."""
    mine = [c for c in evidence.cases(workload) if c.losses]
    longest = max((len(c.losses) for c in mine), default=0)
    epochs = max((c.loss_epochs for c in mine), key=len, default=())
    heads = [
        f"epoch {epochs[i]}" if i < len(epochs) else f"reading {i + 1}" for i in range(longest)
    ]
    columns = (evidence.axis(workload), "entry", *heads)
    body = [
        (str(c.size), c.entry, *(units.significant(v, 7) for v in c.losses),
         *([NONE] * (longest - len(c.losses))))
        for c in mine
    ]  # fmt: skip
    caption = "Training losses in order; same data, same seeded weights for every entry."
    return cells.table("Losses", caption, columns, body, text=(1,))


def slots(evidence: Evidence, workload: str) -> Table:
    """Return how many wall slots were measured, and how many were voided for what."""
    columns = (evidence.axis(workload), "entry", "scope", "rounds", "slots", "voided", "reasons",
               "not steady")  # fmt: skip
    body = []
    for c in evidence.cases(workload):
        for scope in ("resident", "transfer"):
            rounds = [r for r in c.rounds if (r.scope, r.clock) == (scope, "wall") and r.round > 0]
            taken = [slot for r in rounds for slot in r.slots]
            if not taken:
                continue
            reasons = Counter(slot.voided for slot in taken if slot.voided is not None)
            said = ", ".join(f"{names.word(k)} {n}" for k, n in sorted(reasons.items()))
            unsteady = sum(not r.steady for r in rounds)
            body.append((str(c.size), c.entry, scope, str(len(rounds)), str(len(taken)),
                         str(sum(reasons.values())), said, str(unsteady)))  # fmt: skip
    caption = "Wall slots of rounds 1 and later; voided slots are kept, counted, and used nowhere."
    return cells.table("Slots", caption, columns, body, text=(1, 2, 6))


def floors(evidence: Evidence) -> Table:
    """Return the shortest times that can be told apart, by entry."""
    found = sorted(evidence.record.limits.floors.items())
    fields = ["empty_call_s", "message_s", "synchronise_s", "event_pair_s"]
    if any(f.empty_kernel_s is not None for _, f in found):
        fields.append("empty_kernel_s")
    columns = ("entry", *(field.removesuffix("_s").replace("_", " ") for field in fields))
    body = [(entry, *(cells.seconds(getattr(f, x)) for x in fields)) for entry, f in found]
    caption = (
        "Floors of this session; a time under 10 times the empty call is shown without digits."
    )
    return cells.table("Floors", caption, columns, body, text=(0,))


def backends(evidence: Evidence) -> Table:
    """Return which backends took part, and why others did not."""
    columns = ("backend", "device", "available", "version", "why not", "what to do")
    body = [
        (b.name, b.device, "yes" if b.available else "no", b.version or NONE, b.why_not or "",
         b.fix or "")
        for b in evidence.record.backends
    ]  # fmt: skip
    return cells.table("Backends", "What was found on this machine.", columns, body, text=range(6))
