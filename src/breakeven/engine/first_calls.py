"""First calls in fresh processes, one at a time: what start-up costs, and what one shot reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from breakeven.backends import registry as backends
from breakeven.engine import kernel_caches, messages
from breakeven.engine.clock import now
from breakeven.engine.context import OPEN_DEADLINE_S, Context
from breakeven.engine.graphs import capture_graphs, known_graphs
from breakeven.engine.inputs import CannotMakeError
from breakeven.engine.processes import WorkerProcess
from breakeven.errors import WorkerError
from breakeven.model.event import BackendSeen, ColdDone, NaiveDone
from breakeven.model.machine import BackendInfo
from breakeven.model.run import ColdStart, Entry, NaiveShot
from breakeven.model.spec import WorkloadSpec

# Kernels may have to be compiled: minutes on a slow machine.
CALL_DEADLINE_S = 300.0
AS_FOUND, EMPTIED = "as found", "emptied"
# A process that finds no kernels is taken to last so many times as long as one that found them.
EMPTIED_TIMES = 2.0


class ColdStarts:
    """Fresh processes started one at a time, nothing else running, kernel caches as found.

    Once these are done, each backend that compiles kernels is started once a workload without any,
    where the budget's share has room for it.

    Parameters
    ----------
    entries : sequence of Entry
        One entry a backend: its default.

    Attributes
    ----------
    unavailable : set of str
        Backends that could not be opened.
    lasted : dict
        Seconds that one process took, by backend and workload.
    """

    def __init__(self, context: Context, entries: Sequence[Entry]) -> None:
        self._context = context
        self._entries = list(entries)
        self._order = 0
        self._worked: set[str] = set()
        # Seconds that graphs took in the process that was started last.
        self._aside_s = 0.0
        self.lasted: dict[tuple[str, str], float] = {}
        self.unavailable: set[str] = set()

    def run(self, specs: Sequence[WorkloadSpec], done: Iterable[ColdStart] = ()) -> None:
        """Measure each entry and workload once, then again while the budget's share lasts."""
        context, begin = self._context, now()
        counts: dict[tuple[str, str], int] = {}
        before = list(done)
        for start in before:
            key = (start.backend, start.workload)
            counts[key] = counts.get(key, 0) + start.as_found
        self._order = len(before)
        allowed, aside = context.effort.cold_share * context.spec.budget_s, 0.0
        for repeat in range(1, context.effort.cold_most + 1):
            for spec in specs:
                for entry in self._entries:
                    key = (entry.backend, spec.name)
                    if entry.backend in self.unavailable or counts.get(key, 0) >= repeat:
                        continue
                    spent = now() - begin - aside
                    if repeat > 1 and spent + self.lasted.get(key, 0.0) > allowed:
                        continue
                    one, self._aside_s = now(), 0.0
                    if not self._one(entry, spec):
                        # What failed once may take minutes to fail again.
                        counts[key] = context.effort.cold_most
                    # Graphs and the making of inputs have shares of their own.
                    self.lasted[key] = now() - one - self._aside_s
                    aside += self._aside_s
        if before:
            self._graphs_again(specs)
        had = {(s.backend, s.workload) for s in before if not s.as_found}
        if context.effort.cold_most:
            self._without_kernels(specs, had, begin + allowed + aside)

    def _graphs_again(self, specs: Sequence[WorkloadSpec]) -> None:
        """Capture what an interrupted run had captured, and not yet written beside its case."""
        context = self._context
        context.graphs.update(known_graphs(context.sink.record()))
        for spec in specs:
            for entry in self._entries:
                done = entry.device == "cpu" or entry.backend in self.unavailable
                if done or self._captured(entry, spec) or context.effort.detail_s <= 0:
                    continue
                context.tell(f"{spec.name} as graphs on {entry.id}, fresh process")
                worker: WorkerProcess | None = None
                try:
                    worker = context.start_worker(entry, number=-1 - self._order, pinned=False)
                    opened = worker.receive(OPEN_DEADLINE_S)
                    self._capture(worker, entry, spec, opened, messages.ColdCalls(calls_s=()))
                except WorkerError as error:
                    context.remark(f"graphs of {spec.name} on {entry.id}: {error.what}")
                finally:
                    if worker is not None:
                        context.crew.end(worker)

    def _captured(self, entry: Entry, spec: WorkloadSpec) -> bool:
        """Tell whether graphs are known, or known to be none, at all planned sizes."""
        return all((entry.id, spec.name, size) in self._context.graphs for size in spec.sizes)

    def _without_kernels(
        self, specs: Sequence[WorkloadSpec], had: set[tuple[str, str]], end: float
    ) -> None:
        """Measure first calls that find no compiled kernels, as far as time lasts until `end`."""
        for spec in specs:
            for entry in self._entries:
                key = (entry.backend, spec.name)
                if entry.backend in self.unavailable or key in had:
                    continue
                if not backends.get(entry.backend).about.compiles:
                    continue
                if now() + EMPTIED_TIMES * self.lasted.get(key, 0.0) > end:
                    continue
                with kernel_caches.emptied(self._context.scratch) as variables:
                    self._one(entry, spec, variables)

    def _one(
        self, entry: Entry, spec: WorkloadSpec, variables: Mapping[str, str] | None = None
    ) -> bool:
        """Measure one fresh process; return whether it answered.

        Parameters
        ----------
        variables : mapping, optional
            Point its kernel caches to empty folders.
        """
        context, size = self._context, min(spec.sizes)
        emptied = "" if variables is None else ", kernel caches emptied"
        context.tell(f"first call of {spec.name} on {entry.id}, fresh process{emptied}")
        try:
            folder = context.inputs.folder_of(context.workload(spec.name), size)
        except CannotMakeError as error:
            context.remark(f"first calls of {spec.name} were not measured: {error}")
            return False
        worker: WorkerProcess | None = None
        request = messages.MeasureCold(workload=spec.name, size=size, folder=str(folder))
        opened: messages.Reply | None = None
        try:
            worker = context.start_worker(
                entry, number=-1 - self._order, pinned=False, variables=variables
            )
            opened = worker.receive(OPEN_DEADLINE_S)
            reply = opened
            if _is_open(opened):
                reply = worker.ask(request, context.bound_s(CALL_DEADLINE_S))
            if variables is None:
                self._capture(worker, entry, spec, opened, reply)
        except WorkerError as error:
            if opened is None and entry.backend not in self._worked:
                self._absent(entry, f"its process did not start: {error.what}", None)
            else:
                # It starts, so the rounds may try it: at other sizes it may well work.
                context.remark(f"a first call of {spec.name} on {entry.id} failed: {error.what}")
            return False
        finally:
            if worker is not None:
                context.crew.end(worker)
        if isinstance(opened, messages.Opened):
            return self._keep(
                entry, spec, opened, reply, AS_FOUND if variables is None else EMPTIED
            )
        why, fix = f"it answered out of turn ({type(opened).__name__})", None
        if isinstance(opened, messages.Failed):
            why, fix = opened.why, opened.fix
        if entry.backend in self._worked:
            context.remark(f"a first call of {spec.name} on {entry.id} failed: {why}")
        else:
            self._absent(entry, why, fix)
        return False

    def _capture(
        self,
        worker: WorkerProcess,
        entry: Entry,
        spec: WorkloadSpec,
        opened: messages.Reply,
        reply: messages.Reply,
    ) -> None:
        """Capture graphs in the first process of a workload, which ends here anyway."""
        begin = now()
        clocked = isinstance(opened, messages.Opened) and opened.device_clock
        if clocked:
            self._context.device_clocks.add(entry.id)
        if clocked and not self._captured(entry, spec) and isinstance(reply, messages.ColdCalls):
            capture_graphs(self._context, worker, entry, spec)
        self._aside_s += now() - begin

    def _keep(
        self,
        entry: Entry,
        spec: WorkloadSpec,
        opened: messages.Opened,
        reply: messages.Reply,
        caches: str,
    ) -> bool:
        if not isinstance(reply, messages.ColdCalls):
            why = reply.why if isinstance(reply, messages.Failed) else type(reply).__name__
            self._context.remark(f"first calls of {spec.name} on {entry.id} failed: {why}")
            return False
        start = ColdStart(
            backend=entry.backend,
            workload=spec.name,
            size=min(spec.sizes),
            order=self._order,
            import_s=opened.import_s,
            context_s=opened.context_s,
            calls_s=reply.calls_s,
            caches=caches,
        )
        if reply.kernels is not None:
            self._context.kernels[entry.id] = reply.kernels
        self._order += 1
        self._worked.add(entry.backend)
        self._context.emit(ColdDone(start=start))
        self._context.emit(
            BackendSeen(
                info=BackendInfo(
                    name=entry.backend,
                    device=entry.device,
                    available=True,
                    version=opened.version,
                ),
                blas=opened.blas,
            )
        )
        return True

    def _absent(self, entry: Entry, why: str, fix: str | None) -> None:
        self.unavailable.add(entry.backend)
        self._context.emit(
            BackendSeen(
                info=BackendInfo(
                    name=entry.backend,
                    device=entry.device,
                    available=False,
                    why_not=why,
                    fix=fix or "breakeven doctor tells more",
                )
            )
        )


