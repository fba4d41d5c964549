"""Whether installed libraries fit the driver, the card, and each other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from breakeven.findings.setup.commands import (
    capabilities,
    cupy_command,
    cupys,
    driver_command,
    pip,
    torch_command,
    version,
)
from breakeven.findings.setup.found import found
from breakeven.findings.setup.reach import expected
from breakeven.model.finding import Finding
from breakeven.model.setup import LibraryTrial, MachineFacts

_OLD_DRIVER = re.compile(
    r"driver.{0,60}(too old|insufficient)|cudaErrorInsufficientDriver", re.IGNORECASE
)
_NO_KERNEL = re.compile(r"no kernel image|cudaErrorNoKernelImageForDevice|NO_BINARY_FOR_GPU")
_NO_CUDA = "not compiled with CUDA enabled"
_MISSING = re.compile(r"lib(?:cudart|nvrtc|cublas\w*|cufft|curand|cusolver|cusparse)\.so\.(\d+)")
_CUPY_MAJOR = re.compile(r"cupy-cuda(\d\d)")
_TAG = re.compile(r"\+cu(\d+)(\d)$")
_RUNTIME = re.compile(r"(?:libcudart|libnvrtc)\.so\.(\d+)")
_PIP_RUNTIME = re.compile(r"nvidia-cuda-(?:runtime|nvrtc)(?:-cu(\d+))?")


def builds(facts: MachineFacts, *, reached: bool) -> Iterator[Finding]:
    """Say what is wrong with PyTorch, CuPy and the bindings of NVML.

    Parameters
    ----------
    reached : bool
        Whether a GPU is reached: where none is, a failed trial says nothing about its library.
    """
    yield from _torch(facts, reached=reached)
    yield from _cupy(facts, reached=reached)
    yield from _bindings(facts)


def _torch(facts: MachineFacts, *, reached: bool) -> Iterator[Finding]:
    trial = facts.trial("torch")
    told = (trial.version if trial else None) or facts.machine.libraries.get("torch")
    if told is None and trial is None:
        return
    error = (trial.error if trial else None) or ""
    if trial is not None and trial.stage == "import":
        plain_one = f"{' torch && '.join(pip(facts, 'torch'))} torch"
        yield _no_import("torch", trial, torch_command(facts) if expected(facts) else plain_one)
        return
    rocm = trial is not None and trial.hip is not None
    plain = trial is not None and trial.cuda is None
    if not rocm and (plain or _NO_CUDA in error or (told or "").endswith("+cpu")):
        if expected(facts):
            yield found(
                "BE803",
                f"PyTorch {told} was built without CUDA, and a GPU is here: it cannot use it.",
                torch_command(facts) or driver_command(facts),
            )
        return
    if trial is not None and trial.stage == "done":
        return
    yield from _torch_at_gpu(facts, trial, told or "", reached=reached)


def _torch_at_gpu(
    facts: MachineFacts, trial: LibraryTrial | None, told: str, *, reached: bool
) -> Iterator[Finding]:
    """Say why a CUDA build of PyTorch does not run on this driver and these cards."""
    driver, error = version(facts.machine.cuda_driver), (trial.error if trial else None) or ""
    built = version(trial.cuda) if trial else _tagged(told)
    if _too_new(built, driver) or _OLD_DRIVER.search(error):
        yield _old_driver(facts, f"PyTorch {told}", built, torch_command(facts))
        return
    unfit = [c for c in capabilities(facts) if trial and not _covers(trial.architectures, c)]
    if unfit or _NO_KERNEL.search(error):
        yield _no_kernels(facts, f"PyTorch {told}", unfit, trial, torch_command(facts))
        return
    if trial is not None and reached:
        yield _fails("torch", trial, torch_command(facts))


def _tagged(told: str) -> tuple[int, int] | None:
    """Return the CUDA that a version such as ``2.11.0+cu130`` names."""
    match = _TAG.search(told)
    return None if match is None else (int(match.group(1)), int(match.group(2)))


def _too_new(built: tuple[int, int] | None, driver: tuple[int, int] | None) -> bool:
    """Tell whether a build needs a newer driver: from CUDA 11 on a major version suffices."""
    if built is None or driver is None:
        return False
    return built[0] > driver[0] or (built[0] < 11 and built > driver)


def _old_driver(
    facts: MachineFacts, what: str, built: tuple[int, int] | None, command: str | None
) -> Finding:
    needs = "a newer CUDA" if built is None else f"CUDA {built[0]}.{built[1]}"
    serves = facts.machine.cuda_driver or "an older one"
    named = f"driver {facts.machine.driver}" if facts.machine.driver else "the driver"
    return found(
        "BE802",
        f"{what} is built for {needs}, but {named} serves CUDA up to {serves}.",
        command or driver_command(facts),
    )


def _covers(architectures: tuple[str, ...] | None, card: tuple[int, int]) -> bool:
    """Tell whether a build has machine code, or PTX to make it from, for a capability.

    Machine code runs on its own and later minor versions of one major; PTX on all later ones.
    ``sm_90a`` runs on 9.0 alone, ``sm_100f`` within its family from there on.
    """
    if architectures is None:
        return True
    for name in architectures:
        match = re.fullmatch(r"(sm|compute)_(\d+)(\d)([af]?)", name)
        if match is None:
            continue
        made = (int(match.group(2)), int(match.group(3)))
        exact = match.group(4) == "a"
        if made == card or (match.group(1) == "compute" and not match.group(4) and made <= card):
            return True
        if not exact and made[0] == card[0] and made <= card:
            return True
    return False


def _no_kernels(
    facts: MachineFacts,
    what: str,
    unfit: list[tuple[int, int]],
    trial: LibraryTrial | None,
    command: str | None,
) -> Finding:
    cards = [g for g in facts.machine.gpus if not unfit or version(g.compute_capability) in unfit]
    names = ", ".join(f"{g.name} ({g.compute_capability})" for g in cards) or "this card"
    archs = (trial.architectures if trial else None) or ()
    holds = f": it has {' '.join(archs)}" if archs else ""
    return found("BE814", f"{what} has no kernels for {names}{holds}.", command)


def _fails(name: str, trial: LibraryTrial, command: str | None) -> Finding:
    told = f" {trial.version}" if trial.version else ""
    where = "finds no GPU" if trial.stage == "device" else "fails at its first kernel"
    return found("BE815", f"{name}{told} imports, but {where}: {trial.error}.", command)


def _no_import(name: str, trial: LibraryTrial, command: str | None) -> Finding:
    return found("BE816", f"{name} is installed, but does not import: {trial.error}.", command)


def _cupy(facts: MachineFacts, *, reached: bool) -> Iterator[Finding]:
    names, trial = cupys(facts), facts.trial("cupy")
    if len(names) > 1:
        yield found(
            "BE805",
            f"{' and '.join(names)} are installed over each other's files.",
            cupy_command(facts),
        )
        return
    if trial is not None and trial.stage == "done":
        return
    driver = version(facts.machine.cuda_driver)
    match = _CUPY_MAJOR.match(names[0]) if names else None
    major = int(match.group(1)) if match else None
    if major is not None and driver is not None and major > driver[0]:
        yield found(
            "BE804",
            f"{names[0]} is for CUDA {major}, but the driver serves CUDA up to "
            f"{facts.machine.cuda_driver}.",
            cupy_command(facts) or driver_command(facts),
        )
        return
    if trial is not None:
        yield from _cupy_failed(facts, trial, major, reached=reached)


def _cupy_failed(
    facts: MachineFacts, trial: LibraryTrial, major: int | None, *, reached: bool
) -> Iterator[Finding]:
    error, command = trial.error or "", cupy_command(facts)
    lacking = _MISSING.search(error)
    here = runtime_majors(facts)
    gone = major is not None and here is not None and major not in here
    if lacking or (gone and reached):
        what = lacking.group(0) if lacking else f"the runtime libraries of CUDA {major}"
        found_here = ", ".join(str(n) for n in sorted(here or ())) or "none"
        yield found(
            "BE804",
            f"{(cupys(facts) or ('cupy',))[0]} needs {what}, which is not here (CUDA runtimes "
            f"found: {found_here}).",
            command,
        )
    elif _OLD_DRIVER.search(error):
        yield _old_driver(
            facts, f"CuPy {trial.version or ''}".strip(), version(trial.cuda), command
        )
    elif _NO_KERNEL.search(error):
        yield _no_kernels(facts, f"CuPy {trial.version or ''}".strip(), [], trial, command)
    elif trial.stage == "import":
        yield _no_import("cupy", trial, command)
    elif reached:
        yield _fails("cupy", trial, command)


def runtime_majors(facts: MachineFacts) -> frozenset[int] | None:
    """Return the CUDA majors whose runtime is here, of the system or of pip; None if not read."""
    if facts.shared_libraries is None or facts.distributions is None:
        return None
    majors = {int(m.group(1)) for n in facts.shared_libraries if (m := _RUNTIME.fullmatch(n))}
    for name, told in facts.distributions.items():
        match = _PIP_RUNTIME.fullmatch(name)
        if match:
            # From CUDA 13 on the packages have no number in their name.
            majors.add(int(match.group(1) or told.partition(".")[0]))
    return frozenset(majors)


def _bindings(facts: MachineFacts) -> Iterator[Finding]:
    there = facts.distributions or {}
    old = version(there.get("pynvml"))
    bad = [name for name in ("nvidia-ml-py3",) if name in there]
    if old is not None and old < (12, 0):
        bad.append("pynvml")
    if not bad:
        return
    remove, install = pip(facts, bad[0])
    # What they overwrote is gone with them, so that the right one is put back as well.
    away = [*bad, *(["nvidia-ml-py"] if "nvidia-ml-py" in there else [])]
    named = " and ".join(f"{name} {there[name]}" for name in bad)
    yield found(
        "BE806",
        f"{named} brings an old module called pynvml, in place of NVIDIA's own.",
        f"{remove} {' '.join(away)} && {install} nvidia-ml-py",
    )
