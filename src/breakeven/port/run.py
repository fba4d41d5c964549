"""A user's function, executed afresh with an array library in NumPy's place."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from breakeven.backends.library import Library
from breakeven.errors import InputError
from breakeven.model.ported import CallSite, Policy, PortFailure
from breakeven.port import convert
from breakeven.port.bridge import bridge
from breakeven.port.facade import Facade, Modules
from breakeven.port.facades import facade_of
from breakeven.port.failure import failure_of
from breakeven.port.hook import Hook
from breakeven.port.ledger import Ledger
from breakeven.port.proxy import Recorder
from breakeven.port.target import Target, find_target


class PortFailedError(InputError):
    """A user's module or function did not run on a library.

    Attributes
    ----------
    failure : PortFailure
        Where, why, and what may mend it.
    """

    def __init__(self, failure: PortFailure) -> None:
        super().__init__(failure.message, failure.suggestion or "")
        self.failure = failure


class _Execution:
    """One execution of the user's module: plain, or with its calls counted."""

    def __init__(
        self, target: Target, facade: Facade, recorder: Recorder | None, files: set[str]
    ) -> None:
        modules = Modules(facade) if recorder is None else Modules(facade, recorder.dress)
        if recorder is not None and recorder.bridge is not None:
            modules = Modules(facade, recorder.dress, recorder.lacking)
        self.facade, self.recorder = facade, recorder
        self.hook = Hook(modules, facade.library, target.roots, files)
        self.function: Callable[..., Any] = target.resolve(self.hook)

    def given(self, own: Any) -> Any:
        shown = self.facade.wrap(own)
        return shown if self.recorder is None else self.recorder.shown(shown)

    def own(self, seen: Any) -> Any:
        return self.facade.unwrap(seen if self.recorder is None else self.recorder.bare(seen))

    def is_seen(self, value: object) -> bool:
        kind = self.facade.array_type if self.recorder is None else self.recorder.array_type
        return isinstance(value, kind)


class PortedCall:
    """The function on one library.

    `call` runs it plainly: under ``strict`` nothing but the facade stands between the function and
    the library. `recorded` runs a second execution of the module, whose calls are counted.

    Parameters
    ----------
    target : Target
        The function.
    library : Library
        What it runs on.
    policy : str
        ``strict`` lets the first crossing to the host fail; ``bridge`` has NumPy do what the
        library cannot.

    Raises
    ------
    PortFailedError
        If the module fails on import.
    """

    def __init__(self, target: Target, library: Library, policy: Policy = "strict") -> None:
        self.target, self.library, self.policy = target, library, policy
        self.facade = facade_of(library)
        self._ledger = Ledger(set())
        self._counted: _Execution | None = None
        self._plain = self._execute(counted=policy == "bridge")
        if policy == "bridge":
            self._counted = self._plain

    def _execute(self, *, counted: bool) -> _Execution:
        recorder = None
        if counted:
            made = bridge(self.library, self.facade) if self.policy == "bridge" else None
            recorder = Recorder(self.facade, self._ledger, made)
        try:
            execution = _Execution(self.target, self.facade, recorder, self._ledger.files)
        except Exception as error:
            raise PortFailedError(self.failure(error, "import")) from error
        # What making the module's constants took belongs to no call.
        self._ledger.clear()
        return execution

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function with arguments that `to_library` gave."""
        return self._plain.function(*args, **kwargs)

    @property
    def function(self) -> Callable[..., Any]:
        """The function itself, for a loop that shall pay for nothing else."""
        return self._plain.function

    def recorded(
        self,
        *args: Any,
        timed: bool = False,
        **kwargs: Any,
    ) -> tuple[Any, tuple[CallSite, ...]]:
        """Call the function with host arguments, and return its answer with what it called.

        Parameters
        ----------
        timed : bool
            Whether each call is timed, the device awaited before and after it.

        Returns
        -------
        tuple
            The answer on the host, and the ledger.
        """
        if self._counted is None:
            self._counted = self._execute(counted=True)
        counted = self._counted
        self._ledger.clear()
        self._ledger.time(
            *((time.perf_counter, self.library.synchronise) if timed else (None, None))
        )
        given = self._carried((args, kwargs), counted)
        self._ledger.clear()
        try:
            answer = counted.function(*given[0], **given[1])
        finally:
            self._ledger.time(None, None)
        return self._fetched(answer, counted), self.ledger()

    def ledger(self) -> tuple[CallSite, ...]:
        """Return what the last recorded call did, or under ``bridge`` all calls so far."""
        return self._ledger.sites()

    def clear_ledger(self) -> None:
        """Forget all calls."""
        self._ledger.clear()

    def reseed(self, seed: int) -> None:
        """Start the random streams that the function does not seed itself."""
        self.facade.reseed(seed)

    def to_library(self, value: Any) -> Any:
        """Return fresh copies on the device of all host arrays in `value`, as `call` takes them."""
        return self._carried(value, self._plain)

    def to_host(self, value: Any) -> Any:
        """Return `value` with copies on the host of all arrays of the device."""
        return self._fetched(value, self._plain)

    def given(self, own: Any) -> Any:
        """Return an array of the library as the function sees it; nothing is copied."""
        return self._plain.given(own)

    def own(self, seen: Any) -> Any:
        """Return the library's own array of one that the function sees; nothing is copied."""
        return self._plain.own(seen)

    def is_seen(self, value: object) -> bool:
        """Say whether a value is an array as the function sees it."""
        return self._plain.is_seen(value)

    def _carried(self, value: Any, execution: _Execution) -> Any:
        def carry(array: Any) -> Any:
            return execution.given(self.library.to_device(array))

        def class_of(kind: type) -> type:
            found = getattr(execution.function, "__globals__", {}).get(kind.__name__, kind)
            return found if isinstance(found, type) else kind

        return convert.mapped(value, carry, lambda part: isinstance(part, np.ndarray), class_of)

    def _fetched(self, value: Any, execution: _Execution) -> Any:
        def fetch(array: Any) -> Any:
            return self.library.to_host(execution.own(array))

        return convert.mapped(value, fetch, execution.is_seen)

    def answers_on(self, value: Any) -> tuple[str, ...]:
        """Return where each array of an answer lies: its device, or ``host``."""
        plain = self._plain

        def is_array(part: object) -> bool:
            return plain.is_seen(part) or isinstance(part, (np.ndarray, np.generic))

        return tuple(
            self.library.place(plain.own(array)) if plain.is_seen(array) else "host"
            for _, array in convert.arrays(value, is_array)
        )

    def kernels(self, *args: Any, **kwargs: Any) -> int | None:
        """Call, and return how many kernels the device ran; None if nothing can tell."""
        return self.library.kernels(lambda: self._plain.function(*args, **kwargs))

    def bridged(self) -> int:
        """Return how many calls NumPy did in the library's stead."""
        return sum(site.bridged for site in self.ledger())

    def failure(self, error: BaseException, phase: str = "first_call") -> PortFailure:
        """Return what an error of the function or of the library tells the user."""
        return failure_of(
            error, phase, self.target, self.facade.library, self.library, self._ledger
        )


def prepare(target: str, folder: Path, library: Library, policy: Policy = "strict") -> PortedCall:
    """Execute the module of a function afresh, with `library` in NumPy's place.

    Parameters
    ----------
    target : str
        ``FILE.py:FUNC`` or ``package.module:FUNC``.
    folder : Path
        Where relative names start.

    Raises
    ------
    InputError
        If there is no such file, module or function.
    PortFailedError
        If the module fails on import.
    """
    return PortedCall(find_target(target, folder), library, policy)
