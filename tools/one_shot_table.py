"""What one-shot timing read in a run made with ``--naive``, with the price of each mistake."""

from __future__ import annotations

import sys
from pathlib import Path

from breakeven import lab, units
from breakeven.model.labels import axis
from breakeven.model.run import RunRecord

HEADS = ("once", "travels", "on device", "first call", "transfer", "no wait")


def table(record: RunRecord) -> list[str]:
    """Return the lines of the table, one row a reading."""
    first = record.naive[0].workload if record.naive else ""
    called = axis(first, record.spec)
    lines = [f"{called:>6}  {'entry':<13}" + "".join(f"{head:>11}" for head in HEADS)]
    for row in record.naive:
        cells = (
            row.one_shot_s,
            row.sound_transfer_s,
            row.sound_resident_s,
            row.first_call_s,
            row.transfer_s,
            row.missing_sync_s,
        )
        shown = "".join(f"{'-' if c is None else units.seconds(c):>11}" for c in cells)
        lines.append(f"{row.size:>6}  {row.entry:<13}{shown}")
    return lines


def main() -> None:
    """Print the table of the run document named first."""
    print("\n".join(table(lab.load(str(Path(sys.argv[1]))))))


if __name__ == "__main__":
    main()
