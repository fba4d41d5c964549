"""What the harness costs: the arithmetic of the row, and the pieces that it weighs."""

from __future__ import annotations

import own_cost

MEMORY = [{"backend": "numpy", "plain_bytes": 20 << 20, "worker_bytes": 30 << 20}]


def test_a_cheap_repeat_meets_the_target() -> None:
    """The row says what a repeat costs, and what a worker weighs beyond its library."""
    made = own_cost.result(1e-7, 2.9e-7, 4e-8, MEMORY, 31 << 20, {})
    assert made.met is True
    assert made.figure.startswith("290 ns a repeat, 100 ns of it the loop")
    assert "a worker adds 10.0 MiB at most" in made.figure


def test_a_dear_repeat_is_a_miss() -> None:
    """At 0.3 us and more the harness costs too much."""
    made = own_cost.result(1e-7, 3e-7, 4e-8, MEMORY, 31 << 20, {})
    assert made.met is False
    assert made.figure.startswith("300 ns a repeat")


def test_an_empty_repeat_costs_no_less_than_reading_the_clock() -> None:
    """The loop reads the clock twice around an empty call, so it reads at least that."""
    assert 0 < own_cost.clock_pair_s() <= own_cost.empty_call_s() * 1.5


def test_a_script_is_weighed_in_a_process_of_its_own() -> None:
    """A script that holds 64 MiB more is found that much heavier."""
    plain = own_cost.resident_bytes("x = 1")
    heavy = own_cost.resident_bytes("x = bytearray(64 << 20); x[::4096] = b'1' * len(x[::4096])")
    assert 50 << 20 < heavy - plain < 80 << 20
