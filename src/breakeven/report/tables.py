"""The evidence as tables of text: one function a table, an empty table when nothing is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from breakeven import units
from breakeven.report import names
from breakeven.report.evidence import NONE, Evidence
from breakeven.report.rows import ratio_text
from breakeven.report.view import Figure, Row, Table

_TRAVEL = {"resident": "on device", "transfer": "travels", "cold": "cold (composed)"}
_CPU_WORDS = "CPU entries have one time for both scopes: their data need not travel."


def of_workload(
    evidence: Evidence, workload: str, rows: Sequence[Row], kind: str, leads: Mapping[str, str]
) -> tuple[Table, ...]:
    """Return the tables of one workload that have rows, in reading order."""
    tables = (
        times(evidence, workload, rows, kind, leads),
        verdicts(evidence, workload),
        every_entry(evidence, workload),
        paybacks(evidence, workload),
        agreement(evidence, workload),
        phases(evidence, workload),
        achieved(evidence, workload),
        memory(evidence, workload),
        naive(evidence, workload),
        aa(evidence, workload),
        references(evidence, workload),
        losses(evidence, workload),
        slots(evidence, workload),
    )
    return tuple(t for t in tables if t.rows)


def times(
    evidence: Evidence, workload: str, rows: Sequence[Row], kind: str, leads: Mapping[str, str]
) -> Table:
    """Return one row a size: NumPy, the best CPU entry by name, the others, the lead's verdicts."""
    gpu = bool(evidence.taking_part(workload, gpu=True))
    columns = [names.axis(workload), "NumPy", "best CPU", "which"]
    columns += [
        f"{timed.column}, {_TRAVEL[timed.scope]}" if gpu else timed.column
        for timed in (rows[0].others if rows else ())
    ]
    base = names.base(kind, "the same entry").removeprefix("the ")
    for scope, lead in leads.items():
        travel = f", {_TRAVEL[scope]}" if gpu else ""
        columns.append(f"{lead} over {base}{travel} [95 %]")
    body = [
        (
            str(row.size),
            row.numpy.figure.text,
            row.best_cpu.figure.text,
            row.best_cpu.entry or NONE,
            *(t.figure.text for t in row.others),
            *(_judged(row, scope, lead, kind) for scope, lead in leads.items()),
        )
        for row in rows
    ]
    caption = (
        "Time of one call on the wall clock, median over rounds of the median over slots, then "
        f"base time / entry time with its 95 % interval. {_CPU_WORDS} ~ marks an indicative figure."
    )
    return _table("Times and speed-up", caption, columns, body, text=(3,))


def verdicts(evidence: Evidence, workload: str) -> Table:
    """Return every stored verdict with both intervals, margin, rounds and reason."""
    columns = (
        names.axis(workload), "scope", "entry", "base", "taken as", "speed-up [95 %]",
        "verdict interval", "margin", "rounds", "word", "why",
    )  # fmt: skip
    body = []
    for v in evidence.verdicts(workload):
        wide = NONE
        if v.verdict_low is not None and v.verdict_high is not None:
            wide = names.interval(v.verdict_low, v.verdict_high)
        taken_as = names.base(v.base_kind, "same backend").removeprefix("the ")
        body.append((
            str(v.size), v.scope, v.entry, v.base, taken_as, ratio_text(v), wide,
            NONE if v.margin is None else units.ratio(v.margin), str(v.rounds),
            "no verdict (quick)" if evidence.quick else names.word(v.word), v.why or "",
        ))  # fmt: skip
    caption = (
        "Speed-up = time of the base / time of the entry: over 1 the entry is faster. The first "
        "interval is at 95 %, for reading; the word hangs on the wider verdict interval."
    )
    return _table("Verdicts", caption, columns, body, text=(1, 2, 3, 4, 9, 10))


def every_entry(evidence: Evidence, workload: str) -> Table:
    """Return the time of each case by scope, with range over rounds and status."""
    columns = (
        names.axis(workload), "entry", "threads", "status", "on device", "range over rounds",
        "travels", "range over rounds", "rounds", "remark",
    )  # fmt: skip
    body = []
    for c in evidence.cases(workload):
        entry = evidence.entries.get(c.entry)
        stay = evidence.figure(workload, c.size, c.entry, "resident")
        go = evidence.figure(workload, c.size, c.entry, "transfer")
        threads = NONE if entry is None or entry.threads is None else str(entry.threads)
        notes = dict.fromkeys(n for n in (c.why, stay.note, go.note) if n)
        body.append((
            str(c.size), c.entry, threads, names.word(c.status), stay.text, _span(stay),
            go.text, _span(go), str(max(stay.rounds, go.rounds)), "; ".join(notes),
        ))  # fmt: skip
    caption = f"All entries, twins included; wall clock. {_CPU_WORDS}"
    return _table("Every entry", caption, columns, body, text=(1, 3, 9))


