"""From the facts about a computer to what has to be installed, before anything is touched."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from setup_facts import CUPY, Facts, Library

OLDEST_TORCH = (2, 4)
# Rough megabytes to download, to tell the user; what is not named is under a megabyte.
_MEGABYTES = {
    "cupy-cuda12x": 1400,
    "cupy-cuda13x": 1400,
    "mypy": 14,
    "numpy": 17,
    "ruff": 11,
    "scikit-learn": 45,
    "vl-convert-python": 32,
}
_TORCH_CPU_MB, _TORCH_CUDA_MB = 200, 3000


@dataclass(frozen=True)
class Plan:
    """What will be done.

    `requirements`, `tools` (the gate's) and `constraints` are given to pip; `links` are folders of
    packages that the environment will see after its own; `asks` says that the download is one to
    think about; `blocked` says why nothing can be made.
    """

    extra: str
    requirements: tuple[str, ...]
    tools: tuple[str, ...]
    constraints: tuple[str, ...]
    links: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    megabytes: int = 0
    asks: bool = False
    with_pip: bool = True
    blocked: str = ""

    def summary(self, venv: Path) -> str:
        """Return what the user reads before anything is downloaded."""
        lines = [
            f"Setting up {venv.name} ({self.extra}); this is done once.",
            *(f"  {note}" for note in self.notes),
        ]
        if self.missing:
            lines += [
                f"  To install: {', '.join(self.missing)}.",
                f"  To download: {self._size()}.",
            ]
        return "\n".join(lines)

    def _size(self) -> str:
        mega = self.megabytes
        size = f"{mega} MB" if mega < 1000 else f"{mega / 1000:.1f} GB"
        return f"{'up to' if self.asks else 'roughly'} {size}, less what pip has kept"


def read_project(root: Path) -> dict[str, Any]:
    """Return the project table and build requirements of pyproject.toml, with the constraints."""
    import tomllib  # noqa: PLC0415  an older Python has none, and is told so before

    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    constraints = (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line.partition("#")[0].strip() for line in constraints]
    return tomllib.loads(text) | {"constraints": [pin for pin in pins if pin]}


def make_plan(project: dict[str, Any], facts: Facts, *, torch: str = "", dev: bool = False) -> Plan:
    """Return what to install here.

    Parameters
    ----------
    project : dict
        As `read_project` gives it.
    facts : Facts
        What the computer has.
    torch : str
        The user's own choice of PyTorch: a requirement or a path; empty for none.
    dev : bool
        Whether the tools of the gate are wanted.
    """
    extra, extra_note = choose_extra(facts.cuda)
    wanted = list(project["project"]["optional-dependencies"][extra])
    notes, links = [extra_note], []
    torch_want, torch_from, torch_notes = _torch(wanted, facts, torch)
    cupy_want, cupy_from, cupy_notes = _cupy(wanted, facts)
    notes += torch_notes + cupy_notes
    links += [lib.folder for lib in (torch_from, cupy_from) if lib is not None]
    requirements = [*project["project"]["dependencies"], *torch_want, *cupy_want]
    tools = project["project"]["optional-dependencies"]["dev"] if dev else []
    # Installed beforehand, so that installing the project itself needs no network.
    requirements += [*project["build-system"]["requires"], "editables"]
    # A pin must neither replace the PyTorch that is there nor forbid the one that was chosen;
    # the pinned one is built for CUDA 13.
    pinned = torch_from is None and not torch and extra != "cuda12"
    pins = [pin for pin in project["constraints"] if pinned or _name(pin) != "torch"]
    everything = [*requirements, *tools]
    missing = [r for r in everything if _name(r) not in facts.present]
    downloads_torch = bool(torch_want) and not torch and "torch" not in facts.present
    heavy = downloads_torch and (facts.cuda is not None or facts.platform == "linux")
    return Plan(
        extra=extra,
        requirements=tuple(requirements),
        tools=tuple(tools),
        constraints=tuple(pins),
        links=tuple(dict.fromkeys(links)),
        notes=tuple(note for note in notes if note),
        missing=tuple(torch if r == torch else _name(r) for r in missing),
        megabytes=_megabytes(missing, heavy=heavy, torch=downloads_torch),
        asks=downloads_torch and facts.cuda is None and facts.platform == "linux",
        with_pip=facts.has_ensurepip,
        blocked=_blocked(facts),
    )


def choose_extra(cuda: tuple[int, int] | None) -> tuple[str, str]:
    """Return the extra for the newest CUDA that the driver serves, with a line about it."""
    if cuda is None:
        return "cpu", "No NVIDIA driver with a GPU was found: CPU only, without CuPy."
    told = f"The NVIDIA driver serves CUDA up to {cuda[0]}.{cuda[1]}"
    if cuda[0] < 12:
        return "cpu", f"{told}, and CUDA 12 is needed: CPU only until the driver is updated."
    return ("cuda12" if cuda[0] == 12 else "cuda13"), f"{told}."


def _torch(
    wanted: list[str], facts: Facts, choice: str
) -> tuple[list[str], Library | None, list[str]]:
    """Return what to install as PyTorch, which one there is to use, and what to say about it."""
    if choice:
        return (
            [choice],
            None,
            [f"PyTorch will be installed as you chose ({choice}), its size not counted."],
        )
    default = [r for r in wanted if _name(r) == "torch"]
    here = facts.libraries.get("torch")
    if here is None:
        return default, None, [] if "torch" in facts.present else _no_torch(facts)
    if _numbers(here.version) < OLDEST_TORCH:
        old = f"Your Python's PyTorch {here.version} is too old; a newer one joins it here."
        return default, None, [old, *_no_torch(facts)]
    notes = [f"Your Python's PyTorch {here.version} will be used; none is downloaded."]
    if facts.cuda is not None and here.cuda is None:
        notes.append(
            "It is a CPU build: the GPU stays idle in PyTorch. Choose: make run TORCH=torch"
        )
    elif facts.cuda is not None and here.cuda is not None and here.cuda > facts.cuda[0]:
        notes.append(
            f"It is built for CUDA {here.cuda}, newer than the driver: its GPU part cannot work."
        )
    return [], here, notes


def _no_torch(facts: Facts) -> list[str]:
    if facts.cuda is not None:
        return ["Your Python has no PyTorch: a build for CUDA will be downloaded, some GB."]
    if facts.platform != "linux":
        return ["Your Python has no PyTorch: it will be downloaded."]
    return [
        "Your Python has no PyTorch: it will be downloaded. On Linux `pip install torch` may bring",
        "a build for CUDA of several GB, of no use without a GPU. To have the CPU build instead,",
        "stop here and install it into your Python as PyTorch's own instructions say (CPU), then",
        "call make again; or name it: make run TORCH=torch-....whl (a file, or a requirement).",
    ]


def _cupy(wanted: list[str], facts: Facts) -> tuple[list[str], Library | None, list[str]]:
    """Return what to install as CuPy, which one there is to use, and what to say about it."""
    default = [r for r in wanted if _name(r) in CUPY]
    if not default or facts.cuda is None:
        return [], None, []
    here = [facts.libraries[name] for name in CUPY if name in facts.libraries]
    fitting = [lib for lib in here if (_cupy_major(lib.name) or 0) <= facts.cuda[0]]
    if fitting:
        return [], fitting[-1], [f"Your Python's CuPy {fitting[-1].version} will be used."]
    notes = ["CuPy comes with the CUDA libraries that it needs."]
    if here:
        notes.insert(0, f"Your Python's {here[0].name} is for a newer CUDA than the driver serves.")
    return default, None, notes


def _cupy_major(name: str) -> int | None:
    """Return the CUDA major version in a name such as cupy-cuda12x."""
    match = re.fullmatch(r"cupy-cuda(\d+)x", name)
    return int(match.group(1)) if match else None


def _blocked(facts: Facts) -> str:
    """Return why no environment can be made here, with exactly what to install; else nothing."""
    if facts.has_ensurepip or facts.has_pip:
        return ""
    version = "{}.{}".format(*facts.python)
    return (
        f"this Python {version} has neither ensurepip nor pip, so it cannot fill an environment; "
        f"on Debian or Ubuntu: apt-get install python{version}-venv; or name another Python: "
        "make run PYTHON=..."
    )


def _megabytes(requirements: list[str], *, heavy: bool, torch: bool) -> int:
    total = 10 + sum(_MEGABYTES.get(_name(r), 0) for r in requirements)
    if not torch:
        return total
    if heavy:
        # PyTorch's CUDA libraries are CuPy's too.
        shared = sum(_MEGABYTES[n] - 100 for n in map(_name, requirements) if n.startswith("cupy"))
        return total + _TORCH_CUDA_MB - shared
    return total + _TORCH_CPU_MB


def _name(requirement: str) -> str:
    """Return the distribution's name in a requirement."""
    match = re.match(r"[A-Za-z0-9][A-Za-z0-9._-]*", requirement)
    return re.sub(r"[-_.]+", "-", match.group(0)).lower() if match else requirement


def _numbers(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: 2.11.0+cu130 gives (2, 11)."""
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:2])
