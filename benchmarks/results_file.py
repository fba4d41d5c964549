"""The small result file of one row of docs/truth.md: what was claimed, what was found, on what."""

from __future__ import annotations

import math
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from breakeven import lab
from breakeven.engine.clock import stamp
from breakeven.model.machine import Machine

FOLDER = Path(__file__).resolve().parent / "results"
# What a figure may hang on; a version of anything else is noise in the file.
LIBRARIES = ("numpy", "torch", "cupy", "triton", "scipy", "pyperf", "cuda-bench")


class Words(NamedTuple):
    """What a result says of its details: all that a row prints can be made again from them."""

    target: str
    figure: str
    met: bool | None
    details: dict[str, Any]


class MachineFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The machine of a result, without anything that names one machine among its kind.

    Attributes
    ----------
    name : str
        As it is called in a table.
    slug : str
        As it is called in a file name: the GPU's model, else the number of cores.
    driver : str or None
        Version of the GPU's driver; None without a GPU.
    """

    name: str
    slug: str
    cpu: str | None
    cores_usable: int
    memory_bytes: int | None
    gpu: str | None
    driver: str | None
    virtual: str | None
    platform: str


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What one command found about one claim.

    Attributes
    ----------
    row : str
        Short, stable name: the first part of the file's name.
    claim, target, figure : str
        What is said, what would show it, and what was found, each as printed in a table.
    met : bool or None
        Whether the figure meets the target; None when it cannot be told here.
    command : str
        What makes the file again, from the project's folder.
    details : dict
        Everything else that was found; what is not known is None, never 0.
    """

    row: str
    claim: str
    target: str
    figure: str
    met: bool | None
    machine: MachineFacts
    date: str
    versions: dict[str, str]
    command: str
    details: dict[str, Any] = {}


def machine_facts(machine: Machine) -> MachineFacts:
    """Return what a result tells about the machine that it was found on."""
    gpu = machine.gpus[0].name if machine.gpus else None
    kind = "virtual machine" if machine.cpu.virtual else "machine"
    cores = f"{machine.cpu.cores_usable}-core {kind}"
    name = ", ".join(x for x in (gpu, cores, machine.cpu.model) if x)
    last = re.sub(r"[^a-z0-9]", "", gpu.lower().split()[-1]) if gpu else ""
    if len(machine.gpus) > 1:
        name, last = f"{len(machine.gpus)} x {name}", f"{len(machine.gpus)}x{last}"
    return MachineFacts(
        name=name,
        slug=last or f"{machine.cpu.cores_usable}core",
        cpu=machine.cpu.model,
        cores_usable=machine.cpu.cores_usable,
        memory_bytes=machine.memory_bytes,
        gpu=gpu,
        driver=machine.driver,
        virtual=machine.cpu.virtual,
        platform=machine.platform,
    )


def versions(machine: Machine) -> dict[str, str]:
    """Return the versions that a figure may hang on, of what is installed."""
    found = {"breakeven": machine.breakeven, "python": machine.python}
    for name in LIBRARIES:
        version = machine.libraries.get(name)
        if version is not None:
            found[name] = version
    return found


def command_line() -> str:
    """Return the command that is running, as one would type it in the project's folder.

    Folders in front of a path are left out: they say where the project lay, not what was done.
    """
    words = [Path(a).name if os.sep in a and Path(a).is_absolute() else a for a in sys.argv[1:]]
    return shlex.join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *words])


def result(
    *,
    row: str,
    claim: str,
    target: str,
    figure: str,
    met: bool | None,
    details: dict[str, Any] | None = None,
    machine: Machine | None = None,
    command: str | None = None,
) -> Result:
    """Return a result found on this machine, now, by the command that is running.

    Parameters
    ----------
    machine : Machine, optional
        Where it has been read already.
    command : str, optional
        In place of the one that is running.
    """
    here = machine or lab.read_machine()
    return Result(
        row=row,
        claim=claim,
        target=target,
        figure=figure,
        met=met,
        machine=machine_facts(here),
        date=stamp(),
        versions=versions(here),
        command=command or command_line(),
        details=details or {},
    )


def path_of(row: str, machine: MachineFacts, folder: Path = FOLDER) -> Path:
    """Return where the result of a row on a machine lies: NAME-MACHINE.json."""
    return folder / f"{row}-{machine.slug}.json"


def write(path: Path, found: Result) -> None:
    """Write a result, whole or not at all.

    Raises
    ------
    ValueError
        If a figure in it is not finite: JSON has no word for that.
    """
    if (where := _not_finite(msgspec.to_builtins(found))) is not None:
        raise ValueError(f"{where} of the result {found.row!r} is not finite; say None and why")
    path.parent.mkdir(parents=True, exist_ok=True)
    text = msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n"
    part = path.with_suffix(".part")
    part.write_bytes(text)
    part.replace(path)


def read(path: Path) -> Result:
    """Read a result.

    Raises
    ------
    msgspec.ValidationError, msgspec.DecodeError
        If it is none.
    """
    return msgspec.json.decode(path.read_bytes(), type=Result)


def read_all(folder: Path = FOLDER) -> list[Result]:
    """Return the results in a folder by row and machine; other files there are passed over."""
    found = []
    for path in sorted(folder.glob("*.json")):
        keys = msgspec.json.decode(path.read_bytes())
        if isinstance(keys, dict) and "row" in keys and "claim" in keys:
            found.append(read(path))
    return found


def _not_finite(value: object, where: str = "details") -> str | None:
    """Return the place of a number that is not finite; None without one."""
    if isinstance(value, float) and not math.isfinite(value):
        return where
    inside: list[tuple[str, object]] = []
    if isinstance(value, dict):
        inside = [(str(key), each) for key, each in value.items()]
    elif isinstance(value, list):
        inside = [(f"{where}[{place}]", each) for place, each in enumerate(value)]
    return next((w for key, each in inside if (w := _not_finite(each, key)) is not None), None)


def sessions_of(path: Path) -> list[dict[str, Any]]:
    """Return the sessions that a result was made of so far; none before there is one."""
    if not path.exists():
        return []
    found: list[dict[str, Any]] = read(path).details.get("sessions", [])
    return found
