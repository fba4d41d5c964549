"""Training and inference as workloads over the batch size."""

from __future__ import annotations

from collections.abc import Mapping

from breakeven.model.run import Work
from breakeven.model.spec import DType
from breakeven.workloads.base import Need
from breakeven.workloads.training.base import Facts

TRAIN, INFER = "train", "infer"
JOBS = (TRAIN, INFER)
SIZES = (64, 128)
# With a limit of latency the question is which batch still keeps it: requests come one by one too.
LIMITED_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
# Operations of one weight in one step of one image, where nothing was counted: enough to plan by.
TRAIN_FLOPS, INFER_FLOPS = 6.0, 2.0
# What a framework holds beside a case: its code and caches; kernels and workspaces.
HOST_BYTES, DEVICE_BYTES = 400 << 20, 300 << 20


class JobWorkload:
    """A training or inference job, over batch sizes.

    Parameters
    ----------
    name : str
        ``train`` or ``infer``.
    facts : mapping
        Facts of the job by batch size, at one size or several; other sizes are read from a
        straight line. Empty before the model was looked at: then only name and sizes are known.
    """

    axis = "batch"

    def __init__(self, name: str, facts: Mapping[int, Facts] | None = None) -> None:
        self.name = name
        self.sizes = SIZES
        self._facts = dict(sorted((facts or {}).items()))

    @property
    def counted(self) -> bool:
        """Whether the operations of a step were counted, or are foreseen from its weights."""
        return all(f.flops is not None for f in self._facts.values())

    def work(self, size: int, dtype: DType) -> Work:
        """Return operations and bytes of one step."""
        del dtype
        each = TRAIN_FLOPS if self.name == TRAIN else INFER_FLOPS
        flops = {
            n: float(f.flops if f.flops is not None else each * f.parameters * n)
            for n, f in self._facts.items()
        }
        moved = {n: float(f.bytes or 0) for n, f in self._facts.items()}
        return Work(flops=_on_line(flops, size), bytes=_on_line(moved, size))

    def need(self, size: int, dtype: DType) -> Need:
        """Return the bytes of the job on the CPU, or on a device, with what a framework takes.

        The job was counted on one of them, and lies on the other just as it does there.
        """
        del dtype
        held = {n: _held(f.need) for n, f in self._facts.items()}
        own = int(_on_line(held, size))
        return Need(host=own + HOST_BYTES, device=own + DEVICE_BYTES)

    @staticmethod
    def host_bytes_of(need: Need, device: str) -> int:
        """Return the host memory of a job on a device: a framework alone, where it is no CPU."""
        return need.host if device == "cpu" else HOST_BYTES


def _held(need: Need | None) -> float:
    return 0.0 if need is None else float(need.host + need.device)


def _on_line(known: Mapping[int, float], size: int) -> float:
    """Return the value at `size` on the line through the least and the greatest size that is known.

    With one size alone it is in proportion to it. It is never below the least that is known,
    in proportion: a line through two counts may miss zero a little.
    """
    low, high = min(known), max(known)
    part = known[low] * size / low
    if low == high:
        return part
    slope = (known[high] - known[low]) / (high - low)
    return max(known[low] + slope * (size - low), min(part, known[low]), 1.0)
