"""The machine and the run as header lines, as a table in full, with how figures were made."""

from __future__ import annotations

import shlex

from breakeven import units
from breakeven.model import labels
from breakeven.model.machine import BackendInfo, Cpu, Gpu, Machine
from breakeven.model.remarks import ALWAYS_TOLD
from breakeven.model.run import RunRecord
from breakeven.report.view import Table

_FRAMEWORKS = ("numpy", "torch", "cupy")
_ROUNDS = (
    "A round starts one fresh process for each entry; its slots are measured in turn, in "
    "random order, on the wall clock: inputs ready and device idle, to device idle again. "
    "The round is the unit of replication; repeats inside a process are never pooled. Slots "
    "on a busy machine are voided, kept, and used nowhere; round 0 only scouts."
)
_SCOPES = (
    "Scope 'resident' leaves the data on the device; 'transfer' times in, compute and out as "
    "one piece; 'cold' is composed from import, context and first call, each measured in "
    "fresh processes, plus the transfer time. Every speed-up is time of the base over time "
    "of the entry; the best CPU setting is chosen in the scouting round and named."
)
_JUDGED = (
    "A word (faster, slower, equivalent ...) is given by the rule of paired rounds: the "
    "log ratio of base and entry is taken turn by turn inside a round, its median is the "
    "round's effect, and the verdict interval of the mean over rounds (two-sided level "
    "99.85 %) must lie on one side of 1 with the estimate beyond the margin that the A/A "
    "check of this session allows. The 95 % interval beside each ratio is for reading."
)
_GENERAL = "A claim holds for this session"
_MOST_REMARKS = 3
_INTERRUPTED = ("The run was interrupted", "The run was not finished")
_QUICK = "This was a quick run: one round, so every figure is indicative and nothing was judged."
_CROSSOVERS = (
    "A crossover is a bracket at the 95 % level between measured sizes, with the log-log "
    "interpolated estimate; nothing is said beyond the sizes tested. A claim holds for this "
    "session of this machine."
)


def header(record: RunRecord) -> tuple[str, ...]:
    """Return the header lines: run, processor, GPU, software, thread pools."""
    return (
        f"run {record.id}: breakeven {shlex.join(record.command)}",
        _cpu_line(record.machine),
        *_gpu_lines(record),
        _software_line(record.machine),
        *_absent_backends(record),
    )


def details(record: RunRecord) -> Table:
    """Return every stored fact about the machine and the run as name and value."""
    m = record.machine
    rows = [
        ("run", record.id),
        ("started", record.started),
        ("finished", record.finished or "not finished"),
        ("command", f"breakeven {shlex.join(record.command)}"),
        ("effort, budget", f"{record.spec.effort}, {units.about(record.spec.budget_s)}"),
        ("rounds planned", str(record.rounds_planned)),
        ("seed", str(record.spec.seed)),
        ("pool threads pinned", "yes" if record.spec.pin else "no"),
        ("platform", f"{m.platform}, kernel {m.kernel}"),
        ("Python", m.python),
        ("memory", _bytes(m.memory_bytes)),
        ("memory available", _bytes(m.memory_available_bytes)),
        *_cpu_rows(m.cpu),
        *_gpu_rows(m),
        *((f"library {name}", version or "not installed") for name, version in m.libraries.items()),
    ]
    for backend, pools in m.blas.items():
        for pool in pools:
            parts = (pool.library, pool.version, pool.core_type, pool.threading)
            threads = "threads not told" if pool.threads is None else f"{pool.threads} threads"
            rows.append((f"pool of {backend} ({pool.user_api})",
                         ", ".join([*(p for p in parts if p), threads])))  # fmt: skip
    rows += [(name, "unset" if v is None else v) for name, v in m.environment.items()]
    return Table(
        title="Environment",
        caption="What the figures must be read beside.",
        columns=("what", "value"),
        numeric=(False, False),
        rows=tuple(rows),
    )


def method(record: RunRecord) -> tuple[str, ...]:
    """Return how each number was made, in a few paragraphs."""
    judged = _QUICK if record.spec.effort == "quick" else _JUDGED
    return (_ROUNDS, _SCOPES, judged, _CROSSOVERS)


def caveats(record: RunRecord) -> tuple[str, ...]:
    """Return what must be read beside the figures, what weighs most first.

    These are the judge's caveats up to the one that holds for every run, what was remarked while
    measuring, then the judge's lesser ones.
    """
    said: list[str] = []
    stored = " ".join(record.caveats).lower()
    if record.spec.effort == "quick" and "quick run" not in stored:
        said.append("Quick run: one round; figures are indicative and no verdict is given.")
    done = max((r.round for c in record.cases for r in c.rounds), default=0)
    if (record.interrupted or record.finished is None) and "interrupted" not in stored:
        state = "interrupted" if record.interrupted else "not finished"
        said.append(
            f"The run was {state}: round {done} of {record.rounds_planned} planned was reached."
        )
    cut = _heavy(record)
    parts = (*said, *record.caveats[:cut], *record.remarks, *record.caveats[cut:])
    return tuple(dict.fromkeys(parts))


def weighty(record: RunRecord, *, judged: bool) -> tuple[str, ...]:
    """Return the caveats that weigh enough to stand beside the answer, remarks among them.

    Parameters
    ----------
    judged : bool
        Whether any verdict stands. Where none does the answer has told the reason, and there is
        no claim that could hold for this session.
    """
    if not judged:
        told = [c for c in caveats(record) if c.startswith(_INTERRUPTED)]
        return tuple(dict.fromkeys([*told, *record.remarks[:_MOST_REMARKS], *_always(record)]))
    lesser = len(set(record.caveats[_heavy(record) :]))
    hidden = max(0, len(record.remarks) - _MOST_REMARKS)
    said = caveats(record)
    return tuple(dict.fromkeys([*said[: max(0, len(said) - lesser - hidden)], *_always(record)]))


