"""Comparisons whose right answer is known: the same code twice, and work repeated on purpose."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence

import msgspec

from breakeven.analysis.compare import compare
from breakeven.analysis.gates import gate
from breakeven.analysis.pairs import Pair
from breakeven.analysis.rule import SETTLED, first_settled
from breakeven.analysis.times import WARM_SCOPES, Times
from breakeven.analysis.twins import Twins
from breakeven.model.run import Entry, RunRecord
from breakeven.model.selftest import Together, Trial
from breakeven.model.settlement import PairState, Settlement, SizeState, WorkloadState
from breakeven.model.verdict import Verdict
from breakeven.stats.intervals import (
    LEVEL,
    LOOKS,
    PRIOR_BELOW,
    SAME,
    Interval,
    interval,
    next_look,
    rounds_to_settle,
)
from breakeven.stats.quantile import t_quantile

SAME_CODE, PLANTED = "same_code", "planted"
# What an A/A comparison is not withheld for: it is itself what these two ask for.
_OF_THE_SESSION = frozenset({"aa_winner", "no_aa"})
_MENDABLE = frozenset({"few_rounds", "no_aa", "busy", "gpu_busy", "two_states", "thermal"})
# From so many rounds on an interval rests on the spread that was seen, so that it can contradict
# what was planted.
TRUE_FROM = PRIOR_BELOW
# One-sided, at each of some sixteen places: a sound session is contradicted in under 0.4 %.
TRUE_LEVEL = 0.9999
# What the wall clock is held to: a planted ratio may be off by this much beside its interval.
WALL_ERROR = 0.01


def trials(record: RunRecord) -> tuple[Trial, ...]:
    """Return every comparison of a line-up, judged by the ordinary rule behind the usual gates.

    Parameters
    ----------
    record : RunRecord
        Entries of variant ``twin`` and ``planted`` name in `twin_of` what they repeat.
    """
    times = Times(record)
    twins = Twins(times)
    return tuple(_trial(times, twins, pair, planted) for pair, planted in _pairs(times))


def together(record: RunRecord, found: Sequence[Trial]) -> tuple[Together, ...]:
    """Return each entry's trials taken together, those left out that a gate withholds.

    The value of a round is the mean over places: sizes of one process are no units of their own.
    """
    times = Times(record)
    by_entry: dict[str, list[Trial]] = {}
    for trial in found:
        if trial.measured is not None:
            by_entry.setdefault(trial.verdict.entry, []).append(trial)
    return tuple(_together(times, places) for places in by_entry.values())


def _together(times: Times, places: Sequence[Trial]) -> Together:
    by_round: dict[int, list[float]] = {}
    for v in (trial.verdict for trial in places):
        for number, value in times.paired(v.workload, v.size, v.scope, v.base, v.entry).items():
            by_round.setdefault(number, []).append(value)
    seen = interval([statistics.fmean(by_round[number]) for number in sorted(by_round)])
    planted = places[0].planted
    return Together(
        entry=places[0].verdict.entry,
        base=places[0].verdict.base,
        planted=planted,
        places=len(places),
        rounds=seen.n,
        measured=math.exp(-seen.mean),
        low=math.exp(-seen.verdict_high),
        high=math.exp(-seen.verdict_low),
        holds=holds(seen, planted, LEVEL),
    )


def settle_trials(record: RunRecord) -> Settlement:
    """Return what the rounds so far have settled: a size is open while a planted one there is.

    It stays open for eight rounds in any case, so that a wrong figure can be contradicted. With
    fewer than three everything is open. A session of known order has no crossover.
    """
    found = trials(record)
    states: dict[tuple[str, int], list[bool]] = {}
    pairs = []
    for trial in found:
        verdict = trial.verdict
        state = _state(trial)
        states.setdefault((verdict.workload, verdict.size), []).append(state.settled)
        pairs.append(
            PairState(
                workload=verdict.workload,
                scope=verdict.scope,
                base_kind=verdict.base_kind,
                entry=verdict.entry,
                sizes=(state,),
                rounds=state.rounds,
            )
        )
    rounds = Times(record).rounds
    workloads = tuple(_workload(w.name, w.sizes, states) for w in record.spec.workloads)
    return Settlement(
        pairs=tuple(pairs),
        workloads=workloads,
        rounds=rounds,
        next_look=next_look(rounds),
        settled=not any(w.open_sizes for w in workloads),
    )


def _workload(
    name: str, sizes: Sequence[int], states: dict[tuple[str, int], list[bool]]
) -> WorkloadState:
    settled = tuple(s for s in sizes if states.get((name, s)) and all(states[name, s]))
    return WorkloadState(
        workload=name,
        open_sizes=tuple(s for s in sizes if s not in settled),
        settled_sizes=settled,
        bases={},
    )


def _state(trial: Trial) -> SizeState:
    verdict = trial.verdict
    if verdict.word == "withheld":
        settled = verdict.reason not in _MENDABLE
    elif trial.planted == 1.0:
        # Nothing waits for the same code: it is measured as often as what it stands beside.
        settled = trial.rounds >= LOOKS[0]
    else:
        settled = verdict.word in SETTLED and trial.rounds >= TRUE_FROM
    return SizeState(
        size=verdict.size,
        rounds=trial.rounds,
        word=verdict.word,
        settled=settled,
        why=verdict.why,
        rounds_needed=trial.rounds_needed,
    )


def _pairs(times: Times) -> Iterator[tuple[Pair, float]]:
    """Yield each comparison with how many times as long its entry takes."""
    for entry in times.record.entries:
        base = times.entries.get(entry.twin_of or "")
        if base is None or entry.variant not in {"twin", "planted"}:
            continue
        kind = SAME_CODE if entry.variant == "twin" else PLANTED
        scopes = WARM_SCOPES[:1] if times.on_cpu(entry.id) else WARM_SCOPES
        for workload in times.workloads():
            for size in times.sizes(workload):
                if (workload, size, entry.id) not in times.cases:
                    continue
                for scope in scopes:
                    pair = Pair(workload, size, scope, base.id, kind, entry.id)
                    yield pair, _planted(entry, base)


def _planted(entry: Entry, base: Entry) -> float:
    return entry.calls / base.calls if entry.variant == "planted" else 1.0


def _trial(times: Times, twins: Twins, pair: Pair, planted: float) -> Trial:
    values = times.paired(pair.workload, pair.size, pair.scope, pair.base, pair.entry)
    ordered = [values[r] for r in sorted(values)]
    if pair.base_kind == SAME_CODE:
        verdict = _same_code(times, twins, pair, ordered)
    else:
        verdict = compare(times, twins, pair).verdict
    trial = Trial(planted=planted, verdict=verdict, rounds=len(ordered))
    if verdict.word == "withheld" or not ordered:
        return trial
    seen = interval(ordered)
    return msgspec.structs.replace(
        trial,
        measured=math.exp(-seen.mean),
        low=math.exp(-seen.verdict_high),
        high=math.exp(-seen.verdict_low),
        holds=holds(seen, planted, TRUE_LEVEL),
        rounds_needed=None if verdict.word in SETTLED else _needed(verdict, seen),
    )


def holds(seen: Interval, planted: float, level: float) -> bool:
    """Tell whether the log ratios of some rounds agree with a planted ratio of times."""
    half = t_quantile(level, seen.df) * seen.scale / math.sqrt(seen.n)
    return abs(seen.mean + math.log(planted)) <= half + math.log1p(WALL_ERROR)


def _needed(verdict: Verdict, seen: Interval) -> int | None:
    """Return the rounds that would find a planted difference at this noise.

    In the first rounds the margin rests on the spread that is expected beforehand, not on the one
    that was seen: it is then taken as the least.
    """
    if verdict.base_kind == SAME_CODE:
        return None
    if verdict.rounds_needed is not None or seen.n >= PRIOR_BELOW:
        return verdict.rounds_needed
    return rounds_to_settle(seen.mean, seen.sd, SAME, seen.n)


def _same_code(times: Times, twins: Twins, pair: Pair, ordered: Sequence[float]) -> Verdict:
    """Return what the rule says of the same code measured twice, with the least margin.

    `Twins` shows the worst scope alone, and any other comparison is withheld where the twins of
    its size differ: here each is told as it is.
    """
    blank = Verdict(
        workload=pair.workload,
        size=pair.size,
        scope=pair.scope,
        base=pair.base,
        base_kind=pair.base_kind,
        entry=pair.entry,
        word="withheld",
        rounds=len(ordered),
    )
    shut = gate(times, twins, pair)
    if shut is not None and shut.reason not in _OF_THE_SESSION:
        return msgspec.structs.replace(blank, why=shut.why, reason=shut.reason)
    look = first_settled(ordered, lambda _: SAME)
    if look is None:
        return msgspec.structs.replace(blank, why="fewer than 3 rounds", reason="few_rounds")
    seen = look.interval
    return msgspec.structs.replace(
        blank,
        word=look.word,
        ratio=math.exp(seen.mean),
        low=math.exp(seen.low),
        high=math.exp(seen.high),
        verdict_low=math.exp(seen.verdict_low),
        verdict_high=math.exp(seen.verdict_high),
        margin=math.exp(max(SAME, seen.high, -seen.low)),
        rounds=seen.n,
    )
