"""One small kernel of a GPU library, tried in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

import msgspec

from breakeven.backends.found import first_line
from breakeven.model.setup import LibraryTrial

Library: TypeAlias = Literal["torch", "cupy"]
LIBRARIES: tuple[Library, ...] = ("torch", "cupy")
DEADLINE_S = 120.0
_ANSWER = 16.0


def try_libraries() -> tuple[LibraryTrial, ...]:
    """Return a trial of each library that is installed, one after the other."""
    return tuple(probe_library(name) for name in LIBRARIES if find_spec(name) is not None)


def probe_library(
    name: Library, timeout_s: float = DEADLINE_S, command: Sequence[str] | None = None
) -> LibraryTrial:
    """Return how far one library came; its process may crash or hang, this one does not.

    Parameters
    ----------
    timeout_s : float
        Seconds until a process that does not answer is given up.
    command : sequence of str, optional
        What to start instead, for tests.
    """
    words = [sys.executable, "-P", "-m", __name__, name] if command is None else list(command)
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout_s, check=False
        )
    except subprocess.TimeoutExpired:
        return LibraryTrial(
            library=name, stage="kernel", error=f"it did not answer within {timeout_s:g} s"
        )
    except OSError as error:
        return LibraryTrial(library=name, stage="import", error=first_line(error))
    # A library may print on import: the answer is the last line.
    lines = done.stdout.strip().splitlines()
    try:
        return msgspec.json.decode(lines[-1] if lines else b"", type=LibraryTrial)
    except msgspec.DecodeError:
        pass
    if done.returncode < 0:
        return LibraryTrial(
            library=name, stage="import", error=f"its process died of signal {-done.returncode}"
        )
    said = done.stderr.decode(errors="replace").strip().splitlines()
    last = said[-1] if said else f"its process ended with exit code {done.returncode}"
    return LibraryTrial(library=name, stage="import", error=last)


def tried_torch(torch: Any) -> LibraryTrial:  # noqa: ANN401  the module, or a stand-in of it
    """Return how far PyTorch comes with an element-wise kernel, a sum and a product."""
    facts = LibraryTrial(
        library="torch",
        stage="device",
        version=str(torch.__version__),
        cuda=torch.version.cuda,
        hip=getattr(torch.version, "hip", None),
    )
    try:
        # The list is empty before PyTorch has found a device, and says nothing then.
        listed = tuple(torch.cuda.get_arch_list()) or None
        facts = msgspec.structs.replace(facts, architectures=listed)
        torch.cuda.init()
        if not torch.cuda.device_count():
            return msgspec.structs.replace(facts, error="it finds no CUDA device")
        facts = msgspec.structs.replace(facts, stage="kernel")
        line = torch.arange(4, device="cuda", dtype=torch.float32)
        total = float((line * 2 + 1).sum().item())
        square = float(torch.ones((2, 2), device="cuda").matmul(line.reshape(2, 2)).sum().item())
    except Exception as error:  # noqa: BLE001  whatever a broken set-up raises is the answer
        return msgspec.structs.replace(facts, error=first_line(error))
    return _checked(facts, total, square)


def tried_cupy(cupy: Any) -> LibraryTrial:  # noqa: ANN401  the module, or a stand-in of it
    """Return how far CuPy comes with a kernel that it compiles, a sum and a product."""
    facts = LibraryTrial(library="cupy", stage="device", version=str(cupy.__version__))
    try:
        built = int(cupy.cuda.get_local_runtime_version())
        facts = msgspec.structs.replace(facts, cuda=f"{built // 1000}.{built % 1000 // 10}")
    except Exception:  # noqa: BLE001  an older CuPy lacks the question, a broken one fails in it
        facts = msgspec.structs.replace(facts, cuda=None)
    try:
        if not cupy.cuda.runtime.getDeviceCount():
            return msgspec.structs.replace(facts, error="it finds no CUDA device")
        facts = msgspec.structs.replace(facts, stage="kernel")
        line = cupy.arange(4, dtype=cupy.float32)
        total = float((line * 2 + 1).sum())
        square = float(cupy.ones((2, 2), dtype=cupy.float32).dot(line.reshape(2, 2)).sum())
    except Exception as error:  # noqa: BLE001  whatever a broken set-up raises is the answer
        return msgspec.structs.replace(facts, error=first_line(error))
    return _checked(facts, total, square)


def _checked(facts: LibraryTrial, total: float, square: float) -> LibraryTrial:
    """Call the trial done when both answers are right: 2 (0+1+2+3) + 4, and 2 (0+1+2+3)."""
    if (total, square) == (_ANSWER, _ANSWER - 4):
        return msgspec.structs.replace(facts, stage="done")
    told = f"its first kernels answer {total:g} and {square:g}, not {_ANSWER:g} and 12"
    return msgspec.structs.replace(facts, error=told)


def _main(name: str) -> LibraryTrial:
    try:
        if name == "torch":
            import torch

            return tried_torch(torch)
        import cupy

        return tried_cupy(cupy)
    except Exception as error:  # noqa: BLE001  how an import fails is the answer
        library: Library = "torch" if name == "torch" else "cupy"
        return LibraryTrial(library=library, stage="import", error=first_line(error))


if __name__ == "__main__":
    sys.stdout.buffer.write(b"\n" + msgspec.json.encode(_main(sys.argv[1])) + b"\n")
