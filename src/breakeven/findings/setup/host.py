"""Whether the CPU side is set up so that a comparison with it is fair."""

from __future__ import annotations

from collections.abc import Iterator

from breakeven.findings.setup.found import found
from breakeven.model.finding import Finding
from breakeven.model.machine import Blas, Cpu
from breakeven.model.setup import MachineFacts
from breakeven.units import significant, size_bytes

# Below this much room even the tour's matrices do not fit beside the libraries.
SCARCE_BYTES = 2 << 30
# What OpenBLAS falls back to when it does not know the processor.
_OLD_KERNELS = frozenset(
    {"generic", "katmai", "prescott", "core2", "penryn", "nehalem", "barcelona"}
)
_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


def host(facts: MachineFacts) -> Iterator[Finding]:
    """Say what holds the CPU back: kernels, quota, threads, memory."""
    yield from _kernels(facts)
    yield from _mkl(facts)
    quota = _quota(facts.machine.cpu)
    if quota is not None:
        yield quota
    yield from _threads(facts, limited=quota is not None)
    free = facts.machine.memory_available_bytes
    if free is not None and free < SCARCE_BYTES:
        yield found(
            "BE823",
            f"Only {size_bytes(free)} of memory is available.",
            "breakeven run --sizes 128,256,512",
        )


def _pools(facts: MachineFacts) -> list[tuple[str, Blas]]:
    return [(name, pool) for name, pools in sorted(facts.machine.blas.items()) for pool in pools]


def _kernels(facts: MachineFacts) -> Iterator[Finding]:
    forced = facts.machine.environment.get("OPENBLAS_CORETYPE")
    if forced:
        yield found(
            "BE817",
            f"OPENBLAS_CORETYPE={forced}: OpenBLAS takes that processor's kernels, not those of "
            "this CPU.",
            "unset OPENBLAS_CORETYPE",
        )
        return
    if "avx2" not in facts.machine.cpu.features:
        return
    old = [
        (name, pool)
        for name, pool in _pools(facts)
        if (pool.core_type or "").lower() in _OLD_KERNELS
    ]
    if old:
        name, pool = old[0]
        yield found(
            "BE817",
            f"{name}: {pool.library} runs kernels for {pool.core_type}, a CPU without the AVX2 "
            "that this one has.",
            "pip install --upgrade --force-reinstall numpy",
        )


def _mkl(facts: MachineFacts) -> Iterator[Finding]:
    model = (facts.machine.cpu.model or "").lower()
    users = [name for name, pool in _pools(facts) if pool.library == "mkl"]
    if "amd" in model.split() and users:
        yield found(
            "BE818",
            f"{', '.join(dict.fromkeys(users))}: MKL on {facts.machine.cpu.model}; some of its "
            "versions choose slower code there.",
            "python -m venv openblas && openblas/bin/pip install numpy breakeven",
        )


def _quota(cpu: Cpu) -> Finding | None:
    """Return what a quota below the cores that are seen does."""
    seen = len(cpu.affinity) or cpu.cores_online
    if cpu.quota_cores is None or cpu.quota_cores >= seen - 0.01:
        return None
    return found(
        "BE819",
        f"The control group allows {significant(cpu.quota_cores)} cores of time, but programs see "
        f"{seen} and start as many threads.",
        f"export OMP_NUM_THREADS={cpu.cores_usable} OPENBLAS_NUM_THREADS={cpu.cores_usable} "
        f"MKL_NUM_THREADS={cpu.cores_usable}",
    )


def _threads(facts: MachineFacts, *, limited: bool) -> Iterator[Finding]:
    """Say that threads outnumber cores; a pool that only follows the cores seen is the quota's."""
    usable = facts.machine.cpu.cores_usable
    wanted = {n: facts.machine.environment.get(n) for n in _THREADS}
    asked = [f"{name}={v}" for name, v in wanted.items() if v and _first(v) > usable]
    if asked:
        names = [word.partition("=")[0] for word in asked]
        yield found(
            "BE820",
            f"{', '.join(asked)} on {usable} usable cores: threads wait for each other.",
            f"export {' '.join(f'{name}={usable}' for name in names)}",
        )
        return
    many = [(n, p) for n, p in _pools(facts) if p.threads is not None and p.threads > usable]
    if many and not limited:
        name, pool = max(many, key=lambda pair: pair[1].threads or 0)
        variable = "OPENBLAS_NUM_THREADS" if pool.library == "openblas" else "OMP_NUM_THREADS"
        yield found(
            "BE820",
            f"{name}: {pool.library} has {pool.threads} threads on {usable} usable cores: they "
            "wait for each other.",
            f"export {variable}={usable}",
        )


def _first(text: str) -> int:
    """Return the threads of the outer level: OpenMP reads a list, one number a level."""
    word = text.split(",", maxsplit=1)[0].strip()
    return int(word) if word.isdigit() else 0
