"""What two sides compute in: alike, unlike because that is under test, or unlike by accident."""

from __future__ import annotations

from breakeven import units
from breakeven.analysis.pairs import Pair
from breakeven.analysis.times import Times
from breakeven.model.run import Case, Entry, RunRecord
from breakeven.model.spec import Precision
from breakeven.stats.classes import WRONG, honest

_FINE = {"float64", "float32"}
_OVERRIDE = "NVIDIA_TF32_OVERRIDE"


def sides(times: Times, pair: Pair) -> tuple[Precision, Precision] | None:
    """Return what base and entry compute in, where one of them is a precision variant."""
    base, entry = times.entries[pair.base], times.entries[pair.entry]
    if "precision" not in {base.variant, entry.variant}:
        return None
    return base.precision, entry.precision


def undeclared(times: Times, pair: Pair) -> str | None:
    """Return why a side is not what it was declared to be: it errs as coarser arithmetic does.

    An answer that is merely wrong is told elsewhere. So is one that passed its check, whose error
    is then as small as its workload can tell.
    """
    for side in (pair.base, pair.entry):
        case, entry = _case(times, pair, side), times.entries[side]
        agreement = case.agreement if case is not None else None
        if agreement is None or agreement.passed or agreement.class_ == WRONG:
            continue
        if not honest(agreement.class_, entry.precision):
            return (
                f"{times.label(side)} was to compute in {entry.precision}, yet errs by "
                f"{units.significant(agreement.error, 2)}, as {_words(agreement.class_)} does; "
                f"{_remedy(times.record, entry)}"
            )
    return None


def unlike(times: Times, pair: Pair) -> str | None:
    """Return why the arithmetic of two sides differs, unless that is what the run compares."""
    base, entry = times.entries[pair.base], times.entries[pair.entry]
    one, other = times.label(pair.base), times.label(pair.entry)
    if base.precision != entry.precision:
        if _under_test(times.record, base, entry):
            return None
        if base.dtype != entry.dtype:
            return (
                f"{one} works in {base.dtype}, {other} in {entry.dtype}; give both the same --dtype"
            )
        return (
            f"{one} multiplies in {base.matmul_precision} precision, {other} in "
            f"{entry.matmul_precision}; set both alike"
        )
    classes = [
        case.agreement.class_
        for side in (pair.base, pair.entry)
        if (case := _case(times, pair, side)) is not None and case.agreement is not None
    ]
    if len({c in _FINE for c in classes}) > 1:
        coarse = base if classes[0] not in _FINE else entry
        return (
            f"{one} answers with errors of class {classes[0]}, {other} of class "
            f"{classes[1]}; a speed-up bought with precision is another speed-up: "
            f"{_remedy(times.record, coarse)}"
        )
    return None


def tf32_caveats(record: RunRecord) -> list[str]:
    """Return what a variable in the user's environment does to the precision of GPU entries."""
    value = record.machine.environment.get(_OVERRIDE)
    if value is None or all(e.device == "cpu" for e in record.entries):
        return []
    if value == "0":
        does = "NVIDIA's libraries never compute in TF32 then, whatever an entry asks for"
    else:
        does = "NVIDIA's libraries may compute float32 in TF32 then, though entries ask them not to"
    return [f"{_OVERRIDE}={value} is set: {does}. Unset it to have entries be what they say."]


def _case(times: Times, pair: Pair, entry: str) -> Case | None:
    return times.cases.get((pair.workload, pair.size, entry))


def _under_test(record: RunRecord, base: Entry, entry: Entry) -> bool:
    """Return whether the run declared this difference: a variant against the run's precision."""
    return (
        entry.variant == "precision"
        and entry.precision in record.spec.precisions
        and base.precision == record.spec.dtype
    )


def _words(class_: str) -> str:
    return "TF32 or float16" if class_ == "TF32/half" else class_


def _remedy(record: RunRecord, entry: Entry) -> str:
    value = record.machine.environment.get(_OVERRIDE)
    if value not in {None, "0"} and entry.device != "cpu":
        return f"unset {_OVERRIDE}, which is {value}"
    return "switch TF32 and other reduced precision off"
