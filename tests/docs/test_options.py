"""Commands and options named in the documentation exist."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import click
import pytest

from breakeven import lab
from breakeven.cli.main import COMMANDS, cli
from docs.pages import PAGES, blocks, name_of, prose

_SPAN = re.compile(r"`([^`\n]+)`")
_OPTION = re.compile(r"(?<![\w-])(?:--[a-z][\w-]*|-[a-z]\b)")


def options_of(name: str) -> set[str]:
    """Return the options of a subcommand, or of the group for an empty name."""
    command = importlib.import_module(f"breakeven.cli.{name}").command if name else cli
    own = {o for p in command.params if isinstance(p, click.Option) for o in p.opts}
    return own | {"--help", "-h"}


OPTIONS = {name: options_of(name) for name in ("", *COMMANDS)}
EVERY = set().union(*OPTIONS.values())


def snippets(page: Path) -> list[str]:
    """Return code spans, indented lines, and lines of blocks that nobody generated."""
    text = prose(page)
    found = [s for s in _SPAN.findall(text) if s.startswith(("breakeven ", "-"))]
    found += [line.strip() for line in text.splitlines() if line.startswith("    ")]
    found += [line for b in blocks(page) if not b.generated for line in b.lines]
    return found


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_options_exist(page: Path) -> None:
    """Each `breakeven` command and each option that a page names is one of the command line."""
    wrong = []
    for snippet in snippets(page):
        words = snippet.split("#")[0].split()
        if snippet.startswith("-"):
            wrong += [o for o in _OPTION.findall(snippet) if o not in EVERY]
        elif words[:1] == ["breakeven"] and len(words) > 1:
            name = "" if words[1].startswith("-") else words[1]
            known = OPTIONS.get(name)
            if known is None:
                wrong.append(snippet)
            else:
                wrong += [o for o in _OPTION.findall(snippet) if o not in known]
    assert wrong == []


def test_every_option_is_documented() -> None:
    """The page of each command shows its help, so that no option is missing from it."""
    for name in COMMANDS:
        page = next(p for p in PAGES if p.name == f"{name}.md")
        comments = [b.comment for b in blocks(page)]
        assert f"<!-- output: breakeven {name} --help -->" in comments


def test_every_argument_of_run_stands_in_the_page_on_python() -> None:
    """Those of trainings too, which Python takes by the names of their options."""
    page = next(p for p in PAGES if p.name == "python.md").read_text(encoding="utf-8")
    signature = inspect.signature(lab.run).parameters.values()
    own = [p.name for p in signature if p.kind is inspect.Parameter.KEYWORD_ONLY]
    wanted = [*own, *lab.TrainingOptions.__struct_fields__]
    assert [name for name in wanted if f"| `{name}` |" not in page] == []
