"""Which line installs an extra: the one that works for how the package itself was installed."""

from __future__ import annotations

import pytest

from breakeven._installed import line_for, pip_line


@pytest.mark.parametrize(
    ("origin", "line"),
    [
        (None, "pip install 'breakeven[cpu]'"),
        ('{"dir_info": {"editable": true}, "url": "file:///a/checkout"}',
         "pip install -e '/a/checkout[cpu]'"),
        ('{"dir_info": {}, "url": "file:///my%20code"}', "pip install '/my code[cpu]'"),
        ('{"vcs_info": {"vcs": "git", "commit_id": "1"}, "url": "https://example.org/b.git"}',
         "pip install 'breakeven[cpu] @ git+https://example.org/b.git'"),
        ('{"archive_info": {}, "url": "file:///b.whl"}',
         "pip install 'breakeven[cpu] @ file:///b.whl'"),
        ("not what pip writes", "pip install 'breakeven[cpu]'"),
        ("[]", "pip install 'breakeven[cpu]'"),
    ],
)  # fmt: skip
def test_an_extra_comes_from_where_the_package_came_from(origin: str | None, line: str) -> None:
    """By its name alone pip would ask an index that may not have it."""
    assert line_for("cpu", origin) == line


def test_the_line_for_this_installation_names_the_extra() -> None:
    """It holds however these tests were installed."""
    assert "[parquet]'" in pip_line("parquet")
