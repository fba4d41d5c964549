"""Run documents to records, whatever schema they were written in."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable
from typing import Any

import msgspec

from breakeven._version import __version__
from breakeven.errors import CorruptRunError, NewerSchemaError
from breakeven.model.run import SCHEMA, RunRecord
from breakeven.store.plain import UNREADABLE, encoded, said, typed

Upgrade = Callable[[dict[str, Any]], dict[str, Any]]
# From schema number to the step that makes the next one of it; /1 is the first there is.
UPGRADES: dict[int, Upgrade] = {}
_FAMILY, _, _NUMBER = SCHEMA.partition("/")
CURRENT = int(_NUMBER)
_GZIP = b"\x1f\x8b"
_DAMAGED = "restore the file from a copy, or remove it"


class Head(msgspec.Struct):
    """What is looked for in a document of any schema; only its schema must be there."""

    schema: str
    machine: Any = None

    def maker(self) -> str | None:
        """Return the version of Breakeven that made the document, where it can be read."""
        version = self.machine.get("breakeven") if isinstance(self.machine, dict) else None
        return version[:40] if isinstance(version, str) else None


def encode(record: RunRecord) -> bytes:
    """Return `record` as a JSON document: indented, keys in a stable order, a newline at the end.

    NaN and infinity are written as null.
    """
    return msgspec.json.format(encoded(record), indent=1) + b"\n"


def decode(raw: bytes, where: str) -> RunRecord:
    """Return the record of a run document, plain or compressed with gzip.

    Parameters
    ----------
    raw : bytes
        The document.
    where : str
        What to call it in an error, such as its path.

    Raises
    ------
    CorruptRunError
        It is no run document; the message names the byte or the field.
    NewerSchemaError
        A newer version of Breakeven made it.
    """
    text = _inflated(raw, where)
    try:
        head = msgspec.json.decode(text, type=Head)
    except UNREADABLE as error:
        raise CorruptRunError(f"{where} is not a run document: {said(error)}", _DAMAGED) from error
    number = schema_number(head.schema, where)
    if number > CURRENT:
        raise newer(where, head.schema, head.maker())
    try:
        if number == CURRENT:
            record: RunRecord = typed(text, RunRecord)
            return record
        return msgspec.convert(_upgraded(msgspec.json.decode(text), number, where), RunRecord)
    except UNREADABLE as error:
        raise CorruptRunError(f"{where} is damaged: {said(error)}", _DAMAGED) from error


def schema_number(schema: str, where: str) -> int:
    """Return the number in a schema's name, such as 1 for ``"breakeven.run/1"``.

    Raises
    ------
    CorruptRunError
        The name is not one of a stored run.
    """
    found = re.fullmatch(rf"{re.escape(_FAMILY)}/([1-9][0-9]{{0,8}})", schema)
    if found is None:
        raise CorruptRunError(
            f"{where} is not a run document: its schema is {schema[:60]!r}, not {SCHEMA!r}",
            _DAMAGED,
        )
    return int(found[1])


def newer(where: str, schema: str, maker: str | None) -> NewerSchemaError:
    """Return the error that says who made a document of a schema that is not known here."""
    made_by = f"Breakeven {maker}" if maker else "a newer Breakeven"
    return NewerSchemaError(
        f"{where} was made by {made_by} in schema {schema}; Breakeven {__version__} reads up to "
        f"{SCHEMA}",
        "install that version or a later one: pip install --upgrade breakeven",
    )


def _upgraded(data: dict[str, Any], number: int, where: str) -> dict[str, Any]:
    for step in range(number, CURRENT):
        if step not in UPGRADES:
            raise CorruptRunError(f"{where} has schema {_FAMILY}/{step}, which nothing upgrades")
        data = UPGRADES[step](data)
    return data


def _inflated(raw: bytes, where: str) -> bytes:
    if not raw.startswith(_GZIP):
        return raw
    try:
        return gzip.decompress(raw)
    except (OSError, EOFError, zlib.error) as error:
        raise CorruptRunError(f"{where} is damaged gzip data: {said(error)}", _DAMAGED) from error
