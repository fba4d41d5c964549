"""What changed between two stored runs."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.estimate import Scope

SCHEMA = "breakeven.difference/1"
ChangeWord = Literal["faster", "slower", "same", "open", "withheld"]


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """One fact that differs between two runs, in words; None where a run does not have it.

    Attributes
    ----------
    identity : bool
        Whether it makes two machines of them.
    """

    name: str
    a: str | None
    b: str | None
    identity: bool = False


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One case of both runs; its word is about the second one.

    Attributes
    ----------
    a_s, b_s : float or None
        Median over rounds; None where unmeasured.
    rounds_a, rounds_b : int
        Rounds that count.
    ratio, low, high : float or None
        a_s / b_s, so over 1 the second run is faster, with its 95 % interval.
    verdict_low, verdict_high : float or None
        The wider interval that the word hangs on; None where it is withheld.
    margin : float or None
        Ratio by which these sessions may differ without a change; None where it is withheld.
    control : str or None
        The entry that the margin was read from; None where it is the known one.
    why, reason : str or None
        What withholds it or leaves it open, with a short and stable code: those of verdicts, and
        ``machines``, ``settings``, ``sessions``.
    """

    workload: str
    size: int
    scope: Scope
    entry: str
    word: ChangeWord
    a_s: float | None = None
    b_s: float | None = None
    rounds_a: int = 0
    rounds_b: int = 0
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    verdict_low: float | None = None
    verdict_high: float | None = None
    margin: float | None = None
    control: str | None = None
    why: str | None = None
    reason: str | None = None


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two runs."""

    id: str
    started: str
    command: tuple[str, ...]
    device: str


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Two stored runs, case by case.

    Attributes
    ----------
    same_machine : bool
        Whether no fact that tells machines apart differs.
    facts : tuple of Fact
        What differs: of the machine, its software, and what the runs were asked to do.
    only_a, only_b : tuple of str
        Cases that one run alone has measured.
    remarks : tuple of str
        What weakens it.
    """

    a: Run
    b: Run
    same_machine: bool
    schema: str = SCHEMA
    facts: tuple[Fact, ...] = ()
    changes: tuple[Change, ...] = ()
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
