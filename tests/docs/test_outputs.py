"""The outputs shown in the documentation are what the commands print."""

from __future__ import annotations

from pathlib import Path

import pytest

import embed_outputs
from docs.pages import ROOT

PAGE = """# A page

<!-- output: breakeven --version -->
```text
old
```

<!-- recorded: breakeven doctor on a machine, 2026-11-30 -->
```text
kept
```
"""


def counted(request: embed_outputs.Request) -> list[str]:
    """Stand in for a command: three lines, cut as asked."""
    return ["one", "two", "three"][request.first - 1 : request.last]


# Each command of every page: no more than a guard against one that hangs.
@pytest.mark.timeout(900)
def test_every_page_shows_what_commands_print(capsys: pytest.CaptureFixture[str]) -> None:
    """No embedded block of any page differs from the command's real output."""
    code = embed_outputs.main(["--check"])
    assert code == 0, capsys.readouterr().out


def test_no_document_is_listed_as_missing_that_is_there() -> None:
    """A document that has arrived must leave the list of those that may be missing."""
    arrived = [name for name in embed_outputs.PENDING if (ROOT / name).exists()]
    assert arrived == [], "take them out of PENDING in tools/embed_outputs.py, and run it"


def test_a_block_is_replaced_by_output() -> None:
    """The block after a comment becomes the output, and nothing else of the page changes."""
    made = embed_outputs.embedded(PAGE, counted)
    assert made == PAGE.replace("old", "one\ntwo\nthree")


def test_lines_can_be_cut() -> None:
    """Of an output the lines that are named are shown, both ends included."""
    page = PAGE.replace("--version -->", "--version; lines 2-3 -->")
    assert "```text\ntwo\nthree\n```" in embed_outputs.embedded(page, counted)


def test_recorded_blocks_are_left_alone() -> None:
    """A block that depends on the machine keeps what was recorded."""
    assert "```text\nkept\n```" in embed_outputs.embedded(PAGE, counted)


def test_a_difference_fails_the_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A block that is out of date fails the check with its line, and the page stays as it was."""
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    assert embed_outputs.main(["--check", str(page)]) == 1
    assert "line 5 should read 'breakeven" in capsys.readouterr().out
    assert page.read_text(encoding="utf-8") == PAGE


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("breakeven report gone.json", "ended with 2, not 0"),
        ("breakeven --version; lines three", "unknown option 'lines three'"),
        ("curl example.org", "is not run here"),
    ],
)
def test_a_comment_that_cannot_be_served_fails(comment: str, said: str) -> None:
    """A command that fails, an option that is unknown and a foreign program are named."""
    page = PAGE.replace("breakeven --version", comment)
    with pytest.raises(embed_outputs.EmbedError, match=said):
        embed_outputs.embedded(page)


def test_a_comment_without_a_block_fails() -> None:
    """A comment that no fenced block follows is an error, not a page that silently ages."""
    with pytest.raises(embed_outputs.EmbedError, match="no fenced block"):
        embed_outputs.embedded("<!-- output: breakeven --version -->\ntext\n", counted)


def test_a_missing_document_is_tolerated_only_while_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A block of a document that is missing stays as it is if it is listed, and fails if not."""
    page = PAGE.replace("breakeven --version", "breakeven report examples/gone.json")
    monkeypatch.setattr(embed_outputs, "PENDING", ("examples/gone.json",))
    assert embed_outputs.embedded(page) == page
    monkeypatch.setattr(embed_outputs, "PENDING", ())
    with pytest.raises(embed_outputs.EmbedError, match="ended with 2"):
        embed_outputs.embedded(page)
