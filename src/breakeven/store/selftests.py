"""Self-tests as small JSON documents, in a folder of their own beside the runs."""

from __future__ import annotations

from pathlib import Path

import msgspec

from breakeven.model.selftest import SelfTest
from breakeven.store import files
from breakeven.store.names import checked, default_folder
from breakeven.store.plain import encoded
from breakeven.store.privacy import Privacy
from breakeven.store.writable import Writable

FOLDER = "selftests"


class SelfTests(Writable):
    """The folder of stored self-tests.

    Parameters
    ----------
    store : Path or None
        Folder of stored runs, in which this one lies; None takes `default_folder`.
    privacy : Privacy or None
        What to take out of texts; None takes out what names this machine and its user.
    """

    def __init__(self, store: Path | None = None, *, privacy: Privacy | None = None) -> None:
        super().__init__((store if store is not None else default_folder()) / FOLDER, privacy)

    def save(self, selftest: SelfTest) -> Path:
        """Write a self-test whole or not at all; return its path.

        Raises
        ------
        StoreError
            It cannot be written.
        """
        checked(selftest.id)
        files.make_folder(self.path)
        path = self.path / f"{selftest.id}.json"
        files.replace(path, encode(self._privacy.clean(selftest)))
        return path


def encode(selftest: SelfTest) -> bytes:
    """Return a self-test as a JSON document, in the form of a run's: indented, stable order."""
    return msgspec.json.format(encoded(selftest), indent=1) + b"\n"
