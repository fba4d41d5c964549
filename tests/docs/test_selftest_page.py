"""The page about selftest states what the source tries, and how strictly."""

from __future__ import annotations

import pytest

from breakeven import units
from breakeven.analysis import checks, clock_checks, gates, trial_checks, trials
from breakeven.engine.plan import BASE_CALLS
from breakeven.engine.timers import READS
from breakeven.lab import lineup
from breakeven.stats.intervals import PRIOR_BELOW
from docs.pages import ROOT

PAGE = " ".join((ROOT / "docs" / "selftest.md").read_text(encoding="utf-8").split())


def short(seconds: float) -> str:
    """Return a bound as the page writes it: without digits that say nothing."""
    number, unit = units.seconds(seconds).split()
    return f"{float(number):g} {unit}"


@pytest.mark.parametrize(
    "words",
    [
        f"at most {gates.LOST_SHARE:.0%} of the slots".replace("%", " %"),
        f"at most {checks.TWO_STATES_SHARE:.0%} of the slots".replace("%", " %"),
        f"steal time was at most {checks.STEAL_CORES:g} cores",
        f"step of the clock is under {short(clock_checks.RESOLUTION_S)}, and of {units.whole(READS)}",
        f"within {100 * clock_checks.RATE_ERROR:g} %",
        (
            f"an empty call takes under {short(clock_checks.EMPTY_CALL_S)}, "
            f"a message to a worker under {short(clock_checks.MESSAGE_S)}"
        ),
        (
            f"a pair of events under {short(clock_checks.EVENT_PAIR_S)}, "
            f"an empty kernel under {short(clock_checks.EMPTY_KERNEL_S)}"
        ),
        f"the margin is under {trial_checks.USELESS_MARGIN:g} times",
        (
            f"within {100 * clock_checks.DEVICE_ERROR:g} % of its kernels in the driver's trace, or "
            f"within {short(clock_checks.DEVICE_ERROR_S)} for each of them"
        ),
        f"with {100 * trials.WALL_ERROR:g} % for the wall clock",
        f"{lineup.BUDGET_ALONE_S:g} s for NumPy alone, {lineup.BUDGET_S:g} s with PyTorch",
        f"`--quick` has {lineup.QUICK_S:g} s",
    ],
)
def test_bounds_are_those_of_the_source(words: str) -> None:
    """Each bound stands in the page as the source has it."""
    assert words in PAGE


def test_what_is_planted_is_what_the_page_says() -> None:
    """Ten calls stand beside eleven and twelve, for eight rounds at least."""
    assert (BASE_CALLS, sorted(lineup.PLANTED_CALLS), PRIOR_BELOW) == (10, [11, 12], 8)
    assert f"{lineup.BUDGET_GPU_S:.0f} s with a GPU" in PAGE
    assert f"up to {lineup.DEVICE_CLOCK_S:.0f} s a library" in PAGE
    assert [len(s) for s in (lineup.SIZES_TWO, lineup.SIZES_ALONE, lineup.SIZES_GPU)] == [
        4,
        8,
        3,
    ]
