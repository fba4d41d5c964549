"""A backend whose times are given in a file: real arithmetic by NumPy, on a scripted clock."""

from __future__ import annotations

import bisect
import math
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from breakeven.backends.base import About, DeviceMemory, Opening
from breakeven.backends.precision import caster
from breakeven.errors import InputError, UnavailableError
from breakeven.model.machine import BackendInfo
from breakeven.model.spec import Precision

PREFIX = "scripted:"
AN_EXAMPLE = "docs/backends.md has one"
STALL_S, STALL_WINDOW_S = 8e-3, 0.05
# Steps that a device takes before it makes the host wait for the oldest.
QUEUE_DEPTH = 4
# Bounds within which every time that is made of these is a number above 0.
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
Spread = Annotated[float, msgspec.Meta(ge=0, le=1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Size = Annotated[int, msgspec.Meta(ge=1)]
Curve = dict[Size, Annotated[float, msgspec.Meta(ge=1e-9, le=1e6)]]
Fault = Literal["crash", "kill", "hang", "out_of_memory", "disagree", "unsupported"]


class Start(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Seconds of a scripted start.

    Attributes
    ----------
    emptied_first_call_s : float or None
        First call of a process whose ``CUDA_CACHE_PATH`` is an empty folder; None makes it a
        backend that keeps no kernels.
    """

    import_s: Seconds = 0.0
    context_s: Seconds = 0.0
    first_call_s: Seconds = 0.0
    emptied_first_call_s: Seconds | None = None


class InPrecision(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an actor does in one precision.

    Attributes
    ----------
    times : float
        How many times as long its calls and journeys take.
    error : float
        Relative error planted in every answer, beside that of the arithmetic.
    """

    times: Annotated[float, msgspec.Meta(ge=1e-3, le=1e3)] = 1.0
    error: Share = 0.0


class Actor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One scripted backend.

    Attributes
    ----------
    compute_s, journey_s : dict
        Seconds by size, by workload; between sizes they are interpolated in logarithms, beyond
        them the end's slope is kept. A journey is all transfers of one call.
    spread, noise : float
        Standard deviation of the logarithm from process to process, and from call to call.
    stall : float
        Share of time in which every call takes 8 ms more: two threads on one core.
    faults : dict
        What goes wrong at a size.
    precisions : dict
        What it does in a precision; one that is not among them it lacks, but for float32 and
        float64, which are then as they come.
    fails : str or None
        What `open` says when it fails; None when it works.
    """

    device: str = "cpu"
    compute_s: dict[str, Curve]
    journey_s: dict[str, Curve] = {}
    start: Start = Start()
    spread: Spread = 0.0
    noise: Spread = 0.0
    stall: Share = 0.0
    faults: dict[Size, Fault] = {}
    precisions: dict[Precision, InPrecision] = {}
    fails: str | None = None


class Script(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A cast of scripted backends by name."""

    actors: Annotated[dict[str, Actor], msgspec.Meta(min_length=1)]
    seed: int = 0


def read_script(path: Path) -> Script:
    """Read a script.

    Raises
    ------
    InputError
        If the file cannot be read, or is no script.
    """
    try:
        if path.exists() and not path.is_file():
            # A device may have no end, and a pipe is empty for the workers that read it again.
            raise InputError(f"the script {path} is no file", AN_EXAMPLE)
        return msgspec.json.decode(path.read_bytes(), type=Script)
    except OSError as error:
        raise InputError(
            f"the script {path} cannot be read ({error.strerror})", AN_EXAMPLE
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{path} is no script: {error}", AN_EXAMPLE) from error


def interpolate(points: dict[int, float], size: int) -> float:
    """Return the value at `size` on straight lines between points, in logarithms of both."""
    if not points:
        return 0.0
    sizes = sorted(points)
    if len(sizes) == 1:
        return points[sizes[0]]
    right = min(max(bisect.bisect_left(sizes, size), 1), len(sizes) - 1)
    low, high = sizes[right - 1], sizes[right]
    share = math.log(size / low) / math.log(high / low)
    return math.exp(
        math.log(points[low]) + share * (math.log(points[high]) - math.log(points[low]))
    )


class _Namespace:
    """NumPy, with products remembered: a repeat computes nothing new."""

    def __init__(self, numpy: Any) -> None:  # noqa: ANN401  a module
        self._numpy = numpy
        self._last: tuple[Any, Any, Any] | None = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever NumPy has
        return getattr(self._numpy, name)

    def matmul(self, a: Any, b: Any) -> Any:  # noqa: ANN401  arrays
        """Return a @ b, computed once for the same two arrays in a row."""
        if self._last is None or self._last[0] is not a or self._last[1] is not b:
            self._last = (a, b, self._numpy.matmul(a, b))
        return self._last[2]


def _with_error(array: Any, error: float) -> Any:  # noqa: ANN401  NumPy in and out
    """Return an array whose elements err by `error` of their size, up and down in turn."""
    changed = array.copy()
    changed.flat[::2] *= 1 + error
    changed.flat[1::2] *= 1 - error
    return changed


class ScriptedBackend:
    """One actor of a script.

    Parameters
    ----------
    name : str
        ``scripted:ACTOR``.
    seed : str
        What makes this process differ from others (entry and round).
    """

    def __init__(
        self, name: str, script: Script, seed: str = "", precision: Precision = "float32"
    ) -> None:
        self._precision: Precision = precision
        self._actor = script.actors[name.removeprefix(PREFIX)]
        self.about = About(
            name=name,
            device=self._actor.device,
            pools=False,
            compiles=self._actor.start.emptied_first_call_s is not None,
            trains="scripted",
        )
        self._plays = self._actor.precisions.get(precision, InPrecision())
        self._seed = f"{script.seed}/{name}/{seed}"
        self._random = random.Random(self._seed)  # noqa: S311  times, not secrets
        self._effect = self._random.gauss(0.0, self._actor.spread)
        self._now = 0.0
        self._case = ("", 0)
        self._moved_in = self._moved_out = False
        self._queued: int | None = None

    def find(self) -> BackendInfo:
        """Say that it is available: a file is all it needs."""
        return BackendInfo(
            name=self.about.name, device=self.about.device, available=True, version="scripted"
        )

    def open(self) -> Opening:
        """Return NumPy on the scripted clock."""
        if self._actor.fails is not None:
            raise UnavailableError(self._actor.fails, "mend the script")
        import numpy as np  # noqa: PLC0415  in a worker

        on_device = self.about.device != "cpu"
        return Opening(
            xp=_Namespace(np),
            version="scripted",
            import_s=self._actor.start.import_s,
            context_s=self._actor.start.context_s,
            first_call_s=self._first_call_s(),
            clock=self._clock,
            real=False,
            cast=self._cast,
            device_seconds=self._device_seconds if on_device else None,
        )

    def _first_call_s(self) -> float:
        start, cache = self._actor.start, os.environ.get("CUDA_CACHE_PATH")
        if start.emptied_first_call_s is None or cache is None:
            return start.first_call_s
        folder = Path(cache)
        empty = folder.is_dir() and not any(folder.iterdir())
        return start.emptied_first_call_s if empty else start.first_call_s

    def _cast(self, array: Any) -> Any:  # noqa: ANN401  NumPy in and out
        """Return the array in what stands for the precision: float32, but for float64.

        An error of fewer bits is planted in the answer.
        """
        if self._precision not in {"float32", "float64", *self._actor.precisions}:
            raise NotImplementedError(f"scripted: nothing in {self._precision}")
        kept: Precision = "float64" if self._precision == "float64" else "float32"
        return caster(kept, {})(array)

    def _clock(self) -> float:
        return self._now

    def _pass(self, seconds: float) -> None:
        noise = self._random.gauss(0.0, self._actor.noise)
        self._now += seconds * math.exp(self._effect + noise)

    def begin_case(self, workload: str, size: int) -> None:
        """Take the place of this case on the script, with its fault if it has one."""
        self._case = (workload, size)
        self._moved_in = self._moved_out = False
        self._queued = None
        if not self._actor.compute_s.get(workload):
            raise NotImplementedError(f"scripted: no times for {workload}")
        match self._actor.faults.get(size):
            case "crash":
                os._exit(3)
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "hang":
                while True:
                    time.sleep(3600)
            case "out_of_memory":
                raise MemoryError(f"scripted: no memory at size {size}")
            case "unsupported":
                raise NotImplementedError(f"scripted: nothing at size {size}")
            case "disagree" | None:
                pass

    def _curve(self, curves: dict[str, dict[int, float]]) -> float:
        workload, size = self._case
        return self._plays.times * interpolate(curves.get(workload, {}), size)

    def to_device(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Let half of the journey pass, once a call."""
        if not self._moved_in:
            self._pass(self._curve(self._actor.journey_s) / 2)
            self._moved_in = True
        return array

    def to_host(self, array: Any) -> Any:  # noqa: ANN401  the seam's signature
        """Let half of the journey pass, once a call; spoil the array where the script says so."""
        if not self._moved_out:
            self._pass(self._curve(self._actor.journey_s) / 2)
            self._moved_out = True
        if self._actor.faults.get(self._case[1]) == "disagree":
            return array * 1.5
        return _with_error(array, self._plays.error) if self._plays.error else array

    def synchronise(self) -> None:
        """Let the time of one call pass, or that of every step that is queued."""
        for _ in range(1 if self._queued is None else self._queued):
            self._compute()
        self._queued = None if self._queued is None else 0
        self._moved_in = self._moved_out = False

    def queue(self, steps: int) -> None:
        """Queue steps, each with a journey of its own; from now on waits pass no others' time.

        Beyond the depth of the queue the oldest ones pass at once.
        """
        self._queued = (self._queued or 0) + steps
        while self._queued > QUEUE_DEPTH:
            self._compute()
            self._queued -= 1
        self._moved_in = self._moved_out = False

    def _compute(self) -> None:
        window = int(self._now / STALL_WINDOW_S)
        draw = random.Random(f"{self._seed}/{window}").random()  # noqa: S311  times, not secrets
        if draw < self._actor.stall:
            self._now += STALL_S
        self._pass(self._curve(self._actor.compute_s))

    def _device_seconds(self, call: Callable[[], object]) -> float:
        start = self._now
        call()
        self.synchronise()
        return self._now - start

    def memory(self) -> DeviceMemory:
        """Return that it holds nothing of any device; the rest is not known."""
        return DeviceMemory(held_bytes=0)
