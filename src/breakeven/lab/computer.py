"""This computer: its facts, what is wrong with them, and which backends work on it."""

from __future__ import annotations

import msgspec

from breakeven.backends.first_kernel import try_libraries
from breakeven.engine.probe import open_backends
from breakeven.findings.setup.judge import headline, judge_setup
from breakeven.lab.telling import Progress
from breakeven.machine import doctor as machine_doctor
from breakeven.machine import facts
from breakeven.machine.doctor import DoctorLine
from breakeven.machine.setup import read_setup
from breakeven.model.finding import Finding
from breakeven.model.machine import Machine
from breakeven.model.setup import MachineFacts
from breakeven.sensors.base import GpuFacts
from breakeven.sensors.nvml import probe_gpus


class Examined(msgspec.Struct, frozen=True, kw_only=True):
    """A computer as the doctor saw it.

    Attributes
    ----------
    answer : str
        In one line: that nothing is wrong, or how many things are, with their names.
    findings : tuple of Finding
        What is wrong, worst first, each with its command in `snippet`; ``info`` last, which
        explains figures and is nothing wrong.
    setup : MachineFacts
        What was read; a set-up can be judged again from it.
    lines : tuple of DoctorLine
        What is here.
    """

    answer: str
    findings: tuple[Finding, ...]
    setup: MachineFacts
    lines: tuple[DoctorLine, ...]


def read_machine() -> Machine:
    """Return the facts about this computer; the driver is asked in a process of its own."""
    return _machine(probe_gpus())


def doctor(progress: Progress = lambda _text, _left: None) -> Examined:
    """Return what this computer has, what is wrong with it, and what mends it.

    Every backend is opened, and each GPU library tries a small kernel, each in a process of its
    own.
    """
    told = probe_gpus()
    machine = _machine(told)
    progress("opening each backend in a process of its own", 0.0)
    infos, blas = open_backends()
    machine = msgspec.structs.replace(machine, blas=blas)
    progress("trying a small kernel of each GPU library", 0.0)
    setup = msgspec.structs.replace(
        read_setup(machine),
        nvml_error=told.error,
        nvml_refused=told.refused,
        uuids=told.uuids,
        boards=told.boards,
        vgpu=told.vgpu,
        trials=try_libraries(),
        backends=infos,
    )
    return examined(setup)


def examined(setup: MachineFacts) -> Examined:
    """Return what recorded facts say; nothing is read from this computer."""
    found = judge_setup(setup)
    return Examined(
        answer=headline(found),
        findings=found,
        setup=setup,
        lines=machine_doctor.judge(setup.machine, setup.backends),
    )


def _machine(told: GpuFacts) -> Machine:
    return facts.read_machine(told.gpus, told.reason, told.driver, told.cuda_driver)
