"""The page about the stored run names every field, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
import pytest
from msgspec import inspect

from breakeven.model.run import RunRecord
from docs.pages import ROOT

PAGE = (ROOT / "docs" / "stored-run.md").read_text(encoding="utf-8")


def structs(found: inspect.Type, seen: dict[str, type]) -> dict[str, type]:
    """Return all structs that a type is made of, by name."""
    inner: list[inspect.Type] = []
    match found:
        case inspect.StructType(cls=cls, fields=fields) if cls.__name__ not in seen:
            seen[cls.__name__] = cls
            inner = [f.type for f in fields]
        case inspect.VarTupleType(item_type=item):
            inner = [item]
        case inspect.DictType(value_type=value):
            inner = [value]
        case inspect.UnionType(types=types):
            inner = list(types)
        case _:
            pass
    for each in inner:
        structs(each, seen)
    return seen


STRUCTS = structs(inspect.type_info(RunRecord), {})


def sections() -> Iterator[tuple[str, str]]:
    """Yield name and text of each section about a struct."""
    parts = re.split(r"^### `(\w+)`$", PAGE, flags=re.MULTILINE)
    yield from zip(parts[1::2], parts[2::2], strict=True)


def test_every_struct_has_a_section() -> None:
    """Each part of the document has a section of its own, and no section is about nothing."""
    assert {name for name, _ in sections()} == set(STRUCTS)


@pytest.mark.parametrize("name", sorted(STRUCTS))
def test_every_field_is_named(name: str) -> None:
    """The first column of a section's table holds exactly the fields of its struct."""
    text = dict(sections())[name]
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    named = [field for cell in cells for field in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(f.encode_name for f in msgspec.structs.fields(STRUCTS[name]))
