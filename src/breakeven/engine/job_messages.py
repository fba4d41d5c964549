"""What coordinator and worker say to each other about training jobs, beside timed slots."""

from __future__ import annotations

import msgspec

from breakeven.model.study import Epoch, Latency, StepPhases
from breakeven.model.trace import TraceSummary
from breakeven.workloads.training.base import Facts


class Examine(msgspec.Struct, frozen=True, kw_only=True, tag="examine"):
    """Build model and data of a job once, and say what they are.

    Attributes
    ----------
    sizes : tuple of int
        Batch sizes to count a step at.
    """

    workload: str
    sizes: tuple[int, ...]
    seed: int


class MakeLosses(msgspec.Struct, frozen=True, kw_only=True, tag="make_losses"):
    """Make the reference of a case as a file: losses of its first steps, in float64.

    Attributes
    ----------
    steps : int
        Most steps.
    seconds : float
        After which no further step is begun.
    """

    workload: str
    size: int
    seed: int
    folder: str
    steps: int
    seconds: float


class TakePhases(msgspec.Struct, frozen=True, kw_only=True, tag="take_phases"):
    """Measure the phases of some steps of the case that is set up, then plain steps beside them.

    Attributes
    ----------
    round : int
        The one that this process belongs to.
    """

    round: int
    seconds: float


class RunSteps(msgspec.Struct, frozen=True, kw_only=True, tag="run_steps"):
    """Run steps of the case that is set up without a pause."""

    seconds: float


class TimeRequests(msgspec.Struct, frozen=True, kw_only=True, tag="time_requests"):
    """Time single requests of the case that is set up, each awaited.

    Attributes
    ----------
    most : int
        Requests after which to end, whatever time is left.
    """

    round: int
    seconds: float
    most: int


class TraceSteps(msgspec.Struct, frozen=True, kw_only=True, tag="trace_steps"):
    """Trace some steps of the case that is set up.

    Attributes
    ----------
    folder, name : str
        Where the trace's file goes, and what it is called.
    """

    steps: int
    folder: str
    name: str


class RunEpoch(msgspec.Struct, frozen=True, kw_only=True, tag="run_epoch"):
    """Run one epoch of the case's training, then evaluate it; the first begins it anew."""

    workload: str
    size: int
    seed: int
    epoch: int


JobRequest = Examine | MakeLosses | TakePhases | RunSteps | TimeRequests | TraceSteps | RunEpoch


class Examined(msgspec.Struct, frozen=True, kw_only=True, tag="examined"):
    """What a job's model and data are; or what is wrong with those that the user gave.

    Attributes
    ----------
    facts : dict
        By batch size.
    why, fix : str or None
        Of what is wrong; there are no facts then.
    """

    facts: dict[int, Facts] = {}
    why: str | None = None
    fix: str | None = None


class PhasesTaken(msgspec.Struct, frozen=True, kw_only=True, tag="phases_taken"):
    """Phases of a step, with what compiling it took; None where nothing was compiled."""

    phases: StepPhases
    compile_s: float | None = None


class StepsRun(msgspec.Struct, frozen=True, kw_only=True, tag="steps_run"):
    """Steps without a pause; times are monotonic seconds of this machine."""

    begin_s: float
    end_s: float
    steps: int
    samples: int


class RequestsTimed(msgspec.Struct, frozen=True, kw_only=True, tag="requests_timed"):
    """Seconds of single requests."""

    latency: Latency


class StepsTraced(msgspec.Struct, frozen=True, kw_only=True, tag="steps_traced"):
    """What a trace of steps says, or why there is none."""

    summary: TraceSummary


class EpochRun(msgspec.Struct, frozen=True, kw_only=True, tag="epoch_run"):
    """One epoch.

    Attributes
    ----------
    wrong : tuple of int
        Places of the test images that were answered wrongly.
    """

    epoch: Epoch
    wrong: tuple[int, ...] = ()


JobReply = Examined | PhasesTaken | StepsRun | RequestsTimed | StepsTraced | EpochRun
