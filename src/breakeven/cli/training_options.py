"""Options of ``breakeven run train`` and ``breakeven run infer``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

# Parameters of the command, in the order of its help.
NAMES = (
    "model", "data", "image_size", "batch_sizes", "epochs", "all_epochs", "learning_rate",
    "optimizer", "precision", "compile", "workers", "gpus", "strategy", "latency_limit",
)  # fmt: skip


def _listed(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> list[str] | None:
    return None if value is None else [v.strip() for v in value.split(",") if v.strip()]


_OPTIONS = (
    click.option(
        "--model",
        metavar="NAME",
        help="train, infer: mlp, cnn, resnet18, transformer or FILE.py:FACTORY.  [default: cnn]",
    ),
    click.option(
        "--data",
        metavar="NAME",
        help="train, infer: digits, synthetic, a folder of images or FILE.py:FACTORY."
        "  [default: digits]",
    ),
    click.option("--image-size", type=int, help="train, infer: pixels of a side to resize to."),
    click.option(
        "--batch-sizes",
        metavar="LIST",
        help="train, infer: 32,64,128, or 32:512 (each twice the last).  [default: 64,128]",
    ),
    click.option("--epochs", type=int, help="train: of a whole training.  [default: 20]"),
    click.option(
        "--all-epochs", is_flag=True, help="train: run them all, and compare the accuracy."
    ),
    click.option("--lr", "learning_rate", type=float, help="train.  [default: 0.001]"),
    click.option("--optimizer", metavar="NAME", help="train: adam, adamw, sgd.  [default: adam]"),
    click.option(
        "--precision",
        callback=_listed,
        metavar="LIST",
        help="train, infer: also measure GPUs in these: tf32,bf16.  [default: fp32]",
    ),
    click.option("--compile", is_flag=True, help="train, infer: compile the model."),
    click.option(
        "--workers", type=int, help="train, infer: processes of the loader.  [default: 0]"
    ),
    click.option("--gpus", metavar="LIST", help="train: numbers of GPUs to compare: 1,2,4."),
    click.option(
        "--strategy",
        metavar="NAME",
        help="train: with --gpus, ddp (a process each) or dp (one for all).  [default: ddp]",
    ),
    click.option(
        "--latency-limit",
        metavar="TIME",
        help="infer: the largest batch whose 99th percentile keeps it: 20ms.",
    ),
)


def add(command: Command) -> Command:
    """Add all of them to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
