"""The decision rule tried on recordings of identical work: false winners, and planted differences.

``python benchmarks/resample_rule.py`` draws comparisons from the recordings in benchmarks/data;
``python benchmarks/resample_rule.py FILE ...`` from others in one of the forms that
`recordings` reads. The words come from the package's own rule, look by look, with the margin of
an A/A pair drawn beside each comparison. Two results are written.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import recordings
import results_file
from breakeven.stats.intervals import lag_one_correlation
from calibration import (
    BY_SPREAD,
    CHOSEN,
    FACTORS,
    FEWER,
    LATER,
    TOLD_RIGHT,
    as_the_table,
)
from recordings import Cell, Mode
from verdicts_drawn import ROUNDS, WINNERS, Judged, bound, judge_all, share, told_right

MODES: tuple[Mode, ...] = ("consecutive", "random")
RATE = 0.005
# Workers that were not frozen while idle: their noise has a direction, which no rule cures.
UNFROZEN = "interleaved"
# Recordings that the constants of the rule were chosen on; all others took no part in that.
CHOSEN_ON = frozenset({"fresh", "frozen"})
FALSE_ROW, FOUND_ROW = "false_winners_resampled", "differences_resampled"


class Drawn(NamedTuple):
    """The comparisons drawn from one cell in one mode, by planted factor.

    Attributes
    ----------
    bare, session : dict
        Judged without an A/A pair, and with one as a session does.
    """

    cell: Cell
    mode: Mode
    bare: dict[float, list[Judged]]
    session: dict[float, list[Judged]]

    @property
    def name(self) -> str:
        """What the cell is called in a result."""
        return f"{self.cell.source} {self.cell.kind} {self.cell.size}"


Way = Callable[[Drawn], dict[float, list[Judged]]]


def in_session(one: Drawn) -> dict[float, list[Judged]]:
    """Return the comparisons judged with their A/A pair."""
    return one.session


def bare(one: Drawn) -> dict[float, list[Judged]]:
    """Return the comparisons judged without one."""
    return one.bare


def aa_cell(cell: Cell, cells: Sequence[Cell]) -> Cell | None:
    """Return the cell that the A/A pair beside a comparison is drawn from.

    Where two kinds were compared it is NumPy against itself at the same size, of the same machine.
    """
    if not cell.crossed:
        return cell
    machine, base = cell.source.rpartition("-")[2], cell.kind.partition("/")[0]
    own = [
        c
        for c in cells
        if c.kind in {base, "numpy"}
        and not c.crossed
        and c.size == cell.size
        and c.source.endswith(machine)
        and not c.source.startswith(UNFROZEN)
    ]
    return min(own, key=lambda c: (c.kind != base, c.source != cell.source, c.source), default=None)


def drawn(
    cell: Cell, mode: Mode, beside: Cell | None, trials: int, rng: np.random.Generator
) -> Drawn:
    """Draw comparisons of one cell, plant each factor, and judge them with and without an A/A."""
    values = recordings.draw(cell, ROUNDS, trials, rng, mode)
    aa = None if beside is None else recordings.draw(beside, ROUNDS, trials, rng, mode)
    equal = values[:, : cell.most_rounds]
    return Drawn(
        cell,
        mode,
        {1.0: judge_all(equal, None)} | {f: judge_all(values + math.log(f), None) for f in FACTORS},
        {1.0: judge_all(equal, aa)} | {f: judge_all(values + math.log(f), aa) for f in FACTORS},
    )


def group_of(cell: Cell) -> str:
    """Return the kind of recording that a cell comes from."""
    return cell.source.partition("-")[0]


def false_winners(found: Sequence[Drawn], way: Way) -> list[dict[str, Any]]:
    """Return the share of winners among equals, by kind of recording and mode."""
    rows = []
    for group in dict.fromkeys(group_of(d.cell) for d in found):
        for mode in MODES:
            own = [d for d in found if group_of(d.cell) == group and d.mode == mode]
            judged = [way(d)[1.0] for d in own]
            rates = [share(j, WINNERS) for j in judged]
            worst = max(rates)
            rows.append(
                {
                    "recording": group,
                    "mode": mode,
                    "cells": len(own),
                    "comparisons": sum(map(len, judged)),
                    "winners": sum(j.word in WINNERS for js in judged for j in js),
                    "rate": statistics.fmean(rates),
                    "worst": worst,
                    "worst_cell": own[rates.index(worst)].name if worst else None,
                    "withheld": statistics.fmean(share(j, frozenset({"withheld"})) for j in judged),
                }
            )
    return rows


def planted(found: Sequence[Drawn], way: Way) -> list[dict[str, Any]]:
    """Return share settled rightly, wrongly, and mean rounds, by spread and planted factor."""
    rows = []
    for place, chosen in enumerate(CHOSEN):
        own = [d for d in found if BY_SPREAD[place] <= d.cell.spread < BY_SPREAD[place + 1]]
        if not own:
            continue
        for factor, (was, rounds_were) in zip(FACTORS, chosen, strict=True):
            judged = [way(d)[factor] for d in own]
            rows.append(
                {
                    "spread_from": BY_SPREAD[place],
                    "spread_below": BY_SPREAD[place + 1] if place + 1 < len(CHOSEN) else None,
                    "factor": factor,
                    "cells": len({d.name for d in own}),
                    "found": statistics.fmean(share(j, frozenset({"faster"})) for j in judged),
                    "wrong": statistics.fmean(share(j, frozenset({"slower"})) for j in judged),
                    "rounds": statistics.fmean(j.rounds for js in judged for j in js),
                    "table_found": was,
                    "table_rounds": rounds_were,
                }
            )
    return rows


def told(found: Sequence[Drawn]) -> list[dict[str, int]]:
    """Return how the rounds told turned out, over all planted factors."""
    judged = [j for d in found for f in FACTORS for j in d.session[f]]
    return [row._asdict() for row in told_right(judged)]


def unfrozen(cells: Sequence[Cell], trials: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return the winners that the rule names among workers that were not frozen, sides kept.

    It shows that this command can fail: such noise has a direction.
    """
    own = [c._replace(crossed=True) for c in cells if c.source.startswith(UNFROZEN)]
    rates = {
        f"{c.source} {c.kind} {c.size}": share(
            judge_all(recordings.draw(c, ROUNDS, trials, rng, "random"), None), WINNERS
        )
        for c in own
    }
    worst = max(rates, key=lambda name: rates[name], default="")
    return {"cells": len(rates), "worst_cell": worst, "worst": rates.get(worst)}


