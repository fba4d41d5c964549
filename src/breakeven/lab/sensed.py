"""What is concluded from everything that sensors read while something was watched."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from breakeven.analysis.energy import energies
from breakeven.analysis.stretches import readings
from breakeven.model.sensing import Sensing
from breakeven.model.timeline import Series


def concluded(timeline: Sequence[Series], sensing: Sensing) -> Sensing:
    """Return what is known of a watch with readings and energy of the whole of it."""
    watched = sensing.watched
    if watched is None:
        return sensing
    return msgspec.structs.replace(
        sensing,
        readings=readings(timeline, 0.0, watched.wall_s),
        energies=energies(timeline, 0.0, watched.wall_s, None, sensing.absent),
    )
