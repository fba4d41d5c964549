"""The record of a run that begins now."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from breakeven.engine.clock import stamp, utc
from breakeven.lab.legible import legible
from breakeven.model.machine import Machine
from breakeven.model.run import RunRecord
from breakeven.model.spec import RunSpec
from breakeven.store.folder import new_id


def begun(command: Sequence[str], spec: RunSpec, machine: Machine) -> RunRecord:
    """Return a record with an id and a start of its own, and nothing measured yet."""
    return RunRecord(
        id=new_id(utc(), secrets.token_hex(2)),
        started=stamp(),
        command=legible(command),
        spec=spec,
        machine=machine,
    )
