"""Rotating copies: how many, in what turn, and how they are proved cold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from breakeven.backends.base import Opening
from breakeven.backends.numpy import NumpyBackend
from breakeven.engine import cold_caches
from breakeven.engine.cold_caches import (
    CACHES,
    Rate,
    cold_times,
    copies_for,
    copy_rate,
    last_cache_bytes,
)
from breakeven.machine.memory import MemoryFacts
from records import machine

CACHE = 1 << 16
PROVED = Rate(1e10)


class _Clock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class _Scene:
    """NumPy on a clock of its own, with a call that is slow on inputs used for the first time."""

    def __init__(self, items: int = 1024) -> None:
        self.clock = _Clock()
        self.backend = NumpyBackend()
        self.opening = Opening(xp=np, version="", import_s=0.0, context_s=0.0, clock=self.clock)
        self.inputs = (np.arange(items, dtype=np.float32), np.ones(items, np.float32))
        self.used: list[int] = []

    def call(self, inputs: tuple[Any, ...]) -> None:
        """Take 2 s on inputs that were not the last ones, 1 s otherwise."""
        place = id(inputs[0])
        self.clock.now += 1.0 if self.used and self.used[-1] == place else 2.0
        self.used.append(place)
        assert all(np.array_equal(a, b) for a, b in zip(inputs, self.inputs, strict=True))

    def times(self, rate: Rate = PROVED, seconds: float = 100.0) -> Any:  # noqa: ANN401  a struct
        """Measure."""
        return cold_times(
            self.call, self.inputs, self.inputs, self.backend, self.opening,
            cache_bytes=CACHE, rate=lambda: rate, seconds=seconds,
        )  # fmt: skip


@given(st.integers(1, 1 << 40), st.integers(1, 1 << 34))
def test_the_others_pass_twice_the_cache_between_two_uses(size: int, cache: int) -> None:
    """All copies but one cover twice the cache, with no copy to spare."""
    count = copies_for(size, cache)
    assert count >= 2
    assert (count - 1) * size >= CACHES * cache
    assert count == 2 or (count - 2) * size < CACHES * cache


def test_hot_and_cold_are_told_apart() -> None:
    """Copies in turn take 2 s each, the same inputs again 1 s; extent and rate stand beside."""
    scene = _Scene()
    found = scene.times()
    assert (found.hot_s, found.cold_s) == (1.0, 2.0)
    assert found.copies == copies_for(8192, CACHE)
    assert found.cold_bytes == found.copies * 8192 > CACHES * CACHE
    assert found.copy_bytes_per_s == 1e10
    assert found.why is None


def test_copies_are_used_in_the_order_in_which_they_were_made() -> None:
    """No copy comes again before all others were used."""
    scene = _Scene()
    scene.times()
    count = copies_for(8192, CACHE)
    assert len(set(scene.used[:count])) == count
    assert scene.used[count : 2 * count] == scene.used[:count]


def test_memory_that_is_not_proved_cold_gives_no_figure() -> None:
    """Where the copy rate says nothing, there is its reason and neither hot nor cold."""
    scene = _Scene()
    found = scene.times(Rate(None, "unproven: so it is"))
    assert (found.hot_s, found.cold_s, found.why) == (None, None, "unproven: so it is")
    assert scene.used == []


def test_inputs_beyond_the_cache_are_not_rotated() -> None:
    """Inputs of over twice the cache find nothing there as it is."""
    found = _Scene(items=1 << 15).times()
    assert found.cold_s is None
    assert "more than twice the cache of 64.0 KiB" in found.why


@pytest.mark.parametrize(("most", "free"), [(1 << 15, None), (1 << 30, 1 << 17)])
def test_copies_are_bounded_in_memory(
    monkeypatch: pytest.MonkeyPatch, most: int, free: int | None
) -> None:
    """Beyond a bound, or a quarter of what is free, there is a reason instead."""
    monkeypatch.setattr(cold_caches, "BYTES_MOST", most)
    monkeypatch.setattr(cold_caches, "read_memory", lambda: MemoryFacts(None, free))
    assert "are taken at most, as free host memory allows" in _Scene().times().why
    scene = _Scene()
    assert "are taken at most" in str(copy_rate(scene.backend, scene.opening, CACHE).why)


def test_copies_are_bounded_in_number() -> None:
    """Tiny inputs would need more copies than are made."""
    assert "copies of its inputs would be needed" in _Scene(items=1).times().why


class _Copier:
    """An array library that negates at a given rate for each size."""

    def __init__(self, clock: _Clock, rates: dict[int, float]) -> None:
        self._clock = clock
        self._rates = rates

    def negative(self, source: Any, out: Any) -> None:  # noqa: ANN401  arrays
        """Let the time of the copy pass."""
        assert source is out
        self._clock.now += 2 * source.nbytes / self._rates[source.nbytes]


@pytest.mark.parametrize(("near", "known"), [(1e9, True), (1.2e9, True), (2e9, False)])
def test_a_rate_is_proved_by_twice_the_memory(near: float, known: bool) -> None:
    """Memory copied much faster than twice as much of it still lies in a cache."""
    scene = _Scene()
    copier = _Copier(scene.clock, {2 * CACHE: near, 4 * CACHE: 1e9})
    opening = Opening(xp=copier, version="", import_s=0.0, context_s=0.0, clock=scene.clock)
    found = copy_rate(scene.backend, opening, CACHE)
    assert (found.bytes_per_s is not None) == known
    assert found.bytes_per_s == (pytest.approx(near) if known else None)
    assert known or "unproven" in str(found.why)


def test_the_last_cache_is_that_of_the_highest_level() -> None:
    """Level counts before size; without caches nothing is known."""
    cpu = machine().cpu

    def seen(**caches: int) -> int | None:
        return last_cache_bytes(replace(cpu, caches_bytes=caches))

    assert seen(L1d=1 << 15, L3=1 << 25, L2=1 << 21) == 1 << 25
    assert seen(L1i=1 << 16, L1d=1 << 15, L2=4) == 4
    assert seen() is None


def test_the_last_caches_of_all_groups_of_cores_count() -> None:
    """Threads on several groups would find in one cache what another has lost."""
    cpu = replace(machine().cpu, caches_bytes={"L3": 1 << 25}, last_caches_bytes=6 << 25)
    assert last_cache_bytes(cpu) == 6 << 25
