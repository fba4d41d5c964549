"""A folder of documents that are written whole."""

from __future__ import annotations

from pathlib import Path

from breakeven.store import files
from breakeven.store.privacy import Privacy, here


class Writable:
    """A folder; nothing is made or changed before something is written.

    Parameters
    ----------
    path : Path
        The folder.
    privacy : Privacy or None
        What to take out of texts; None takes out what names this machine and its user.
    """

    def __init__(self, path: Path, privacy: Privacy | None) -> None:
        self.path = path
        self._privacy = privacy or here()

    def check_writable(self) -> None:
        """Make the folder, and try to write in it.

        Raises
        ------
        StoreError
            It cannot be; the message says why, so that nothing is measured in vain.
        """
        files.make_folder(self.path)
        files.try_writing(self.path)
