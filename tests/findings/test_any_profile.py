"""Whatever a profile holds, it is judged."""

from __future__ import annotations

from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from breakeven.findings.catalogue import CATALOGUE
from breakeven.findings.judge import judge
from breakeven.findings.ranking import less
from breakeven.model.profiled import Counter, Doing, Profiled, Setting, Site, Timing
from breakeven.model.trace import Copies, Idle, Operator, TraceSummary
from findings.profiles import at, run_of, trial

_SECONDS = st.sampled_from((None, 0.0, 1e-9, 2e-5, 1e-3, 0.5, 1e4))
_COUNT = st.sampled_from((0, 1, 3, 100, 10**6))
_NAMES = st.sampled_from((None, "", "torch.Tensor.item", "torch mask index", "processes: 8",
    "float64 scalar * float32 array -> float64", "torch.linalg.solve", "torch.randn (host)",
    "nvidia-smi: power.draw", "torch.cuda.empty_cache", "OutOfMemoryError"))  # fmt: skip
_SITES = st.builds(
    Site, location=st.integers(1, 9).map(at), doing=st.sampled_from(get_args(Doing)), name=_NAMES,
    calls=_COUNT, host_s=_SECONDS, device_s=_SECONDS, idle_after_s=_SECONDS,
    bytes=st.sampled_from((None, 0, 8, 10**9)), in_step=st.booleans(),
    sizes=st.sampled_from(((), (1, 2, 3, 4, 5))), dtype=st.sampled_from((None, "int64", "float32")),
    memory=st.sampled_from((None, "pageable")),
)  # fmt: skip
_PART = st.sampled_from((0.0, 0.3, 1.0))
_TRACES = st.builds(
    TraceSummary, steps=_COUNT, span_s=st.sampled_from((0.0, 1.0)), kernels=_COUNT,
    busy_share=st.one_of(st.none(), _PART), kernel_share=st.one_of(st.none(), _PART),
    fp64_share=st.one_of(st.none(), _PART), tensor_core_share=st.one_of(st.none(), _PART),
    idle=st.one_of(st.none(), st.builds(Idle, loader_s=_PART, launch_s=_PART, synchronise_s=_PART,
                                        other_s=_PART)),
    operators=st.lists(st.builds(Operator, name=st.sampled_from(("aten::mm", "aten::mul")),
                                 calls=_COUNT, host_self_s=_PART, device_self_s=_PART)).map(tuple),
    copies=st.just((Copies(direction="to_device", memory="pageable", number=1, bytes=9,
                           seconds=0.2),)),
)  # fmt: skip
_COUNTERS = st.builds(
    lambda name, values: Counter(name=name, t_s=tuple(map(float, range(len(values)))),
                                 value=tuple(values)),
    st.sampled_from(("torch.allocated_bytes", "torch.reserved_bytes", "torch.ooms",
                     "process.rss_bytes", "torch.device_allocs", "cupy.pool_used_bytes")),
    st.lists(st.sampled_from((0.0, 1e6, 1e9)), max_size=40),
)  # fmt: skip
_TIMINGS = st.builds(Timing, begin=st.just(at(1)), end=st.just(at(5)), calls=_COUNT,
                     host_s=st.sampled_from((0.0, 1e-3)), device_s=_SECONDS, pending_s=_SECONDS,
                     first=st.booleans())  # fmt: skip
_TRIALS = st.sampled_from(("cached_batch", "doubled_batch", "deferred_sync", "tf32", "warm")).map(
    lambda name: trial(name, 0.01, 0.005)
)
_PROFILES = st.builds(
    Profiled, script=st.just("job.py"), frameworks=st.just(("torch", "cupy")),
    sites=st.lists(_SITES, max_size=8).map(tuple), timings=st.lists(_TIMINGS, max_size=2).map(tuple),
    counters=st.lists(_COUNTERS, max_size=4).map(tuple), trace=st.one_of(st.none(), _TRACES),
    trials=st.lists(_TRIALS, max_size=3).map(tuple), kernels=st.sampled_from((None, 0, 5)),
    steps_s=st.lists(st.sampled_from((0.0, 1e-6, 1e-3, 1.0)), max_size=120).map(tuple),
    found_by=st.sampled_from((None, "loop")), wall_s=st.sampled_from((0.0, 10.0)),
    settings=st.just((Setting(name="torch.backends.cudnn.benchmark", value="True"),
                      Setting(name="torch.threads", value="16"))),
)  # fmt: skip


@given(_PROFILES)
@settings(max_examples=200, deadline=None)
def test_every_profile_is_judged(seen: Profiled) -> None:
    """Something is always said, never with more weight than the catalogue's, no ceiling under 1."""
    found = judge(run_of(seen))
    assert found
    for one in found:
        known = CATALOGUE[one.code]
        assert less(known.severity, one.severity) == one.severity
        assert one.gain_ceiling is None or one.gain_ceiling >= 1
        assert one.explains_share is None or 0 <= one.explains_share <= 1
