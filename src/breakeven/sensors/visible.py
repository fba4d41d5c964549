"""Which of a machine's GPUs a process may use, by ``CUDA_VISIBLE_DEVICES``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from breakeven.model.machine import Gpu

_UNSET_HINT = "unset it to use all GPUs"
_UNLIKE = (
    "the GPUs differ, and CUDA numbers the fastest first, the driver by slot; set "
    "CUDA_DEVICE_ORDER=PCI_BUS_ID to be sure which one is cuda:0"
)


class Choice(NamedTuple):
    """The GPUs left, in CUDA's order; `reason` says why none is."""

    gpus: tuple[Gpu, ...]
    reason: str | None = None
    remarks: tuple[str, ...] = ()


def choose(devices: Sequence[tuple[Gpu, str]], environ: Mapping[str, str]) -> Choice:
    """Return the GPUs that CUDA would show to a process with these variables.

    Parameters
    ----------
    devices : sequence of (Gpu, str)
        Each device (or instance of a divided one) in the driver's order, with the UUID of the
        board that it is on.
    environ : mapping
        Where ``CUDA_VISIBLE_DEVICES`` and ``CUDA_DEVICE_ORDER`` are looked up.

    Returns
    -------
    Choice
        Like CUDA, it reads the list up to the first entry that names no device.
    """
    if not devices:
        return Choice((), "the NVIDIA driver is loaded but lists no GPU; run nvidia-smi")
    wish = environ.get("CUDA_VISIBLE_DEVICES")
    everything = tuple(gpu for gpu, _ in devices)
    order_remark = _order(everything, environ)
    if wish is None:
        return Choice(everything, remarks=order_remark)
    if not wish.strip():
        return Choice((), f"CUDA_VISIBLE_DEVICES is empty, which hides every GPU; {_UNSET_HINT}")
    chosen: list[Gpu] = []
    numbered = False
    for word in (part.strip() for part in wish.split(",")):
        gpu = _named(word, devices)
        if gpu is None:
            break
        if gpu in chosen:
            return Choice(
                (), f"CUDA_VISIBLE_DEVICES={wish} names a GPU twice, which CUDA refuses; mend it"
            )
        numbered = numbered or word.isdigit()
        chosen.append(gpu)
    if not chosen:
        return Choice(
            (), f"CUDA_VISIBLE_DEVICES={wish} names no GPU of this machine; {_UNSET_HINT}"
        )
    return Choice(tuple(chosen), remarks=order_remark if numbered else ())


def _named(word: str, devices: Sequence[tuple[Gpu, str]]) -> Gpu | None:
    """Return the device that a number, a UUID or the unambiguous start of one names."""
    if word.isdigit():
        number = int(word)
        boards = list(dict.fromkeys(parent for _, parent in devices))
        if number >= len(boards):
            return None
        return next(gpu for gpu, parent in devices if parent == boards[number])
    if word.startswith("MIG-GPU-"):
        # The older form, MIG-<board's UUID>/<instance>/<slice>, is told apart by its board alone.
        board = word.removeprefix("MIG-").partition("/")[0]
        on_board = [gpu for gpu, parent in devices if parent == board and gpu.mig]
        return on_board[0] if len(on_board) == 1 else None
    if not word.startswith(("GPU-", "MIG-")):
        return None
    matches = [gpu for gpu, _ in devices if gpu.uuid.startswith(word)]
    return matches[0] if len(matches) == 1 else None


def _order(gpus: Sequence[Gpu], environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return a remark when CUDA may number unlike GPUs otherwise than the driver does."""
    alike = len({gpu.name for gpu in gpus}) <= 1
    if alike or environ.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID":
        return ()
    return (_UNLIKE,)
