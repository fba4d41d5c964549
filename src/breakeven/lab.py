"""The front door: one call measures, judges, stores and shows; it joins the layers below."""

from __future__ import annotations

import io
import json
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

from breakeven import units
from breakeven.analysis.judge import apply, judge
from breakeven.analysis.reference import beside
from breakeven.analysis.settle import settle
from breakeven.engine import session
from breakeven.engine.clock import stamp, utc
from breakeven.engine.lock import machine_lock
from breakeven.engine.probe import open_backends
from breakeven.engine.processes import deaf_to_interrupts, interrupts_by_sigterm
from breakeven.engine.request import Options, spec_of
from breakeven.errors import InputError, NothingMeasuredError, StoreError
from breakeven.machine import doctor as machine_doctor
from breakeven.machine import facts
from breakeven.machine.doctor import DoctorLine
from breakeven.model.event import Began, Resumed
from breakeven.model.machine import Machine
from breakeven.model.run import RunRecord
from breakeven.model.spec import RunSpec
from breakeven.model.verdict import Crossover, Scope, Verdict
from breakeven.report import charts, html, text
from breakeven.report import console as printed
from breakeven.report import page as pages
from breakeven.report.view import Page
from breakeven.sensors.nvml import probe_gpus
from breakeven.store import export
from breakeven.store.bundled import bundled_runs
from breakeven.store.folder import Store, new_id
from breakeven.store.sink import JournalSink
from breakeven.store.summary import RunSummary
from breakeven.store.upgrade import encode

__all__ = ["Options", "Result", "run"]

Say = Callable[[str], None]
Progress = Callable[[str, float], None]
WAITING = "another run is measuring on this machine: waiting for it"