def paybacks(evidence: Evidence, workload: str) -> Table:
    """Return after how many calls and reuses each entry has repaid its costs."""
    columns = (names.axis(workload), "entry", "base", "calls, data travels",
               "calls, on device", "reuses of the data", "why not")  # fmt: skip
    body = [
        (str(p.size), p.entry, p.base, *(
            NONE if e is None else
            f"{units.whole(e.value)} [{units.whole(e.low)}, {units.whole(e.high)}]"
            for e in (p.calls, p.calls_resident, p.reuses)
        ), p.why or "")
        for p in evidence.record.paybacks if p.workload == workload
    ]  # fmt: skip
    caption = (
        "Calls after which start-up (import, context, first call) is repaid, and operations on "
        "the same data after which one journey of it is repaid; 95 % intervals."
    )
    return _table("Pay-back", caption, columns, body, text=(1, 2, 6))


def agreement(evidence: Evidence, workload: str) -> Table:
    """Return each result's error beside its bound, with the class of the error."""
    columns = (names.axis(workload), "entry", "error", "bound", "class", "passed", "rule")
    body = [
        (str(c.size), c.entry, _scientific(a.error), _scientific(a.bound), a.class_,
         "yes" if a.passed else "NO", a.rule)
        for c in evidence.cases(workload) if (a := c.agreement) is not None
    ]  # fmt: skip
    caption = (
        "Error of each result against a float64 reference, with the largest error that passes; "
        "results that disagree are not ranked."
    )
    return _table("Agreement", caption, columns, body, text=(1, 4, 5, 6))


def phases(evidence: Evidence, workload: str) -> Table:
    """Return the seconds of each phase by case."""
    fields = ("import_s", "context_s", "first_call_s", "to_device_s", "compute_s", "to_host_s")
    columns = (names.axis(workload), "entry", "import", "context", "first call", "to device",
               "compute", "to host")  # fmt: skip
    body = []
    for c in evidence.cases(workload):
        values = [getattr(c.phases, field) for field in fields]
        if any(v is not None for v in values):
            body.append((str(c.size), c.entry, *(_or_none(v) for v in values)))
    caption = (
        "Import, context and first call (beyond the steady call) in fresh processes started one "
        "at a time, kernel caches as found; the rest on warm processes. - was not measured."
    )
    return _table("Phases", caption, columns, body, text=(1,))


def achieved(evidence: Evidence, workload: str) -> Table:
    """Return FLOP/s and bytes/s reached on resident data."""
    columns = (names.axis(workload), "entry", "FLOP/s", "bytes/s")
    body = [
        (str(a.size), a.entry,
         NONE if a.flops_per_s is None else units.rate(a.flops_per_s, "FLOP/s"),
         NONE if a.bytes_per_s is None else units.rate(a.bytes_per_s, "B/s"))
        for a in evidence.record.achieved if a.workload == workload
    ]  # fmt: skip
    caption = "Work counted from the definition, over the median time on resident data."
    return _table("Rates achieved", caption, columns, body, text=(1,))


def memory(evidence: Evidence, workload: str) -> Table:
    """Return peak memory by case."""
    columns = (names.axis(workload), "entry", "host peak", "device peak", "device in use")
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
    return _table("Memory", caption, columns, body, text=(1,))


def naive(evidence: Evidence, workload: str) -> Table:
    """Return what a one-shot timing reads, and what each mistake cost."""
    columns = (names.axis(workload), "entry", "one shot reads", "sound, travels",
               "sound, on device", "without synchronise", "first call cost", "transfer cost",
               "missing synchronise")  # fmt: skip
    body = [
        (str(n.size), n.entry, *(_or_none(v) for v in (
            n.one_shot_s, n.sound_transfer_s, n.sound_resident_s, n.unsynchronised_s,
            n.first_call_s, n.transfer_s, n.missing_sync_s)))
        for n in evidence.record.naive if n.workload == workload
    ]  # fmt: skip
    caption = (
        "What a one-shot timing reads and what each mistake cost: the first call at each size in "
        "one fresh process, transfer inside. A negative cost hid time instead of adding it."
    )
    return _table("One-shot timing", caption, columns, body, text=(1,))


