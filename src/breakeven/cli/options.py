"""Options that several subcommands share."""

from __future__ import annotations

from pathlib import Path

import click

store = click.option(
    "--store",
    type=click.Path(path_type=Path, file_okay=True),
    help="Folder of stored runs.  [default: ~/.local/share/breakeven/runs]",
)
as_json = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document; words go to stderr."
)
EXISTING_OR_NOT = click.Path(path_type=Path, dir_okay=False)
