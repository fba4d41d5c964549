"""Stored runs with values that nobody measured: shown, or refused in one line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from breakeven import lab
from breakeven.errors import CorruptRunError, NewerSchemaError
from breakeven.store.upgrade import encode
from records import record
from study_records import teams, trained

VALUES = (
    None, True, 0, -1, 2**60, 1e308, -1e308, 1e-12, "", "x", "a" * 300, [], {}, [None], {"a": 1},
)  # fmt: skip
Where = tuple[str | int, ...]


@cache
def _document(kind: str) -> tuple[str, tuple[Where, ...]]:
    """Return a sound document, with the places in it that may be damaged."""
    if kind == "training":
        made = replace(trained(batches=(64, 128), rounds=3), teams=teams([1.0, 1.3], [90, 90]))
    else:
        made = record(rounds=3, slots=2)
    text = encode(lab.judged(made)).decode()
    return text, tuple(_places(json.loads(text)))


def _places(value: Any, at: Where = ()) -> Iterator[Where]:  # noqa: ANN401  any JSON value
    """Yield the places of a document, of a list the first few."""
    if at:
        yield at
    inner = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value[:4]) if isinstance(value, list) else inner
    for key, one in inner:
        yield from _places(one, (*at, key))


def _damaged(document: Any, at: Where, change: Any) -> None:  # noqa: ANN401  any JSON value
    """Change one place: leave it out, double it, halve it, or put another value there."""
    for key in at[:-1]:
        document = document[key]
    known = document[at[-1]]
    if change == "away":
        del document[at[-1]]
    elif change == "twice" and isinstance(known, list):
        document[at[-1]] = known + known
    elif change == "half" and isinstance(known, list):
        document[at[-1]] = known[: len(known) // 2]
    else:
        document[at[-1]] = VALUES[change % len(VALUES)] if isinstance(change, int) else known


@pytest.mark.parametrize("kind", ["training", "matmul"])
@settings(
    max_examples=50,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_one_value_that_is_another_is_shown_or_refused(
    tmp_path: Path, data: st.DataObject, kind: str
) -> None:
    """No place of a document leads to a fault of ours, whatever stands there."""
    text, places = _document(kind)
    document = json.loads(text)
    at = data.draw(st.sampled_from(places))
    change = data.draw(st.sampled_from(["away", "twice", "half"]) | st.integers(0, len(VALUES) - 1))
    _damaged(document, at, change)
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document))
    try:
        found = lab.load(str(path))
    except (CorruptRunError, NewerSchemaError):
        return
    assert lab.Result(record=found).table()
    assert lab.report_html(found)
    assert lab.text_of(found, "csv")
