"""What work costs on a GPU beside a CPU, as text of 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven import units
from breakeven.model.cost import Cost, Prices
from breakeven.report.lines import wrapped
from breakeven.report.names import SCOPE_SHORT

WIDTH = 80


def text_of(run: str, prices: Prices, found: Sequence[Cost]) -> str:
    """Return text that ends with a newline: a line a case, after the prices that were given."""
    said = (
        f"{run}, priced as given: {units.significant(prices.cpu)} USD an hour for the CPU machine, "
        f"{units.significant(prices.gpu)} for the GPU machine, a ratio of "
        f"{units.ratio(prices.ratio)}."
    )
    lines = wrapped(said, WIDTH)
    if not found:
        lines += wrapped("No GPU entry was judged against the best CPU setting.", WIDTH)
    for one in sorted(found, key=lambda c: (c.verdict.workload, c.verdict.scope, c.verdict.size)):
        v = one.verdict
        at = f"{v.workload} {v.size}, {v.entry} ({SCOPE_SHORT[v.scope]}): {one.word}"
        share = units.spanned(*(units.ratio(x) for x in (one.share, one.low, one.high)))
        rule = units.spanned(*(units.ratio(x or 0.0) for x in (v.ratio, v.low, v.high)))
        text = f"{at}, costs {share} of the CPU; cheaper while the price ratio is below {rule}"
        lines += wrapped(text, WIDTH, first="- ")
    lines += wrapped(
        "Priced is the time of a call; not start-up, idle hours, or whoever waits.", WIDTH
    )
    return "\n".join(lines) + "\n"
