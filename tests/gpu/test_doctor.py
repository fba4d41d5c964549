"""The doctor on a machine with a GPU that works."""

from __future__ import annotations

import pytest

from breakeven.backends.first_kernel import try_libraries
from breakeven.lab.computer import doctor

pytestmark = pytest.mark.gpu


def test_first_kernels_answer_rightly() -> None:
    """Each GPU library that is installed runs its first kernels and answers rightly."""
    trials = try_libraries()
    assert trials
    assert [(t.library, t.error) for t in trials if t.stage != "done"] == []


def test_nothing_is_wrong_with_a_healthy_gpu_machine() -> None:
    """Where backends work, the doctor finds no fault of the GPU's set-up."""
    seen = doctor()
    assert seen.setup.boards
    assert [f for f in seen.findings if f.severity == "error"] == []
