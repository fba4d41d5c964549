"""The store: saving, finding, resuming, and what survives."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from breakeven.errors import (
    CorruptRunError,
    InputError,
    NewerSchemaError,
    RunNotFoundError,
    StoreError,
)
from breakeven.model.event import Ended, Event, Remark, Resumed, SlotVoided
from breakeven.model.run import RunRecord
from breakeven.store.fold import fold
from breakeven.store.folder import Store
from breakeven.store.journal import read
from breakeven.store.privacy import Privacy
from breakeven.store.unfold import unfold
from records import machine, record

RUN = fold(unfold(record(rounds=2, slots=2, sizes=(128, 512))))
EVENTS = unfold(RUN)
ALICE = Privacy("/home/alice", "alice", "node-17.lab")


def named(run_id: str, **fields: object) -> RunRecord:
    """Return the run under another id."""
    return msgspec.structs.replace(RUN, id=run_id, **fields)


def cut(store: Store, events: tuple[Event, ...] = EVENTS[:-30]) -> RunRecord:
    """Leave a run that was killed: a journal without an end. Return what it holds."""
    with store.sink(RUN.id) as sink:
        for event in events:
            sink.append(event)
        return sink.record()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a store that is not there yet."""
    return Store(tmp_path / "deep" / "runs", privacy=ALICE)


def test_making_a_store_touches_nothing(store: Store) -> None:
    """Looking into a store that is not there neither makes it nor fails."""
    assert store.list() == ()
    with pytest.raises(RunNotFoundError, match="holds no run"):
        store.load("last")
    assert not store.path.exists()


def test_a_saved_run_comes_back_equal(store: Store) -> None:
    """By id, by the start of the id, as last, and by its path."""
    judged = msgspec.structs.replace(RUN, caveats=("read this",))
    path = store.save(judged)
    assert path.name == f"{RUN.id}.json"
    for name in (RUN.id, RUN.id[:12], "last", str(path), path.name):
        assert store.load(name) == judged
    assert [p.name for p in store.path.iterdir()] == [path.name]


def test_last_is_the_newest(store: Store) -> None:
    """The run that began last is meant, whatever was saved last."""
    for run_id in ("2026-12-03T00-00-00-aaaa", "2026-12-04T00-00-00-bbbb", "2026-12-02T00-00-00-c"):
        store.save(named(run_id))
    assert store.load("last").id == "2026-12-04T00-00-00-bbbb"


def test_an_ambiguous_start_is_the_users_to_settle(store: Store) -> None:
    """Two runs of one day are named, none is chosen."""
    store.save(named("2026-12-01T00-00-00-aaaa"))
    store.save(named("2026-12-01T00-00-00-bbbb"))
    with pytest.raises(InputError, match=r"2 runs start with .*bbbb, .*aaaa; give more"):
        store.load("2026-12-01")


def test_a_finished_run_keeps_no_journal(store: Store) -> None:
    """Once the document is whole, the journal has nothing to add."""
    with store.sink(RUN.id) as sink:
        for event in EVENTS:
            sink.append(event)
        store.save(sink.record())
    assert [p.name for p in store.path.iterdir()] == [f"{RUN.id}.json"]
    assert store.load(RUN.id) == RUN


def test_an_interrupted_run_keeps_its_journal(store: Store) -> None:
    """What is to be resumed stays, and the saved document with its verdicts is what loads."""
    with store.sink(RUN.id) as sink:
        for event in (*EVENTS[:-1], Ended(finished="t", interrupted=True)):
            sink.append(event)
        judged = msgspec.structs.replace(sink.record(), caveats=("cut short",))
        store.save(judged)
    assert store.journal(RUN.id).exists()
    assert store.load("last") == judged


def test_a_killed_run_is_read_from_its_journal(store: Store) -> None:
    """Without a document, every event that was appended is there."""
    left = cut(store)
    assert store.load("last") == left
    assert left.interrupted
    assert store.load(str(store.journal(RUN.id))) == left


def test_a_run_killed_after_a_resume_shows_all_that_was_measured(store: Store) -> None:
    """A journal that knows more than the document of the first part is what loads."""
    first = cut(store)
    store.save(first)
    with store.resume("last") as sink:
        sink.append(Resumed(at="t"))
        assert store.load("last") == first
        for event in EVENTS[-30:-1]:
            sink.append(event)
    assert store.load("last").cases == RUN.cases