def _is_open(reply: messages.Reply) -> bool:
    return isinstance(reply, messages.Opened)


def shoot_naively(
    context: Context, entries: Sequence[Entry], specs: Sequence[WorkloadSpec]
) -> None:
    """Take one-shot readings: a fresh process for each entry and workload walks up the sizes."""
    for spec in specs:
        for entry in entries:
            context.tell(f"one-shot timing of {spec.name} on {entry.id}")
            worker: WorkerProcess | None = None
            try:
                worker = context.start_worker(entry, number=-1000, pinned=False)
                if isinstance(worker.receive(OPEN_DEADLINE_S), messages.Opened):
                    for size in spec.sizes:
                        folder = context.inputs.folder_of(context.workload(spec.name), size)
                        request = messages.ShootNaively(
                            workload=spec.name, size=size, folder=str(folder)
                        )
                        reply = worker.ask(request, CALL_DEADLINE_S)
                        if not isinstance(reply, messages.Shot):
                            break
                        context.emit(
                            NaiveDone(
                                shot=NaiveShot(
                                    entry=entry.id,
                                    workload=spec.name,
                                    size=size,
                                    one_shot_s=reply.one_shot_s,
                                    unsynchronised_s=reply.unsynchronised_s,
                                )
                            )
                        )
            except (WorkerError, CannotMakeError) as error:
                context.remark(f"one-shot timing of {spec.name} on {entry.id} ended: {error.what}")
            finally:
                if worker is not None:
                    context.crew.end(worker)
