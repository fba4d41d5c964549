"""Where a training's processes leave their temporary files."""

from __future__ import annotations

from pathlib import Path

from breakeven.workloads.training.leftovers import INDUCTOR, variables


def test_temporary_files_go_to_the_folder_of_the_run() -> None:
    """What PyTorch compiles is kept there as well."""
    found = variables(Path("/some/run"), {})
    assert found == {"TMPDIR": "/some/run", INDUCTOR: "/some/run/torchinductor"}


def test_a_place_that_the_user_chose_for_compiled_code_is_kept() -> None:
    """It may hold what took minutes to compile."""
    assert INDUCTOR not in variables(Path("/run"), {INDUCTOR: "/elsewhere"})


def test_a_folder_with_a_name_too_long_for_sockets_is_not_taken() -> None:
    """A loader could not start its processes there."""
    found = variables(Path("/") / ("x" * 80), {})
    assert "TMPDIR" not in found
    assert INDUCTOR in found
