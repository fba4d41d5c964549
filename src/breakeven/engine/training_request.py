"""From a user's words to a checked training: what `train` and `infer` do."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from breakeven.errors import InputError
from breakeven.model.spec import Precision, TrainingSpec
from breakeven.workloads.jobs import JOBS

MODELS = ("mlp", "cnn", "resnet18", "transformer")
DATA = ("digits", "synthetic")
OPTIMIZERS = ("adam", "adamw", "sgd")
PRECISIONS: dict[str, Precision] = {"fp32": "float32", "tf32": "tf32", "bf16": "bfloat16"}
IN_WORDS = {precision: word for word, precision in PRECISIONS.items()}
MOST_EPOCHS, MOST_WORKERS, MOST_PROCESSES, LARGEST_IMAGE = 10_000, 64, 64, 4096
UNITS_S = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "": 1.0}
_TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*")
_FACTORY = re.compile(r"(?P<file>.+\.py):(?P<name>[A-Za-z_][A-Za-z0-9_]*)")


class TrainingOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of ``train`` and ``infer`` as the user gave them; None was not given.

    Attributes
    ----------
    batch_sizes : str or sequence of int or None
        ``"64,128"``, ``"32:512"`` (each twice the last), or numbers.
    precision : sequence of str or None
        Of ``fp32``, ``tf32``, ``bf16``. In fp32 everything is measured; GPUs in the others too.
    gpus : str or sequence of int or None
        Numbers of processes.
    strategy : str or None
        ``ddp`` (a process for each GPU) or ``dp`` (one process for all).
    latency_limit : str or float or None
        ``"20ms"``, or seconds.
    """

    model: str | None = None
    data: str | None = None
    image_size: int | None = None
    batch_sizes: str | Sequence[int] | None = None
    epochs: int | None = None
    all_epochs: bool = False
    learning_rate: float | None = None
    optimizer: str | None = None
    precision: Sequence[str] | None = None
    compile: bool = False
    workers: int | None = None
    gpus: str | Sequence[int] | None = None
    strategy: str | None = None
    latency_limit: str | float | None = None

    def given(self) -> tuple[str, ...]:
        """Return the names of options that were given, as they stand on a command line."""
        plain = TrainingOptions()
        changed = (n for n in self.__struct_fields__ if getattr(self, n) != getattr(plain, n))
        return tuple(
            "--lr" if n == "learning_rate" else f"--{n.replace('_', '-')}" for n in changed
        )


def jobs_of(names: Sequence[str]) -> tuple[str, ...]:
    """Return which of some workloads are training jobs; all of them or none.

    Raises
    ------
    InputError
        If jobs stand beside array code: their sizes mean other things.
    """
    jobs = tuple(n for n in dict.fromkeys(names) if n in JOBS)
    others = [n for n in names if n not in JOBS]
    if jobs and others:
        raise InputError(
            f"{jobs[0]} and {others[0]} cannot be measured in one run: the sizes of "
            f"{jobs[0]} are batch sizes",
            f"run them one after the other: breakeven run {others[0]}; breakeven run {jobs[0]}",
        )
    return jobs


def training_of(asked: TrainingOptions, jobs: Sequence[str]) -> TrainingSpec | None:
    """Return the checked training of a run; None for a run without any.

    Raises
    ------
    InputError
        If an option belongs to training and there is none, or its value is wrong.
    """
    if not jobs:
        for name in asked.given():
            raise InputError(
                f"{name} is an option of train and infer", f"breakeven run train {name} ..."
            )
        return None
    if asked.latency_limit is not None and "infer" not in jobs:
        raise InputError("--latency-limit is an option of infer", "breakeven run infer ...")
    plain = TrainingSpec()
    return TrainingSpec(
        model=_model(asked.model or plain.model),
        data=_data(asked.data or plain.data),
        image_size=_whole(asked.image_size, "--image-size", LARGEST_IMAGE),
        epochs=_whole(asked.epochs, "--epochs", MOST_EPOCHS) or plain.epochs,
        learning_rate=_rate(asked.learning_rate, plain.learning_rate),
        optimizer=_optimizer(asked.optimizer or plain.optimizer),
        compile=asked.compile,
        workers=_whole(asked.workers, "--workers", MOST_WORKERS, least=0) or 0,
        gpus=_processes(asked.gpus),
        strategy=_strategy(asked.strategy),
        all_epochs=asked.all_epochs,
        latency_limit_s=None if asked.latency_limit is None else _limit_s(asked.latency_limit),
    )


