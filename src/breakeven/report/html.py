"""A page as one self-contained HTML file that opens offline."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from breakeven.report import charts, names
from breakeven.report.lines import glued
from breakeven.report.marks import Spec
from breakeven.report.training.theirs import SOURCE
from breakeven.report.view import Page

# Characters that end a script element or a line of script, as JSON escapes: a name in the
# record must stay text wherever it stands.
_IN_SCRIPT = {c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}

# A short name with hyphens, or an option of the command line.
_NAME = re.compile(r"(?<![\w-])(--[a-z-]{1,16}|\w{1,12}(?:-\w{1,8}){1,3})(?![\w-])")


def render(page: Page, specs: Mapping[str, Spec]) -> str:
    """Return the report as HTML text; the same page and versions give the same bytes.

    Parameters
    ----------
    page : Page
        What is shown; its tables carry every figure, so that the file reads without scripts.
    specs : mapping
        Pictures by name, as `breakeven.report.charts.specs` makes them.
    """
    template = _templates().get_template("report.html.j2")
    pictures = {w.name: charts.pictures_of(w.name, specs) for w in page.workloads}
    return template.render(
        page=page,
        pictures=pictures,
        over_time=[name for name in specs if name.startswith("timeline-")],
        titles={n: f"{s['title']['text']}. {s['title']['subtitle']}" for n, s in specs.items()},
        scope_titles=names.SCOPE_TITLES,
        source=SOURCE,
        specs=Markup(in_script(dict(specs))),  # noqa: S704 - escaped for a script element
        bundle=Markup(bundle() if specs else ""),  # noqa: S704 - the charts' own script
    )


def in_script(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return a value as JSON that is safe inside a script element."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for character, escape in _IN_SCRIPT.items():
        text = text.replace(character, escape)
    return text


@cache
def bundle() -> str:
    """Return the script that draws the pictures, about 0.9 MB; it needs no network."""
    import vl_convert  # noqa: PLC0415 - loaded only when a report is written

    script = vl_convert.javascript_bundle(
        "window.vegaEmbed=vegaEmbed;", vl_version=charts.vega_lite_version()
    )
    # The script's own strings may hold an end tag; inside a string <\/ means the same.
    return str(script).replace("</script", "<\\/script").replace("<!--", "<\\!--")


def firm(text: str) -> Markup:
    """Return text, escaped, that breaks no short name with hyphens and no number from its unit."""
    parts = _NAME.split(glued(text))
    # Every second part is a name: the pattern has one group.
    return Markup("").join(
        Markup('<span class="name">{}</span>').format(part) if i % 2 else part
        for i, part in enumerate(parts)
    )


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("breakeven.report"),
        autoescape=select_autoescape(["html", "j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["firm"] = firm
    return environment
