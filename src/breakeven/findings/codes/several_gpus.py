"""Faults of work on several GPUs (BE6xx)."""

from breakeven.findings.code import Code

SEVERAL_GPUS = (
    Code(
        code="BE601",
        title="The GPUs are not equally busy",
        kind="multi-gpu-imbalance",
        severity="warning",
        fix=(
            "Use DistributedDataParallel with equal shards, and look at heat and link of the slow "
            "one."
        ),
        effort="some lines",
        verify="Busy times of the GPUs differ by less than 10 %.",
        question="How far apart are the busy times of the GPUs?",
    ),
    Code(
        code="BE602",
        title="The exchange between GPUs takes the time",
        kind="multi-gpu-imbalance",
        severity="warning",
        fix=(
            "Exchange less often (accumulate gradients), overlap it with computing, or use fewer "
            "GPUs."
        ),
        effort="some lines",
        risk="Accumulating changes the effective batch.",
        verify="The exchange's share of a step falls under 10 %.",
        question="What share of a step is exchange that no computing hides?",
    ),
    Code(
        code="BE603",
        title="The further GPUs hardly pay",
        kind="multi-gpu-imbalance",
        severity="warning",
        fix="Use fewer GPUs, or run independent jobs side by side.",
        effort="one line",
        verify="Samples a second over those of one GPU times their number is over 70 %.",
        question="How many samples a second do one and several GPUs give?",
    ),
)
