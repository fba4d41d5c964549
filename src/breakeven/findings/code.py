"""One entry of the catalogue: a fault by its stable name, with how to mend it."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.finding import Kind, Severity

Effort = Literal["one line", "some lines", "redesign"]


class Code(msgspec.Struct, frozen=True, kw_only=True):
    """A fault that has a name, whether it is seen in source or in a run.

    Attributes
    ----------
    code : str
        Stable: a code is never given to another fault.
    title : str
        What it is, in few words.
    severity : str
        Of a finding that is proven; a rule may say less, and never says more.
    fix : str
        What to do, one sentence.
    effort : str or None
        Of the mending; None where there is nothing to mend.
    risk : str or None
        What the mending may change; None where it changes nothing.
    verify : str
        How to see that it is gone.
    question : str or None
        What a run must answer before the source's smell is called a cause.
    """

    code: str
    title: str
    kind: Kind
    severity: Severity
    fix: str
    verify: str
    effort: Effort | None = None
    risk: str | None = None
    question: str | None = None

    @property
    def page(self) -> str:
        """Where the documentation tells of it."""
        return f"docs/findings/{self.code}.md"
