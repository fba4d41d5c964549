"""What changed between two runs as text of 80 columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from breakeven import units
from breakeven.model.difference import Change, ChangeWord, Difference, Run
from breakeven.report.lines import plain, wrapped
from breakeven.report.names import SCOPE_SHORT, joined

WIDTH = 80
_ORDER: tuple[ChangeWord, ...] = ("slower", "faster", "same", "open", "withheld")
_LISTED = 4
_NAME = 12


def text_of(found: Difference) -> str:
    """Return the difference as text that ends with a newline; the first line is the answer."""
    lines = [*wrapped(answer(found), WIDTH), ""]
    lines += [*_run("A", found.a), *_run("B", found.b), ""]
    lines += [*_facts(found), *_cases(found.changes), *_reasons(found.changes)]
    lines += [*_alone("A", found.only_a), *_alone("B", found.only_b)]
    for remark in found.remarks:
        lines += wrapped(remark, WIDTH, first="- ")
    return "\n".join(lines).rstrip() + "\n"


def answer(found: Difference) -> str:
    """Return the first sentence: what is slower, what is faster, or why nothing can be said."""
    counts = Counter(change.word for change in found.changes)
    judged = sum(n for word, n in counts.items() if word != "withheld")
    if not found.same_machine:
        return (
            "Not the same machine: the times stand side by side, and nothing is called slower or "
            "faster."
        )
    if not judged:
        return "No case can be judged; the reasons stand below."
    told = joined([f"{counts[word]} {word}" for word in _ORDER if counts[word]])
    for word in ("slower", "faster"):
        hit = [c for c in found.changes if c.word == word]
        if hit:
            most = (min if word == "slower" else max)(hit, key=lambda c: c.ratio or 1.0)
            return (
                f"B is {word} in {len(hit)} of {judged} judged cases, most so in {_name(most)}: "
                f"A takes {_ratio(most)} of the time of B. In all: {told}."
            )
    if counts["open"]:
        return (
            "The same, as far as these rounds can tell: nothing is proven slower or faster in B. "
            f"In all: {told}."
        )
    return f"The same: no case differs by a factor of 1.05 or more. In all: {told}."


def _name(change: Change) -> str:
    return f"{change.workload} {change.size}, {change.entry} ({SCOPE_SHORT[change.scope]})"


def _ratio(change: Change) -> str:
    if change.ratio is None or change.low is None or change.high is None:
        return "-"
    return units.spanned(*(units.ratio(x) for x in (change.ratio, change.low, change.high)))


def _run(letter: str, run: Run) -> list[str]:
    said = f"{run.id}, {' '.join(run.command)}, {run.device}"
    return wrapped(said, WIDTH, first=f"{letter}  ")


def _facts(found: Difference) -> Iterator[str]:
    if found.same_machine:
        others = " These differ:" if found.facts else ""
        yield from wrapped(
            f"The same machine, as far as processor, cores, memory and GPUs tell.{others}", WIDTH
        )
    else:
        yield "What tells them apart, and what else differs:"
    for fact in found.facts:
        said = f"{fact.name}: {fact.a or 'none'} in A, {fact.b or 'none'} in B"
        yield from wrapped(said, WIDTH, first="  ", rest="    ")
    yield ""


def _cases(changes: Sequence[Change]) -> Iterator[str]:
    """Yield a table for each workload and scope."""
    for (workload, scope), group in groupby(
        sorted(changes, key=lambda c: (c.workload, c.scope, c.size, c.entry)),
        key=lambda c: (c.workload, c.scope),
    ):
        rows = list(group)
        wide = max(len("ENTRY"), *(len(plain(c.entry)) for c in rows))
        yield from wrapped(f"{workload}, {SCOPE_SHORT[scope]}", WIDTH)
        yield from _row("SIZE", "ENTRY", wide, ("A", "B", "ROUNDS", "", "A OVER B [95 %]"))
        for c in rows:
            rounds = f"{c.rounds_a}, {c.rounds_b}"
            told = (_seconds(c.a_s), _seconds(c.b_s), rounds, c.word, _ratio(c))
            yield from _row(str(c.size), plain(c.entry), wide, told)
        yield ""


def _row(size: str, entry: str, wide: int, told: tuple[str, str, str, str, str]) -> Iterator[str]:
    """Yield a row of the table: figures have a line of their own beside a long name."""
    a, b, rounds, word, ratio = told
    figures = f"{a:>8}  {b:>8}  {rounds:>6}  {word:<8}  {ratio}".rstrip()
    if wide > _NAME:
        yield from wrapped(entry, WIDTH, first=f"{size:>6}  ")
        yield " " * (_NAME + 10) + figures
    else:
        yield f"{size:>6}  {entry:<{wide}}  {figures}"


def _seconds(value: float | None) -> str:
    return "-" if value is None else units.seconds(value)


def _reasons(changes: Sequence[Change]) -> Iterator[str]:
    """Yield each reason once, with the number of cases that it holds for."""
    reasons = Counter((c.word, c.why) for c in changes if c.why)
    for (word, why), count in reasons.most_common():
        cases = "1 case" if count == 1 else f"{count} cases"
        yield from wrapped(f"{word} ({cases}): {why}", WIDTH, first="- ")
    margins = sorted({c.margin for c in changes if c.margin is not None})
    if margins:
        ends = " to ".join(dict.fromkeys(units.ratio(m) for m in (margins[0], margins[-1])))
        yield from wrapped(
            f"These two sessions may differ by {ends} without any change; slower and faster lie "
            "beyond that with the whole of their verdict interval, which is wider than the one "
            "shown.",
            WIDTH,
            first="- ",
        )


def _alone(letter: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        shown = joined(list(names[:_LISTED]))
        more = len(names) - _LISTED
        tail = f", with {more} more" if more > 0 else ""
        yield from wrapped(f"only in {letter}: {shown}{tail}", WIDTH, first="- ")
