"""The right answers of the real-world cases, and whether findings name them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from breakeven.model.finding import Finding

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "cases"
CONTROL = "none"
OUTCOMES = {"none", "cannot-tell"}


class Case(NamedTuple):
    """One case with its answer.

    Attributes
    ----------
    kinds : tuple of str
        What is right: the kind first, then kinds that are right besides.
    lines : tuple of int
        Any of which names the place; empty where there is none.
    """

    name: str
    script: Path
    kinds: tuple[str, ...]
    lines: tuple[int, ...]
    needs_gpu: bool

    @property
    def control(self) -> bool:
        """Whether it is sound."""
        return self.kinds[0] == CONTROL


class Given(NamedTuple):
    """What was found of a case.

    Attributes
    ----------
    named : bool or None
        Whether the kind was named at its line; of a control, whether nothing was blamed. None
        where the case was not looked at.
    said : tuple of str
        Code, severity, line and evidence of what was found, the right one first.
    """

    named: bool | None
    said: tuple[str, ...] = ()


def cases(folder: Path = FOLDER) -> list[Case]:
    """Return the cases of a folder, in their order."""
    found = []
    for answer in sorted(folder.glob("*.toml")):
        told = tomllib.loads(answer.read_text(encoding="utf-8"))
        found.append(
            Case(
                name=told["name"],
                script=answer.with_suffix(".py"),
                kinds=(told["kind"], *told["secondary_kinds"]),
                lines=tuple(told["lines"]),
                needs_gpu=told["needs_gpu"],
            )
        )
    return found


def given(case: Case, findings: Iterable[Finding]) -> Given:
    """Return whether findings name the answer of a case: right kind, right line, nothing false."""
    found = [f for f in findings if f.kind not in OUTCOMES]
    if case.control:
        blamed = [f for f in found if f.severity != "info"]
        return Given(not blamed, tuple(map(_words, blamed)))
    right = [f for f in found if f.kind == case.kinds[0] and _there(case, f)]
    others = [f for f in found if f not in right and f.severity != "info"]
    return Given(bool(right), tuple(map(_words, (*right, *others))))


def _there(case: Case, finding: Finding) -> bool:
    if not case.lines:
        return True
    places = (*((finding.location,) if finding.location else ()), *finding.also)
    return any(place.line in case.lines for place in places)


def _words(finding: Finding) -> str:
    line = "" if finding.location is None else f" line {finding.location.line}"
    return f"{finding.code} {finding.severity}{line} ({'+'.join(finding.evidence)})"


def table(rows: Sequence[tuple[Case, Given, Given]]) -> str:
    """Return a table of what is expected and what was given, for source alone and for a profile."""
    lines = [
        "| case | expected | lines | check | profile | profile says |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for case, source, run in rows:
        where = ", ".join(map(str, case.lines)) or "-"
        said = "; ".join(run.said[:3]) or "-"
        lines.append(
            f"| {case.name} | {case.kinds[0]} | {where} | {_mark(source)} | {_mark(run)} | {said} |"
        )
    return "\n".join(lines)


def _mark(found: Given) -> str:
    return {True: "yes", False: "no", None: "not run"}[found.named]


def score(rows: Sequence[tuple[Case, Given]]) -> dict[str, int]:
    """Return how many faults were named, of how many, and how many controls were blamed."""
    looked = [(case, found) for case, found in rows if found.named is not None]
    faults = [found.named for case, found in looked if not case.control]
    sound = [found.named for case, found in looked if case.control]
    return {
        "named": sum(map(bool, faults)),
        "faults": len(faults),
        "blamed": sum(not ok for ok in sound),
        "controls": len(sound),
    }
