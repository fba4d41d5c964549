"""Answers to what is asked of a training: utilisation, batch, power, time, inference."""

from __future__ import annotations

from typing import Literal

import msgspec

Question = Literal[
    "utilisation", "batch", "power", "time", "accuracy", "inference", "step", "scaling"
]
Unit = Literal["share", "cores", "bytes", "s", "1/s", "W", "C", "J", "1", "batch"]
AnswerWord = Literal[
    "reached",
    "not_reached",
    "steady",
    "rising",
    "falling",
    "less",
    "more",
    "alike",
    "break_even",
    "parity",
    "different",
    "found",
    "none",
    "undecided",
    "loader",
    "launch",
    "copy",
    "wait",
    "compute",
    "balanced",
    "idle_rank",
    "slow_rank",
    "exchange",
    "contention",
]


class Quantity(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of an answer, with its interval over rounds where there is one.

    Attributes
    ----------
    name : str
        What it is of, such as ``gpu_utilisation``, without its unit.
    unit : str
        ``share``, ``cores``, ``bytes``, ``s``, ``1/s``, ``W``, ``C``, ``J``, ``1`` (a ratio or a
        number of things), ``batch``.
    value : float or None
        None where it could not be had, with `why`.
    low, high : float or None
        Ends of the 95 % interval; None with fewer than two rounds.
    n : int
        Rounds behind it (fresh processes); of an accuracy, images.
    method : str or None
        How it was had, where there is more than one way.
    why, fix : str or None
        Why there is no figure, or no interval; how to get one.
    """

    name: str
    unit: Unit
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    method: str | None = None
    why: str | None = None
    fix: str | None = None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What the records of a run say to one question about one subject.

    Attributes
    ----------
    question : str
        ``utilisation`` (RQ1), ``batch`` (RQ2), ``power`` (RQ3), ``time`` and ``accuracy`` (RQ4),
        ``inference`` (RQ5), ``step`` (where the time of a step goes), ``scaling`` (several
        processes).
    workload : str
        ``train`` or ``infer``.
    entry : str or None
        Who it is about; None for several processes.
    size : int or None
        Batch size; None where the answer is about all of them.
    base : str or None
        The entry that it is set beside, where two are compared.
    word : str or None
        The conclusion, of a closed set.
    figures : tuple of Quantity
        What it rests on.
    why : str or None
        Why there is no conclusion, or what weakens it.
    """

    question: Question
    workload: str
    entry: str | None = None
    size: int | None = None
    base: str | None = None
    word: AnswerWord | None = None
    figures: tuple[Quantity, ...] = ()
    why: str | None = None

    def figure(self, name: str) -> Quantity | None:
        """Return a figure by its name; None where there is none of that name."""
        return next((f for f in self.figures if f.name == name), None)
