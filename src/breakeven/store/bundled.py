"""Reference runs that come with the package."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable

from breakeven.model.run import RunRecord
from breakeven.store.upgrade import decode


def bundled_runs(folder: Traversable | None = None) -> tuple[RunRecord, ...]:
    """Return the stored reference runs of other machines, ordered by file name.

    Parameters
    ----------
    folder : Traversable or None
        Where compressed run documents are (``*.json.gz``); None takes those of the package.

    Raises
    ------
    CorruptRunError, NewerSchemaError
        The package is damaged; the message names the file.
    """
    place = resources.files("breakeven.store") / "reference" if folder is None else folder
    if not place.is_dir():
        return ()
    found = {file.name: file for file in place.iterdir() if file.name.endswith(".json.gz")}
    return tuple(decode(found[n].read_bytes(), f"the bundled run {n}") for n in sorted(found))
