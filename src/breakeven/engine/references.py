"""References of training jobs: the losses of their first steps in float64, made on the CPU."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from breakeven.backends import registry as backends
from breakeven.engine import messages
from breakeven.engine.job_messages import MakeLosses
from breakeven.engine.processes import Crew, WorkerProcess
from breakeven.errors import WorkerError
from breakeven.model.spec import TrainingSpec

STEPS = 10
# After so many seconds no further step is begun: a large network takes minutes in float64.
LONGEST_S, OPEN_DEADLINE_S, PATIENCE_S = 12.0, 180.0, 240.0
FILE_NAME = "losses.json"


def maker_backend(names: Sequence[str]) -> str | None:
    """Return the backend that references are made with: the first that trains on a CPU.

    None where the user named none: PyTorch on the CPU makes them then.
    """
    for given in names:
        for name in backends.expand(given):
            about = backends.get(name).about
            if about.trains and about.device == "cpu":
                return name
    return None


class References:
    """Makes references, each by a process that ends with it: a framework holds much memory.

    Parameters
    ----------
    seconds : float
        After so many no further step is begun.
    """

    def __init__(
        self,
        crew: Crew,
        folder: Path,
        *,
        backend: str,
        training: TrainingSpec,
        threads: int,
        seconds: float = LONGEST_S,
    ) -> None:
        self._crew = crew
        self._folder = folder
        self._backend = backend
        self._training = training
        self._threads = threads
        self._seconds = seconds

    def make(self, workload: str, size: int, seed: int, folder: Path) -> messages.Reply:
        """Make one reference in `folder`.

        Raises
        ------
        WorkerError
            If its process ended, or hung.
        """
        request = MakeLosses(
            workload=workload,
            size=size,
            seed=seed,
            folder=str(folder),
            steps=STEPS,
            seconds=self._seconds,
        )
        worker = self._start()
        try:
            reply = worker.receive(OPEN_DEADLINE_S)
            if not isinstance(reply, messages.Opened):
                return reply
            return worker.ask(request, PATIENCE_S)
        finally:
            self._crew.end(worker)

    def _start(self) -> WorkerProcess:
        return start_alone(
            self._crew,
            self._folder / "references.log",
            backend=self._backend,
            training=self._training,
            threads=self._threads,
        )


def start_alone(
    crew: Crew, log: Path, *, backend: str, training: TrainingSpec, threads: int | None
) -> WorkerProcess:
    """Start a worker that measures nothing.

    Raises
    ------
    WorkerError
        If the system does not start it.
    """
    config = messages.WorkerConfig(backend=backend, parent=os.getpid(), training=training)
    try:
        return crew.start(config, threads=threads, freezable=False, log=log)
    except OSError as error:
        raise WorkerError(f"it could not start ({error})") from error
