"""What is remarked on the jobs of a run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from breakeven.engine.case_remarks import tell_facts
from breakeven.workloads.training.base import Facts


def _facts(*remarks: str) -> Facts:
    return Facts(
        model="mlp", data="digits", classes=10, image=(1, 8, 8), batch_size=8, steps_per_epoch=1,
        samples_per_epoch=8, train_samples=8, test_samples=8, parameters=1, remarks=remarks,
    )  # fmt: skip


def test_what_a_job_says_of_itself_is_told_once_a_workload() -> None:
    """Both sizes say it, one more than the other; a resumed run has said some of it already."""
    told: list[str] = ["train: pageable"]
    context: Any = SimpleNamespace(
        facts={
            "train": {8: _facts("pageable", "dropped"), 16: _facts("dropped", "not counted")},
            "infer": {8: _facts("pageable")},
        },
        sink=SimpleNamespace(record=lambda: SimpleNamespace(remarks=tuple(told))),
        remark=told.append,
    )
    tell_facts(context)
    assert told[1:] == ["train: dropped", "train: not counted", "infer: pageable"]
    tell_facts(context)
    assert len(told) == 4
