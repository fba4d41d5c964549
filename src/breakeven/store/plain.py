"""What JSON cannot hold, told in what it can."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def encoded(value: object) -> bytes:
    """Return `value` as one line of JSON: NaN and infinity as null, broken text repaired.

    A command line may carry bytes that are no text (lone surrogates); they become ``?``.
    """
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_repaired(msgspec.to_builtins(value)))


def _repaired(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_repaired(key): _repaired(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_repaired(inner) for inner in value]
    return value


@cache
def _decoder(wanted: Any) -> msgspec.json.Decoder[Any]:  # noqa: ANN401 - msgspec's own types
    return msgspec.json.Decoder(wanted)


@cache
def _inside(wanted: Any) -> inspect.Type:  # noqa: ANN401 - msgspec's own types
    return inspect.type_info(wanted)


def typed(text: bytes, wanted: Any) -> Any:  # noqa: ANN401 - msgspec's own types
    """Return JSON `text` as `wanted`, with NaN where a number that is always there reads null.

    Raises
    ------
    msgspec.DecodeError, UnicodeDecodeError, RecursionError
        It is no JSON, or does not fit (`UNREADABLE`); `said` tells the byte or the field.
    """
    try:
        return _decoder(wanted).decode(text)
    except msgspec.ValidationError as first:
        known = filled(msgspec.json.decode(text), _inside(wanted))
        try:
            return msgspec.convert(known, wanted)
        except msgspec.ValidationError as second:
            raise second from first


def said(error: Exception) -> str:
    """Return what a decoder said, with the byte or the field, as the end of a sentence."""
    if isinstance(error, RecursionError):
        return "its values are nested too deeply"
    text = str(error).rstrip(".")
    # An abbreviation (JSON) keeps its capitals.
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def filled(value: Any, wanted: inspect.Type) -> Any:  # noqa: ANN401 - any JSON value
    """Return JSON `value` with NaN for each null where `wanted` has a number that is always there.

    Such a null was written for a NaN or an infinity (losses that diverged, an error that could not
    be had): the document is sound, and must not be lost for it.
    """
    match wanted:
        case inspect.FloatType():
            return float("nan") if value is None else value
        case inspect.VarTupleType(item_type=item) if isinstance(value, list):
            return [filled(inner, item) for inner in value]
        case inspect.DictType(value_type=item) if isinstance(value, dict):
            return {key: filled(inner, item) for key, inner in value.items()}
        case inspect.StructType() if isinstance(value, dict):
            return _filled_struct(value, wanted)
        case inspect.UnionType(types=types) if value is not None:
            return _filled_union(value, types)
        case _:
            return value


def _filled_struct(value: dict[str, Any], wanted: inspect.StructType) -> dict[str, Any]:
    types = {field.encode_name: field.type for field in wanted.fields}
    return {
        name: filled(inner, types[name]) if name in types else inner
        for name, inner in value.items()
    }


def _filled_union(value: Any, types: tuple[inspect.Type, ...]) -> Any:  # noqa: ANN401 - any JSON value
    structs = [each for each in types if isinstance(each, inspect.StructType)]
    if isinstance(value, dict) and structs:
        for struct in structs:
            if struct.tag is None or value.get(struct.tag_field) == struct.tag:
                return _filled_struct(value, struct)
        return value
    others = [each for each in types if not isinstance(each, inspect.NoneType)]
    return filled(value, others[0]) if len(others) == 1 else value