def test_a_resumed_run_ends_as_if_it_had_never_stopped(store: Store) -> None:
    """What is appended after a resume joins what was there."""
    cut(store)
    with store.journal(RUN.id).open("ab") as file:
        file.write(b'{"type":"slot","workl')
    with store.resume(RUN.id[:13]) as sink:
        sink.append(Resumed(at="t"))
        for event in EVENTS[-30:]:
            sink.append(event)
        assert sink.record() == RUN
        store.save(sink.record())
    assert store.load("last") == RUN
    assert not store.journal(RUN.id).exists()


def test_a_finished_run_can_be_taken_further(store: Store) -> None:
    """Its events are made again from the document; conclusions are left to the judge."""
    store.save(msgspec.structs.replace(RUN, caveats=("read this",)))
    with store.resume("last") as sink:
        assert sink.record() == RUN
        sink.append(Resumed(at="t"))
        sink.append(Remark(text="more rounds"))
    assert fold(read(store.journal(RUN.id))).remarks == (*RUN.remarks, "more rounds")


def test_a_document_from_elsewhere_can_be_taken_further(store: Store, tmp_path: Path) -> None:
    """A run is resumed into this store; the file it came from stays as it was."""
    other = Store(tmp_path / "other")
    path = other.save(RUN)
    before = path.read_bytes()
    with store.resume(str(path)) as sink:
        assert sink.record() == RUN
    assert path.read_bytes() == before
    assert store.load(RUN.id) == RUN


def test_a_journal_that_stopped_early_does_not_cost_the_document(store: Store) -> None:
    """After a full disk the document knows more: it is what loads and what is resumed."""
    cut(store, EVENTS[:40])
    whole = msgspec.structs.replace(RUN, interrupted=True)
    store.save(whole)
    assert store.load("last") == whole
    with store.resume("last") as sink:
        assert sink.record() == whole
    assert fold(read(store.journal(RUN.id))) == whole


def test_a_slot_voided_after_a_resume_stays_voided(store: Store) -> None:
    """A void is knowledge too: the document of before does not make the slot count again."""
    store.save(cut(store))
    case = RUN.cases[0]
    group = case.rounds[0]
    with store.resume("last") as sink:
        sink.append(Resumed(at="t"))
        sink.append(SlotVoided(workload=case.workload, size=case.size, entry=case.entry,
                               round=group.round, scope=group.scope, order=0, reason="busy"))  # fmt: skip
    assert store.load("last").cases[0].rounds[0].slots[0].voided == "busy"


def test_a_run_that_is_being_measured_cannot_be_resumed(store: Store) -> None:
    """Two coordinators never write one journal."""
    with store.sink(RUN.id) as sink:
        sink.append(EVENTS[0])
        with pytest.raises(StoreError, match="being written by another process"):
            store.resume("last")
        sink.append(Remark(text="undisturbed"))
    assert store.load("last").remarks == ("undisturbed",)


def test_a_failed_resume_lets_go_of_the_journal(store: Store) -> None:
    """After an error, the run can be resumed once its cause is gone."""
    cut(store)
    raw = store.journal(RUN.id).read_bytes()
    store.save(msgspec.structs.replace(RUN, interrupted=True))
    store.journal(RUN.id).write_bytes(b"junk\n" + raw)
    with pytest.raises(CorruptRunError, match="line 1"):
        store.resume("last")
    store.journal(RUN.id).write_bytes(raw)
    store.resume("last").close()


def test_an_id_is_taken_once(store: Store) -> None:
    """A new run takes over neither a document nor a journal."""
    store.save(RUN)
    with pytest.raises(StoreError, match="exists"):
        store.sink(RUN.id)
    with store.sink("2026-12-05T00-00-00-aaaa"), pytest.raises(StoreError, match="exists"):
        store.sink("2026-12-05T00-00-00-aaaa")


@pytest.mark.parametrize("run_id", ["../escape", "", "a/b"])
def test_no_run_is_written_outside_the_folder(store: Store, run_id: str) -> None:
    """An id that is a path is refused by everything that writes."""
    with pytest.raises(InputError, match="no id of a run"):
        store.save(named(run_id))
    with pytest.raises(InputError, match="no id of a run"):
        store.sink(run_id)


def test_a_damaged_document_is_told_and_its_journal_offered(store: Store) -> None:
    """Damage is never passed over; where a journal is left, the way to it is named."""
    path = store.save(RUN)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CorruptRunError, match=rf"{RUN.id}\.json.*truncated"):
        store.load("last")
    path.unlink()
    left = cut(store)
    path.write_bytes(b"{")
    with pytest.raises(CorruptRunError) as told:
        store.load("last")
    offered = told.value.fix.split()[-1]
    assert store.load(offered) == left


