"""The front door in Python: measure, look, draw, report."""

from __future__ import annotations

import errno
import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import breakeven
from breakeven import lab
from breakeven.engine.request import Options
from breakeven.errors import CorruptRunError, InputError, NothingMeasuredError, StoreError
from breakeven.lab import recovering
from breakeven.lab.watching import record_of
from breakeven.model.event import Began, CaseSet, Ended, Event
from breakeven.model.machine import Ceilings
from breakeven.model.remarks import DAMAGED
from breakeven.model.timeline import Series
from breakeven.sensors.sampler import FILE_NAME
from breakeven.store.ceilings import CeilingsShelf
from breakeven.store.folder import Store
from breakeven.store.sink import JournalSink
from breakeven.store.upgrade import decode, encode
from engine.casts import actor, gpu, script
from records import record


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a temporary folder, so that its runs wait for no other."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("BREAKEVEN_STORE", str(tmp_path / "store"))


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Iterator[lab.Result]:
    """Return one run of scripted backends, measured through the front door."""
    folder = tmp_path_factory.mktemp("lab")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(folder))
        cast = script(folder, cpu=actor(), gpu=gpu({8: 2.5e-3, 64: 2.5e-3}))
        yield breakeven.run(
            "matmul", sizes=[8, 16, 32], backends=[cast], rounds=3, budget=1, store=folder / "store"
        )


def test_a_run_is_measured_judged_and_stored(result: lab.Result) -> None:
    """The result is the stored document, with verdicts; nothing went wrong."""
    assert result.problem is None
    assert result.path is not None
    assert decode(result.path.read_bytes(), "stored") == result.record
    assert result.verdicts == result.record.verdicts
    assert {v.word for v in result.verdicts if v.size == 32 and v.entry == "gpu"} >= {"faster"}


def test_the_answer_is_a_sentence(result: lab.Result) -> None:
    """The table begins with it."""
    assert result.verdict.startswith("matmul: yes, the GPU pays")
    assert result.table().split()[:4] == result.verdict.split()[:4]
    assert max(map(len, result.table().splitlines())) <= 80


def test_a_crossover_is_had_by_entry_or_backend(result: lab.Result) -> None:
    """It is the one against the best CPU entry; what is not there is told with what is."""
    one = result.crossover("gpu", "resident")
    assert one.kind == "bracket"
    assert one.base_kind == "best-cpu"
    backend = next(e.backend for e in result.record.entries if e.id == "gpu")
    assert result.crossover(backend, "resident", "matmul") == one
    assert result.crossover("gpu").scope == "transfer"
    with pytest.raises(InputError, match="no crossover of 'cupy'") as caught:
        result.crossover("cupy")
    assert "gpu (matmul, resident)" in caught.value.fix


def test_a_result_is_plain_values_a_picture_and_a_page(result: lab.Result, tmp_path: Path) -> None:
    """Each form can be had; the picture as text too."""
    assert result.to_dict()["id"] == result.record.id
    drawn = result.plot()
    assert isinstance(drawn, str)
    assert drawn.lstrip().startswith("<svg")
    assert result.plot(tmp_path / "x.png") == tmp_path / "x.png"
    assert result.report(tmp_path / "x.html").read_text().lstrip().lower().startswith("<!doctype")
    with pytest.raises(InputError, match="cannot be written"):
        result.report(tmp_path / "no" / "x.html")


def test_a_stored_run_gives_the_same_page(result: lab.Result) -> None:
    """A report made later, from the document alone, is the same byte for byte."""
    assert result.path is not None
    again = breakeven.load_result(str(result.path))
    assert again.record == result.record
    assert lab.report_html(again.record) == lab.report_html(result.record)


def test_wrong_input_measures_nothing(tmp_path: Path) -> None:
    """Errors of the user are raised before the store is touched."""
    with pytest.raises(InputError):
        breakeven.run("matmil")
    (tmp_path / "file").touch()
    with pytest.raises(StoreError):
        breakeven.run("matmul", store=tmp_path / "file")
    assert not (tmp_path / "store").exists()


def test_nothing_that_works_is_an_error_of_its_own(tmp_path: Path) -> None:
    """It can be told from wrong input; what was tried is stored as finished."""
    cast = script(tmp_path, one=actor(fails="no driver"))
    with pytest.raises(NothingMeasuredError, match="no driver"):
        breakeven.run("matmul", sizes="8", backends=[cast], budget=1, rounds=1)
    stored = Store().load("last")
    assert not stored.interrupted
    assert [b.why_not for b in stored.backends] == ["no driver"]


