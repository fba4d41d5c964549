"""What differs between two runs: the machine, its software, what was asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from breakeven import units
from breakeven.model.difference import Fact
from breakeven.model.machine import Machine
from breakeven.model.run import Entry, RunRecord

MEMORY_SHARE = 0.02
"""Share by which the memory of one machine differs from boot to boot: what the kernel keeps."""

SETTING_FIELDS = ("device", "threads", "dtype", "matmul_precision", "variant", "calls")
"""Of an entry: with another value it is another way of doing the work."""


def facts(a: RunRecord, b: RunRecord) -> tuple[Fact, ...]:
    """Return what differs, facts that make two machines of them first."""
    one, other = a.machine, b.machine
    return (
        *_identity(one, other),
        *_software(one, other),
        *_mapped("library ", one.libraries, other.libraries),
        *_mapped("variable ", one.environment, other.environment),
        *_mapped("setting ", _asked(a), _asked(b)),
    )


def same_machine(found: tuple[Fact, ...]) -> bool:
    """Return whether no fact tells two machines.

    Records hold no serial number of a computer without a GPU: two of one type look alike.
    """
    return not any(fact.identity for fact in found)


def other_setting(a: RunRecord, b: RunRecord, entry: str, workload: str, size: int) -> str | None:
    """Return why a case of both runs is not the same work done the same way; None where it is."""
    sides = [_entry(run, entry) for run in (a, b)]
    for name in SETTING_FIELDS:
        one, other = (getattr(side, name) for side in sides)
        if one != other:
            return f"{name.replace('_', ' ')} is {one} in A and {other} in B; run both alike"
    asked, again = _asked(a), _asked(b)
    for name in asked.keys() | again.keys():
        if name != "function" and asked.get(name) != again.get(name):
            said = f"{asked.get(name) or 'unset'} in A and {again.get(name) or 'unset'} in B"
            return f"{name} is {said}; run both alike"
    one, other = (_work(run, entry, workload, size) for run in (a, b))
    if one is not None and other is not None and one != other:
        return "a call is other work in A than in B, counted from its definition"
    return None


def _identity(a: Machine, b: Machine) -> Iterator[Fact]:
    pairs = (
        ("processor", a.cpu.model, b.cpu.model),
        ("cores", a.cpu.cores_online, b.cpu.cores_online),
        ("usable cores", a.cpu.cores_usable, b.cpu.cores_usable),
        ("GPUs", _gpus(a), _gpus(b)),
    )
    for name, one, other in pairs:
        if one != other:
            yield Fact(name=name, a=_text(one), b=_text(other), identity=True)
    if not _alike(a.memory_bytes, b.memory_bytes):
        one, other = (
            None if m.memory_bytes is None else units.size_bytes(m.memory_bytes) for m in (a, b)
        )
        yield Fact(name="memory", a=one, b=other, identity=True)


def _alike(a: int | None, b: int | None) -> bool:
    if a is None or b is None:
        return a is b
    return abs(a - b) <= MEMORY_SHARE * max(a, b)


def _gpus(machine: Machine) -> str | None:
    return (
        ", ".join(f"{g.name} {g.uuid}" for g in sorted(machine.gpus, key=lambda g: g.uuid)) or None
    )


def _software(a: Machine, b: Machine) -> Iterator[Fact]:
    for name, field in (
        ("driver", "driver"), ("CUDA of the driver", "cuda_driver"), ("kernel", "kernel"),
        ("Python", "python"), ("breakeven", "breakeven"),
    ):  # fmt: skip
        one, other = getattr(a, field), getattr(b, field)
        if one != other:
            yield Fact(name=name, a=_text(one), b=_text(other))
    known = {g.uuid: g for g in a.gpus}
    for gpu in b.gpus:
        before = known.get(gpu.uuid)
        if before is not None and before.power_limit_w != gpu.power_limit_w:
            limits = (before.power_limit_w, gpu.power_limit_w)
            one, other = (None if w is None else units.watts(w) for w in limits)
            yield Fact(name=f"power limit of {gpu.name}", a=one, b=other)


def _mapped(
    prefix: str, a: Mapping[str, str | None], b: Mapping[str, str | None]
) -> Iterator[Fact]:
    for name in sorted(a.keys() | b.keys()):
        if a.get(name) != b.get(name):
            yield Fact(name=prefix + name, a=a.get(name), b=b.get(name))


def _asked(run: RunRecord) -> dict[str, str | None]:
    """Return what a run was asked to do that changes the work or how it is done, in words."""
    spec = run.spec
    found: dict[str, str | None] = {"pinning": "on" if spec.pin else "off"}
    if spec.training is not None:
        told = msgspec.to_builtins(spec.training)
        # How many processes or epochs take part changes no single step.
        for name in ("epochs", "all_epochs", "gpus", "latency_limit_s"):
            told.pop(name, None)
        found |= {name: str(value) for name, value in told.items()}
    if spec.function is not None:
        f = spec.function
        found |= {"function": f.target, "inputs": f.inputs, "policy": f.policy}
        found |= {"xp": str(f.takes_namespace).lower()}
    return found


def _entry(run: RunRecord, identity: str) -> Entry:
    return next(e for e in run.entries if e.id == identity)


def _work(run: RunRecord, entry: str, workload: str, size: int) -> tuple[float, float] | None:
    key = (workload, size, entry)
    case = next(c for c in run.cases if (c.workload, c.size, c.entry) == key)
    return None if case.work is None else (case.work.flops, case.work.bytes)


def _text(value: object) -> str | None:
    return None if value is None else str(value)
