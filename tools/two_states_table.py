"""Prints a result of ``benchmarks/two_states.py`` as a table."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from breakeven import units


def main(name: str) -> None:
    """Print one line for each size and way."""
    found = json.loads(Path(name).read_text(encoding="utf-8"))
    print(f"{found['gpu'] or 'no GPU'}, {found['cores']} cores, {found['date'][:10]}")
    print(
        f"{'pinned':<8}{'N':>6}{'slots':>7}{'two states':>12}{'busy':>6}{'median':>10}{'worst':>13}"
    )
    for row in found["rows"]:
        worst = f"{units.significant(row['worst_over_best'])} x best"
        print(
            f"{'yes' if row['pinned'] else 'no':<8}{row['size']:>6}{row['slots']:>7}"
            f"{row['two_states']:>12}{row['busy']:>6}{units.seconds(row['median_s']):>10}{worst:>13}"
        )


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
