"""A study that grows event by event."""

from __future__ import annotations

from typing import Any

import msgspec

from breakeven.model.study import Study, Training


def joined(known: Study, new: Study) -> Study:
    """Return both in one: lists are added up, of single facts the new one counts where it is one.

    A training that was broken off gives way to the one that repeats it in full.

    Parameters
    ----------
    known, new : Study
        Of the same workload, size and entry.
    """
    changed: dict[str, Any] = {}
    for name in Study.__struct_fields__:
        old, value = getattr(known, name), getattr(new, name)
        if isinstance(value, tuple):
            changed[name] = old + value
            if name == "trainings":
                changed[name] = (*(t for t in old if not _repeated(t, value)), *value)
        elif value is not None:
            changed[name] = value
    return msgspec.structs.replace(known, **changed)


def _repeated(old: Training, new: tuple[Training, ...]) -> bool:
    return any(
        (t.round, t.seed) == (old.round, old.seed) and len(t.epochs) > len(old.epochs) for t in new
    )
