"""A trace read piece by piece: whole, cut, broken, compressed, or no trace at all."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.errors import InputError
from breakeven.trace import stream
from breakeven.trace.stream import Document

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def events(path: Path) -> tuple[list[dict[str, Any]], Document]:
    """Return all events, and the document after them."""
    document = Document(path)
    return list(document.events()), document


@given(
    head=st.dictionaries(st.text().filter(lambda t: t != "traceEvents"), ANYTHING, max_size=3),
    made=st.lists(st.dictionaries(st.text(), ANYTHING, max_size=4), max_size=8),
    tail=st.integers(),
    chunk=st.integers(1, 40),
    packed=st.booleans(),
    indent=st.sampled_from([None, 0, 2]),
)
def test_what_was_written_is_read_whatever_the_pieces(
    tmp_path_factory: pytest.TempPathFactory,
    head: dict[str, Any],
    made: list[dict[str, Any]],
    tail: int,
    chunk: int,
    packed: bool,
    indent: int | None,
) -> None:
    """Pieces of any length give the events and what stands before and after them."""
    whole = {**head, "traceEvents": made, "last": tail}
    path = tmp_path_factory.mktemp("t") / "trace"
    text = json.dumps(whole, indent=indent).encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "CHUNK_BYTES", chunk)
        found, document = events(path)
    assert found == made
    assert document.header == {**head, "last": tail}
    assert (document.ended_early, document.broken) == (False, 0)


def test_a_bare_list_of_events_is_a_trace(tmp_path: Path) -> None:
    """Chrome's format allows the list alone, also with a comma after the last."""
    path = tmp_path / "trace.json"
    path.write_text('[{"ph": "X"}, 3, {"ph": "i"},]')
    assert events(path)[0] == [{"ph": "X"}, {"ph": "i"}]


@pytest.mark.parametrize("left", [0.3, 0.6, 0.9, 0.98])
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_was_cut_says_so(tmp_path: Path, left: float, packed: bool) -> None:
    """Events before the cut are read; the document says that there may have been more."""
    made = [{"ph": "X", "name": f"kernel {n} {hash(n):x}", "ts": n} for n in range(500)]
    whole = json.dumps({"schemaVersion": 1, "traceEvents": made}).encode()
    whole = gzip.compress(whole) if packed else whole
    path = tmp_path / "trace"
    path.write_bytes(whole[: int(len(whole) * left)])
    found, document = events(path)
    assert document.ended_early
    assert found == made[: len(found)]


def test_one_broken_event_costs_one_event(tmp_path: Path) -> None:
    """Kernels' names with stray quotes have broken traces before; the next event is found."""
    path = tmp_path / "trace.json"
    good = '{"ph": "X", "args": {"a": {"b": 1}}}'
    path.write_text('{"traceEvents": [' + good + ', {"name": "a"b\\q"}, ' + good + "]}")
    found, document = events(path)
    assert found == [json.loads(good)] * 2
    assert document.broken == 1
    assert not document.ended_early


def test_control_characters_in_names_are_read(tmp_path: Path) -> None:
    """A raw tab in a string is no JSON, yet stands in real traces."""
    path = tmp_path / "trace.json"
    path.write_text('{"traceEvents": [{"name": "a\tb"}]}')
    assert events(path)[0] == [{"name": "a\tb"}]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "does not begin like one"),
        ("<html>", "does not begin like one"),
        ('{"name": "x"}', "holds no traceEvents"),
        ('{"traceEvents": 3}', "holds no traceEvents"),
        ('{"a: 3', "its head is not JSON"),
    ],
)
def test_what_is_no_trace_is_told(tmp_path: Path, text: str, why: str) -> None:
    """The message names the file, what is wrong with it and what to give."""
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=f"notes.txt is no Chrome trace: .*{why}") as caught:
        events(path)
    assert "export_chrome_trace" in caught.value.fix


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    """What the system said stands in the message."""
    with pytest.raises(InputError, match=r"gone.json cannot be read: No such file"):
        events(tmp_path / "gone.json")


def test_a_large_file_is_never_held_whole(tmp_path: Path) -> None:
    """What is kept of the text at any time is little more than a piece."""
    path = tmp_path / "trace.json.gz"
    with gzip.open(path, "wt") as out:
        out.write('{"traceEvents": [')
        for n in range(60_000):
            out.write(json.dumps({"ph": "X", "name": "k" * 100, "ts": n}) + ",")
        out.write("{}]}")
    document, most = Document(path), 0
    for _ in document.events():
        most = max(most, len(document._text))
    assert most < 2 * stream.CHUNK_BYTES
