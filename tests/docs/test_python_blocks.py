"""Python shown in the documentation runs as it stands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from docs.pages import PAGES, ROOT, blocks, clean_environment, name_of

# A block that measures for long, or on a GPU, is only compiled.
NOT_RUN = ("<!-- slow -->", "<!-- needs a GPU -->")
WITH_PYTHON = [p for p in PAGES if any(b.language == "python" for b in blocks(p))]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=name_of)
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path) -> None:
    """Every Python block of a page runs in order, warnings being errors."""
    found = [b for b in blocks(page) if b.language == "python"]
    parts = []
    for block in found:
        source = "\n".join(block.lines) + "\n"
        compile(source, f"{name_of(page)}:{block.number}", "exec")
        if not block.generated and block.comment not in NOT_RUN:
            parts.append(source)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    script = tmp_path / "blocks.py"
    script.write_text("\n".join(parts), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=tmp_path,
        env=clean_environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout or not parts