def test_a_damaged_journal_beside_a_document_is_remarked(store: Store) -> None:
    """The document stands; that more may have been measured is said."""
    cut(store)
    store.save(msgspec.structs.replace(RUN, interrupted=True))
    store.journal(RUN.id).write_bytes(b"junk\n")
    run = store.load("last")
    assert run.cases == RUN.cases
    assert "line 1" in run.remarks[-1]


def test_a_newer_document_is_told(store: Store) -> None:
    """A document of another version is neither read wrongly nor called damaged."""
    store.save(msgspec.structs.replace(RUN, schema="breakeven.run/2"))
    with pytest.raises(NewerSchemaError, match="schema breakeven"):
        store.load("last")
    assert "breakeven.run/2" in str(store.list()[0].why)


def test_the_list_tells_finished_interrupted_and_damaged(store: Store) -> None:
    """Each run has a line, newest first; a damaged one has its reason and no made-up figures."""
    store.save(RUN)
    laptop = msgspec.structs.replace(RUN.machine, gpus=())
    left = named("2026-12-02T00-00-00-aaaa", machine=laptop, finished=None, interrupted=True)
    store.save(left)
    (store.path / "2026-12-03T00-00-00-bbbb.json").write_text('{"schema": ')
    (store.path / "2026-12-04T00-00-00-cccc.journal").touch()
    empty, bad, part, done = store.list()
    assert (done.status, done.why, done.machine) == ("finished", None, "NVIDIA H200")
    assert (done.started, done.command, done.cases) == (RUN.started, RUN.command, len(RUN.cases))
    assert (part.status, part.why, part.machine) == (
        "interrupted", "stopped in round 2 of 2", "Test CPU")  # fmt: skip
    assert (bad.status, bad.cases, bad.machine) == ("damaged", None, None)
    assert "truncated" in str(bad.why)
    assert empty.status == "damaged"


def test_a_run_that_measured_nothing_is_not_called_finished(store: Store) -> None:
    """It ended, but every case failed: its line says that nothing was measured."""
    cases = tuple(msgspec.structs.replace(c, status="crashed", rounds=()) for c in RUN.cases)
    store.save(msgspec.structs.replace(RUN, cases=cases))
    (found,) = store.list()
    assert (found.status, found.why) == ("empty", "nothing was measured")


def test_a_document_of_another_name_is_listed_where_its_run_belongs(store: Store) -> None:
    """A renamed document stands by when its run began, and not by its letters."""
    for name, started in (("zebra", "2026-12-01T08:00:00Z"), ("apple", "2026-12-05T08:00:00Z")):
        path = store.save(named(f"{started[:10]}T08-00-00-aaaa", started=started))
        path.rename(path.with_name(f"{name}.json"))
    store.save(named("2026-12-03T00-00-00-aaaa"))
    assert [found.id[:10] for found in store.list()] == ["2026-12-05", "2026-12-03", "2026-12-01"]


def test_the_list_tells_a_run_that_is_being_measured(store: Store) -> None:
    """A living writer is told apart from a dead one."""
    with store.sink(RUN.id) as sink:
        sink.append(EVENTS[0])
        assert store.list()[0].why == "still being measured"
    assert store.list()[0].why == "stopped in round 0 of 2"


def test_a_store_that_cannot_be_is_told_before_anything_is_measured(tmp_path: Path) -> None:
    """A file in the folder's place, or above it, is found by the check, by saves, by sinks."""
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "runs"):
        store = Store(path)
        for act in (store.check_writable, lambda s=store: s.save(RUN), lambda s=store: s.sink("a")):
            with pytest.raises(StoreError, match=r"file.*--store FOLDER"):
                act()


def test_the_check_makes_the_folder_and_leaves_it_empty(store: Store) -> None:
    """A store that works is ready afterwards."""
    store.check_writable()
    assert list(store.path.iterdir()) == []


def test_a_document_names_no_user_host_or_home(store: Store) -> None:
    """Whatever texts the record brings, those names are not in the file."""
    case = msgspec.structs.replace(
        RUN.cases[0], status="crashed", why='File "/home/alice/env/lib/x.py" on alice@node-17.lab'
    )
    run = msgspec.structs.replace(
        RUN,
        command=("run", "--store", "/home/alice/runs", "--report", "/data/alice/r.html"),
        machine=msgspec.structs.replace(machine(), environment={"CUDA_HOME": "/home/alice/cuda"}),
        cases=(case, *RUN.cases[1:]),
        remarks=("node-17.lab is busy",),
    )
    raw = store.save(run).read_text()
    assert "alice" not in raw
    assert "node-17" not in raw
    assert store.load("last").command[2] == "~/runs"