def further_precisions(chosen: Sequence[str] | None) -> tuple[Precision, ...]:
    """Return the precisions that GPUs are measured in beside float32.

    Raises
    ------
    InputError
        If one is not known.
    """
    if chosen is None:
        return ()
    known = ", ".join(PRECISIONS)
    if not chosen:
        raise InputError("no precision was given", f"choose from: {known}")
    for name in chosen:
        if name not in PRECISIONS:
            raise InputError(f"no precision is called {name!r}", f"choose from: {known}")
    return tuple(p for word, p in PRECISIONS.items() if word in chosen and word != "fp32")


def factory_of(text: str) -> tuple[Path, str] | None:
    """Return file and name of ``FILE.py:FACTORY``; None for any other text."""
    found = _FACTORY.fullmatch(text)
    return None if found is None else (Path(found["file"]).expanduser(), found["name"])


def _model(text: str) -> str:
    _legible(text, "model")
    if text in MODELS:
        return text
    return _own(text, "model", f"choose from: {', '.join(MODELS)}, FILE.py:FACTORY")


def _data(text: str) -> str:
    _legible(text, "data")
    if text in DATA or (Path(text).expanduser().is_dir() and factory_of(text) is None):
        return text
    return _own(
        text, "data", f"choose from: {', '.join(DATA)}, a folder of images, FILE.py:FACTORY"
    )


def _legible(text: str, option: str) -> None:
    """Refuse a name whose bytes are no UTF-8: it could be neither stored nor told."""
    if not text.isprintable() or any("\ud800" <= c <= "\udfff" for c in text):
        shown = text.encode("utf-8", "replace").decode()
        raise InputError(f"--{option} {shown!r} cannot be written as text", "give it another name")


def _own(text: str, option: str, fix: str) -> str:
    found = factory_of(text)
    if found is None:
        raise InputError(f"--{option} {text} is not known", fix)
    if not found[0].is_file():
        raise InputError(f"--{option} {text}: the file {found[0]} does not exist", fix)
    return text


def _optimizer(text: str) -> Literal["adam", "adamw", "sgd"]:
    match text:
        case "adam" | "adamw" | "sgd":
            return text
        case _:
            raise InputError(
                f"no optimizer is called {text!r}", f"choose from: {', '.join(OPTIMIZERS)}"
            )


def _strategy(text: str | None) -> Literal["ddp", "data_parallel"]:
    match text:
        case None | "ddp":
            return "ddp"
        case "dp" | "data_parallel":
            return "data_parallel"
        case _:
            raise InputError(f"no strategy is called {text!r}", "choose from: ddp, dp")


def _whole(value: int | None, option: str, most: int, *, least: int = 1) -> int | None:
    if value is None or least <= value <= most:
        return value
    raise InputError(f"{option} {value} cannot be used", f"give from {least} to {most}")


def _rate(value: float | None, plain: float) -> float:
    if value is None:
        return plain
    if not (math.isfinite(value) and 0 < value <= 100):
        raise InputError(f"--lr {value} is no learning rate", "give one such as 0.001")
    return value


def _processes(given: str | Sequence[int] | None) -> tuple[int, ...]:
    if given is None:
        return ()
    parts = [p.strip() for p in given.split(",")] if isinstance(given, str) else list(given)
    numbers = [int(p) if str(p).isdecimal() and len(str(p)) < 4 else 0 for p in parts]
    for part, number in zip(parts, numbers, strict=True):
        if not 1 <= number <= MOST_PROCESSES:
            raise InputError(f"{part!r} in --gpus is no number of GPUs", "try --gpus 1,2")
    return tuple(sorted(set(numbers)))


def _limit_s(text: str | float) -> float:
    found = _TIME.fullmatch(str(text).lower())
    if not found or found[2] not in UNITS_S or float(found[1]) <= 0:
        raise InputError(f"--latency-limit {text} is no time", "try --latency-limit 20ms")
    return float(found[1]) * UNITS_S[found[2]]
