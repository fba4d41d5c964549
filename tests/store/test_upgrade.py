"""Run documents: round trips, damage, other versions."""

from __future__ import annotations

import contextlib
import gzip
import json
import math
import types
import typing

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from breakeven.errors import CorruptRunError, NewerSchemaError
from breakeven.model.run import SCHEMA, RunRecord
from breakeven.store import upgrade
from breakeven.store.upgrade import decode, encode
from records import record

RUN = record(rounds=2, slots=2, sizes=(128, 512))
RAW = encode(RUN)


def anything(kind: typing.Any) -> st.SearchStrategy[typing.Any]:  # noqa: ANN401 - any type
    """Return a strategy for values of any type that a record is made of."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return st.builds(kind, **{n: anything(t) for n, t in typing.get_type_hints(kind).items()})
    if origin is tuple:
        return st.lists(anything(inner[0]), max_size=2).map(tuple)
    if origin is dict:
        return st.dictionaries(anything(inner[0]), anything(inner[1]), max_size=2)
    if origin is typing.Literal:
        return st.sampled_from(inner)
    if origin in {types.UnionType, typing.Union}:
        return st.one_of([anything(one) for one in inner])
    plain = {
        str: st.text(max_size=6),
        int: st.integers(-(2**63), 2**63 - 1),
        float: st.floats(allow_nan=False, allow_infinity=False),
        bool: st.booleans(),
        type(None): st.none(),
    }
    return plain[kind]


RECORDS = anything(RunRecord).map(lambda run: msgspec.structs.replace(run, schema=SCHEMA))


@settings(max_examples=25, deadline=None)
@given(RECORDS)
def test_any_record_comes_back_equal(run: RunRecord) -> None:
    """Every field of every part of a record survives the document, and encodes alike again."""
    raw = encode(run)
    assert decode(raw, "it") == run
    assert encode(decode(raw, "it")) == raw


def test_a_document_can_be_read_by_people_and_by_others() -> None:
    """It is plain JSON, indented, with the schema in it, in the order of the record's fields."""
    data = json.loads(RAW)
    assert data["schema"] == "breakeven.run/1"
    assert list(data) == list(RunRecord.__struct_fields__)
    assert RAW.endswith(b"}\n")
    assert b'\n "started": "2026-12-01T10:22:07Z",\n' in RAW
    assert data["cases"][0]["agreement"]["class"] == "float32"


def test_what_is_no_number_is_null_and_can_be_read() -> None:
    """NaN and infinity are written as null, in required and optional numbers, and load again."""
    case = msgspec.structs.replace(
        RUN.cases[0],
        losses=(0.5, math.inf, math.nan),
        agreement=msgspec.structs.replace(RUN.cases[0].agreement, error=math.nan),
        phases=msgspec.structs.replace(RUN.cases[0].phases, import_s=math.nan),
    )
    raw = encode(msgspec.structs.replace(RUN, cases=(case, *RUN.cases[1:])))
    json.loads(raw, parse_constant=pytest.fail)
    back = decode(raw, "it").cases[0]
    assert back.losses[0] == 0.5
    assert all(math.isnan(loss) for loss in back.losses[1:])
    assert back.agreement is not None
    assert math.isnan(back.agreement.error)
    assert back.phases.import_s is None
    assert encode(decode(raw, "it")) == raw


def test_a_command_that_is_no_text_can_be_stored() -> None:
    """A byte that is no UTF-8 in an argument does not cost the run."""
    run = msgspec.structs.replace(RUN, command=("run", "\udcff.py"))
    assert decode(encode(run), "it").command == ("run", "?.py")


def test_a_compressed_document_is_read_too() -> None:
    """Documents may be gzipped."""
    assert decode(gzip.compress(RAW), "it") == RUN


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"", "truncated"),
        (RAW[:-20], "truncated"),
        (RAW.replace(b'"rounds_planned": 2', b'"rounds_planned": oops'), r"\(byte \d+\)"),
        (RAW.replace(b'"rounds_planned": 2', b'"rounds_planned": "2"'), r"`\$\.rounds_planned`"),
        (RAW.replace(b'"size": 512', b'"size": null', 1), r"`\$\.cases\[1\]\.size`"),
        (RAW.replace(b'"status": "ok"', b'"status": "fine"', 1), r"'fine'.*status"),
        (RAW.replace(b'"started"', b'"begun"', 1), "missing required field `started`"),
        (b"\xff" + RAW, r"JSON is malformed.*byte 0"),
        (RAW.replace(b"Test CPU", b"Test \xff", 1), "UTF-8"),
        (b'{"name": "other"}', "missing required field `schema`"),
        (b'{"schema": "something/1"}', "its schema is 'something/1'"),
        (b'{"schema": "breakeven.run/0"}', "its schema is 'breakeven.run/0'"),
        (b"[" * 100_000, "not a run document"),
        (b'{"schema": "breakeven.run/1", "x": ' + b"[" * 100_000, "nested too deeply"),
        (gzip.compress(RAW)[:-30], "damaged gzip"),
        (b"\x1f\x8bnot gzip at all", "damaged gzip"),
        (b"\x80\x04K\x01.", "not a run document"),
    ],
)  # fmt: skip
def test_damage_is_told_with_its_place(raw: bytes, told: str) -> None:
    """A document that is damaged, or none at all, says where and names the file."""
    with pytest.raises(CorruptRunError, match=rf"^here\.json.*{told}"):
        decode(raw, "here.json")


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(RAW) - 1), st.binary(max_size=3))
def test_no_damage_raises_anything_else(place: int, junk: bytes) -> None:
    """Any bytes in any place leave a document that loads or is called corrupt."""
    with contextlib.suppress(CorruptRunError, NewerSchemaError):
        assert isinstance(decode(RAW[:place] + junk + RAW[place + 1 :], "it"), RunRecord)


@pytest.mark.parametrize(
    ("machine", "maker"),
    [({"breakeven": "3.1.0"}, "Breakeven 3.1.0"), ({"breakeven": 3}, "a newer Breakeven"),
     ("?", "a newer Breakeven")],
)  # fmt: skip
def test_a_newer_document_says_what_made_it(machine: object, maker: str) -> None:
    """A schema of the future is named with its maker and the remedy, however it looks inside."""
    raw = json.dumps({"schema": "breakeven.run/2", "machine": machine, "cases": "new"}).encode()
    with pytest.raises(
        NewerSchemaError, match=f"made by {maker} in schema breakeven.run/2"
    ) as told:
        decode(raw, "here.json")
    assert "pip install --upgrade breakeven" in told.value.fix


def test_fields_of_a_later_version_of_this_schema_are_passed_over() -> None:
    """A field that was added within a schema does not keep an older version from reading."""
    assert decode(RAW.replace(b'{\n "id"', b'{\n "mood": "good",\n "id"', 1), "it") == RUN


def test_an_older_document_goes_through_each_upgrade(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps are applied in order up to the schema of today."""
    monkeypatch.setattr(upgrade, "CURRENT", 3)
    monkeypatch.setitem(upgrade.UPGRADES, 1, lambda data: {**data, "id": data["id"] + "-one"})
    monkeypatch.setitem(upgrade.UPGRADES, 2, lambda data: {**data, "id": data["id"] + "-two"})
    assert decode(RAW, "it").id == RUN.id + "-one-two"


def test_a_missing_upgrade_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A schema that nothing upgrades is refused instead of being read wrongly."""
    monkeypatch.setattr(upgrade, "CURRENT", 2)
    with pytest.raises(CorruptRunError, match="which nothing upgrades"):
        decode(RAW, "it")