def aa(evidence: Evidence, workload: str) -> Table:
    """Return the same entry against its twin, by size."""
    columns = (names.axis(workload), "entry", "twin", "ratio [95 %]", "margin", "rounds", "word")
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
        "The same entry measured twice under the same rule (resident scope): the margin is the "
        "smallest ratio that this session may call faster or slower."
    )
    return _table("A/A check", caption, columns, body, text=(1, 2, 6))


def references(evidence: Evidence, workload: str) -> Table:
    """Return this machine's times beside a stored run of another machine."""
    columns = (names.axis(workload), "scope there", "here", "time here", "there", "time there",
               "here / there")  # fmt: skip
    body = [
        (str(r.size), r.scope, r.here_entry, units.seconds(r.here_s),
         f"{r.machine}: {r.there_entry}", units.seconds(r.there_s), units.ratio(r.ratio))
        for r in evidence.record.references if r.workload == workload
    ]  # fmt: skip
    caption = (
        "Beside a stored run: other machine, not paired, indicative; no interval can be given."
    )
    return _table("Another machine", caption, columns, body, text=(1, 2, 4))


def losses(evidence: Evidence, workload: str) -> Table:
    """Return the training losses by case, in order of training."""
    mine = [c for c in evidence.cases(workload) if c.losses]
    longest = max((len(c.losses) for c in mine), default=0)
    columns = (names.axis(workload), "entry", *(f"reading {i + 1}" for i in range(longest)))
    body = [
        (str(c.size), c.entry, *(units.significant(v, 7) for v in c.losses),
         *([NONE] * (longest - len(c.losses))))
        for c in mine
    ]  # fmt: skip
    caption = "Training losses in order; same data, same seeded weights for every entry."
    return _table("Losses", caption, columns, body, text=(1,))


def slots(evidence: Evidence, workload: str) -> Table:
    """Return how many wall slots were measured, and how many were voided for what."""
    columns = (names.axis(workload), "entry", "scope", "rounds", "slots", "voided", "reasons",
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
    return _table("Slots", caption, columns, body, text=(1, 2, 6))


def floors(evidence: Evidence) -> Table:
    """Return the shortest times that can be told apart, by entry."""
    columns = ("entry", "empty call", "message", "synchronise", "event pair")
    body = [
        (entry, *(_or_none(v) for v in (f.empty_call_s, f.message_s, f.synchronise_s,
                                        f.event_pair_s)))
        for entry, f in sorted(evidence.record.limits.floors.items())
    ]  # fmt: skip
    caption = (
        "Floors of this session; a time under 10 times the empty call is shown without digits."
    )
    return _table("Floors", caption, columns, body, text=(0,))


def backends(evidence: Evidence) -> Table:
    """Return which backends took part, and why others did not."""
    columns = ("backend", "device", "available", "version", "why not", "what to do")
    body = [
        (b.name, b.device, "yes" if b.available else "no", b.version or NONE, b.why_not or "",
         b.fix or "")
        for b in evidence.record.backends
    ]  # fmt: skip
    return _table("Backends", "What was found on this machine.", columns, body, text=range(6))


def _table(
    title: str,
    caption: str,
    columns: Sequence[str],
    rows: Sequence[tuple[str, ...]],
    *,
    text: Iterable[int] = (),
) -> Table:
    words = set(text)
    return Table(
        title=title,
        caption=caption,
        columns=tuple(columns),
        numeric=tuple(i not in words for i in range(len(columns))),
        rows=tuple(rows),
    )


def _judged(row: Row, scope: str, lead: str, kind: str) -> str:
    for s in row.speedups:
        if (s.scope, s.column, s.base_kind) == (scope, lead, kind):
            if s.ratio is None:
                return s.word
            return f"{s.text}, {s.rounds} rounds: {s.word}"
    return NONE


def _or_none(value: float | None) -> str:
    return NONE if value is None else units.seconds(value)


def _span(figure: Figure) -> str:
    if figure.low is None or figure.high is None or figure.rounds < 2:
        return ""
    return f"{units.seconds(figure.low)} to {units.seconds(figure.high)}"


def _scientific(value: float) -> str:
    # Errors span ten decades: plain digits of 3e-7 cannot be read.
    return f"{value:.1e}"
