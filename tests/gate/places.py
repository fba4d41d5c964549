"""Where the project lies, for tests that run its tools."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run_tool(*arguments: str, cwd: Path = ROOT, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments and `text` to read; return how it ended."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
