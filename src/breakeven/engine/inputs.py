"""Inputs and references of cases as files, made once by a process of its own."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from breakeven import units
from breakeven.engine import messages
from breakeven.engine.processes import Crew, WorkerProcess
from breakeven.engine.references import References
from breakeven.errors import WorkerError
from breakeven.model.ported import FunctionSpec
from breakeven.model.run import Status
from breakeven.model.spec import DType
from breakeven.workloads.jobs import JOBS
from breakeven.workloads.planned import Planned

PREFIX = "breakeven-inputs-"
DISK_MARGIN = 1.2
# A maker may take this long at least, and at most; between them as its work on one thread does.
MAKE_PATIENCE_S, MAKE_DEADLINE_S, MAKE_FLOPS = 40.0, 300.0, 1e8


class CannotMakeError(WorkerError):
    """The inputs of a case cannot be made, or are refused; the message says why.

    Attributes
    ----------
    status : str
        Of the cases that were to have them.
    """

    status: Status = "unavailable"


class TooLargeError(CannotMakeError):
    """The inputs of a case ask for more memory than there is."""

    status: Status = "out_of_memory"


class RefusedError(CannotMakeError):
    """The inputs of a case were made, and time nothing that data would take."""

    status: Status = "unsupported"


def made_in(dtype: DType) -> DType:
    """Return the type that the inputs of an entry are made in: 16 bits are cast from float32."""
    return "float64" if dtype == "float64" else "float32"


class Inputs:
    """Where the inputs of cases lie.

    Inputs of float64 entries have bits of their own down to the last: floats widened from float32
    would end in zeros, which a GPU multiplies with less power.

    Parameters
    ----------
    folder : Path
        A folder of this run alone.
    dtype : str
        What the run computes in, its precision variants apart.
    references : References, optional
        Makes those of training jobs, which have no inputs of this kind.
    function : FunctionSpec, optional
        The user's own function, which makes its arguments itself.
    """

    def __init__(
        self,
        crew: Crew,
        folder: Path,
        dtype: DType,
        seed: int,
        references: References | None = None,
        function: FunctionSpec | None = None,
    ) -> None:
        self._crew = crew
        self._folder = folder
        self._dtype: DType = dtype
        self._seed = seed
        self._references = references
        self._function = function
        self._made: dict[tuple[str, int, DType], Path] = {}
        self._maker: WorkerProcess | None = None

    def folder_of(self, workload: Planned, size: int, dtype: DType | None = None) -> Path:
        """Return the folder of a case's inputs, made now if they are not there yet.

        Parameters
        ----------
        dtype : str, optional
            Of the entry that reads them, where it is not the run's own.

        Raises
        ------
        CannotMakeError
            If the disk is too full, memory too short, or the maker failed.
        """
        # Losses are computed in float32, whatever a training computes in beside them.
        made = "float32" if workload.name in JOBS else made_in(dtype or self._dtype)
        key: tuple[str, int, DType] = (workload.name, size, made)
        if key not in self._made:
            self._made[key] = self._make(workload, size, key[2])
        return self._made[key]

    def _make(self, workload: Planned, size: int, dtype: DType) -> Path:
        job = workload.name in JOBS
        wanted = 0 if job else DISK_MARGIN * workload.need(size, dtype).host
        free = shutil.disk_usage(self._folder).free
        if wanted > free:
            raise CannotMakeError(
                f"inputs need {units.size_bytes(wanted)} of scratch space and "
                f"{units.size_bytes(free)} are free",
                "free some, or set TMPDIR to a larger disk",
            )
        folder = self._folder / f"{workload.name}-{size}-{dtype}"
        folder.mkdir()
        try:
            reply = self._made_by(workload, size, dtype, folder)
        except WorkerError as error:
            self._forget()
            shutil.rmtree(folder, ignore_errors=True)
            raise CannotMakeError(f"inputs could not be made ({error.what})") from error
        if isinstance(reply, messages.Failed):
            shutil.rmtree(folder, ignore_errors=True)
            if reply.status == "unsupported":
                raise RefusedError(reply.why)
            if reply.status == "out_of_memory":
                raise TooLargeError(
                    f"its inputs and their reference need more memory ({reply.why})"
                )
            raise CannotMakeError(f"inputs could not be made ({reply.why})")
        return folder

    def _made_by(self, workload: Planned, size: int, dtype: DType, folder: Path) -> messages.Reply:
        if workload.name in JOBS:
            assert self._references is not None
            return self._references.make(workload.name, size, self._seed, folder)
        request = messages.Make(
            workload=workload.name,
            size=size,
            dtype=dtype,
            seed=self._seed,
            folder=str(folder),
        )
        return self._running().ask(request, make_deadline_s(workload, size, dtype))

    def _running(self) -> WorkerProcess:
        if self._maker is None:
            self._maker = self._crew.start(
                messages.WorkerConfig(
                    backend="numpy",
                    parent=os.getpid(),
                    function=self._function,
                    data_seed=self._seed,
                ),
                threads=1,
                freezable=False,
                log=self._folder / "maker.log",
            )
            reply = self._maker.receive(MAKE_DEADLINE_S)
            if isinstance(reply, messages.Failed):
                self._forget()
                raise CannotMakeError(f"inputs cannot be made: {reply.why}", reply.fix or "")
        return self._maker

    def _forget(self) -> None:
        if self._maker is not None:
            self._crew.end(self._maker)
            self._maker = None


def make_deadline_s(workload: Planned, size: int, dtype: DType) -> float:
    """Return the seconds after which a maker of inputs and references counts as hung."""
    work_s = workload.work(size, dtype).flops / MAKE_FLOPS
    return min(MAKE_DEADLINE_S, MAKE_PATIENCE_S + work_s)


def scratch_folder() -> Path:
    """Make a scratch folder for this process, after removing those of processes that are gone."""
    root = Path(tempfile.gettempdir())
    for left in root.glob(f"{PREFIX}*"):
        owner = left.name.removeprefix(PREFIX).partition("-")[0]
        if owner.isdigit() and not _alive(int(owner)):
            shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=root))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
