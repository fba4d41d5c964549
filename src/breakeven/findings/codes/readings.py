"""Readings of energy and utilisation that do not mean what is claimed (BE7xx)."""

from breakeven.findings.code import Code

READINGS = (
    Code(
        code="BE701",
        title="Energy is told from one look at the power",
        kind="energy-misread",
        severity="warning",
        fix=(
            "Read the driver's energy counter before and after seconds of work, or integrate "
            "power during it."
        ),
        effort="some lines",
        verify="Counter and integrated power agree within 10 %.",
        question="How much power does the same work draw in the middle of seconds of it?",
    ),
    Code(
        code="BE702",
        title="The work is too short for the energy meter",
        kind="energy-misread",
        severity="warning",
        fix="Repeat the work for seconds, and divide.",
        effort="one line",
        verify="The window is many times the meter's period.",
        question="How long is the window beside the meter's period?",
    ),
    Code(
        code="BE703",
        title="Utilisation is taken for efficiency",
        kind="utilization-misread",
        severity="info",
        fix="Set operations or bytes a second beside the card's peak.",
        effort="some lines",
        verify="The figure is a share of a peak that was measured.",
        question="What share of the peak is reached?",
    ),
)
