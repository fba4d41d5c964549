"""A self-test as text of 80 columns: the answer, every check, what it was tried on."""

from __future__ import annotations

from collections.abc import Iterator

from breakeven import units
from breakeven.model.machine import Machine
from breakeven.model.selftest import Check, CheckWord, SelfTest
from breakeven.report.lines import wrapped

WIDTH = 80
SIGNS: dict[CheckWord, str] = {"passed": "passed  ", "failed": "FAILED  ", "unknown": "unknown "}


def text_of(found: SelfTest) -> str:
    """Return a self-test as text that ends with a newline; the first line begins the answer."""
    lines = [*wrapped(found.answer, WIDTH), ""]
    for check in found.checks:
        lines.extend(_check(check))
    lines.append("")
    lines.extend(_tried(found))
    return "\n".join(lines) + "\n"


def _check(check: Check) -> Iterator[str]:
    blank = " " * len(SIGNS["passed"])
    said = f"{check.title}: {check.figure} ({check.target})"
    yield from wrapped(said, WIDTH, first=SIGNS[check.word])
    if check.word != "passed" and check.why:
        yield from wrapped(check.why, WIDTH, first=f"{blank}because: ", rest=f"{blank}  ")
    if check.word == "failed" and check.remedy:
        yield from wrapped(check.remedy, WIDTH, first=f"{blank}try: ", rest=f"{blank}  ")


def _tried(found: SelfTest) -> Iterator[str]:
    entries = [e for e in found.entries if not e.twin_of]
    names = ", ".join(e.id.removesuffix(f"-x{e.calls}") for e in entries)
    sizes = sorted({t.verdict.size for t in found.trials})
    workloads = sorted({t.verdict.workload for t in found.trials})
    if sizes:
        said = f"tried on {', '.join(workloads)} of {', '.join(map(str, sizes))}"
        rounds = "1 round" if found.rounds == 1 else f"{found.rounds} rounds"
        said += f" with {names}: {rounds} of fresh processes, {len(found.trials)} comparisons"
        yield from wrapped(said, WIDTH, rest="  ")
    yield from wrapped(_machine(found.machine), WIDTH, rest="  ")
    for remark in found.remarks:
        yield from wrapped(remark, WIDTH, first="- ")


def _machine(machine: Machine) -> str:
    cpu = machine.cpu
    said = f"{cpu.model or 'unknown processor'}, {cpu.cores_usable} of {cpu.cores_online} cores"
    if machine.memory_bytes is not None:
        said += f", {units.size_bytes(machine.memory_bytes)}"
    if machine.gpus:
        said += f"; {machine.gpus[0].name}, driver {machine.driver or 'unknown'}"
    numpy, torch = machine.libraries.get("numpy"), machine.libraries.get("torch")
    said += f"; Python {machine.python}, numpy {numpy or 'none'}"
    return said + (f", torch {torch}" if torch else "")
