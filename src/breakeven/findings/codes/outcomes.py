"""What a judge says when it names no fault."""

from breakeven.findings.code import Code

OUTCOMES = (
    Code(
        code="BE000",
        title="Nothing wrong was found",
        kind="none",
        severity="info",
        fix="Nothing is to be mended.",
        verify="Run it again after a change.",
    ),
    Code(
        code="BE001",
        title="It cannot be told",
        kind="cannot-tell",
        severity="info",
        fix="Remove what hindered the look, and run it again.",
        verify="The next run says something else than this.",
    ),
)
