"""The exchange of gradients, with the meeting before it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

BUCKET_BYTES = 25 << 20
"""As DistributedDataParallel gathers gradients by default."""


class Exchange:
    """Adds up the gradients of all processes, by hand, so that it can be timed without computing.

    Parameters
    ----------
    parameters : iterable of tensor
        Of the model; the process group must be there.
    """

    def __init__(self, parameters: Iterable[Any]) -> None:
        import torch
        import torch.distributed as dist

        self._torch, self._dist = torch, dist
        self._parameters = [p for p in parameters if p.requires_grad]
        self._token = torch.zeros(1, device=self._parameters[0].device)

    def meet(self) -> None:
        """Return when all processes have come here, their devices idle.

        An exchange of one number, awaited: a barrier of NCCL is the same, but ahead of the host.
        """
        self._dist.all_reduce(self._token)
        float(self._token)

    def share(self) -> None:
        """Replace each gradient by the mean of all processes, in buckets from the last layer on."""
        size = self._dist.get_world_size()
        for bucket in self._buckets():
            flat: Any = self._torch.cat([p.grad.reshape(-1) for p in bucket])
            self._dist.all_reduce(flat)
            flat /= size
            parts = flat.split([p.numel() for p in bucket])
            for parameter, part in zip(bucket, parts, strict=True):
                parameter.grad.copy_(part.reshape(parameter.shape))

    def _buckets(self) -> list[list[Any]]:
        buckets: list[list[Any]] = [[]]
        held = 0
        for parameter in reversed(self._parameters):
            if parameter.grad is None:
                continue
            size = parameter.numel() * parameter.element_size()
            if buckets[-1] and held + size > BUCKET_BYTES:
                buckets.append([])
                held = 0
            buckets[-1].append(parameter)
            held += size
        return [bucket for bucket in buckets if bucket]
