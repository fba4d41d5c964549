"""Which entry to use from which size on, in one sentence for scopes that are answered alike."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven.model.verdict import Advice
from breakeven.report import names
from breakeven.report.evidence import Evidence
from breakeven.report.view import AdviceText

_SECOND = {
    "resident": "if it already lives on the GPU",
    "transfer": "if it must travel",
    "cold": "from a cold start",
}


def recommendations(evidence: Evidence, workload: str) -> tuple[AdviceText, ...]:
    """Return the stored advice of a workload: one text for each choice."""
    mine = sorted(
        (a for a in evidence.record.advice if a.workload == workload),
        key=lambda a: names.SCOPE_ORDER.index(a.scope),
    )
    if evidence.quick:
        mine = [a for a in mine if a.choice is not None]
    by_choice: dict[str | None, list[Advice]] = {}
    for a in mine:
        by_choice.setdefault(a.choice, []).append(a)
    return tuple(
        AdviceText(
            headline=_headline(evidence, group),
            reasons=tuple(dict.fromkeys(r for a in group for r in a.reasons)),
            settled=choice is not None,
        )
        for choice, group in by_choice.items()
    )


def _headline(evidence: Evidence, group: Sequence[Advice]) -> str:
    first = group[0]
    gpu = bool(evidence.taking_part(first.workload, gpu=True))
    if first.choice is None:
        scopes = names.joined([names.scope(a.scope, on_gpu=gpu) for a in group if gpu])
        return f"No choice is settled {scopes}".rstrip() + "."
    if gpu and not evidence.on_gpu(first.choice):
        return _stay(evidence, group)
    where = _merged([(_sizes(evidence, a), _scope(a, i, gpu=gpu)) for i, a in enumerate(group)])
    text = f"Use {_who(evidence, group)} {where}"
    below = list(dict.fromkeys(a.otherwise for a in group if a.otherwise is not None))
    if below:
        named = names.joined([evidence.label(e) for e in below], "or")
        best = "the best CPU setting" if gpu else named
        text += f"; at smaller sizes {best}" + (f" ({named})" if gpu else "")
    return f"{text}{_quicker(evidence, group)}{_open(evidence, group, gpu=gpu)}."


def _quicker(evidence: Evidence, group: Sequence[Advice]) -> str:
    """Return where verdicts settle another entry as faster than the choice."""
    said: dict[str, list[str]] = {}
    for a in group:
        for entry, sizes in a.quicker.items():
            at = f"{evidence.label(entry)} is faster still at {evidence.axis(a.workload)} = "
            said.setdefault(at + names.sizes(sizes), []).append(_scope(a, 1, gpu=True))
    return "".join(
        f"; {at} {names.joined(scopes)}".rstrip() if len(scopes) < len(group) else f"; {at}"
        for at, scopes in said.items()
    )


def _who(evidence: Evidence, group: Sequence[Advice]) -> str:
    """Return the choice with the entries that verdicts did not tell apart from it."""
    choice = group[0].choice or ""
    scopes = {a.scope for a in group}
    bands = [
        b.entries
        for b in evidence.record.bands
        if b.workload == group[0].workload
        and b.scope in scopes
        and b.kind == "entry"
        and b.name in {"large", "all"}
        and choice in b.entries
    ]
    shared = [e for e in (bands[0] if bands else ()) if all(e in found for found in bands)]
    told = {e for a in group for e in a.quicker}
    others = [evidence.label(e) for e in shared if e != choice and e not in told]
    alike = f" (or {names.joined(others, 'or')}, not told apart)" if others else ""
    return evidence.label(choice) + alike


def _scope(a: Advice, place: int, *, gpu: bool) -> str:
    if not gpu:
        return ""
    return names.scope(a.scope, on_gpu=True) if place == 0 else _SECOND[a.scope]


def _sizes(evidence: Evidence, a: Advice) -> str:
    """Return from where to where a choice holds."""
    axis = evidence.axis(a.workload)
    if a.from_size is None:
        return "at the sizes settled"
    low = names.size(a.from_size)
    if a.to_size is not None:
        high = names.size(a.to_size)
        return f"at {axis} = {low}" if low == high else f"from {axis} = {low} to {high}"
    sizes = evidence.sizes(a.workload)
    if a.from_size <= min(sizes, default=0) and not a.open_sizes:
        return _everywhere(evidence, a)
    crossed = evidence.crossovers(a.workload, scope=a.scope, entry=a.choice, kind="bracket")
    if a.from_size == max(sizes, default=0) and not crossed:
        # One size shows no trend: beyond it nothing was measured.
        return f"at {axis} = {low}"
    return f"from {axis} = {low} on"


def _everywhere(evidence: Evidence, a: Advice) -> str:
    return names.alone(evidence.axis(a.workload), evidence.sizes(a.workload)) or (
        "at every size tested"
    )


def _merged(parts: Sequence[tuple[str, str]]) -> str:
    if len(parts) > 1 and len({sizes for sizes, _ in parts}) == 1:
        return f"{parts[0][0]}, whether the data must travel or not"
    return ", ".join(" ".join(p for p in part if p) for part in parts)


def _stay(evidence: Evidence, group: Sequence[Advice]) -> str:
    """Return the advice to stay on the CPU, as far as that is settled."""
    axis = evidence.axis(group[0].workload)
    parts = []
    for i, a in enumerate(group):
        sizes = _everywhere(evidence, a) if a.to_size is None else (
            f"up to {axis} = {names.size(a.to_size)}")  # fmt: skip
        parts.append((sizes, _scope(a, i, gpu=True)))
    named = evidence.label(group[0].choice or "")
    still = _open(evidence, group, gpu=True)
    return f"Stay with the best CPU setting ({named}) {_merged(parts)}{still}."


def _open(evidence: Evidence, group: Sequence[Advice], *, gpu: bool) -> str:
    """Return the sizes that are not settled, with their scope where scopes differ in them."""
    by_sizes: dict[tuple[int, ...], list[Advice]] = {}
    for a in group:
        by_sizes.setdefault(a.open_sizes, []).append(a)
    axis = evidence.axis(group[0].workload)
    said = []
    for still, of in by_sizes.items():
        if still:
            scopes = "" if len(by_sizes) == 1 else names.joined([_scope(a, 1, gpu=gpu) for a in of])
            said.append(f"not settled at {axis} = {names.sizes(still)} {scopes}".rstrip())
    return "".join(f"; {part}" for part in said)
