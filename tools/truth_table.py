"""The tables of docs/truth.md, from the result files in benchmarks/results.

``python tools/truth_table.py`` prints each claim with what was found on each kind of machine;
``--clocks`` the device clock beside the public harnesses; ``--crossovers`` the scripted crossovers.
"""

from __future__ import annotations

import argparse
import json
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from breakeven import units

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "benchmarks" / "results"
WIDTH = 80
Kind = Literal["gpu", "cpu"]
KINDS: dict[Kind, str] = {"gpu": "a machine with an NVIDIA GPU", "cpu": "a CPU-only machine"}
# Where a result was first written says nothing about how it was made.
_OUT = re.compile(r" --out(?: |=)\S+")
_HARD_SPACE = "\u00a0"
WORDS = {True: "met", False: "MISSED", None: "open"}


class Row(NamedTuple):
    """A row of the table: what is claimed, and the kinds of machine that it is shown on.

    A row that is computed, and not measured, is shown on either.
    """

    name: str
    title: str
    kinds: tuple[Kind, ...] = ("gpu", "cpu")
    computed: bool = False


ROWS = (
    Row("device_clock", "The device clock is true", ("gpu",)),
    Row("wall_clock", "The wall clock is true"),
    Row("own_cost", "Own cost"),
    Row("sampler_cost", "Sensors cost little"),
    Row("sampler_soak", "A recording of hours stays small", computed=True),
    Row("energy_cross_check", "Energy by two ways", ("gpu",)),
    Row("busy_share", "The busy share of a trace is true", ("gpu",)),
    Row("training_phases", "The phases of a training step"),
    Row("digits_accuracy", "A training on two devices is one training"),
    Row("ported_public", "Functions of public code run unmodified"),
    Row("no_false_winners", "No false winners, in new sessions of the same work"),
    Row(
        "false_winners_resampled",
        "No false winners, in recordings drawn again, held out and not",
        computed=True,
    ),
    Row("false_winners_simulated", "No false winners, in simulated noise", computed=True),
    Row("real_differences", "Real differences found, planted in sessions"),
    Row("differences_resampled", "Real differences found, planted in recordings", computed=True),
    Row("intervals_cover", "Intervals cover", computed=True),
    Row("crossover_right", "The crossover is right, on scripted curves", computed=True),
    Row("dense_reference", "The crossover is right, beside a dense sweep", ("gpu",)),
    Row("answer_quick", "The answer is quick"),
    Row("selftest", "A machine that is not fit to be believed is told"),
    Row("identical_work", "How far rounds and sessions of the same work differ"),
)
COLUMNS = {
    "cupti": "CUPTI",
    "queued": "queued",
    "graph": "graph",
    "nvbench_cold": "NVB cold",
    "nvbench_batch": "NVB bat.",
    "do_bench": "do_bench",
    "torch_benchmark": "torch.ub",
    "cupyx": "cupyx",
    "latency": "latency",
    "wall": "wall",
}


