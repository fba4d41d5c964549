"""Faults of waiting and launching (BE3xx)."""

from breakeven.findings.code import Code

WAITING = (
    Code(
        code="BE301",
        title="A value is read from the GPU in each step",
        kind="implicit-sync",
        severity="warning",
        fix="Keep the value on the device (detach it) and read it every some steps, or at the end.",
        effort="some lines",
        verify="Waits per step, and the idle time after them, fall.",
        question=(
            "How long is the device idle after the read? Where it stays busy, the read costs "
            "nothing."
        ),
    ),
    Code(
        code="BE302",
        title="The size of a result depends on the data, so the host waits for it",
        kind="implicit-sync",
        severity="warning",
        fix="Work with a fixed shape: multiply by the mask, or use where.",
        effort="one line",
        risk="Sums run over all elements, in another order.",
        verify="No wait is left at this line.",
        question="How long is the device idle after the count was read?",
    ),
    Code(
        code="BE303",
        title="Each step waits for the device without need",
        kind="implicit-sync",
        severity="warning",
        fix="Wait once after the loop; within it only where a clock or the host needs the result.",
        effort="one line",
        verify="The device is busy between steps.",
        question="How long is the device idle after the wait?",
    ),
    Code(
        code="BE304",
        title="Kernels are so small that launching them takes the time",
        kind="launch-bound",
        severity="warning",
        fix="Do more per launch: a larger batch, torch.compile, a CUDA graph, cupy.fuse.",
        effort="some lines",
        risk="A larger batch may change how a training converges.",
        verify="The device is busier, and twice the batch takes clearly longer.",
        question="How much longer does a step take with twice the batch?",
    ),
    Code(
        code="BE305",
        title="A Python loop goes over the elements of a device array",
        kind="element-loop",
        severity="warning",
        fix=(
            "Use one operation on the whole array, or bring the array to the host once before the "
            "loop."
        ),
        effort="some lines",
        risk="A sum over the whole array adds in another order.",
        verify="Launches per step fall to a handful.",
        question="How many launches and waits does the loop make, and how long do they take?",
    ),
    Code(
        code="BE306",
        title="Many small problems are handed over one at a time",
        kind="launch-bound",
        severity="warning",
        fix="Solve them in one batched call, or stay on the CPU at this size.",
        effort="one line",
        risk="The batched routine may round differently.",
        verify="One call takes less than the loop did, and its results agree.",
        question="How much of the loop's time is the device busy?",
    ),
    Code(
        code="BE307",
        title="The batch is too small to fill the GPU",
        kind="launch-bound",
        severity="info",
        fix="Raise the batch to where throughput stops growing.",
        effort="one line",
        risk="A larger batch may need another learning rate.",
        verify="Twice the batch gives under 1.5 times the samples a second.",
        question="What does twice the batch give?",
    ),
    Code(
        code="BE308",
        title="The batch lies beyond the knee",
        kind="memory-limit",
        severity="info",
        fix="A smaller batch gives the same throughput with less memory and delay.",
        effort="one line",
        verify="Throughput at the smaller batch is the same.",
        question="From which batch on does throughput grow no more?",
    ),
    Code(
        code="BE309",
        title="Shapes change, so the library tunes or compiles again",
        kind="shape-recompile",
        severity="warning",
        fix=(
            "Pad to few sizes, turn autotuning off (cudnn.benchmark = False), or compile for "
            "changing sizes."
        ),
        effort="one line",
        risk="Padding computes more; a kernel that was not tuned may be slower.",
        verify="Steps with a new shape take as long as the others.",
        question="How much longer does a step with a new shape take?",
    ),
    Code(
        code="BE310",
        title="A kernel is built in the loop",
        kind="shape-recompile",
        severity="warning",
        fix="Build the kernel once, outside.",
        effort="one line",
        verify="Nothing is compiled after the first step.",
        question="How long does the building take?",
    ),
    Code(
        code="BE311",
        title="Single steps stall",
        kind="implicit-sync",
        severity="warning",
        fix="Save, print and evaluate less often, or beside the loop.",
        effort="some lines",
        verify="The slowest step in a hundred takes less than twice the median.",
        question="Which steps are slow, and what do they do besides?",
    ),
    Code(
        code="BE312",
        title="More threads run than there are cores",
        kind="cpu-oversubscription",
        severity="warning",
        fix=(
            "Give each process its share of the cores (one thread in each of many), and start no "
            "more processes than cores."
        ),
        effort="one line",
        verify="Processes times threads is no more than the cores.",
        question="How many threads work at once, on how many cores?",
    ),
)
