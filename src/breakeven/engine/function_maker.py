"""The user's function on NumPy, in a process that measures nothing: tried, and its answers kept."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

from breakeven.engine import messages
from breakeven.engine.host_peak import host_peak_bytes, reset_host_peak
from breakeven.errors import InputError
from breakeven.machine.memory import read_memory
from breakeven.model.ported import FunctionSpec
from breakeven.model.spec import DType
from breakeven.workloads.function.arguments import Arguments, Maker, with_namespace
from breakeven.workloads.function.frames import told
from breakeven.workloads.function.reference import (
    NothingToCompareError,
    Run,
    nothing_in,
    wanted_of,
)
from breakeven.workloads.function.target import function_in, load_module, parsed
from breakeven.workloads.function.tree import nbytes
from breakeven.workloads.function.wanted import stored

PRINTED_MOST = 2000
# Below this a second call is made: the first one warms caches and lazy imports.
SHORT_S = 1.0
# What a process may take beyond what it holds: the rest is left to the system.
MEMORY_SHARE = 0.9
STATUS = Path("/proc/self/statm")


class FunctionMaker:
    """Calls the user's function on NumPy.

    Parameters
    ----------
    seed : int
        Of its arguments.

    Raises
    ------
    InputError
        If its file fails, or nothing tells what it is called with.
    """

    def __init__(self, function: FunctionSpec, seed: int) -> None:
        self._spec, self._seed = function, seed
        self._target = parsed(function.target)
        limit_memory()
        self._printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(self._printed):
                module = load_module(self._target)
        except (InputError, MemoryError):
            raise
        except (Exception, SystemExit) as error:
            # It is the user's file: it may raise anything, and a script may leave.
            said = told(error, self._target.path)
            raise InputError(
                f"{self._target.module} fails when it is run: {said}", "mend it first"
            ) from error
        plain = function_in(module, self._target)
        self._maker = Maker(self._target, function.inputs, module, plain, seed)
        self._function = with_namespace(plain, numpy_of(function))

    def tried(self, size: int) -> messages.Tried:
        """Call it at one size, and tell what it does.

        Raises
        ------
        InputError
            If it raises, or gives nothing that could be compared.
        MemoryError
            If it asks for more than there is.
        """
        arguments = self._maker.make(size)
        arrays = [leaf.value for leaf in arguments.leaves]
        known = reset_host_peak()
        before = host_peak_bytes() if known else None
        run = self._run(arguments, size)
        peak = host_peak_bytes() if known else None
        seconds = run.seconds
        if seconds < SHORT_S:
            seconds = min(seconds, self._run(arguments, size).seconds)
        altered = run.altered
        if not run.leaves(altered, arguments):
            raise InputError(
                f"{self._target.title}() {nothing_in(run.returned)}",
                "have it return what it computes",
            )
        held = 0 if peak is None or before is None else max(0, peak - before)
        answers = [leaf.value.dtype.name for leaf in run.answer]
        return messages.Tried(
            call_s=seconds,
            in_bytes=nbytes(arguments.leaves),
            out_bytes=nbytes(run.answer),
            held_bytes=held,
            sized=self._maker.sized,
            source=self._maker.source,
            dtype=_dtype([*(a.dtype.name for a in arrays), *answers]),
            printed=self._printed.getvalue()[:PRINTED_MOST],
            altered=tuple(arguments.leaves[i].path for i in altered),
        )

    def _run(self, arguments: Arguments, size: int) -> Run:
        said = self._printed if not self._printed.getvalue() else io.StringIO()
        try:
            with contextlib.redirect_stdout(said):
                return Run(self._function, arguments, [x.value for x in arguments.leaves])
        except MemoryError:
            raise
        except (Exception, SystemExit) as error:
            # It is the user's function: it may raise anything.
            raise InputError(
                f"{self._target.title}() raises at n = {size} on NumPy itself: "
                f"{told(error, self._target.path)}",
                "mend it, or give other --inputs or --sizes",
            ) from error

    def make(self, request: messages.Make) -> messages.Done:
        """Keep NumPy's answer at one size as files."""
        import numpy as np  # noqa: PLC0415  only the maker needs it

        with contextlib.redirect_stdout(io.StringIO()):
            try:
                wanted, values, _ = wanted_of(
                    self._maker, self._function, request.size, self._seed, self._spec.rtol
                )
            except NothingToCompareError as error:
                raise InputError(f"{self._target.title}() {error}") from error
        for place, (name, array) in enumerate(stored(wanted, values).items()):
            np.save(Path(request.folder) / f"reference-{place}-{name}.npy", array)
        return messages.Done()


def numpy_of(function: FunctionSpec) -> Any:  # noqa: ANN401  a module, or None
    """Return NumPy where the function takes a namespace."""
    import numpy as np  # noqa: PLC0415  only the maker needs it

    return np if function.takes_namespace else None


def limit_memory() -> None:
    """Have this process refuse what the machine has not, rather than be killed when it is used.

    NumPy is told that there are 200 GB as long as nobody touches them; the system ends whoever
    does. Where the system knows no such limit, that is how it goes.
    """
    try:
        import resource  # noqa: PLC0415  Windows has none

        held = int(STATUS.read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError):
        return
    free = read_memory().available_bytes
    if free is not None:
        most = held + int(MEMORY_SHARE * free)
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if hard in {resource.RLIM_INFINITY, -1} or most < hard:
            resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _dtype(names: list[str]) -> DType:
    """Return what a function computes in: the widest of its floating-point types."""
    if {"float64", "complex128"} & set(names) or not {"float32", "complex64"} & set(names):
        return "float64"
    return "float32"
