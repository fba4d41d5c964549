"""Prints what the benchmarks found about the decision rule as tables.

``python tools/rule_table.py found FILE`` shows planted differences, ``told FILE`` the rounds that
were asked for, ``noise FILE FILE`` coverage and false winners by kind of simulated noise,
``winners FILE`` false winners in recordings that were held out, then in the others.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def details(name: str) -> dict[str, Any]:
    """Return the details of a result."""
    found: dict[str, Any] = json.loads(Path(name).read_text(encoding="utf-8"))["details"]
    return found


def found(name: str) -> None:
    """Print share settled and mean rounds by spread and factor, without and with an A/A pair."""
    one = details(name)
    factors = sorted({r["factor"] for r in one["with_aa"]})
    for title, key in (("with the margin of an A/A pair", "with_aa"), ("without", "without_aa")):
        print(title)
        print(f"{'spread of a round':<20}" + "".join(f"{f:>14g}" for f in factors))
        for low in sorted({r["spread_from"] for r in one[key]}):
            own = [r for r in one[key] if r["spread_from"] == low]
            high = own[0]["spread_below"]
            text = f"{100 * low:.0f} % and more" if high is None else (
                f"{100 * low:.0f} to {100 * high:.0f} %"
            )  # fmt: skip
            cells = (f"{100 * r['found']:.0f} % in {r['rounds']:.1f}" for r in own)
            print(f"{text:<20}" + "".join(f"{c:>14}" for c in cells))


def told(name: str) -> None:
    """Print how the rounds told turned out."""
    print(f"{'told after':<12}{'times':>8}{'enough':>9}{'told never':>12}{'yet found':>11}")
    for r in details(name)["told"]:
        enough = f"{100 * r['kept'] / r['times']:.0f} %" if r["times"] else "-"
        yet = f"{100 * r['found'] / r['never']:.0f} %" if r["never"] else "-"
        print(f"{r['at']:<12}{r['times']:>8}{enough:>9}{r['never']:>12}{yet:>11}")


def noise(covered: str, winners: str) -> None:
    """Print lowest coverage over the looks, and false winners, by kind of noise."""
    lowest, rates = details(covered)["lowest_by_noise"], details(winners)["rates"]
    print(f"{'noise':<18}{'lowest coverage':>17}{'at n':>6}{'false winners':>15}{'withheld':>10}")
    for kind, rate in rates.items():
        low = lowest[kind]
        print(
            f"{kind:<18}{100 * low['coverage']:>15.1f} %{low['n']:>6}"
            f"{100 * rate['rate']:>13.2f} %{100 * rate['withheld']:>8.1f} %"
        )


def winners(name: str) -> None:
    """Print false winners with and without an A/A pair, held-out recordings first."""
    one = details(name)
    print(
        f"{'recordings':<26}{'rounds':<13}{'cells':>5}{'comparisons':>13}{'winners':>9}{'bare':>6}"
    )
    for title, key in (("held out", "held_out"), ("chosen on", "chosen_on")):
        own = one["parts"][key]
        rows = [
            (rate, bare)
            for rate, bare in zip(one["rates"], one["without_aa"], strict=True)
            if rate["recording"] in own["recordings"]
        ]
        for rate, bare in rows:
            head = f"{title}: {rate['recording']}"
            print(_winners(head, rate["mode"], rate, bare["winners"]))
        print(_winners(f"{title}, all", "", own, sum(bare["winners"] for _, bare in rows)))


def _winners(head: str, mode: str, row: dict[str, Any], bare: int) -> str:
    return (
        f"{head:<26}{mode:<13}{row['cells']:>5}{row['comparisons']:>13,}"
        f"{row['winners']:>9}{bare:>6}"
    )


def main(way: str, *names: str) -> None:
    """Print one table."""
    {"found": found, "told": told, "noise": noise, "winners": winners}[way](*names)


if __name__ == "__main__":
    main(*sys.argv[1:])
