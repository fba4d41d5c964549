"""What a computer has, line by line: facts, and which of them explain figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from breakeven.model.machine import BackendInfo, Blas, Cpu, Gpu, Machine
from breakeven.units import significant, size_bytes, whole

# Variables that make figures differ from another machine's, with what each does.
_MEANINGS = {
    "MKL_ENABLE_INSTRUCTIONS": "MKL is held to an instruction set",
    "NPY_DISABLE_CPU_FEATURES": "NumPy leaves instructions of the CPU unused",
    "OMP_NUM_THREADS": "the number of threads is set for every program",
    "OPENBLAS_NUM_THREADS": "the number of OpenBLAS threads is set for every program",
    "MKL_NUM_THREADS": "the number of MKL threads is set for every program",
    "NUMEXPR_NUM_THREADS": "the number of NumExpr threads is set for every program",
    "CUDA_LAUNCH_BLOCKING": "every kernel waits for the one before: a setting for debugging",
    "CUDA_CACHE_DISABLE": "compiled kernels are not kept: each start compiles them again",
    "CUPY_TF32": "CuPy multiplies float32 matrices with TF32's 10 bits",
    "NVIDIA_TF32_OVERRIDE": "TF32 is forced on or off for every library",
    "PYTORCH_NO_CUDA_MEMORY_CACHING": "PyTorch asks the driver for every tensor, which is slow",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE": "PyTorch multiplies float32 matrices in TF32",
    "CUDA_VISIBLE_DEVICES": "only these GPUs are seen",
    "LD_PRELOAD": "a library is put under every program",
}


class DoctorLine(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at.

    Attributes
    ----------
    level : str
        ``ok``, or ``note`` for what explains figures. What is wrong is said by findings, not here.
    what : str
        What was looked at, a word or two.
    detail : str
        What is there.
    fix : str or None
        Exactly what to do; None when there is nothing to mend.
    """

    level: Literal["ok", "note"]
    what: str
    detail: str
    fix: str | None = None


def judge(machine: Machine, backends: Sequence[BackendInfo] = ()) -> tuple[DoctorLine, ...]:
    """Return what was recorded, in the order in which a reader asks.

    Parameters
    ----------
    machine : Machine
        Facts as recorded; nothing is read from this computer.
    backends : sequence of BackendInfo
        Which backends can run there.

    Returns
    -------
    tuple of DoctorLine
        Processor, memory, thread pools, settings, GPUs, libraries, backends.
    """
    return (
        *_cpu(machine.cpu),
        _memory(machine),
        *_pools(machine),
        *_settings(machine.environment),
        *_gpus(machine),
        _libraries(machine),
        *(_backend(info) for info in backends),
    )


def _cpu(cpu: Cpu) -> Iterator[DoctorLine]:
    physical = "" if cpu.cores_physical is None else f" on {cpu.cores_physical} cores"
    inside = f", inside: {cpu.virtual}" if cpu.virtual else ""
    name = cpu.model or "unknown processor"
    yield DoctorLine(
        level="ok", what="cpu", detail=f"{name}, {cpu.cores_online} logical CPUs{physical}{inside}"
    )
    yield _cores(cpu)
    if cpu.governor in {"powersave", "conservative"}:
        yield DoctorLine(
            level="note",
            what="governor",
            detail=f"the frequency governor is {cpu.governor}: short work may run at a low clock",
            fix="for steady figures: sudo cpupower frequency-set -g performance",
        )


def _cores(cpu: Cpu) -> DoctorLine:
    told = f"{cpu.cores_usable} of {cpu.cores_online} usable"
    reasons, fixes = [], []
    if len(cpu.affinity) < cpu.cores_online:
        reasons.append(f"affinity allows {len(cpu.affinity)}")
        fixes.append("start it without taskset (or with a wider cpuset)")
    if cpu.quota_cores is not None and cpu.quota_cores < len(cpu.affinity):
        reasons.append(f"the control group allows {significant(cpu.quota_cores)} cores of time")
        fixes.append("raise the CPU limit of the container")
    if not reasons:
        return DoctorLine(level="ok", what="cores", detail=told)
    return DoctorLine(
        level="note",
        what="cores",
        detail=f"{told}: {', '.join(reasons)}",
        fix=f"to measure the whole CPU: {'; '.join(fixes)}",
    )


