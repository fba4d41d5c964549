"""Everything that follows from what was measured: verdicts first, then findings."""

from __future__ import annotations

from msgspec.structs import replace

from breakeven.analysis.judge import apply, judge
from breakeven.findings.judge import judge as find
from breakeven.model.finding import Finding
from breakeven.model.run import RunRecord


def concluded(record: RunRecord, smells: tuple[Finding, ...] | None = None) -> RunRecord:
    """Return a record with verdicts, answers and findings, judged now.

    Parameters
    ----------
    smells : tuple of Finding, optional
        What the source of the user's files shows; None keeps what is stored of that.
    """
    made = apply(record, judge(record))
    if smells is not None:
        made = replace(made, smells=smells)
    if not (made.cases or made.studies or made.ported or made.profiled):
        # A watched command has readings and no work that a fault could be told of.
        return made
    return replace(made, findings=find(made, made.smells))