def _quiet(*_words: object) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Result:
    """A run, with ways to look at it.

    Attributes
    ----------
    record : RunRecord
        Everything measured and concluded.
    path : Path or None
        The stored document; None when it could not be stored.
    problem : str or None
        Why it could not be stored, or not completely.
    """

    record: RunRecord
    path: Path | None = None
    problem: str | None = None

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All verdicts of the run."""
        return self.record.verdicts

    @property
    def verdict(self) -> str:
        """The answer in one sentence."""
        return " ".join(self.page.answers)

    @property
    def page(self) -> Page:
        """What a report shows."""
        return pages.build(self.record)

    def crossover(
        self, entry: str, scope: Scope = "transfer", workload: str | None = None
    ) -> Crossover:
        """Return where an entry overtakes the best CPU entry.

        Parameters
        ----------
        entry : str
            Entry id or backend, such as ``"cupy"``.
        workload : str, optional
            Needed when the run has several.

        Raises
        ------
        InputError
            If the run has no such crossover, or several.
        """
        backends = {e.id: e.backend for e in self.record.entries}
        found = [
            c
            for c in self.record.crossovers
            if entry in {c.entry, backends.get(c.entry)}
            and c.scope == scope
            and workload in {None, c.workload}
        ]
        main = [c for c in found if c.base_kind == "best-cpu"] or found
        if len(main) != 1:
            names = sorted({f"{c.entry} ({c.workload}, {c.scope})" for c in self.record.crossovers})
            what = "no" if not main else "more than one"
            raise InputError(
                f"there is {what} crossover of {entry!r} in scope {scope!r}",
                f"choose from: {', '.join(names) or 'none were judged'}",
            )
        return main[0]

    def table(self) -> str:
        """Return the result as text of 80 columns: what the command line prints."""
        written = io.StringIO()
        show(self.record, Console(file=written, width=80, color_system=None))
        return written.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """Return the run document as plain Python values."""
        made: dict[str, Any] = json.loads(encode(self.record))
        return made

    def plot(self, path: Path | str | None = None, workload: str | None = None) -> Path | str:
        """Draw time against size; return SVG text, or the path written (.png or .svg)."""
        text_or_png = drawing(self.record, Path(path).suffix if path else ".svg", workload)
        if path is None:
            return text_or_png.decode()
        _write(Path(path), text_or_png)
        return Path(path)

    def report(self, path: Path | str) -> Path:
        """Write the report, one self-contained HTML file, and return its path."""
        _write(Path(path), report_html(self.record).encode())
        return Path(path)


def run(  # noqa: PLR0913  each is an option of the command
    *workloads: str,
    sizes: str | Sequence[int] | None = None,
    backends: Sequence[str] | None = None,
    dtype: str = "float32",
    quick: bool = False,
    budget: str | float | None = None,
    rounds: int | None = None,
    seed: int = 42,
    naive: bool = False,
    pin: bool = True,
    store: Path | str | None = None,
) -> Result:
    """Measure built-in workloads on every backend that works here, judge, and store the run.

    Parameters
    ----------
    *workloads : str
        ``"matmul"``, ``"mlp"``; none means both.
    sizes : str or sequence of int, optional
        ``"128,256,512"``, ``"128:8192"``, or numbers.
    backends : sequence of str, optional
        ``"numpy"``, ``"torch-cpu"``, ``"cupy"``, ``"torch-cuda"``, ``"scripted:FILE"``.
    dtype : str
        ``"float32"`` or ``"float64"``.
    quick : bool
        One round, figures indicative, no verdict.
    budget : str or float, optional
        Time that the run may take: seconds, or text such as ``"10m"``.
    rounds : int, optional
        Rounds to measure at every size, whatever they show.
    naive : bool
        Whether to take one-shot readings beside the sound ones.
    pin : bool
        Whether each pool thread gets a core of its own.
    store : path, optional
        Folder of stored runs.

    Returns
    -------
    Result

    Raises
    ------
    InputError, StoreError
        If the input is wrong, or the store cannot be written.
    NothingMeasuredError
        If no backend works here.
    KeyboardInterrupt
        After what was finished has been stored.
    """
    options = Options(
        workloads=workloads, sizes=sizes, backends=backends, dtype=dtype, quick=quick,
        budget=budget, rounds=rounds, seed=seed, naive=naive, pin=pin,
    )  # fmt: skip
    result, interrupted = start_run(options, command=("run", *workloads), store=_folder(store))
    if interrupted:
        raise KeyboardInterrupt
    return result


def start_run(
    options: Options,
    *,
    command: Sequence[str],
    store: Path | None = None,
    say: Say = _quiet,
    progress: Progress = _quiet,
) -> tuple[Result, bool]:
    """Measure a new run; return it, with whether it was interrupted.

    Parameters
    ----------
    say : callable
        Told once what the run will cost.
    progress : callable
        Told what is measured now, with the seconds left.
    """
    asked = spec_of(options, gpu=False)
    folder = Store(store)
    folder.check_writable()
    machine = read_machine()
    spec = spec_of(options, gpu=True) if machine.gpus else asked
    record = RunRecord(
        id=new_id(utc(), secrets.token_hex(2)),
        started=stamp(),
        command=tuple(command),
        spec=spec,
        machine=machine,
    )
    sink = folder.sink(record.id)
    sink.append(Began(record=record))
    return _measure(folder, sink, say, progress)


def resume_run(
    name: str, *, store: Path | None = None, say: Say = _quiet, progress: Progress = _quiet
) -> tuple[Result, bool]:
    """Go on with an interrupted run: complete the rounds that it had planned.

    Raises
    ------
    InputError
        If the run was made on another machine.
    """
    folder = Store(store)
    folder.check_writable()
    sink = folder.resume(name)
    here, there = read_machine(), sink.record().machine
    same = here.cpu.model == there.cpu.model and [g.uuid for g in here.gpus] == [
        g.uuid for g in there.gpus
    ]
    if not same:
        sink.close()
        raise InputError(
            f"the run {sink.record().id} was made on another machine", "start a new run here"
        )
    sink.append(Resumed(at=stamp()))
    return _measure(folder, sink, say, progress)


def _measure(folder: Store, sink: JournalSink, say: Say, progress: Progress) -> tuple[Result, bool]:
    interrupted = False
    try:
        with interrupts_by_sigterm():
            say(cost_sentence(sink.record().spec))
            with machine_lock(lambda: say(WAITING)):
                session.measure(sink, settle, progress, wait=time.sleep)
    except KeyboardInterrupt:
        interrupted = True
    except NothingMeasuredError:
        with deaf_to_interrupts():
            _finish(folder, sink)
        raise
    with deaf_to_interrupts():
        result = _finish(folder, sink)
    if not interrupted and not any(r for c in result.record.cases for r in c.rounds):
        reasons = dict.fromkeys(f"{c.entry}: {c.why}" for c in result.record.cases if c.why)
        if not reasons:
            absent = [b for b in result.record.backends if not b.available]
            reasons = dict.fromkeys(f"{b.name}: {b.why_not}" for b in absent)
        raise NothingMeasuredError(
            f"nothing could be measured ({'; '.join(reasons) or 'no case was set up'})",
            f"breakeven report {result.record.id} shows what was tried",
        )
    return result, interrupted


def _finish(folder: Store, sink: JournalSink) -> Result:
    record = judged(sink.record())
    try:
        path, problem = folder.save(record), sink.failure
    except StoreError as error:
        path, problem = None, str(error)
    sink.close()
    return Result(record=record, path=path, problem=problem)


def judged(record: RunRecord) -> RunRecord:
    """Return a record with everything that follows from what was measured, judged now."""
    made = apply(record, judge(record))
    if made.machine.gpus:
        return made
    references = tuple(r for run_ in bundled_runs() for r in beside(made, run_))
    return msgspec.structs.replace(made, references=references)


def cost_sentence(spec: RunSpec) -> str:
    """Return what a run will cost, before it starts."""
    names = ", ".join(f"{w.name} ({', '.join(map(str, w.sizes))})" for w in spec.workloads)
    if spec.rounds is not None:
        return f"Measuring {names}, {spec.dtype}: {spec.rounds} rounds at every size."
    took = units.seconds(spec.budget_s)
    return f"Measuring {names}, {spec.dtype}: about {took}; Ctrl-C keeps what is finished."


def read_machine() -> Machine:
    """Return the facts about this computer; the driver is asked in a process of its own."""
    found = probe_gpus()
    return facts.read_machine(found.gpus, found.reason, found.driver, found.cuda_driver)


def doctor(progress: Progress = _quiet) -> tuple[Machine, tuple[DoctorLine, ...]]:
    """Return the facts about this computer, and what they mean for each backend.

    Every backend is opened, each in a process of its own.
    """
    machine = read_machine()
    progress("opening each backend in a process of its own", 0.0)
    infos, blas = open_backends()

    machine = msgspec.structs.replace(machine, blas=blas)
    return machine, machine_doctor.judge(machine, infos)


def load(name: str, store: Path | None = None) -> RunRecord:
    """Return a stored run by id, start of an id, ``last``, or path."""
    record = Store(store).load(name)
    # A journal holds no verdicts, be it of a run that was killed between its end and its document.
    concluded = record.verdicts or record.crossovers or record.achieved or record.caveats
    return record if concluded else judged(record)


def load_result(name: str, store: Path | str | None = None) -> Result:
    """Return a stored run, by id, start of an id, ``"last"``, or path, with ways to look at it."""
    return Result(record=load(name, _folder(store)))


def stored_runs(store: Path | None = None) -> tuple[RunSummary, ...]:
    """Return what is stored, newest first."""
    return Store(store).list()


def show(record: RunRecord, console: Console) -> None:
    """Print a run."""
    printed.show(pages.build(record), console)


def report_html(record: RunRecord) -> str:
    """Return the report of a run as one self-contained HTML page."""
    built = pages.build(record)
    return html.render(built, charts.specs(built))


def drawing(record: RunRecord, suffix: str, workload: str | None = None) -> bytes:
    """Return the picture of time against size as PNG or SVG.

    Raises
    ------
    InputError
        If the suffix is neither, or there is nothing to draw.
    """
    if suffix not in {".png", ".svg"}:
        raise InputError(
            f"a picture cannot be written as {suffix!r}", "end its name in .png or .svg"
        )
    specs = charts.specs(pages.build(record))
    wanted = [k for k in specs if k.endswith("time") and workload in {None, k.partition("-")[0]}]
    if not wanted:
        raise InputError(f"run {record.id} has nothing to draw for {workload or 'any workload'}")
    spec = specs[wanted[0]]
    return charts.to_png(spec) if suffix == ".png" else charts.to_svg(spec).encode()


def text_of(record: RunRecord, form: str) -> str:
    """Return a run as ``md``, ``csv`` or ``json`` text."""
    match form:
        case "md":
            return text.page_markdown(pages.build(record))
        case "csv":
            return export.to_csv(record)
        case "json":
            return export.to_json(record)
        case _:
            raise InputError(f"a run cannot be written as {form!r}", "choose md, csv or json")


def _folder(store: Path | str | None) -> Path | None:
    return None if store is None else Path(store)


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InputError(
            f"{path} cannot be written ({error.strerror})", "choose another place"
        ) from error
