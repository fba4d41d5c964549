"""Links of the documentation lead to something, and every page is reached by one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.pages import PAGES, ROOT, name_of, prose
from embed_outputs import PENDING

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as code hosts make them."""
    made = set()
    for title in _HEADING.findall(prose(page)):
        kept = re.sub(r"[^\w\- ]", "", title.lower())
        made.add(kept.strip().replace(" ", "-"))
    return made


def targets(page: Path) -> list[tuple[str, str]]:
    """Return path and anchor of each link into the repository."""
    found = _LINK.findall(prose(page))
    local = [link for link in found if not re.match(r"[a-z]+:", link)]
    return [(link.partition("#")[0], link.partition("#")[2]) for link in local]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_resolve(page: Path) -> None:
    """Every link to a file of the repository, and to a heading in it, leads somewhere."""
    broken = []
    for path, anchor in targets(page):
        target = (page.parent / path).resolve() if path else page
        pending = target.is_relative_to(ROOT) and str(target.relative_to(ROOT)) in PENDING
        missing = not target.exists() and not pending
        if missing or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(f"{path}#{anchor}")
    assert broken == []


def test_every_page_is_reached() -> None:
    """From the README every page of the documentation can be reached by links."""
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        linked = [(page.parent / path).resolve() for path, _ in targets(page) if path]
        waiting += [p for p in linked if p.suffix == ".md" and p.exists()]
    assert [name_of(p) for p in PAGES if p not in reached] == []
