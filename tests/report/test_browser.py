"""Tests of the report in a headless Chromium: drawn, quiet on its console, nothing overflows."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from breakeven.report import charts
from breakeven.report.html import render
from breakeven.report.page import Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
    "--allow-file-access-from-files", "--enable-logging=stderr", "--v=0",
    "--virtual-time-budget=8000",
)  # fmt: skip
# A window cannot be narrower than 500 points, so that a frame of the wanted width is measured.
FRAME = """<!DOCTYPE html><html><head><link rel="icon" href="data:,"></head><body>
<iframe src="report.html" style="width:{width}px;height:900px;border:0"></iframe>
<script>
window.addEventListener("load", () => setTimeout(() => {{
  const inner = document.querySelector("iframe").contentDocument;
  const charts = [...inner.querySelectorAll("[data-chart]")];
  const wide = charts.filter(c => c.scrollWidth > c.clientWidth + 1).length;
  document.body.dataset.result = JSON.stringify({{
    client: inner.documentElement.clientWidth, scroll: inner.documentElement.scrollWidth,
    charts: charts.length, wide: wide,
    drawn: charts.filter(c => c.querySelectorAll("svg path").length > 8).length,
  }});
}}, 4000));
</script></body></html>
"""

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> str:
    """Return the path of a Chromium."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is installed")
    return found


def opened(browser: str, folder: Path, width: int) -> tuple[str, list[str]]:
    """Return the document after its scripts ran, and the lines on its console."""
    window = f"--window-size={max(width, 500) + 40},1000"
    command = [browser, *FLAGS, window, f"--user-data-dir={folder / 'profile'}", "--dump-dom",
               (folder / "frame.html").as_uri()]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("which", ["gpu_page", "cpu_page", "training_page"])
def test_the_report_draws_and_fits(
    browser: str, tmp_path: Path, request: pytest.FixtureRequest, which: str, width: int
) -> None:
    """From a file, every picture is drawn, the console stays empty, the body does not scroll."""
    page: Page = request.getfixturevalue(which)
    specs = charts.specs(page)
    (tmp_path / "report.html").write_text(render(page, specs), encoding="utf-8")
    (tmp_path / "frame.html").write_text(FRAME.format(width=width), encoding="utf-8")
    document, console = opened(browser, tmp_path, width)
    assert console == []
    result = re.search(r'data-result="([^"]+)"', document)
    assert result is not None, document[-400:]
    seen = dict(re.findall(r"(\w+)&quot;:(\d+)", result.group(1)))
    assert seen == {"client": str(width), "scroll": str(width), "charts": str(len(specs)),
                    "wide": "0", "drawn": str(len(specs))}  # fmt: skip
