"""The run record: everything that one run measured and concluded, the document that is stored."""

from __future__ import annotations

import msgspec

from breakeven.model.advice import Advice, Band
from breakeven.model.case import (
    Agreement,
    CacheTimes,
    Case,
    DeviceTimes,
    Memory,
    Phases,
    Status,
    Work,
)
from breakeven.model.crossing import Crossover, Payback
from breakeven.model.entry import Entry, Variant
from breakeven.model.finding import Finding
from breakeven.model.limits import Floors, Limits
from breakeven.model.machine import BackendInfo, Machine
from breakeven.model.ported import Ported
from breakeven.model.profiled import Profiled
from breakeven.model.questions import Answer
from breakeven.model.ratio import FirstAnswer, Ratio
from breakeven.model.reach import Achieved, Prediction
from breakeven.model.scaling import Team
from breakeven.model.sensing import Sensing
from breakeven.model.slot import Clock, Conditions, GpuConditions, Round, Slot
from breakeven.model.spec import RunSpec
from breakeven.model.starts import ColdStart, NaiveShot
from breakeven.model.study import Study
from breakeven.model.timeline import Series
from breakeven.model.verdict import NaiveCost, Reference, Verdict

# The parts of a document have files of their own; they are imported from here.
__all__ = [
    "SCHEMA",
    "Agreement",
    "CacheTimes",
    "Case",
    "Clock",
    "ColdStart",
    "Conditions",
    "DeviceTimes",
    "Entry",
    "Floors",
    "GpuConditions",
    "Limits",
    "Memory",
    "NaiveShot",
    "Phases",
    "Round",
    "RunRecord",
    "Slot",
    "Status",
    "Variant",
    "Work",
]

SCHEMA = "breakeven.run/1"


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One run: records, then what was concluded from them.

    Attributes
    ----------
    finished : str or None
        ISO 8601 time, UTC; None while unfinished.
    interrupted : bool
        Whether the run ended before its plan did.
    rounds_planned : int
        Rounds that the plan foresaw when it ended.
    remarks : tuple of str
        What the engine saw that weakens the record (busy machine, sizes left out, no pinning).
    caveats : tuple of str
        What the judge says must be read beside the verdicts.
    ratios, first_answers : tuple
        Ratios that are no verdicts; what first answers take without compiled kernels.
    studies, teams : tuple
        Training and inference beside their timed slots; the same on several processes.
    timeline : tuple of Series
        What sensors read, with `sensing` beside it.
    questions : tuple of Answer
        What is asked of a training, answered from `studies`, `teams` and `timeline`.
    ported : tuple of Ported
        How far the user's own function got on each entry.
    profiled : Profiled or None
        What was recorded of the user's script.
    smells : tuple of Finding
        What the source of the user's files shows, before the run tells what it costs.
    findings : tuple of Finding
        What stands in the way, or that nothing does.
    """

    id: str
    started: str
    command: tuple[str, ...]
    spec: RunSpec
    machine: Machine
    schema: str = SCHEMA
    finished: str | None = None
    interrupted: bool = False
    rounds_planned: int = 0
    backends: tuple[BackendInfo, ...] = ()
    entries: tuple[Entry, ...] = ()
    cases: tuple[Case, ...] = ()
    cold_starts: tuple[ColdStart, ...] = ()
    naive_shots: tuple[NaiveShot, ...] = ()
    limits: Limits = Limits()
    remarks: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    crossovers: tuple[Crossover, ...] = ()
    paybacks: tuple[Payback, ...] = ()
    achieved: tuple[Achieved, ...] = ()
    predictions: tuple[Prediction, ...] = ()
    bands: tuple[Band, ...] = ()
    advice: tuple[Advice, ...] = ()
    naive: tuple[NaiveCost, ...] = ()
    caveats: tuple[str, ...] = ()
    ratios: tuple[Ratio, ...] = ()
    first_answers: tuple[FirstAnswer, ...] = ()
    references: tuple[Reference, ...] = ()
    findings: tuple[Finding, ...] = ()
    studies: tuple[Study, ...] = ()
    teams: tuple[Team, ...] = ()
    timeline: tuple[Series, ...] = ()
    sensing: Sensing | None = None
    questions: tuple[Answer, ...] = ()
    ported: tuple[Ported, ...] = ()
    profiled: Profiled | None = None
    smells: tuple[Finding, ...] = ()
