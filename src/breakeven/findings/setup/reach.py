"""Whether the GPU is reached at all: driver, container, WSL, device files, hidden devices."""

from __future__ import annotations

from collections.abc import Iterator

from breakeven.findings.setup.commands import driver_command
from breakeven.findings.setup.found import found
from breakeven.model.finding import Finding
from breakeven.model.setup import MachineFacts

_ABSENT = {"NVMLError_LibraryNotFound", "NVMLError_DriverNotLoaded"}
_NEEDED = ("/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm")
_MIXED = "NVMLError_LibRmVersionMismatch"
_RUN = "docker run --gpus all"


def reach(facts: MachineFacts) -> Iterator[Finding]:
    """Say why no GPU, or less than a whole one, is reached; the first cause only."""
    cause = _unreached(facts)
    if cause is not None:
        yield cause
    yield from _hidden(facts)
    yield from _remarks(facts)


def expected(facts: MachineFacts) -> bool:
    """Tell whether there is an NVIDIA GPU here, whoever may use it."""
    nodes = facts.device_nodes or ()
    cards = any(node.removeprefix("/dev/nvidia").isdigit() for node in nodes)
    return bool(facts.machine.gpus or facts.pci_gpus or facts.boards) or cards


def _unreached(facts: MachineFacts) -> Finding | None:
    if facts.machine.gpus or facts.boards:
        return None
    if facts.nvml_error == _MIXED:
        return found(
            "BE821",
            "The driver was updated, but the old one is still in memory.",
            "sudo reboot",
        )
    if facts.wsl:
        return _wsl(facts)
    return _closed(facts) or (_container(facts) if facts.container else _no_driver(facts))


def _closed(facts: MachineFacts) -> Finding | None:
    closed = [node for node in _NEEDED if node in facts.closed_nodes]
    if not closed:
        return None
    return found(
        "BE822",
        f"This user may not open {', '.join(closed)}.",
        'sudo usermod -aG video,render "$USER"',
    )


def _no_driver(facts: MachineFacts) -> Finding | None:
    if not facts.pci_gpus or (facts.nvml_error not in _ABSENT and facts.device_nodes):
        return None
    many = "an NVIDIA GPU" if len(facts.pci_gpus) == 1 else f"{len(facts.pci_gpus)} NVIDIA GPUs"
    return found(
        "BE801",
        f"The bus has {many} ({', '.join(facts.pci_gpus)}), but no driver is loaded.",
        driver_command(facts),
    )


def _wsl(facts: MachineFacts) -> Finding | None:
    bridge = "/dev/dxg" in (facts.device_nodes or ())
    libraries = facts.shared_libraries
    lacks_cuda = libraries is not None and "libcuda.so.1" not in libraries
    told = facts.distributions or {}
    wanted = any(name.startswith(("cupy", "nvidia-c")) for name in told)
    if facts.container and not bridge:
        return _container(facts)
    # WSL without a GPU is a sound CPU machine, unless something was installed to use one.
    if not wanted:
        return None
    lacking = "/dev/dxg is missing" if not bridge else "no CUDA driver is behind /dev/dxg"
    if bridge and not lacks_cuda and facts.nvml_error not in _ABSENT:
        return None
    return found(
        "BE812",
        f"{lacking}: Windows does not pass its GPU into WSL.",
        driver_command(facts),
    )


def _container(facts: MachineFacts) -> Finding | None:
    nodes = [n for n in facts.device_nodes or () if n.startswith("/dev/nvidia") or n == "/dev/dxg"]
    wish = facts.environment.get("NVIDIA_VISIBLE_DEVICES")
    image = facts.environment.get("CUDA_VERSION") is not None
    if nodes:
        lacks = facts.shared_libraries is not None and "libcuda.so.1" not in facts.shared_libraries
        if not lacks and facts.nvml_error != "NVMLError_LibraryNotFound":
            return None
        return found(
            "BE809",
            "The container has the device files, but not the driver's libraries.",
            f"{_RUN} -e NVIDIA_DRIVER_CAPABILITIES=compute,utility IMAGE",
        )
    if not (facts.pci_gpus or wish not in {None, "", "none", "void"} or image):
        return None
    hidden = f"; NVIDIA_VISIBLE_DEVICES is {wish!r}" if wish in {"", "none", "void"} else ""
    return found(
        "BE809",
        f"This container has no /dev/nvidia*{hidden}: the GPU is not passed in, and to "
        "reinstall a library cannot help.",
        f"{_RUN} IMAGE",
        fix="Install the NVIDIA Container Toolkit on the host, and start the container with GPUs.",
    )