def _memory(machine: Machine) -> DoctorLine:
    total, free = machine.memory_bytes, machine.memory_available_bytes
    if total is None or free is None:
        return DoctorLine(level="note", what="memory", detail="the system does not tell its memory")
    detail = f"{size_bytes(total)}, {size_bytes(free)} available"
    return DoctorLine(level="ok", what="memory", detail=detail)


def _pools(machine: Machine) -> Iterator[DoctorLine]:
    for backend, pools in sorted(machine.blas.items()):
        for pool in pools:
            yield _pool(backend, pool)


def _pool(backend: str, pool: Blas) -> DoctorLine:
    version = f" {pool.version}" if pool.version else ""
    kernels = f", kernels for {pool.core_type}" if pool.core_type else ""
    threads = "" if pool.threads is None else f", {pool.threads} threads"
    detail = f"{backend}: {pool.library}{version} ({pool.user_api}){kernels}{threads}"
    return DoctorLine(level="ok", what="threads", detail=detail)


def _settings(environment: dict[str, str | None]) -> Iterator[DoctorLine]:
    """Give a line for each variable that makes figures differ from another machine's."""
    given = {name: value for name, value in environment.items() if value is not None}
    for name, value in given.items():
        what = _MEANINGS.get(name)
        if what is not None:
            fix = f"unset {name}, unless you mean it"
            yield DoctorLine(
                level="note", what="setting", detail=f"{name}={value}: {what}", fix=fix
            )


def _gpus(machine: Machine) -> Iterator[DoctorLine]:
    if not machine.gpus:
        what, _, fix = (machine.no_gpu_reason or "no GPU was found").partition("; ")
        yield DoctorLine(level="note", what="gpu", detail=what, fix=fix or None)
    else:
        served = machine.cuda_driver or "unknown"
        detail = f"{machine.driver or 'unknown version'}, serves CUDA up to {served}"
        yield DoctorLine(level="ok", what="driver", detail=detail)
    for gpu in machine.gpus:
        yield _gpu(gpu)


def _gpu(gpu: Gpu) -> DoctorLine:
    facts = [
        gpu.name,
        None if gpu.memory_bytes is None else size_bytes(gpu.memory_bytes),
        None if gpu.compute_capability is None else f"compute capability {gpu.compute_capability}",
        None if gpu.power_limit_w is None else f"{whole(gpu.power_limit_w)} W",
        _link(gpu),
        "a MIG instance: a part of a GPU" if gpu.mig else None,
    ]
    detail = ", ".join(fact for fact in facts if fact)
    return DoctorLine(level="note" if gpu.mig else "ok", what=f"gpu {gpu.index}", detail=detail)


def _link(gpu: Gpu) -> str | None:
    if gpu.pcie_generation is None or gpu.pcie_width is None:
        return None
    return f"PCIe {gpu.pcie_generation} x{gpu.pcie_width}"


def _libraries(machine: Machine) -> DoctorLine:
    shown = ("numpy", "scipy", "torch", "cupy", "scikit-learn")
    there = [f"{n} {machine.libraries[n]}" for n in shown if machine.libraries.get(n)]
    detail = f"Python {machine.python}, " + ", ".join(there)
    return DoctorLine(level="ok", what="libraries", detail=detail)


def _backend(info: BackendInfo) -> DoctorLine:
    version = f" {info.version}" if info.version else ""
    if info.available:
        detail = f"{info.name}{version} works on {info.device}"
        return DoctorLine(level="ok", what="backend", detail=detail)
    return DoctorLine(
        level="note",
        what="backend",
        detail=f"{info.name}{version}: {info.why_not or 'it gave no reason'}",
        fix=info.fix,
    )
