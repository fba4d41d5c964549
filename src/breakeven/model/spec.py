"""What the user asked to have measured."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.ported import FunctionSpec

DType = Literal["float16", "bfloat16", "float32", "float64"]
Precision = Literal["float16", "bfloat16", "tf32", "float32", "float64"]
Effort = Literal["quick", "tour", "full"]


class OtherWork(msgspec.Struct, frozen=True, kw_only=True):
    """What one library does in a workload that the others do not: its time is of other work.

    Attributes
    ----------
    backend : str
        Which.
    computes_in : str or None
        The precision that it computes in, whatever it is given; None where it keeps its input's.
    also : str or None
        What it does besides, in words that follow its name.
    """

    backend: str
    computes_in: Precision | None = None
    also: str | None = None


class WorkloadSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One workload over an axis of sizes.

    Attributes
    ----------
    name : str
        A registered workload.
    sizes : tuple of int
        Sizes to measure, ascending.
    given : bool
        Whether the user named the sizes: they then come before those of the crossover's grid
        when time is short.
    axis : str or None
        What its size is called, such as ``"N"``; None in runs stored before it was.
    unlike : tuple of OtherWork
        Libraries that do other work in it than the rest.
    """

    name: str
    sizes: tuple[int, ...]
    given: bool = False
    axis: str | None = None
    unlike: tuple[OtherWork, ...] = ()


class TrainingSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A training, or inference with the trained kind of model.

    Attributes
    ----------
    model, data : str
        A built-in name, a folder of images (data), or ``FILE.py:FACTORY``.
    image_size : int or None
        Side that images are resized to, pixels; None leaves them as they are.
    epochs : int
        That a training takes; its time is told from measured steps unless `all_epochs`.
    optimizer : str
        ``adam``, ``adamw`` or ``sgd``.
    precision : str
        ``fp32``, ``tf32`` or ``bf16`` (autocast).
    compile : bool
        Whether the model is compiled.
    workers : int
        Processes of the loader; 0 loads in the step's own process.
    gpus : tuple of int
        Numbers of processes, a GPU each (or a share of the CPU), that are compared.
    strategy : str
        ``ddp`` (a process for each GPU) or ``data_parallel`` (one process for all of them).
    all_epochs : bool
        Whether every epoch is run, and the accuracy compared.
    latency_limit_s : float or None
        Inference: the longest p99 that is allowed.
    """

    model: str = "cnn"
    data: str = "digits"
    image_size: int | None = None
    epochs: int = 20
    learning_rate: float = 1e-3
    optimizer: Literal["adam", "adamw", "sgd"] = "adam"
    precision: Literal["fp32", "tf32", "bf16"] = "fp32"
    compile: bool = False
    workers: int = 0
    gpus: tuple[int, ...] = ()
    strategy: Literal["ddp", "data_parallel"] = "ddp"
    all_epochs: bool = False
    latency_limit_s: float | None = None


class RunSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One run: workloads, backends and how much effort to spend.

    Attributes
    ----------
    backends : tuple of str
        Backends to try, in the user's order; a name may stand twice (A/A by hand).
    explicit_backends : bool
        Whether the user named them: an unavailable one is then a warning, else a remark.
    budget_s : float
        Time that the whole run may take, seconds.
    rounds : int or None
        Rounds to measure; None lets the stop rule decide within the budget.
    precisions : tuple of str
        Further precisions that GPU entries are entered in, each as a variant of its own.
    pin : bool
        Whether each pool thread is pinned to a core of its own.
    ceilings : bool
        Whether the run measures the ceilings of the machine before its rounds.
    training : TrainingSpec or None
        What ``train`` and ``infer`` do; None where neither takes part.
    function : FunctionSpec or None
        The user's own function, where that is the workload.
    """

    workloads: tuple[WorkloadSpec, ...]
    backends: tuple[str, ...]
    explicit_backends: bool = False
    dtype: DType = "float32"
    effort: Effort = "tour"
    budget_s: float = 60.0
    rounds: int | None = None
    seed: int = 42
    naive: bool = False
    precisions: tuple[Precision, ...] = ()
    pin: bool = True
    ceilings: bool = False
    training: TrainingSpec | None = None
    function: FunctionSpec | None = None
