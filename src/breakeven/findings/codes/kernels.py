"""Faults of what the kernels compute, and in which precision (BE4xx)."""

from breakeven.findings.code import Code

_ROUNDING = "Results round more coarsely: look at the error beside the gain."

KERNELS = (
    Code(
        code="BE401",
        title="It computes in double precision without need",
        kind="float64-compute",
        severity="warning",
        fix="Make the arrays in float32 where the error analysis allows it.",
        effort="one line",
        risk=_ROUNDING,
        verify="Time and error of both precisions, side by side.",
        question="What share of the device's time is float64, and how slow is this card at it?",
    ),
    Code(
        code="BE402",
        title="A dtype is widened by mixing",
        kind="dtype-promotion",
        severity="warning",
        fix="Make the scalar a Python number, or give both sides the same dtype.",
        effort="one line",
        risk=_ROUNDING,
        verify="The result has the dtype of the array, and half the bytes.",
        question="Which dtype has the result?",
    ),
    Code(
        code="BE403",
        title="Products of float32 run without tensor cores",
        kind="kernel-quality",
        severity="info",
        fix="Allow TF32, or compute in bfloat16 (autocast), where the error allows it.",
        effort="one line",
        risk=_ROUNDING,
        verify="Time and loss of both, side by side.",
        question="What does a step with TF32 take, and how far do its answers differ?",
    ),
    Code(
        code="BE404",
        title="TF32 rounds the inputs of products to ten bits",
        kind="tf32-accuracy",
        severity="warning",
        fix=(
            "Turn TF32 off (allow_tf32 = False, matmul precision 'highest') where coordinates or "
            "sums must be exact."
        ),
        effort="one line",
        risk="Products take longer.",
        verify="The error falls from about 5e-4 to about 1e-7.",
        question="How far does the result differ from that with TF32 off?",
    ),
    Code(
        code="BE405",
        title="Element-wise kernels pass over memory one after another",
        kind="kernel-quality",
        severity="info",
        fix="Fuse them: torch.compile, cupy.fuse, an ElementwiseKernel, or in-place operations.",
        effort="some lines",
        risk="A fused kernel may round differently in the last place.",
        verify="Fewer kernels and fewer bytes per step.",
        question="What share of the device's time do element-wise kernels take?",
    ),
    Code(
        code="BE406",
        title="Memory order forces copies or strided access",
        kind="layout",
        severity="warning",
        fix="Keep one memory order (C order, or channels_last for convolutions), and permute once.",
        effort="some lines",
        verify="Copies on the device fall.",
        question="What share of the device's time do copies and transpositions take?",
    ),
    Code(
        code="BE407",
        title="The optimiser runs a kernel for each parameter",
        kind="kernel-quality",
        severity="info",
        fix="Use the foreach or fused form of the optimiser.",
        effort="one line",
        risk="The fused form may round differently in the last place.",
        verify="Kernels per step fall.",
        question="What share of a step does the optimiser take?",
    ),
    Code(
        code="BE408",
        title="Evaluation keeps what only training needs",
        kind="kernel-quality",
        severity="info",
        fix="Evaluate under torch.inference_mode() or torch.no_grad().",
        effort="one line",
        verify="Memory at the end of an evaluation step falls.",
        question="How much memory does an evaluation step hold?",
    ),
    Code(
        code="BE409",
        title="A layer is computed in more kernels than it needs",
        kind="kernel-quality",
        severity="info",
        fix=(
            "Use scaled_dot_product_attention; leave out the bias of a convolution before a batch "
            "norm."
        ),
        effort="some lines",
        risk="Weights of an older checkpoint may no longer fit.",
        verify="Kernels per step fall, and the answers agree.",
        question="What share of the device's time does this layer take?",
    ),
    Code(
        code="BE410",
        title="Two results that differ by rounding alone are compared for equality",
        kind="rounding-only",
        severity="warning",
        fix="Compare with a tolerance that fits dtype and number of terms, or sum in float64.",
        effort="one line",
        verify="Both agree with a float64 sum within the tolerance.",
        question="How far do both differ from the float64 result?",
    ),
    Code(
        code="BE411",
        title="The value that is taken for right is the wrong one",
        kind="cpu-reference-wrong",
        severity="warning",
        fix="Compute the reference in float64 (or with wider integers) and set both beside it.",
        effort="one line",
        verify="The float64 reference agrees with one of both.",
        question="Which of both agrees with the float64 reference?",
    ),
    Code(
        code="BE412",
        title="The library answers something else",
        kind="wrong-value",
        severity="error",
        fix=(
            "Look at the call that is named: its defaults, its ties, its views or its integers "
            "differ."
        ),
        effort="some lines",
        verify="The answers agree with NumPy's.",
        question="At which call do the values part?",
    ),
    Code(
        code="BE413",
        title="The library answers in another dtype",
        kind="dtype-promotion",
        severity="warning",
        fix="Name the dtype where the array is made.",
        effort="one line",
        verify="The answers have NumPy's dtypes.",
        question="Which dtype has the answer on each library?",
    ),
)
