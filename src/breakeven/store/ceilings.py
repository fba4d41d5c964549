"""Ceilings of this machine, kept beside the runs: one small document for each state of it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from breakeven.errors import CorruptRunError
from breakeven.model.machine import Ceilings, Machine
from breakeven.store import files
from breakeven.store.privacy import here

SCHEMA = "breakeven.ceilings/1"
FOLDER = "ceilings"
# Libraries whose versions change what a device reaches.
LIBRARIES = (
    "numpy", "torch", "cupy", "cupy-cuda11x", "cupy-cuda12x", "cupy-cuda13x", "breakeven",
)  # fmt: skip


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """What must be the same for ceilings to hold: processor, GPUs, driver, library versions."""

    cpu: str | None
    cores_usable: int
    gpus: tuple[str, ...]
    driver: str | None
    libraries: dict[str, str | None]


class CeilingsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What `breakeven doctor --measure` found.

    Attributes
    ----------
    measured : str
        Day and time, UTC.
    """

    identity: Identity
    measured: str
    ceilings: tuple[Ceilings, ...]
    schema: str = SCHEMA


def identity(machine: Machine) -> Identity:
    """Return what tells this state of a machine from others."""
    return Identity(
        cpu=machine.cpu.model,
        cores_usable=machine.cpu.cores_usable,
        gpus=tuple(f"{g.uuid} {g.name}" for g in machine.gpus),
        driver=machine.driver,
        libraries={name: machine.libraries.get(name) for name in LIBRARIES},
    )


class CeilingsShelf:
    """The folder ``ceilings`` in a store.

    Parameters
    ----------
    store : Path
        Folder of the runs.
    """

    def __init__(self, store: Path) -> None:
        self.path = store / FOLDER

    def save(self, machine: Machine, ceilings: tuple[Ceilings, ...], measured: str) -> Path:
        """Write the document of this machine whole or not at all; return its path.

        Raises
        ------
        StoreError
            It cannot be written; an older one is as it was.
        """
        found = identity(machine)
        document = CeilingsDocument(
            identity=found,
            measured=measured,
            ceilings=tuple(msgspec.structs.replace(c, measured=measured) for c in ceilings),
        )
        files.make_folder(self.path)
        path = self._place(found)
        data = msgspec.json.encode(here().clean(document), order="sorted")
        files.replace(path, msgspec.json.format(data, indent=1) + b"\n")
        return path

    def load(self, machine: Machine) -> CeilingsDocument | None:
        """Return the document of this very state of the machine; None when there is none.

        Raises
        ------
        StoreError
            It is there and cannot be read.
        CorruptRunError
            It is damaged.
        """
        found = identity(machine)
        path = self._place(found)
        if not path.exists():
            return None
        try:
            document = msgspec.json.decode(files.content(path), type=CeilingsDocument)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise CorruptRunError(
                f"{path} is damaged: {error}", "breakeven doctor --measure makes it anew"
            ) from error
        return document if document.schema == SCHEMA and document.identity == found else None

    def _place(self, found: Identity) -> Path:
        key = hashlib.sha256(msgspec.json.encode(found, order="sorted")).hexdigest()[:16]
        return self.path / f"{key}.json"
