"""What a profile of each real-world case sees, made by hand from what the case's answer says.

Times are those that the answers tell (`seen_on_h200`), or follow from them. Sites are named as the
runner names them.
"""

from __future__ import annotations

from msgspec.structs import replace

from breakeven.model.finding import Location
from breakeven.model.profiled import Counter, Profiled, Timing
from breakeven.model.trace import TraceSummary
from findings.profiles import profile, site, trace, trial

MIB = 2**20


def spanned(begin: int, end: int, calls: int, host_s: float, **fields: object) -> Timing:
    """Return a span that the script times."""
    first, last = (Location(path="job.py", line=n) for n in (begin, end))
    return Timing(begin=first, end=last, calls=calls, host_s=host_s, **fields)  # type: ignore[arg-type]


def counted(name: str, *values: float) -> Counter:
    """Return a counter read at the ends of steps."""
    return Counter(name=name, t_s=tuple(float(i) for i in range(len(values))), value=values)


def _long(span: float, steps: int, **shares: float) -> TraceSummary:
    """Return a trace of so many steps in so many seconds."""
    made = trace(**shares)  # type: ignore[arg-type]
    assert made.idle is not None
    idle = made.idle
    scaled = replace(idle, loader_s=idle.loader_s * span, launch_s=idle.launch_s * span,
                     synchronise_s=idle.synchronise_s * span, other_s=idle.other_s * span)  # fmt: skip
    return replace(made, span_s=span, steps=steps, idle=scaled, plain_step_s=span / steps)


def whole(*sites: object, **fields: object) -> Profiled:
    """Return a script that repeats nothing."""
    values: dict[str, object] = {"steps": 0} | fields
    return profile(*sites, **values)  # type: ignore[arg-type]