def _always(record: RunRecord) -> list[str]:
    """Return the remarks that no number of others may push off the screen."""
    return [r for r in record.remarks if r.startswith(ALWAYS_TOLD)]


def _heavy(record: RunRecord) -> int:
    """Return how many of the judge's caveats come up to the one that holds for every run."""
    found = (i + 1 for i, c in enumerate(record.caveats) if c.startswith(_GENERAL))
    return next(found, len(record.caveats))


def _cpu_line(m: Machine) -> str:
    usable = f"{m.cpu.cores_usable} of {m.cpu.cores_online} cores usable"
    memory = "memory unknown" if m.memory_bytes is None else units.size_bytes(m.memory_bytes)
    return f"CPU {m.cpu.model or 'of unknown model'}: {usable}, {memory}"


def _gpu_lines(record: RunRecord) -> list[str]:
    m = record.machine
    if not m.gpus:
        absent = [labels.backend(b.name) for b in _for_want_of_a_gpu(record)]
        who = f"; {' and '.join(absent)} took no part" if absent else ""
        return [f"GPU none: {m.no_gpu_reason or 'no reason was recorded'}{who}"]
    lines = []
    for g in m.gpus:
        memory = "" if g.memory_bytes is None else f", {units.size_bytes(g.memory_bytes)}"
        driver = f", driver {m.driver}" if m.driver else ""
        cuda = f", CUDA {m.cuda_driver}" if m.cuda_driver else ""
        lines.append(f"GPU {g.name}{memory}{driver}{cuda}")
    return lines


def _software_line(m: Machine) -> str:
    pools = [
        " ".join(p for p in (pool.library, pool.version) if p)
        for pool in m.blas.get("numpy", ())
        if pool.user_api == "blas"
    ]
    parts = [f"Python {m.python}"]
    for framework in _FRAMEWORKS:
        # CuPy's wheels carry the CUDA version in their name: one of the names is enough.
        found = [v for name, v in sorted(m.libraries.items())
                 if v and (name == framework or name.startswith(f"{framework}-"))]  # fmt: skip
        if found:
            blas = f" ({', '.join(pools)})" if framework == "numpy" and pools else ""
            parts.append(f"{framework} {found[0]}{blas}")
    return f"{', '.join(parts)}"


def _for_want_of_a_gpu(record: RunRecord) -> list[BackendInfo]:
    """Return GPU backends that only lack the GPU: the GPU's own line has the reason."""
    if record.machine.gpus:
        return []
    return [b for b in record.backends if not b.available and b.device != "cpu"]


def _absent_backends(record: RunRecord) -> list[str]:
    told = _for_want_of_a_gpu(record)
    by_reason: dict[str, list[str]] = {}
    for b in record.backends:
        if not b.available and b not in told:
            fix = f" ({b.fix})" if b.fix else ""
            reason = f"{b.why_not or 'no reason was recorded'}{fix}"
            by_reason.setdefault(reason, []).append(labels.backend(b.name))
    return [f"{' and '.join(who)} took no part: {reason}" for reason, who in by_reason.items()]


def _cpu_rows(cpu: Cpu) -> list[tuple[str, str]]:
    quota = "none" if cpu.quota_cores is None else f"{units.significant(cpu.quota_cores)} cores"
    caches = ", ".join(f"{k} {units.size_bytes(v)}" for k, v in cpu.caches_bytes.items())
    return [
        ("CPU", cpu.model or "unknown"),
        ("cores online, physical, usable",
         f"{cpu.cores_online}, {cpu.cores_physical or 'unknown'}, {cpu.cores_usable}"),
        ("affinity", ", ".join(str(i) for i in cpu.affinity)),
        ("quota", quota),
        ("caches", caches or "unknown"),
        ("CPU features", ", ".join(cpu.features) or "not recorded"),
        ("governor", cpu.governor or "unknown"),
        ("virtual machine", cpu.virtual or "not detected"),
    ]  # fmt: skip


def _gpu_rows(m: Machine) -> list[tuple[str, str]]:
    if not m.gpus:
        return [("GPU", f"none: {m.no_gpu_reason or 'no reason was recorded'}")]
    rows = [("driver", m.driver or "unknown"), ("CUDA of the driver", m.cuda_driver or "unknown")]
    return rows + [(f"GPU {g.index}", _gpu_text(g)) for g in m.gpus]


def _gpu_text(g: Gpu) -> str:
    parts = [
        g.name,
        _bytes(g.memory_bytes),
        f"compute capability {g.compute_capability or 'unknown'}",
    ]
    if g.power_limit_w is not None:
        parts.append(f"power limit {units.significant(g.power_limit_w)} W")
    if g.sm_clock_max_mhz is not None:
        parts.append(f"SM clock up to {g.sm_clock_max_mhz} MHz")
    if g.pcie_generation is not None and g.pcie_width is not None:
        parts.append(f"PCIe {g.pcie_generation} x{g.pcie_width}")
    if g.mig is not None:
        parts.append(f"MIG {'on' if g.mig else 'off'}")
    return ", ".join([*parts, g.uuid])


def _bytes(value: int | None) -> str:
    return "unknown" if value is None else units.size_bytes(value)
