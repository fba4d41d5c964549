"""Opens every backend in a process of its own, to say which work here."""

from __future__ import annotations

import os
import shutil

import msgspec

from breakeven.backends import registry
from breakeven.engine import messages
from breakeven.engine.context import OPEN_DEADLINE_S
from breakeven.engine.inputs import scratch_folder
from breakeven.engine.processes import Crew, WorkerProcess, crew
from breakeven.errors import WorkerError
from breakeven.model.machine import BackendInfo, Blas


def open_backends() -> tuple[tuple[BackendInfo, ...], dict[str, tuple[Blas, ...]]]:
    """Open every backend that is found here, all at once.

    Returns
    -------
    tuple
        What each backend said; thread pools by backend.
    """
    infos: list[BackendInfo] = []
    blas: dict[str, tuple[Blas, ...]] = {}
    scratch = scratch_folder()
    try:
        with crew() as made:
            started: list[tuple[BackendInfo, WorkerProcess | None]] = []
            for name in registry.names():
                info = registry.get(name).find()
                worker = None
                if info.available:
                    config = messages.WorkerConfig(backend=name, parent=os.getpid())
                    log = scratch / f"{name}.log"
                    try:
                        worker = made.start(config, threads=None, freezable=False, log=log)
                    except WorkerError as error:
                        info = _broken(info, f"its process failed: {error.what}", None)
                started.append((info, worker))
            for info, worker in started:
                infos.append(info if worker is None else _answer(made, info, worker, blas))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return tuple(infos), blas


def _answer(
    made: Crew, info: BackendInfo, worker: WorkerProcess, blas: dict[str, tuple[Blas, ...]]
) -> BackendInfo:
    try:
        reply = worker.receive(OPEN_DEADLINE_S)
    except WorkerError as error:
        return _broken(info, f"its process failed: {error.what}", "reinstall the library")
    finally:
        made.end(worker)
    if isinstance(reply, messages.Opened):
        blas[info.name] = reply.blas
        return msgspec.structs.replace(info, version=reply.version)
    if isinstance(reply, messages.Failed):
        return _broken(info, reply.why, reply.fix)
    return _broken(info, f"it answered out of turn ({type(reply).__name__})", None)


def _broken(info: BackendInfo, why: str, fix: str | None) -> BackendInfo:
    return msgspec.structs.replace(info, available=False, why_not=why, fix=fix)
