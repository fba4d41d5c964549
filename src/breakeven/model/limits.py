"""What bounds every figure of a run."""

from __future__ import annotations

import msgspec

from breakeven.model.machine import Ceilings
from breakeven.model.verdict import AaCheck


class Floors(msgspec.Struct, frozen=True, kw_only=True):
    """Shortest times that can be told apart, by entry, seconds.

    Attributes
    ----------
    empty_call_s : float
        An empty call through the timing loop: the floor of the wall and issue clocks.
    synchronise_s : float or None
        Synchronise on an idle device; None on a CPU.
    event_pair_s : float or None
        Two events with nothing between: the floor of the device clock.
    empty_kernel_s : float or None
        A kernel of one element, behind a full queue: the floor of the device clock there.
    message_s : float
        One message to a worker and back.
    """

    empty_call_s: float
    message_s: float
    synchronise_s: float | None = None
    event_pair_s: float | None = None
    empty_kernel_s: float | None = None


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What bounds every figure of the run.

    Attributes
    ----------
    floors : dict
        By entry id.
    aa : tuple of AaCheck
        By workload, size and scope.
    ceilings : tuple of Ceilings
        Of each device, where they were measured.
    """

    floors: dict[str, Floors] = {}
    ceilings: tuple[Ceilings, ...] = ()
    aa: tuple[AaCheck, ...] = ()