def test_a_case_that_never_worked_is_nothing_measured_with_its_reason(tmp_path: Path) -> None:
    """Each case's reason stands in the message."""
    cast = script(tmp_path, one=actor(faults={8: "out_of_memory"}))
    with pytest.raises(NothingMeasuredError, match="one: MemoryError: scripted: no memory"):
        breakeven.run("matmul", sizes="8", backends=[cast], quick=True)


def test_processes_that_the_system_refuses_are_nothing_measured_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit on processes or open files is told, not taken for a fault."""

    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    cast = script(tmp_path, one=actor())
    monkeypatch.setattr("breakeven.engine.processes.subprocess.Popen", refuse)
    with pytest.raises(NothingMeasuredError, match="did not start it: Resource temporarily"):
        breakeven.run("matmul", sizes="8", backends=[cast], quick=True)


def test_a_run_in_a_thread_is_a_run(tmp_path: Path) -> None:
    """Off the main thread, as in a notebook's server, no signal is touched and all is measured."""
    cast = script(tmp_path, cpu=actor())
    made: list[lab.Result] = []
    thread = threading.Thread(
        target=lambda: made.append(breakeven.run("matmul", sizes="8", backends=[cast], quick=True))
    )
    thread.start()
    thread.join()
    assert [r.record.interrupted for r in made] == [False]