def results(folder: Path = FOLDER) -> list[dict[str, Any]]:
    """Return every result in a folder, by file name; files that are none are passed over."""
    found = []
    for path in sorted(folder.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(document, dict) and {"row", "claim", "met"} <= document.keys():
            found.append(document)
    return found


def kind_of(result: dict[str, Any]) -> Kind:
    """Return the kind of machine that a result was found on."""
    return "cpu" if result["machine"]["gpu"] is None else "gpu"


def table(found: Sequence[dict[str, Any]]) -> list[str]:
    """Return all rows: what was found, a miss as a miss, and what is not measured yet."""
    lines: list[str] = []
    for row in ROWS:
        own = [r for r in found if r["row"] == row.name]
        lines += [*_heading(row, own), *(line for r in own for line in _told(r))]
        there = {kind_of(r) for r in own}
        if row.computed:
            missing = [] if there else ["any machine: it is computed"]
        else:
            missing = [KINDS[k] for k in row.kinds if k not in there]
        lines += [f"  not yet measured on {m}" for m in missing]
        lines.append("")
    known = {row.name for row in ROWS}
    for result in found:
        if result["row"] not in known:
            lines += [result["claim"], *_told(result), ""]
    return lines[:-1]


def _heading(row: Row, own: Sequence[dict[str, Any]]) -> list[str]:
    lines = [row.title]
    for target in dict.fromkeys(r["target"] for r in own):
        lines += _wrapped(f"target: {target}", "  ")
    return lines


def _told(result: dict[str, Any]) -> list[str]:
    word = WORDS[result["met"]]
    busy = "; other work ran meanwhile" if result.get("details", {}).get("busy") else ""
    where = f"{result['machine']['name']}, {result['date'][:10]}{busy}"
    return [
        *_wrapped(f"{word:<6}  {where}", "  ", "          "),
        *_wrapped(result["figure"], "          "),
        *_wrapped(_OUT.sub("", result["command"]), "          "),
    ]


def _wrapped(text: str, indent: str, later: str | None = None) -> list[str]:
    # A share stays beside its sign.
    kept = text.replace(" %", f"{_HARD_SPACE}%")
    lines = textwrap.wrap(
        kept, WIDTH, initial_indent=indent, subsequent_indent=later or indent,
        break_on_hyphens=False, break_long_words=False,
    )  # fmt: skip
    return [line.replace(_HARD_SPACE, " ") for line in lines]


def clocks(found: Sequence[dict[str, Any]]) -> list[str]:
    """Return the cases of the device clock's result by clock, microseconds."""
    own = [r for r in found if r["row"] == "device_clock"]
    if not own:
        return [f"not yet measured on {KINDS['gpu']}"]
    lines: list[str] = []
    for result in own:
        rows = result["details"]["rows"]
        lines.append(f"{result['machine']['name']}, {result['date'][:10]}, microseconds")
        lines.append(f"{'case':<15}" + "".join(f"{head:>9}" for head in COLUMNS.values()))
        for row in rows:
            name = f"{row['library'].partition('-')[0]} {row['case']}"
            cells = "".join(f"{_us(row['seconds'].get(key)):>9}" for key in COLUMNS)
            lines.append(f"{name[:15]:<15}{cells}")
        lines += _reasons(rows)
    return lines


def _us(seconds: float | None) -> str:
    return "-" if seconds is None else units.significant(seconds * 1e6)


def _reasons(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return why clocks have no figure, each reason once."""
    told: dict[tuple[str, str], None] = {}
    for row in rows:
        told |= dict.fromkeys(row["why"].items())
    return [
        line
        for key, why in told
        for line in _wrapped(f"{COLUMNS[key]}: {why}", "", "    ")
    ]  # fmt: skip


def crossovers(found: Sequence[dict[str, Any]]) -> list[str]:
    """Return what the search made of each kind of scripted curve, then of each noise."""
    own = [r for r in found if r["row"] == "crossover_right"]
    if not own:
        return ["not yet measured on any machine: it is computed"]
    details = own[-1]["details"]
    head = f"{'holds':>14}{'within 5 %':>12}{'width':>7}"
    lines = [f"{'run':<7}{'curve':<9}{'right word':>12}{head}"]
    for row in details["by_kind"]:
        right = _of(row["right_kind"], row["crossings"])
        lines.append(f"{row['effort']:<7}{row['kind']:<9}{right:>12}{_cells(row)}")
    lines += ["", f"{'run':<7}{'spread':<9}{'':>12}{head}"]
    for row in details["by_noise"]:
        spread = f"{100 * row['spread']:.0f} %"
        lines.append(f"{row['effort']:<7}{spread:<9}{'':>12}{_cells(row)}")
    return lines


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}"


def _cells(row: dict[str, Any]) -> str:
    if not row["brackets"]:
        return f"{'-':>14}{'-':>12}{'-':>7}"
    near = "-" if row["near_share"] is None else f"{100 * row['near_share']:.1f} %"
    width = "-" if row["median_factor"] is None else f"{row['median_factor']:.2f}"
    return f"{_of(row['held'], row['brackets']):>14}{near:>12}{width:>7}"


def main(words: Sequence[str] | None = None) -> None:
    """Print the table that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clocks", action="store_true")
    parser.add_argument("--crossovers", action="store_true")
    asked = parser.parse_args(words)
    found = results()
    lines = (
        clocks(found) if asked.clocks else crossovers(found) if asked.crossovers else table(found)
    )
    print("\n".join(lines))


if __name__ == "__main__":
    main()