def _hidden(facts: MachineFacts) -> Iterator[Finding]:
    wish = facts.environment.get(
        "CUDA_VISIBLE_DEVICES", facts.machine.environment.get("CUDA_VISIBLE_DEVICES")
    )
    if wish is None or not expected(facts):
        return
    words = [word.strip() for word in wish.split(",")]
    first_bad = _first_bad(words, facts)
    if first_bad is None:
        return
    shown = f'CUDA_VISIBLE_DEVICES="{wish}"'
    if first_bad > 0:
        yield found(
            "BE808",
            f"{shown}: {words[first_bad]} names no GPU of the {len(facts.boards or ())} here, and "
            "hides itself with all after it.",
            f"export CUDA_VISIBLE_DEVICES={','.join(words[:first_bad])}",
        )
        return
    what = "hides every GPU" if words[0] in {"", "-1"} else "names no GPU of this machine"
    if first_bad == -1:
        what = "names a GPU twice, which CUDA refuses"
    yield found("BE807", f"{shown} {what}.", "unset CUDA_VISIBLE_DEVICES")


def _first_bad(words: list[str], facts: MachineFacts) -> int | None:
    """Return the place of the first entry that names nothing, -1 for one named twice."""
    seen: set[str] = set()
    for place, word in enumerate(words):
        named = _named(word, facts)
        if named == "":
            return place
        if named is not None and named in seen:
            return -1
        seen.add(word if named is None else named)
    return None


def _named(word: str, facts: MachineFacts) -> str | None:
    """Return the device that a word names; ``""`` for none, None where it cannot be known."""
    if word in {"", "-1"}:
        return ""
    if facts.boards is None:
        return None
    if word.isdigit():
        return facts.boards[int(word)] if int(word) < len(facts.boards) else ""
    if word.startswith("MIG-GPU-"):
        board = word.removeprefix("MIG-").partition("/")[0]
        return None if board in facts.boards else ""
    if not word.startswith(("GPU-", "MIG-")):
        return ""
    matches = [uuid for uuid in (*facts.boards, *(facts.uuids or ())) if uuid.startswith(word)]
    unlike = set(matches)
    return matches[0] if len(unlike) == 1 else ""


def _remarks(facts: MachineFacts) -> Iterator[Finding]:
    """Say what is sound, but explains readings and figures."""
    gpus = facts.machine.gpus
    if facts.nvml_error == "NVMLError_NoPermission" and not facts.closed_nodes:
        refused: tuple[str, ...] = ("everything",)
    else:
        refused = facts.nvml_refused
    if refused:
        yield found(
            "BE810",
            f"NVML refuses {', '.join(refused)}: no permission. Energy, utilisation or memory "
            "may be missing here; times are sound.",
            f"{_RUN} --cap-add SYS_ADMIN -e NVIDIA_MIG_MONITOR_DEVICES=all IMAGE"
            if facts.container
            else None,
        )
    if any(gpu.mig for gpu in gpus):
        names = ", ".join(gpu.name for gpu in gpus if gpu.mig)
        yield found("BE811", f"A MIG instance, a part of a GPU: {names}.", None)
    elif facts.vgpu and gpus:
        yield found("BE811", f"A virtual GPU, a share of a board: {gpus[0].name}.", None)
    if facts.wsl and gpus:
        yield found(
            "BE813",
            "The GPU is reached through WSL: launches cost more, and readings may be missing.",
            None,
        )
