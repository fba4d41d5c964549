"""Work and memory of one step, counted on tensors that have a shape and no values."""

from __future__ import annotations

import copy
import dataclasses
import weakref
from collections.abc import Callable
from typing import Any

from breakeven.backends.found import first_line
from breakeven.workloads.base import Need
from breakeven.workloads.training.optimisers import optimiser

Image = tuple[int, int, int]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Count:
    """What one step takes.

    Attributes
    ----------
    flops, bytes : int or None
        As PyTorch's counter has them; bytes that every operator reads and writes.
    peak_bytes : int or None
        The most that lives at once: weights, gradients, state, activations and what operators
        make in between. What libraries take for themselves is not in it.
    why : str or None
        Why nothing could be counted.
    """

    flops: int | None = None
    bytes: int | None = None
    peak_bytes: int | None = None
    why: str | None = None

    def need(self, weights: int) -> Need | None:
        """Return what a job holds: on the host the same, were it there, and its first weights."""
        if self.peak_bytes is None:
            return None
        return Need(host=self.peak_bytes + weights, device=self.peak_bytes)


class _Live:
    """Bytes of the storages that live now, and the most there were."""

    def __init__(self) -> None:
        self.now = self.peak = 0
        self._known: dict[int, Any] = {}

    def see(self, tensor: Any) -> None:  # noqa: ANN401  a tensor
        storage = tensor.untyped_storage()
        key = id(storage)
        if key in self._known:
            return
        size = storage.nbytes()
        self._known[key] = weakref.finalize(storage, self._gone, key, size)
        self.now += size
        self.peak = max(self.peak, self.now)

    def _gone(self, key: int, size: int) -> None:
        del self._known[key]
        self.now -= size

    def forget(self) -> None:
        for watched in self._known.values():
            watched.detach()


def _mode(live: _Live) -> Any:  # noqa: ANN401  a dispatch mode
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    class Traffic(TorchDispatchMode):  # type: ignore[no-untyped-call]
        """Adds up what operators read and write; a view moves nothing."""

        total = 0

        def __torch_dispatch__(
            self,
            func: Any,  # noqa: ANN401  an operator
            types: Any,  # noqa: ANN401  unused
            args: Any = (),  # noqa: ANN401  its arguments
            kwargs: Any = None,  # noqa: ANN401  its arguments
        ) -> Any:  # noqa: ANN401  its results
            del types
            results = func(*args, **(kwargs or {}))
            made = [t for t in tree_leaves(results) if isinstance(t, torch.Tensor)]
            for tensor in made:
                live.see(tensor)
            if not func.is_view:
                read = [t for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
                self.total += sum(t.numel() * t.element_size() for t in (*read, *made))
            return results

    return Traffic()  # type: ignore[no-untyped-call]


def count_training(model: Any, image: Image, batch: int, name: str) -> Count:  # noqa: ANN401
    """Count a step of training: forward, backward, optimiser.

    Parameters
    ----------
    model : module
        Left as it is.
    batch : int
        Images of a step.
    name : str
        Of the optimiser.
    """

    def ready(ghost: Any) -> Callable[[Any, Any], None]:  # noqa: ANN401  a module
        import torch

        rule = optimiser(name, ghost.parameters(), 1e-3)

        def step(images: Any, labels: Any) -> None:  # noqa: ANN401  tensors
            loss: Any = torch.nn.functional.cross_entropy(ghost(images), labels)
            loss.backward()
            rule.step()
            rule.zero_grad()

        return step

    return _count(model, image, batch, ready)


def count_inference(model: Any, image: Image, batch: int) -> Count:  # noqa: ANN401  a module
    """Count a forward pass in evaluation mode."""

    def ready(ghost: Any) -> Callable[[Any, Any], None]:  # noqa: ANN401  a module
        import torch

        ghost.eval()

        def step(images: Any, labels: Any) -> None:  # noqa: ANN401  tensors
            del labels
            with torch.no_grad():
                ghost(images).argmax(dim=1)

        return step

    return _count(model, image, batch, ready)


def _count(
    model: Any,  # noqa: ANN401  a module
    image: Image,
    batch: int,
    ready: Callable[[Any], Callable[[Any, Any], None]],
) -> Count:
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    live = _Live()
    try:
        ghost = copy.deepcopy(model).to("meta")
        images = torch.empty((batch, *image), device="meta")
        labels = torch.zeros(batch, dtype=torch.int64, device="meta")
        for tensor in (images, labels, *ghost.parameters(), *ghost.buffers()):
            live.see(tensor)
        step = ready(ghost)
        with _mode(live):
            # The optimiser makes its state in the first step: the second is like all others.
            step(images, labels)
        with _mode(live) as traffic, FlopCounterMode(display=False) as flops:
            step(images, labels)
    except Exception as error:  # noqa: BLE001  a user's model may do what needs values
        return Count(why=f"a step could not be counted without values ({first_line(error)})")
    finally:
        live.forget()
    return Count(
        flops=int(flops.get_total_flops()), bytes=int(traffic.total), peak_bytes=int(live.peak)
    )