def memory(cells: Iterable[Cell]) -> dict[str, Any]:
    """Return how far a round's ratio remembers the last one, over the cells of measured rounds."""
    known = [
        found
        for c in cells
        if not c.single and (found := lag_one_correlation(c.values.tolist())) is not None
    ]
    if not known:
        return {"cells": 0, "mean": None, "highest": None}
    return {"cells": len(known), "mean": statistics.fmean(known), "highest": max(known)}


def tried(
    cells: Sequence[Cell], trials: int, rng: np.random.Generator
) -> tuple[list[Drawn], list[str]]:
    """Draw from every cell in both modes; return that, and the cells that a gate withholds."""
    kept = [c for c in cells if not c.withheld and not c.source.startswith(UNFROZEN)]
    shut = [f"{c.source} {c.kind} {c.size}" for c in cells if c.withheld]
    rows = [drawn(c, m, aa_cell(c, kept), trials, rng) for c in kept for m in MODES]
    return rows, shut


def parts(rates: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the sums over recordings that took no part in choosing the rule, and over the rest.

    Returns
    -------
    dict
        ``held_out`` and ``chosen_on``: recordings, cells, comparisons and winners.
    """
    made = {}
    for name in ("held_out", "chosen_on"):
        own = [r for r in rates if (r["recording"] in CHOSEN_ON) == (name == "chosen_on")]
        cells = {r["recording"]: r["cells"] for r in own}
        made[name] = {
            "recordings": list(cells),
            "cells": sum(cells.values()),
            "comparisons": sum(r["comparisons"] for r in own),
            "winners": sum(r["winners"] for r in own),
        }
    return made


def false_words(details: dict[str, Any]) -> results_file.Words:
    """Return what the rates amount to, recordings that were held out first."""
    rates = details["rates"]
    highest = max(rates, key=lambda r: r["rate"])
    both = parts(rates)
    figure = (
        f"held out: {_part(both['held_out'])}; recordings that the rule was chosen on: "
        f"{_part(both['chosen_on'])}; highest {100 * highest['rate']:.2f} % "
        f"({highest['recording']}, {highest['mode']} rounds)"
    )
    return results_file.Words(
        "under 0.5 % of comparisons in every kind of recording, held out or not",
        figure,
        all(r["rate"] < RATE for r in rates),
        details | {"parts": both},
    )


def _part(one: dict[str, Any]) -> str:
    if not one["comparisons"]:
        return "none"
    share = 100 * one["winners"] / one["comparisons"]
    return (
        f"{share:.2f} % ({one['winners']:,} of {one['comparisons']:,}, drawn from "
        f"{one['cells']} cells)"
    )


def false_result(
    found: Sequence[Drawn], shut: Sequence[str], control: dict[str, Any]
) -> results_file.Result:
    """Return the result about false winners."""
    rates = false_winners(found, in_session)
    winners, total = sum(r["winners"] for r in rates), sum(r["comparisons"] for r in rates)
    said = false_words(
        {
            "rates": rates,
            "without_aa": false_winners(found, bare),
            "excluded_at_95": bound(winners, total),
            "withheld_cells": list(shut),
            "workers_not_frozen": control,
            "lag_one_correlation": memory([d.cell for d in found if d.mode == "random"]),
        }
    )
    return results_file.result(
        row=FALSE_ROW,
        claim="No false winners: recordings of identical work, resampled",
        **said._asdict(),
    )


def planted_words(details: dict[str, Any]) -> results_file.Words:
    """Return what the planted differences amount to, and the rounds told."""
    shares = []
    for factor in FACTORS:
        each = [r["found"] for r in details["with_aa"] if r["factor"] == factor]
        shares.append(f"{factor:g}: {100 * min(each):.0f}-{100 * max(each):.0f} %")
    right, like = details["told_right"], details["as_the_table"]
    said = "none were told" if right is None else f"right in {100 * right:.1f} %"
    return results_file.Words(
        f"by spread, at most {100 * FEWER:.0f} points fewer than the table of the calibration and "
        f"{LATER:g} round later; the rounds told are right in 95 %",
        f"settled by 20 rounds, noisiest to calmest, {', '.join(shares)}; as the table: "
        f"{'yes' if like else 'no'}; rounds told: {said}",
        like and right is not None and right >= TOLD_RIGHT,
        details,
    )


def planted_result(found: Sequence[Drawn]) -> results_file.Result:
    """Return the result about planted differences, and about the rounds told."""
    like, asked = planted(found, bare), told(found)
    times, kept = sum(r["times"] for r in asked), sum(r["kept"] for r in asked)
    never, after = sum(r["never"] for r in asked), sum(r["found"] for r in asked)
    said = planted_words(
        {
            "as_the_table": as_the_table(like),
            "without_aa": like,
            "with_aa": planted(found, in_session),
            "told": asked,
            "told_right": kept / times if times else None,
            "told_never_but_found": after / never if never else None,
        }
    )
    return results_file.result(
        row=FOUND_ROW,
        claim="Real differences are found: planted on recordings of identical work",
        **said._asdict(),
    )


def main() -> None:
    """Try the rule on recordings; write two results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--trials", type=int, default=300, help="comparisons a cell and mode")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=results_file.FOLDER)
    asked = parser.parse_args()
    files = asked.files or sorted(recordings.FOLDER.glob("*.jsonl.gz"))
    cells = [c for path in files for c in recordings.cells_of(path)]
    rng = np.random.default_rng(asked.seed)
    found, shut = tried(cells, asked.trials, rng)
    control = unfrozen(cells, asked.trials, rng)
    for one in (false_result(found, shut, control), planted_result(found)):
        results_file.write(results_file.path_of(one.row, one.machine, asked.out), one)
        print(f"{one.claim}\n  {one.figure}\n  target: {one.target}; met: {one.met}")


if __name__ == "__main__":
    main()
