"""What the paper found that asked the five questions: its figures, set beside ours as its own.

They are of the paper's training and machine: deep networks in PyTorch, 20 epochs at batch 64 and
128, two NVIDIA A6000 of 300 W each beside a CPU of many cores with 512 GB. One run each, without
intervals, profiled and timed at once.
"""

from __future__ import annotations

SOURCE = (
    "The paper: deep networks in PyTorch on two NVIDIA A6000 (300 W each) and a many-core CPU with "
    "512 GB, 20 epochs, one run without intervals. Other work on another machine: a mark to look "
    "at, nothing to be compared with."
)

SIZES = (64, 128)
"""Batch sizes that it trained with."""

FOUND = {
    "RQ1": "GPU utilisation up to 50 % at batch 64 and 70 % at batch 128; CPU utilisation high "
    "while data was loaded",
    "RQ2": "device memory 3.4 GB at batch 64 and 5 GB at batch 128; host memory 32 GB of 512 GB at "
    "either",
    "RQ3": "one GPU at 69 °C (batch 128) and 152 W of 300 W while the other drew 23 W; CPU at 60 "
    "to 70 °C throughout",
    "RQ4": "13 h on the CPU against 2 h on the GPU (20 epochs, batch 64): 6.5 times; test accuracy "
    "98 to 99 % on both",
    "RQ5": "5 s an image on the CPU against 2 to 3 s on the GPU: nearly all of that was something "
    "other than the network",
    "GPUs": "GPU:0 drew 152 W while GPU:1 drew 23 W: the load was not balanced",
}