def test_an_interrupt_right_behind_the_first_event_leaves_a_run_to_go_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the moment at which there is a journal a signal ends it as an interrupted run."""
    append = JournalSink.append

    def and_interrupt(self: JournalSink, event: Event) -> None:
        append(self, event)
        if isinstance(event, Began):
            signal.raise_signal(signal.SIGINT)

    cast = script(tmp_path, cpu=actor())
    monkeypatch.setattr(JournalSink, "append", and_interrupt)
    options = Options(workloads=("matmul",), sizes="8", backends=[cast], quick=True)
    result, interrupted = lab.start_run(options, command=("run",))
    assert interrupted
    assert result.record.interrupted
    assert Store().load("last").id == result.record.id


def test_an_interrupt_before_the_first_event_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a run to go on with, none is told of."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    cast = script(tmp_path, cpu=actor())
    monkeypatch.setattr(JournalSink, "append", interrupt)
    options = Options(workloads=("matmul",), sizes="8", backends=[cast], quick=True)
    with pytest.raises(KeyboardInterrupt):
        lab.start_run(options, command=("run",))
    assert Store().list() == ()


def test_ctrl_c_in_python_is_raised_after_the_run_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller learns of it; the document is there, and can be resumed."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    cast = script(tmp_path, cpu=actor())
    with monkeypatch.context() as patch:
        patch.setattr("breakeven.engine.rounds.Turns.run", interrupt)
        with pytest.raises(KeyboardInterrupt):
            breakeven.run("matmul", sizes="8", backends=[cast], quick=True)
    stored = Store().load("last")
    assert stored.interrupted
    resumed, interrupted = lab.resume_run("last")
    assert not interrupted
    assert not resumed.record.interrupted
    assert resumed.record.id == stored.id
    assert any(r for c in resumed.record.cases for r in c.rounds)


def test_a_run_of_another_machine_is_not_resumed(tmp_path: Path) -> None:
    """Rounds of two machines are not one run; the document stays as it was."""
    store = Store(tmp_path / "store")
    path = store.save(msgspec.structs.replace(record(rounds=2), interrupted=True))
    before = path.read_bytes()
    with pytest.raises(InputError, match="another machine"):
        lab.resume_run("last")
    assert path.read_bytes() == before


def test_a_journal_is_judged_when_it_is_read(tmp_path: Path) -> None:
    """A run killed before its document was written, be it after its end, has its verdicts."""
    from breakeven.store.unfold import unfold

    store = Store(tmp_path / "store")
    store.check_writable()
    run = record(rounds=3, slots=3)
    for ended in (True, False):
        made = msgspec.structs.replace(run, id=f"2026-12-0{1 + ended}T10-22-07-3f9a")
        with store.sink(made.id) as sink:
            for event in unfold(made):
                if ended or not isinstance(event, Ended):
                    sink.append(event)
        assert lab.load(made.id).verdicts == lab.judged(store.load(made.id)).verdicts != ()


@pytest.mark.parametrize(
    ("part", "told"),
    [({"entries": ()}, "times of 'numpy-16', which is none of its entries"),
     ({"cases": "size"}, "times of size 0"), ({"cold_starts": "calls_s"}, "first call without")],
)  # fmt: skip
def test_a_document_that_contradicts_itself_is_damaged(
    tmp_path: Path, part: dict[str, str], told: str
) -> None:
    """It is told in words, before anything is made of it."""
    document = lab.Result(record=record(rounds=1, slots=2)).to_dict()
    for name, field in part.items():
        if not field:
            document[name] = []
        else:
            assert document[name]
            document[name][0][field] = 0 if field == "size" else []
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document))
    with pytest.raises(CorruptRunError, match=told):
        lab.load(str(path))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"value": (1.0,)}, "cpu.busy_share has 2 times for 1 readings"),
        ({"low": (1.0, 1.0)}, "bounds on one side"),
        ({"t_s": (1.0, 0.0)}, "go backwards"),
        ({"value": (1.0, 1e308)}, "the number 1e.308, beyond anything"),
    ],
)
def test_readings_that_do_not_belong_together_are_damage(
    tmp_path: Path, change: dict[str, tuple[float, ...]], told: str
) -> None:
    """A watch is looked through as well, before it is drawn."""
    plain: dict[str, Any] = {"t_s": (0.0, 1.0), "value": (0.5, 0.5)}
    series = Series(sensor="cpu.busy_share", **(plain | change))
    run = msgspec.structs.replace(record(rounds=1, slots=2), timeline=(series,))
    path = tmp_path / "run.json"
    path.write_bytes(encode(run))
    with pytest.raises(CorruptRunError, match=told):
        lab.load(str(path))


def test_a_damaged_recording_beside_a_watch_is_mentioned(tmp_path: Path) -> None:
    """Else a watch that was killed would look as if nothing had been kept of it."""
    run = record_of(("watch", "sleep", "9"), record().machine)
    store = Store(tmp_path)
    store.save(run)
    folder = recovering.place(tmp_path, run.id)
    folder.mkdir()
    recovering.note(folder, ("sleep", "9"), 0.0)
    (folder / FILE_NAME).write_bytes(b"{}\n[1,\n[]\n")
    found = lab.load(run.id, tmp_path)
    assert [r.startswith(DAMAGED) for r in found.remarks] == [True]
    shown = lab.Result(record=found).table()
    assert "its recording is damaged" in shown
    assert DAMAGED in " ".join(shown.split())


def test_what_is_stored_is_shown_and_not_judged_anew(tmp_path: Path) -> None:
    """A document with verdicts is read as it stands."""
    run = lab.judged(record(rounds=3, slots=3))
    one = msgspec.structs.replace(run, verdicts=run.verdicts[:1])
    path = tmp_path / "one.json"
    path.write_bytes(encode(one))
    assert lab.load(str(path)).verdicts == one.verdicts


def test_the_package_offers_its_front_door_and_nothing_else() -> None:
    """Names that are not there are errors of the usual kind."""
    assert breakeven.run is lab.run
    assert breakeven.Result is lab.Result
    with pytest.raises(AttributeError, match="no attribute 'compute'"):
        _ = breakeven.compute  # type: ignore[attr-defined]


def test_a_case_set_without_a_slot_does_not_count_as_measured(tmp_path: Path) -> None:
    """A record of failures alone is complete, and shows nothing as won."""
    store = Store(tmp_path / "store")
    bare = msgspec.structs.replace(record(rounds=1), cases=(), cold_starts=(), finished=None)
    with store.sink(bare.id) as sink:
        sink.append(Began(record=bare))
        sink.append(
            CaseSet(workload="matmul", size=128, entry="cupy", round=1, status="crashed", why="x")
        )
        sink.append(Ended(finished="2026-12-01T10:24:01Z"))
    shown = lab.load(bare.id)
    assert [c.status for c in shown.cases] == ["crashed"]
    assert not {v.word for v in shown.verdicts} - {"withheld"}
    assert lab.Result(record=shown).table()


def test_ceilings_kept_before_are_put_into_later_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run on the same machine holds them with their day; scripted times have no use for them."""
    found = (Ceilings(device="cpu", backend="numpy", flops_per_s={"float32": 1e15},
                      memory_bytes_per_s=1e15),)  # fmt: skip
    here = lab.read_machine()
    monkeypatch.setattr("breakeven.lab.measuring.read_machine", lambda: here)
    CeilingsShelf(tmp_path / "store").save(here, found, "2026-12-01T09:00:00Z")
    run = breakeven.run("matmul", sizes=[64], backends=["numpy"], quick=True).record
    (kept,) = run.limits.ceilings
    assert kept.measured == "2026-12-01T09:00:00Z"
    assert {b.share is not None for a in run.achieved for b in a.bounds} == {True}
    cast = script(tmp_path, cpu=actor())
    scripted = breakeven.run("matmul", sizes=[8], backends=[cast], quick=True).record
    assert scripted.limits.ceilings == ()
