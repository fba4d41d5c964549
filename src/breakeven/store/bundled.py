"""Reference runs that come with the package."""

from __future__ import annotations

from importlib import resources

from breakeven.model.run import RunRecord
from breakeven.store.upgrade import decode


def bundled_runs() -> tuple[RunRecord, ...]:
    """Return the stored reference runs of other machines, ordered by file name; often one.

    Raises
    ------
    CorruptRunError, NewerSchemaError
        The installed package is damaged.
    """
    folder = resources.files("breakeven.store") / "reference"
    if not folder.is_dir():
        return ()
    found = sorted(
        (f for f in folder.iterdir() if f.name.endswith(".json.gz")), key=lambda f: f.name
    )
    return tuple(decode(f.read_bytes(), f"the bundled run {f.name}") for f in found)
