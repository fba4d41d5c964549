"""One GPU's readings over time from NVML: power, energy, use, clocks, heat, copies, processes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from breakeven.errors import UnavailableError
from breakeven.model.machine import Gpu
from breakeven.model.sensing import Absent
from breakeven.sensors import nvml_questions
from breakeven.sensors.absence import Missing
from breakeven.sensors.base import Sample, Sensor, Tier
from breakeven.sensors.faults import explain
from breakeven.sensors.nvml import Nvml, bindings
from breakeven.sensors.nvml_device import Question
from breakeven.sensors.thrift import allot

# The bindings have no types, and tests hand in recorded answers.
NvmlAnswer: TypeAlias = Any
LOST = {
    "NVMLError_GpuIsLost", "NVMLError_Uninitialized", "NVMLError_DriverNotLoaded",
    "NVMLError_LibraryNotFound", "NVMLError_GpuNotFound", "NVMLError_ResetRequired",
}  # fmt: skip
"""After these no question will be answered any more."""
FAILURES = 10
"""After so many failures in a row a question that was answered before is asked no more."""
CORE_SHARE = 0.002
"""CPU time over time that the questions to all GPUs may take."""
_DENIED = "ask for access to /dev/nvidia*, often by joining the group video or render"


class NvmlSensor:
    """A session with NVML about one GPU, open from the first reading to the last.

    Parameters
    ----------
    gpu : Gpu
        Found by its UUID; its `index` is the number that CUDA gives it here.
    library : module
        Answers like ``pynvml``.
    fast_s, slow_s : float
        Periods of the tiers.
    share : float
        Share of a core that its questions may take.
    clock, cpu_s : callable
        Seconds; CPU seconds of this thread.

    Raises
    ------
    Exception
        Of the library, when the device cannot be opened.
    """

    def __init__(
        self,
        gpu: Gpu,
        library: NvmlAnswer,
        *,
        fast_s: float = 0.1,
        slow_s: float = 1.0,
        share: float = CORE_SHARE,
        clock: Callable[[], float] = time.perf_counter,
        cpu_s: Callable[[], float] = time.thread_time,
    ) -> None:
        self._nvml, self._share, self._clock, self._cpu_s = library, share, clock, cpu_s
        self._name = f"gpu{gpu.index}"
        library.nvmlInit()
        self._open = True
        try:
            self._questions, self._absent = nvml_questions.of(
                gpu, library, {"fast": fast_s, "slow": slow_s, "ends": slow_s}, clock
            )
        except Exception:
            # Whatever it was goes on up; the driver's session must not stay open for it.
            self.close()
            raise
        self._gone = self._gap_due = False

    @property
    def names(self) -> tuple[str, ...]:
        """What this GPU's driver answers."""
        return tuple(name for question in self._questions for name in question.names)

    def read(self, tier: Tier) -> Sequence[Sample]:
        """Return what the questions of a tier are answered with; a failed one is None."""
        if self._gap_due:
            # One gap for all, so that no line is drawn on to where nothing was read.
            self._gap_due = False
            return [Sample(name, None) for name in self.names]
        found: list[Sample] = []
        for question in list(self._questions):
            if self._gone:
                break
            # At the ends everything of that tier is asked, whatever it costs.
            if question.tier == tier and (tier == "ends" or question.asked.due()):
                found += self._answer(question)
        if tier == "slow":
            allot([q.asked for q in self._questions if q.tier != "ends"], self._share)
        return found

    def absent(self) -> tuple[Absent, ...]:
        """Return what this GPU does not tell, or no longer."""
        return tuple(self._absent)

    def slower(self) -> dict[str, float]:
        """Return by sensor how often it is read, where a reading costs too much for its tier."""
        return {
            name: question.asked.every * question.asked.period_s
            for question in self._questions
            if question.asked.every > 1
            for name in question.names
        }

    def costs(self) -> dict[str, float]:
        """Return by sensor the CPU seconds that a reading takes, smoothed over the last ones."""
        return {name: q.asked.cost_s for q in self._questions for name in q.names}

    def close(self) -> None:
        """End the session."""
        if self._open:
            self._open = False
            try:
                self._nvml.nvmlShutdown()
            except Exception:  # noqa: BLE001  a driver that is gone has no session to end
                return

    def _answer(self, question: Question) -> list[Sample]:
        before = self._cpu_s()
        try:
            found = question.ask()
        except Exception as error:  # noqa: BLE001  bindings older or newer than the driver raise what they like
            return self._failed(question, error)
        question.asked.took(self._cpu_s() - before)
        question.failures, question.since_s = 0, None
        return found

    def _failed(self, question: Question, error: Exception) -> list[Sample]:
        """Leave a gap; give up the device, or the question, when it will not come back."""
        now = self._clock()
        question.failures += 1
        question.since_s = now if question.since_s is None else question.since_s
        gap = [Sample(name, None) for name in question.names]
        if type(error).__name__ in LOST:
            # Some of its readings stand at this moment already: the gap follows them.
            self._gone = self._gap_due = True
            why, _, fix = explain(error).partition("; ")
            self._absent.append(
                Absent(sensor=self._name, why=why, fix=fix or None, since_s=question.since_s)
            )
            return []
        if question.failures >= FAILURES:
            self._questions = [q for q in self._questions if q is not question]
            denied = type(error).__name__ == "NVMLError_NoPermission"
            self._absent += [
                Absent(
                    sensor=name,
                    why=f"the driver stopped answering: {error}",
                    fix=_DENIED if denied else None,
                    since_s=question.since_s,
                )
                for name in question.names
            ]
        return gap


def gpu_sensors(
    *,
    fast_s: float = 0.1,
    slow_s: float = 1.0,
    share: float = CORE_SHARE,
    library: NvmlAnswer = None,
    environ: Mapping[str, str] = os.environ,
) -> tuple[Sensor, ...]:
    """Return a sensor for each GPU that ``CUDA_VISIBLE_DEVICES`` leaves, by CUDA's numbers.

    Where there is none, what is returned only tells why.
    """
    try:
        nvml = bindings() if library is None else library
        facts = Nvml(nvml, environ).read_gpus()
    except UnavailableError as error:
        return (Missing(Absent(sensor="gpu", why=error.what, fix=error.fix or None)),)
    if not facts.gpus:
        why, _, fix = (facts.reason or "no GPU was found").partition("; ")
        return (Missing(Absent(sensor="gpu", why=why, fix=fix or None)),)
    return tuple(_opened(gpu, nvml, fast_s, slow_s, share / len(facts.gpus)) for gpu in facts.gpus)


def _opened(gpu: Gpu, nvml: NvmlAnswer, fast_s: float, slow_s: float, share: float) -> Sensor:
    try:
        return NvmlSensor(gpu, nvml, fast_s=fast_s, slow_s=slow_s, share=share)
    except Exception as error:  # noqa: BLE001  as for a question
        why, _, fix = explain(error).partition("; ")
        return Missing(Absent(sensor=f"gpu{gpu.index}", why=why, fix=fix or None))
