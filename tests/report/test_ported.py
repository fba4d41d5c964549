"""How far a function got on each library, as a page says it."""

from __future__ import annotations

import msgspec

from breakeven.lab.shelf import judged
from breakeven.model import labels
from breakeven.model.finding import Location
from breakeven.model.ported import CallSite, Compiled, FunctionSpec, Ported, PortFailure
from breakeven.model.run import Entry, RunRecord
from breakeven.report import page as pages
from breakeven.report import ported
from breakeven.report.evidence import Evidence
from records import record

LINE = Location(path="own.py", line=12, text="return np.nanpercentile(x, 5)")
SITE = CallSite(location=LINE, name="numpy.exp", calls=3, seconds=2e-5, synchronised=1)
BRIDGED = CallSite(
    location=LINE, name="numpy.nanpercentile", calls=1, seconds=8e-5, bridged=1, to_host_bytes=800
)
LACKS = PortFailure(
    phase="first_call", category="missing-function", message="CuPy has no numpy.nanpercentile",
    location=LINE, reached=9, of=14, available=11, calls=12, suggestion="sort, then take",
)  # fmt: skip


def told(*found: Ported) -> RunRecord:
    """Return a judged record that knows these ports."""
    made = record(rounds=3, slots=3, workload="f", sizes=(128, 512))
    spec = msgspec.structs.replace(made.spec, function=FunctionSpec(target="own.py:f"))
    return judged(msgspec.structs.replace(made, spec=spec, ported=found))


def port(entry: str, reach: str, **fields: object) -> Ported:
    """Return what was seen of an entry at one size."""
    values = {"workload": "f", "entry": entry, "size": 512, "reach": reach} | fields
    return Ported(**values)  # type: ignore[arg-type]


def said(*found: Ported) -> dict[str, str]:
    """Return the notes by label."""
    return {n.label: n.text for n in ported.notes(Evidence(told(*found)), "f")}


def test_a_full_port_says_calls_waits_and_agreement() -> None:
    """A function that ran fully there says how many calls it made, and that its answer agrees."""
    text = said(port("cupy", "fully", sites=(SITE,), answers_on=("cuda:0",), kernels=4))["CuPy"]
    assert text.startswith(
        "ran fully there at size = 512 (3 calls of the library from 1 line, 4 ker"
    )
    assert "waits for the device once a call" in text
    assert "agrees with NumPy at n = 512" in text


def test_a_bridged_call_is_priced() -> None:
    """What NumPy did is named, with its share of a call."""
    text = said(port("cupy", "host_part", sites=(SITE, BRIDGED)))["CuPy"]
    assert "the host did part of the work" in text
    assert "NumPy did numpy.nanpercentile, 80 % of the call" in text


def test_a_failure_says_where_why_how_far_and_what_to_try() -> None:
    """Message, category, line, source, progress and suggestion stand in one note."""
    text = said(port("cupy", "failed", failure=LACKS))["CuPy"]
    for words in (
        "failed at size = 512: CuPy has no numpy.nanpercentile [missing-function]",
        "own.py line 12, return np.nanpercentile(x, 5)",
        "reached line 9 of 14", "11 of 12 calls are there by name", "try: sort, then take",
    ):  # fmt: skip
        assert words in text


def test_a_preview_is_labelled() -> None:
    """What names alone tell is called a preview, of a library that took no part too."""
    text = said(port("elsewhere", "preview", sites=(SITE,)))["elsewhere"]
    assert "not run here (preview from the names of its calls)" in text


def test_compiling_is_told_with_its_cuts() -> None:
    """Seconds, graphs and what cuts them are shown."""
    cut = Compiled(seconds=0.0, graphs=3, breaks=("line 8: Data dependent operator",))
    text = said(port("cupy", "failed", failure=LACKS, compiled=cut))["CuPy"]
    assert "3 graphs, cut at line 8: Data dependent operator" in text
    whole = said(port("cupy", "fully", compiled=Compiled(seconds=2.4, graphs=1)))["CuPy"]
    assert "one graph, compiled in 2.40 s" in whole


def test_the_page_has_both_tables_for_a_function_alone() -> None:
    """The report lists each library at each size, then its calls; other runs have neither."""
    page = pages.build(told(port("cupy", "fully", sites=(SITE,))))
    titles = [t.title for t in page.workloads[0].tables]
    assert titles[:2] == ["The function on each library", "Calls of the function, line by line"]
    other = pages.build(judged(record(rounds=3, slots=3)))
    assert not {"The function on each library"} & {t.title for t in other.workloads[0].tables}


def test_a_port_by_hand_is_called_so() -> None:
    """The entry of a port that was written by hand is named after its library and its making."""
    entry = Entry(
        id="torch-cuda-hand-written", backend="torch-cuda", device="cuda:0", variant="against"
    )
    assert labels.labels((entry,)) == {entry.id: "torch-CUDA hand-written"}


def test_of_several_thread_counts_the_librarys_own_is_told() -> None:
    """One note stands for all thread counts of a library: that of the count it takes by itself."""
    made = told(port("torch-cpu-1", "fully"), port("torch-cpu-16", "fully", sites=(SITE,)))
    few = Entry(id="torch-cpu-1", backend="torch-cpu", device="cpu", threads=1)
    made = msgspec.structs.replace(made, entries=(few, *made.entries))
    found = ported.notes(Evidence(made), "f")
    assert [n.label for n in found] == ["torch-cpu-16"]
