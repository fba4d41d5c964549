"""Words of stored results are made again from their details, and nothing else is touched."""

from __future__ import annotations

import msgspec

import crossover_right
import resample_rule
import restate
import results_file

COMPUTED = (crossover_right.ROW, resample_rule.FALSE_ROW, resample_rule.FOUND_ROW)
STORED = {r.row: r for r in results_file.read_all() if r.row in COMPUTED}


def test_stored_results_say_what_their_details_say() -> None:
    """Each committed result that was computed has the words of its command today."""
    assert sorted(STORED) == sorted(COMPUTED)
    assert [row for row, r in STORED.items() if restate.restated(r) != r] == []


def test_old_words_are_replaced_and_the_rest_stays() -> None:
    """A figure that counted less is told anew, with the date on which it was found."""
    found = STORED["crossover_right"]
    old = msgspec.structs.replace(found, figure="all are right", met=True)
    assert restate.restated(old) == found
    other = msgspec.structs.replace(found, row="intervals_cover", figure="as it was")
    assert restate.restated(other) == other
