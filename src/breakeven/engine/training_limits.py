"""Options of a training that cannot be kept: refused in one line before anything is measured."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven.backends import registry as backends
from breakeven.engine.training_request import TrainingOptions
from breakeven.errors import InputError
from breakeven.model.machine import Machine
from breakeven.model.spec import RunSpec
from breakeven.workloads.jobs import TRAIN

# Options that change nothing where nothing is trained.
OF_TRAIN = (
    "--epochs", "--all-epochs", "--lr", "--optimizer", "--gpus", "--strategy",
)  # fmt: skip


def check_options(asked: TrainingOptions, jobs: Sequence[str], *, quick: bool) -> None:
    """Raise where an option would be passed over.

    Raises
    ------
    InputError
        If it belongs to ``train`` and that takes no part, or has no time in a quick run.
    """
    given = asked.given()
    if jobs and TRAIN not in jobs:
        for name in given:
            if name in OF_TRAIN:
                raise InputError(
                    f"{name} is an option of train, which takes no part",
                    f"leave {name} out, or breakeven run train {name} ...",
                )
    if asked.strategy is not None and asked.gpus is None:
        raise InputError(
            "--strategy says how several GPUs share the work, and no number of them was given",
            "add --gpus 1,2",
        )
    if quick:
        for name in ("--gpus", "--all-epochs"):
            if name in given:
                raise InputError(f"--quick has no time for {name}", f"leave out --quick, or {name}")


def check_backends(chosen: Sequence[str] | None, jobs: Sequence[str]) -> None:
    """Raise where a backend was named that trains nothing.

    Raises
    ------
    InputError
        If one of them is for arrays alone.
    """
    for name in chosen or ():
        for one in backends.expand(name):
            if backends.get(one).about.trains is None:
                able = [n for n in backends.names() if backends.get(n).about.trains]
                raise InputError(
                    f"{name} is for arrays: it cannot {jobs[0]}",
                    f"choose from: --backends {','.join(able)}",
                )


def check_machine(spec: RunSpec, machine: Machine) -> None:
    """Raise where more processes were asked for than this machine has places for.

    Raises
    ------
    InputError
        If there are fewer GPUs, or without one fewer cores; or DataParallel is to share a CPU.
    """
    training = spec.training
    if training is None or not training.gpus:
        return
    names = [one for name in spec.backends for one in backends.expand(name)]
    devices = [about.device for one in names if (about := backends.get(one).about).trains]
    on_gpu = bool(machine.gpus) and any(d != "cpu" for d in devices)
    most, asked = max(training.gpus), "--gpus"
    if training.strategy == "data_parallel" and not on_gpu:
        raise InputError(
            "--strategy dp shares a batch among GPUs, and none takes part here",
            "leave it out: processes share a CPU with ddp",
        )
    there = len(machine.gpus) if on_gpu else machine.cpu.cores_usable
    if most > there:
        what = "GPU" if on_gpu else "usable core"
        count = f"1 {what} is" if there == 1 else f"{there} {what}s are"
        instead = "" if on_gpu else ": without a GPU each process needs a core"
        raise InputError(f"{asked} {most}: {count} here{instead}", f"give at most {asked} {there}")
