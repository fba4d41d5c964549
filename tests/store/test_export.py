"""Exports: one line a round in CSV, the document in JSON."""

from __future__ import annotations

import csv
import io
import statistics

import msgspec

from breakeven.model.run import Case
from breakeven.store.export import to_csv, to_json
from breakeven.store.upgrade import decode
from records import record

RUN = record(rounds=2, slots=4, sizes=(128, 512))


def rows(text: str) -> list[dict[str, str]]:
    """Return CSV as a reader of tables sees it."""
    return list(csv.DictReader(io.StringIO(text)))


def test_there_is_one_line_a_case_scope_clock_and_round() -> None:
    """Every round of every case is there, scouting too, with the entry's facts beside it."""
    lines = rows(to_csv(RUN))
    groups = [(c, g) for c in RUN.cases for g in c.rounds]
    assert len(lines) == len(groups)
    for line, (case, group) in zip(lines, groups, strict=True):
        assert line["workload"] == case.workload
        assert int(line["size"]) == case.size
        assert line["entry"] == case.entry
        assert (int(line["round"]), line["scope"], line["clock"]) == (
            group.round, group.scope, group.clock)  # fmt: skip
        assert float(line["median_s"]) == statistics.median(s.median_s for s in group.slots)
        assert (line["slots"], line["slots_voided"], line["repeats"]) == ("4", "0", "80")
    assert {(line["backend"], line["threads"]) for line in lines} == {
        ("numpy", "16"), ("torch-cpu", "16"), ("cupy", ""), ("torch-cuda", "")}  # fmt: skip


def test_voided_slots_are_counted_and_left_out() -> None:
    """The median is over the slots that count; without any it is empty, not 0."""
    case = RUN.cases[0]
    first = case.rounds[0]
    some = tuple(
        msgspec.structs.replace(s, voided="busy" if i else None) for i, s in enumerate(first.slots)
    )
    every = tuple(msgspec.structs.replace(s, voided="busy") for s in first.slots)
    groups = tuple(msgspec.structs.replace(first, slots=slots) for slots in (some, every))
    run = msgspec.structs.replace(RUN, cases=(msgspec.structs.replace(case, rounds=groups),))
    partly, none = rows(to_csv(run))
    assert float(partly["median_s"]) == first.slots[0].median_s
    assert (partly["slots"], partly["slots_voided"]) == ("1", "3")
    assert (none["median_s"], none["slots"], none["slots_voided"]) == ("", "0", "4")


def test_a_case_that_was_never_timed_has_its_line() -> None:
    """A status is a result; a reason with commas and line ends stays one cell."""
    lost = Case(workload="matmul", size=8192, entry="gone", status="out_of_memory",
                why='needs 3 GiB, has 2,\nsaid "no"')  # fmt: skip
    (line,) = rows(to_csv(msgspec.structs.replace(RUN, cases=(lost,))))
    assert (line["status"], line["why"]) == ("out_of_memory", lost.why)
    assert (line["median_s"], line["slots"], line["backend"]) == ("", "", "")


def test_json_is_the_document() -> None:
    """What is exported as JSON can be shown again as a run."""
    assert decode(to_json(RUN).encode(), "export") == RUN
