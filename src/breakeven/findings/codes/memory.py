"""Faults of memory (BE5xx)."""

from breakeven.findings.code import Code

MEMORY = (
    Code(
        code="BE501",
        title="Memory that is kept for reuse is taken for a leak",
        kind="memory-pool",
        severity="info",
        fix="Nothing is lost; free the pool's blocks only where another process needs the memory.",
        verify="Used bytes of the pool fall to 0 while its held bytes stay.",
        question="How many bytes of the pool are used, and how many only held?",
    ),
    Code(
        code="BE502",
        title="Enough memory is free, but in pieces",
        kind="memory-fragmentation",
        severity="warning",
        fix=(
            "Use expandable segments (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True), or "
            "allocate the large block first."
        ),
        effort="one line",
        verify="Held less used memory stays small, and the large block fits.",
        question="How much is held beyond what is used when an allocation fails?",
    ),
    Code(
        code="BE503",
        title="Memory grows with each step",
        kind="memory-leak",
        severity="warning",
        fix="Keep numbers instead of tensors with their graph: detach(), or item() now and then.",
        effort="one line",
        verify="Memory at the ends of steps stays level.",
        question="By how many bytes does memory grow per step?",
    ),
    Code(
        code="BE504",
        title="Memory is given back and asked for anew all the time",
        kind="allocator-churn",
        severity="warning",
        fix=(
            "Leave the cache alone in the loop (no empty_cache, no free_all_blocks), and allocate "
            "buffers once."
        ),
        effort="one line",
        risk="The cache holds memory that other processes do not get.",
        verify="No allocation of the driver is left in a steady step.",
        question="How often per step does the driver allocate, and how long does it take?",
    ),
    Code(
        code="BE505",
        title="Memory is nearly full",
        kind="memory-limit",
        severity="warning",
        fix="A smaller batch, a smaller dtype, or checkpointing of activations.",
        effort="some lines",
        verify="The peak stays under 90 % of the card.",
        question="How high is the peak beside the card's memory?",
    ),
    Code(
        code="BE506",
        title="Half of the memory is unused, and a larger batch would pay",
        kind="memory-limit",
        severity="info",
        fix="Raise the batch while throughput grows.",
        effort="one line",
        risk="A larger batch may need another learning rate.",
        verify="Throughput at the larger batch.",
        question="Does throughput still grow with the batch?",
    ),
    Code(
        code="BE507",
        title="Data spills from the card into the host's memory",
        kind="memory-limit",
        severity="warning",
        fix="Make it fit: a smaller batch, or pieces; turn the driver's fallback off.",
        effort="some lines",
        verify="The link carries no more than the traced copies.",
        question="How many bytes cross the link beyond the traced copies?",
    ),
)
