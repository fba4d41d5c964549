"""The user's function before anything is measured: tried on NumPy, its sizes chosen."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from breakeven import units
from breakeven.engine import messages
from breakeven.engine.clock import now
from breakeven.engine.context import OPEN_DEADLINE_S
from breakeven.engine.inputs import scratch_folder
from breakeven.engine.processes import WorkerProcess, crew
from breakeven.errors import DeadlineError, InputError, NothingMeasuredError, WorkerError
from breakeven.machine.memory import read_memory
from breakeven.model.machine import Machine
from breakeven.model.ported import FunctionSpec
from breakeven.model.spec import DType
from breakeven.workloads.function.facts import PlannedFunction, Seen
from breakeven.workloads.function.target import parsed

Tell = Callable[[str, float], None]
# Where no sizes are given: these, as long as a call is short and its arrays are small.
LEAST, STEP, MOST_SIZES = 64, 4, 7
LARGEST = 1 << 26
# Of the budget, that one call may take at the largest size that is chosen; of free memory, that
# its arrays may.
CALL_SHARE, MEMORY_SHARE = 1 / 400, 1 / 16
LONGEST_CALL_S = 0.5
# Of the budget, that trying may take.
TRYING_SHARE = 0.5
# A call counts as hung after this many times what the last size foretells, and some seconds.
HUNG_TIMES, PATIENCE_S = 30.0, 5.0


@dataclass(frozen=True, kw_only=True)
class FunctionPlan:
    """What a session is told of the user's function.

    Attributes
    ----------
    function : FunctionSpec
        As the user gave it: a stored one has no names of folders at home.
    seen : mapping
        What it did on NumPy, by size.
    sizes : tuple of int
        That are measured.
    source : str
        Where its arguments come from, in words.
    printed : str
        What it printed in one call.
    altered : tuple of str
        Arguments that a call alters.
    remarks : tuple of str
        What weakens the record.
    too_large : mapping
        Sizes that need more memory than there is, each with the reason.
    begun_s : float
        Monotonic seconds at which trying began: the budget counts from there.
    """

    function: FunctionSpec
    seen: Mapping[int, Seen]
    sizes: tuple[int, ...]
    dtype: DType
    source: str
    printed: str = ""
    altered: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    too_large: Mapping[int, str] = field(default_factory=dict)
    begun_s: float = 0.0

    @property
    def name(self) -> str:
        """What the function is called."""
        return parsed(self.function.target).title

    @property
    def planned(self) -> PlannedFunction:
        """The function as a plan sees it."""
        return PlannedFunction(self.name, self.seen)


def tried(
    function: FunctionSpec,
    sizes: Sequence[int] | None,
    *,
    seed: int,
    budget_s: float,
    machine: Machine,
    tell: Tell = lambda *_: None,
) -> FunctionPlan:
    """Call the function on NumPy in a process of its own, at ascending sizes.

    Parameters
    ----------
    sizes : sequence of int or None
        That the user named; None chooses.

    Raises
    ------
    InputError
        If it, or what it is called with, is wrong.
    NothingMeasuredError
        If no size ends in time, or fits the memory.
    """
    begun, scratch = now(), scratch_folder()
    try:
        with crew() as made:
            config = messages.WorkerConfig(
                backend="numpy", parent=os.getpid(), function=function, data_seed=seed
            )
            worker = made.start(
                config,
                threads=machine.cpu.cores_usable,
                freezable=False,
                log=scratch / "try.log",
            )
            opened = worker.receive(OPEN_DEADLINE_S)
            if isinstance(opened, messages.Failed):
                raise NothingMeasuredError(opened.why, opened.fix or "breakeven doctor")
            trial = _Trial(worker, function, begun + TRYING_SHARE * budget_s, budget_s, tell)
            return trial.run(sizes, begun)
    except WorkerError as error:
        raise NothingMeasuredError(
            f"the process that tried the function ended: {error.what}{_last_line(scratch)}",
            "try smaller --sizes",
        ) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _last_line(scratch: Path) -> str:
    try:
        lines = (scratch / "try.log").read_text(errors="replace").strip().splitlines()
    except OSError:
        return ""
    return f" ({lines[-1].strip()})" if lines else ""


class _Trial:
    def __init__(
        self, worker: WorkerProcess, function: FunctionSpec, end: float, budget_s: float, tell: Tell
    ) -> None:
        self._worker = worker
        self._name = parsed(function.target).title
        self._function = function
        self._end = end
        self._budget_s = budget_s
        self._tell = tell
        self._seen: dict[int, Seen] = {}
        self._remarks: list[str] = []
        self._too_large: dict[int, str] = {}
        self._last: messages.Tried | None = None

    def run(self, sizes: Sequence[int] | None, begun: float) -> FunctionPlan:
        chosen = self._given(sizes) if sizes is not None else self._choose()
        assert self._last is not None
        return FunctionPlan(
            function=self._function,
            seen=self._seen,
            sizes=chosen,
            dtype=self._last.dtype,
            source=self._last.source,
            printed=self._last.printed,
            altered=self._last.altered,
            remarks=tuple(self._remarks),
            too_large=self._too_large,
            begun_s=begun,
        )

    def _given(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """Try the sizes that were named; those that come after one that is too large are kept.

        The rounds say of each why it was not measured.
        """
        for place, size in enumerate(sizes):
            short = self._seen and self._short_of(size, 1.0)
            if short or (self._too_large and size > min(self._too_large)):
                for larger in sizes[place:]:
                    self._too_large.setdefault(larger, self._shortage(larger))
                break
            if self._seen and self._foreseen(size) > self._left_s():
                break
            if not self._one(size) and not self._too_large:
                break
        assert self._last is not None
        if not self._last.sized and len(sizes) > 1:
            raise InputError(
                f"the arguments of {self._name}() do not depend on a size",
                "use n in --inputs, or give one size",
            )
        return tuple(sizes)

    def _choose(self) -> tuple[int, ...]:
        size, longest = LEAST, min(LONGEST_CALL_S, CALL_SHARE * self._budget_s)
        while size <= LARGEST:
            if self._seen and (
                self._foreseen(size) > longest or self._short_of(size, MEMORY_SHARE)
            ):
                break
            if not self._one(size):
                break
            assert self._last is not None
            if not self._last.sized:
                return (size,)
            if self._last.call_s > longest or now() > self._end:
                break
            size *= STEP
        found = sorted(self._seen)
        # Every second of many, the ends among them.
        return tuple(found if len(found) <= MOST_SIZES else found[(len(found) - 1) % 2 :: 2])

    def _one(self, size: int) -> bool:
        """Try one size; tell whether larger ones may be tried.

        Raises
        ------
        InputError, NothingMeasuredError
            If this is the first, and it fails.
        """
        self._tell(f"trying {self._name} at n = {size} on NumPy", self._left_s())
        first = not self._seen
        limit = self._budget_s if first else HUNG_TIMES * self._foreseen(size) + PATIENCE_S
        try:
            reply = self._worker.ask(
                messages.TryFunction(size=size), min(limit, max(self._left_s(), PATIENCE_S))
            )
        except DeadlineError as error:
            if first:
                raise NothingMeasuredError(
                    f"{self._name}() did not end at n = {size}, its smallest size ({error.what})",
                    "give smaller --sizes, or more --budget",
                ) from error
            self._remarks.append(f"{self._name} did not end at n = {size} ({error.what})")
            return False
        match reply:
            case messages.Tried():
                self._last = reply
                self._seen[size] = Seen(
                    call_s=reply.call_s,
                    in_bytes=reply.in_bytes,
                    out_bytes=reply.out_bytes,
                    held_bytes=reply.held_bytes,
                )
                return True
            case messages.Failed(status=status, why=why, fix=fix):
                self._failed(size, status, why, fix, first=first)
                return False
            case _:
                raise InputError(
                    f"it answered out of turn ({type(reply).__name__})", "run it again"
                )

    def _failed(self, size: int, status: str, why: str, fix: str | None, *, first: bool) -> None:
        if status == "out_of_memory":
            said = f"{self._name}() asks for more memory than there is at n = {size} ({why})"
            if first:
                raise NothingMeasuredError(said, "give smaller --sizes")
            self._too_large[size] = said
            return
        if first:
            raise InputError(why, fix or "")
        self._remarks.append(f"at n = {size}: {why}")

    def _foreseen(self, size: int) -> float:
        planned = PlannedFunction(self._name, self._seen)
        return planned.work(size, "float64").flops / 1e9

    def _short_of(self, size: int, share: float) -> bool:
        free = read_memory().available_bytes
        need = PlannedFunction(self._name, self._seen).need(size, "float64").host
        return free is not None and need > share * free

    def _shortage(self, size: int) -> str:
        need = PlannedFunction(self._name, self._seen).need(size, "float64").host
        free = read_memory().available_bytes or 0
        return (
            f"foreseen: one process needs about {units.size_bytes(need)} of host memory, and "
            f"{units.size_bytes(free)} are free"
        )

    def _left_s(self) -> float:
        return max(0.0, self._end - now())
