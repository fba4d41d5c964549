"""Faults of how data comes to the GPU and back (BE2xx)."""

from breakeven.findings.code import Code

FEEDING = (
    Code(
        code="BE201",
        title="The step waits for the data loader",
        kind="dataloader-starvation",
        severity="warning",
        fix=(
            "Let worker processes prepare the samples (num_workers, persistent_workers), and "
            "prepare less."
        ),
        effort="one line",
        risk="Each worker takes memory, and random preparation draws in another order.",
        verify="The loader's share of a step falls under 5 %.",
        question="What share of a step is spent in next() of the loader?",
    ),
    Code(
        code="BE202",
        title="The same data travels to the GPU again and again",
        kind="transfer-in-loop",
        severity="warning",
        fix="Copy it once before the loop and keep the device array.",
        effort="one line",
        risk="It holds device memory for as long as it is kept.",
        verify="Bytes copied per step fall.",
        question="What share of a step do these copies take?",
    ),
    Code(
        code="BE203",
        title="Copies to the GPU take much of each step",
        kind="transfer-in-loop",
        severity="warning",
        fix=(
            "Keep data on the device, copy a smaller dtype, or overlap copies with computing from "
            "page-locked memory."
        ),
        effort="some lines",
        risk="Data kept on the device takes its memory.",
        verify="Bytes copied per step fall, or the copies overlap with kernels.",
        question="What share of a step do copies take that no kernel hides?",
    ),
    Code(
        code="BE204",
        title="Data goes to the host in the middle of the work, and comes back",
        kind="transfer-in-loop",
        severity="warning",
        fix="Do the step between both copies on the device with the library's own function.",
        effort="some lines",
        risk="Order of ties and rounding may differ.",
        verify="No round trip is left in a step.",
        question="What do both copies cost, and what the work of the host between them?",
    ),
    Code(
        code="BE205",
        title="A copy meant for the background blocks, for its memory is pageable",
        kind="pageable-transfer",
        severity="warning",
        fix="Make the host data page-locked once (pin_memory=True), before the loop.",
        effort="one line",
        risk="Page-locked memory cannot be swapped out.",
        verify="The call that copies returns at once.",
        question="How long does the host stay in the copying call?",
    ),
    Code(
        code="BE206",
        title="Memory is page-locked anew for each copy",
        kind="pageable-transfer",
        severity="warning",
        fix="Page-lock once, in the loader or in a buffer that is used again.",
        effort="some lines",
        verify="The step no longer page-locks.",
        question="How long does page-locking take beside the copy?",
    ),
    Code(
        code="BE207",
        title="A result is read before it has arrived",
        kind="async-race",
        severity="error",
        fix="Wait for the device, or for an event after the copy, before the host reads it.",
        effort="one line",
        verify="The values equal those of a blocking copy.",
        question="Do the values equal those of a blocking copy?",
    ),
    Code(
        code="BE208",
        title="Data is made on the host and then moved",
        kind="transfer-in-loop",
        severity="warning",
        fix="Make it on the device (device=, or the same function of cupy).",
        effort="one line",
        risk="The generator of the device draws other numbers.",
        verify="The copies are gone.",
        question="What share of a step do making and moving take?",
    ),
    Code(
        code="BE209",
        title="A large result comes to the host in each step",
        kind="transfer-in-loop",
        severity="warning",
        fix="Reduce it on the device, or bring it over once at the end.",
        effort="some lines",
        risk="What is kept on the device takes its memory.",
        verify="Bytes copied to the host per step fall.",
        question="What share of a step do copies to the host take?",
    ),
)
