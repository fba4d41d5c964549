"""How this package was installed, and so which line installs one of its extras."""

from __future__ import annotations

import json
import shlex
from importlib import metadata
from urllib.parse import unquote, urlsplit

PACKAGE = "breakeven"


def pip_line(extra: str) -> str:
    """Return the line that installs an extra of this package the way the package itself was.

    From a checkout it names its folder, from a repository its address: by its name alone pip would
    ask an index, which may not have it.
    """
    return line_for(extra, _origin())


def line_for(extra: str, origin: str | None) -> str:
    """Return the line for a package that came from `origin`.

    Parameters
    ----------
    origin : str or None
        What an installer noted in ``direct_url.json`` (PEP 610); None came from an index.
    """
    plain = f"pip install '{PACKAGE}[{extra}]'"
    if origin is None:
        return plain
    try:
        noted = json.loads(origin)
        address, kind = noted["url"], noted.get("vcs_info")
        folder, editable = noted.get("dir_info"), False
        if folder is not None:
            editable = bool(folder.get("editable"))
    except (ValueError, KeyError, TypeError, AttributeError):
        return plain
    if folder is not None and str(address).startswith("file:"):
        path = unquote(urlsplit(address).path)
        return f"pip install {'-e ' if editable else ''}{shlex.quote(f'{path}[{extra}]')}"
    source = f"{kind['vcs']}+{address}" if isinstance(kind, dict) and "vcs" in kind else address
    return f"pip install {shlex.quote(f'{PACKAGE}[{extra}] @ {source}')}"


def _origin() -> str | None:
    try:
        return metadata.distribution(PACKAGE).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return None
