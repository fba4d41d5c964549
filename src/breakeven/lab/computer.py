"""This computer: its facts, and which backends work on it."""

from __future__ import annotations

import msgspec

from breakeven.engine.probe import open_backends
from breakeven.lab.telling import Progress
from breakeven.machine import doctor as machine_doctor
from breakeven.machine import facts
from breakeven.machine.doctor import DoctorLine
from breakeven.model.machine import Machine
from breakeven.sensors.nvml import probe_gpus


def read_machine() -> Machine:
    """Return the facts about this computer; the driver is asked in a process of its own."""
    found = probe_gpus()
    return facts.read_machine(found.gpus, found.reason, found.driver, found.cuda_driver)


def doctor(
    progress: Progress = lambda _text, _left: None,
) -> tuple[Machine, tuple[DoctorLine, ...]]:
    """Return the facts about this computer, and what they mean for each backend.

    Every backend is opened, each in a process of its own.
    """
    machine = read_machine()
    progress("opening each backend in a process of its own", 0.0)
    infos, blas = open_backends()
    machine = msgspec.structs.replace(machine, blas=blas)
    return machine, machine_doctor.judge(machine, infos)
