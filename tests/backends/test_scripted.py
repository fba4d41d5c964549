"""A backend whose times are given in a file."""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven.backends.base import Opening
from breakeven.backends.scripted import STALL_S, ScriptedBackend, interpolate, read_script
from breakeven.errors import InputError, UnavailableError

CURVE = {8: 1e-3, 32: 1.6e-2}


def _play(folder: Path, seed: str = "", **fields: object) -> tuple[ScriptedBackend, Opening]:
    """Return an actor that is open and has a case of size 8."""
    path = folder / "cast.json"
    path.write_text(json.dumps({"actors": {"a": {"compute_s": {"matmul": CURVE}} | fields}}))
    backend = ScriptedBackend("scripted:a", read_script(path), seed)
    opening = backend.open()
    backend.begin_case("matmul", 8)
    return backend, opening


def _call(backend: ScriptedBackend, opening: Opening) -> float:
    begin = opening.clock()
    backend.synchronise()
    return opening.clock() - begin


def test_a_call_takes_what_the_script_says(tmp_path: Path) -> None:
    """Without noise every call takes the time of its size, and nothing else takes any."""
    backend, opening = _play(tmp_path)
    array = backend.to_device(np.ones((2, 2)))
    assert opening.clock() == 0.0
    assert [_call(backend, opening) for _ in range(3)] == pytest.approx([1e-3] * 3)
    backend.begin_case("matmul", 16)
    assert _call(backend, opening) == pytest.approx(4e-3)
    assert np.array_equal(backend.to_host(array), np.ones((2, 2)))


def test_a_journey_passes_once_a_call(tmp_path: Path) -> None:
    """Two inputs and one output travel for the time of one journey, half of it each way."""
    backend, opening = _play(tmp_path, device="cuda:0", journey_s={"matmul": {8: 6e-4}})
    for _ in range(2):
        begin = opening.clock()
        for _ in range(2):
            backend.to_device(np.ones(1))
        assert opening.clock() - begin == pytest.approx(3e-4)
        backend.to_host(np.ones(1))
        assert opening.clock() - begin == pytest.approx(6e-4)
        backend.synchronise()


def test_device_seconds_are_those_of_the_script(tmp_path: Path) -> None:
    """A GPU's own time is that of one call; a CPU has none."""
    _, on_gpu = _play(tmp_path, device="cuda:0")
    assert on_gpu.device_seconds is not None
    assert on_gpu.device_seconds(lambda: None) == pytest.approx(1e-3)
    assert _play(tmp_path)[1].device_seconds is None


def test_noise_is_from_call_to_call_and_spread_from_process_to_process(tmp_path: Path) -> None:
    """Each has the deviation that the script gives it, and follows from the seed."""
    backend, opening = _play(tmp_path, noise=0.1)
    logs = [math.log(_call(backend, opening) / 1e-3) for _ in range(2000)]
    assert statistics.stdev(logs) == pytest.approx(0.1, rel=0.1)
    effects = []
    for number in range(500):
        backend, opening = _play(tmp_path, seed=str(number), spread=0.1)
        effects.append(math.log(_call(backend, opening) / 1e-3))
    assert statistics.stdev(effects) == pytest.approx(0.1, rel=0.15)
    again = [_call(*_play(tmp_path, seed="7", spread=0.1)) for _ in range(2)]
    assert again[0] == again[1]


def test_stalls_add_whole_time_slices_for_their_share_of_time(tmp_path: Path) -> None:
    """Stalled calls take 8 ms more, many in a row."""
    backend, opening = _play(tmp_path, stall=0.5)
    times = [_call(backend, opening) for _ in range(2000)]
    slow = [t for t in times if t > 5e-3]
    assert slow == pytest.approx([1e-3 + STALL_S] * len(slow))
    assert 0.35 < sum(slow) / sum(times) < 0.65


def test_faults_are_errors_of_their_kind(tmp_path: Path) -> None:
    """Out of memory and unsupported are raised; a disagreeing answer is another answer."""
    faults = {"16": "out_of_memory", "32": "unsupported", "64": "disagree"}
    backend, _ = _play(tmp_path, faults=faults)
    with pytest.raises(MemoryError):
        backend.begin_case("matmul", 16)
    with pytest.raises(NotImplementedError):
        backend.begin_case("matmul", 32)
    backend.begin_case("matmul", 64)
    assert not np.array_equal(backend.to_host(np.ones(3)), np.ones(3))
    backend.begin_case("matmul", 8)
    assert np.array_equal(backend.to_host(np.ones(3)), np.ones(3))


def test_an_actor_that_fails_says_so(tmp_path: Path) -> None:
    """Opening fails with the words of the script."""
    with pytest.raises(UnavailableError, match="no kernel image"):
        _play(tmp_path, fails="no kernel image")


def test_products_are_real_and_computed_once(tmp_path: Path) -> None:
    """The answer is NumPy's; the same two arrays in a row are not multiplied again."""
    _, opening = _play(tmp_path)
    a, b = np.arange(4.0).reshape(2, 2), np.eye(2)
    first = opening.xp.matmul(a, b)
    assert np.array_equal(first, a @ b)
    assert opening.xp.matmul(a, b) is first
    assert opening.xp.matmul(b, a) is not first
    assert opening.xp.exp is np.exp


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"actors": {"a": {}}}', '{"actors": {"a": {"compute_s": {}, "colour": 1}}}',
     '{"actors": {"a": {"compute_s": {"matmul": {"8": 1}}, "faults": {"8": "explode"}}}}',
     '{"actors": {}}', '{"actors": {"a": {"compute_s": {"matmul": {"8": 0}}}}}',
     '{"actors": {"a": {"compute_s": {"matmul": {"8": -1}}}}}',
     '{"actors": {"a": {"compute_s": {"matmul": {"0": 1}}}}}',
     '{"actors": {"a": {"compute_s": {}, "start": {"import_s": -3}}}}',
     '{"actors": {"a": {"compute_s": {}, "spread": 9}}}'],
)  # fmt: skip
def test_what_is_no_script_is_refused(tmp_path: Path, text: str) -> None:
    """A slip of the pen is told, not passed over."""
    path = tmp_path / "cast.json"
    path.write_text(text)
    with pytest.raises(InputError, match="is no script"):
        read_script(path)


def test_a_script_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """A missing file, and a folder in its place, are told with the reason."""
    for path, why in ((tmp_path / "none", "cannot be read"), (tmp_path, "is no file")):
        with pytest.raises(InputError, match=why):
            read_script(path)


def test_a_workload_that_the_script_leaves_out_is_unsupported(tmp_path: Path) -> None:
    """It has no times, and no time at all would be a false one."""
    backend, _ = _play(tmp_path)
    with pytest.raises(NotImplementedError, match="no times for mlp"):
        backend.begin_case("mlp", 8)


@given(st.floats(1e-6, 1.0), st.floats(1e-6, 1.0), st.integers(1, 10_000))
def test_curves_pass_through_their_points_and_keep_their_slope(
    low: float, high: float, size: int
) -> None:
    """Between and beyond two points the curve is a power of the size."""
    points = {10: low, 1000: high}
    assert interpolate(points, 10) == pytest.approx(low)
    assert interpolate(points, 1000) == pytest.approx(high)
    slope = math.log(high / low) / math.log(100)
    assert interpolate(points, size) == pytest.approx(low * (size / 10) ** slope, rel=1e-6)


def test_one_point_is_flat_and_none_takes_no_time() -> None:
    """There is nothing to interpolate."""
    assert interpolate({8: 2.0}, 500) == 2.0
    assert interpolate({}, 500) == 0.0