SEEN: dict[int, Profiled] = {
    1: profile(timings=(spanned(23, 25, 40, 2.4e-4, device_s=1.6e-3, pending_s=1.4e-3),),
               steps=40, step_s=2e-3, traced=_long(0.08, 40, busy=0.9)),
    4: profile(timings=(spanned(17, 19, 3000, 1.2e-4, device_s=3.4e-4, pending_s=3.3e-4),),
               steps=3000, step_s=3.4e-4, traced=_long(1.0, 3000, busy=0.98)),
    5: profile(timings=(spanned(15, 18, 2, 1.9e-5, device_s=1e-3, pending_s=9e-4),),
               steps=30, step_s=3e-2),
    7: profile(timings=(spanned(13, 17, 1, 1.4e-3, device_s=5.5e-2, pending_s=5.3e-2),),
               frameworks=("cupy",), steps=20, step_s=2.8e-3),
    10: whole(timings=(spanned(8, 14, 3, 6.8e-2, first=True, device_s=1e-3),)),
    12: profile(site(12, "to_device", 200, name="cupy.asarray", host_s=1.8, device_s=1.6,
                     bytes=200 * 64 * MIB, sizes=(64 * MIB,), memory="pageable"),
                site(13, "launch", 200, name="@", host_s=4e-3, device_s=6e-3),
                frameworks=("cupy", "numpy"), steps=200, step_s=9.2e-3),
    13: profile(site(16, "to_host", 100, name="torch.Tensor.cpu", host_s=0.03, bytes=8 * 10**7),
                site(16, "host_work", 100, name="numpy.argsort", host_s=0.44),
                site(17, "to_device", 100, name="torch.Tensor.to", host_s=4e-3, bytes=8 * 10**5),
                steps=100, step_s=5.1e-3, traced=_long(0.51, 100, busy=0.05, wait=0.08)),
    14: profile(site(20, "launch", 500, name="torch.linalg.solve", host_s=0.06, device_s=8e-3),
                steps=500, step_s=1.2e-4, traced=_long(0.06, 500, busy=0.13, launch=0.8)),
    18: whole(site(10, "host_work", 5, name="float64 scalar * float32 array -> float64"),
              frameworks=("numpy",), kernels=None),
    20: profile(site(25, "implicit_sync", 500, name="torch.Tensor.item", host_s=0.3,
                     idle_after_s=0.1, bytes=2000),
                site(26, "implicit_sync", 500, name="torch.Tensor.item", host_s=0.2,
                     idle_after_s=0.06, bytes=4000),
                steps=500, step_s=2.6e-3, traced=_long(1.3, 500, busy=0.3, launch=0.5, wait=0.15)),
    21: profile(site(14, "implicit_sync", 300, name="torch mask index", host_s=1.2e-2,
                     idle_after_s=6e-3, bytes=300 * 8 * 10**6),
                steps=300, step_s=6.8e-5, traced=_long(2e-2, 300, busy=0.55, wait=0.3)),
    23: profile(site(30, "loader", 8, host_s=0.55, name="torch.utils.data.DataLoader("
                     "num_workers=0)"),
                steps=8, step_s=0.078, trials=(trial("cached_batch", 0.078, 4e-3),)),
    24: profile(site(20, "to_device", 40, name="torch.Tensor.to(non_blocking=True)", host_s=0.44,
                     device_s=0.42, bytes=40 * 64 * MIB, sizes=(64 * MIB,), memory="pageable"),
                steps=40, step_s=1.1e-2),
    27: whole(site(9, "free", 1, bytes=954 * MIB), frameworks=("cupy",),
              counters=(counted("cupy.pool_used_bytes", 954.0 * MIB, 0.0),
                        counted("cupy.pool_total_bytes", 954.0 * MIB, 954.0 * MIB))),
    29: whole(site(25, "allocate", 1, name="OutOfMemoryError", sizes=(2400 * MIB,)),
              site(13, "allocate", 22, name="torch.empty", sizes=(100 * MIB,)),
              counters=(counted("torch.allocated_bytes", 0.0, 500.0 * MIB),
                        counted("torch.reserved_bytes", 0.0, 2400.0 * MIB),
                        counted("torch.ooms", 0.0, 1.0))),
    30: profile(steps=40, step_s=5e-3,
                counters=(counted("torch.allocated_bytes", *(5e7 + 4.2e6 * i for i in range(40))),)),
    33: profile(site(16, "implicit_sync", 5000, name="bool", host_s=0.07), steps=5000,
                step_s=2.1e-5),
    34: replace(profile(settings={"torch.backends.cudnn.benchmark": "True"},
                        timings=(spanned(19, 23, 41, 3.9e-2, device_s=3.8e-2, pending_s=0.0),)),
                steps_s=(1.9e-3,) * 21 + (7.6e-2,) * 20),
    40: profile(site(14, "host_work", 1, name="@", dtype="int64", host_s=0.36),
                site(24, "launch", 10, name="@", device_s=3e-4), steps=10, step_s=3e-5),
    43: whole(site(20, "host_work", 1, name="processes: 8"), settings={"torch.threads": "16"},
              kernels=None),
    45: profile(site(12, "host_work", 1, name="nvidia-smi: nvidia-smi --query-gpu=power.draw"),
                steps=20, step_s=2.7e-3),
    48: profile(site(22, "synchronise", 15, name="torch.Event.synchronize", host_s=4e-2),
                site(23, "clock", 15, name="torch.Event.elapsed_time"),
                steps=15, step_s=2.8e-3, traced=_long(4.2e-2, 15, busy=0.97, number=15)),
    50: profile(site(25, "implicit_sync", 6, name="torch.Tensor.item", host_s=0.2,
                     idle_after_s=1e-3, bytes=24, in_step=False),
                site(20, "launch", 600, name="torch index by array", host_s=2e-2, device_s=0.1),
                steps=300, step_s=1.5e-3, traced=_long(0.45, 300, busy=0.97)),
    52: whole(traced=_long(3e-3, 1, busy=0.2, fp64_share=0.5)),
    54: profile(steps=15, step_s=1.9e-3, frameworks=("numpy",), kernels=None,
                timings=(spanned(15, 17, 15, 1.9e-3),)),
}  # fmt: skip
"""By number of the case. Cases whose fault only the source shows are not among them."""

EXPECTED: dict[int, tuple[str, int | None]] = {
    1: ("BE101", 25), 4: ("BE101", 19), 5: ("BE101", 18), 7: ("BE101", 17), 10: ("BE102", 14),
    12: ("BE203", 12), 13: ("BE204", 16), 14: ("BE306", 20), 18: ("BE402", 10),
    20: ("BE301", 25), 21: ("BE302", 14), 23: ("BE201", 30), 24: ("BE205", 20),
    27: ("BE501", 9), 29: ("BE502", 25), 30: ("BE503", 7), 33: ("BE305", 16), 34: ("BE309", 7),
    40: ("BE108", 14), 43: ("BE312", 20), 45: ("BE701", 12),
}  # fmt: skip
"""Code and line that the run alone tells; line 7 stands for the repeated one."""

CONTROLS = (48, 50, 52, 54)
