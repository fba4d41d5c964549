"""The sampler as a process: its recording, its end, and what becomes of it when it is killed."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from breakeven.sensors.recording import KILLED, read_recording
from breakeven.sensors.sampler import Sampler, SamplingPlan

PLAN = SamplingPlan(fast_s=0.01, slow_s=0.05, gpus=False)


def _busy(seconds: float) -> None:
    """Use so much CPU time: the tree has something to show."""
    import time

    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(1000))


def test_a_recording_holds_what_this_process_did(tmp_path: Path) -> None:
    """Cores, memory and the sampler's own cost are there, on this process's clock."""
    import time

    begin = time.perf_counter()
    with Sampler(PLAN, tmp_path, os.getpid()) as sampler:
        _busy(0.3)
        found = sampler.finish()
    end = time.perf_counter()
    series = {s.sensor: s for s in found.timeline}
    cores = series["tree.cpu_cores"]
    assert max(v for v in cores.value if v is not None) > 0.1
    assert begin <= found.began_s <= cores.t_s[0] <= cores.t_s[-1] <= found.ended_s <= end
    rss = series["tree.rss_bytes"].value[-1]
    assert rss is not None
    assert rss > 1 << 20
    assert found.cost is not None
    assert found.cost.samples >= 2
    assert found.cost.cpu_s > 0
    assert found.cost.rss_bytes is not None
    assert found.ended_early is None
    assert found == sampler.finish()


def test_a_killed_sampler_leaves_what_it_had_read(tmp_path: Path) -> None:
    """Its recording is there up to then, says that it was cut short, and by which signal."""
    with Sampler(PLAN, tmp_path, os.getpid()) as sampler:
        _busy(0.2)
        assert sampler.pid is not None
        os.kill(sampler.pid, signal.SIGKILL)
        found = sampler.finish()
    assert found.ended_early == f"{KILLED} (signal 9)"
    assert found.timeline
    assert read_recording(sampler.path).timeline == found.timeline


def test_a_sampler_told_to_end_by_someone_else_says_so(tmp_path: Path) -> None:
    """SIGTERM has it take a last sample, write its end and say who ended it."""
    with Sampler(PLAN, tmp_path, os.getpid()) as sampler:
        _busy(0.1)
        assert sampler.pid is not None
        os.kill(sampler.pid, signal.SIGTERM)
        assert sampler._process is not None
        sampler._process.wait(timeout=20)
        found = sampler.finish()
    assert found.ended_early == "the sampler was ended by SIGTERM"
    assert found.cost is not None


ORPHAN = """
import os, sys, threading
from pathlib import Path
from breakeven.sensors.sampler import Sampler, SamplingPlan
plan = SamplingPlan(fast_s=0.01, slow_s=0.05, gpus=False)
sampler = Sampler(plan, Path(sys.argv[1]), os.getpid())
"""


def _ended(pid: int) -> None:
    """Wait until a process that is not ours has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    readable, _, _ = select.select([descriptor], [], [], 20)
    os.close(descriptor)
    assert readable


def test_a_sampler_ends_with_its_parent(tmp_path: Path) -> None:
    """A parent that is killed leaves no sampler behind, and the recording says what happened."""
    script = ORPHAN + textwrap.dedent("""
        sampler.__enter__()
        if os.fork() == 0:
            # A child holds the sampler's pipe open, as workers of a data loader do.
            import time; time.sleep(60)
        print(sampler.pid, flush=True)
        os.kill(os.getpid(), 9)
    """)
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    ) as parent:  # fmt: skip
        assert parent.stdout is not None
        sampler = int(parent.stdout.readline())
        parent.wait(timeout=20)
        _ended(sampler)
        os.killpg(parent.pid, signal.SIGKILL)
    found = read_recording(tmp_path / "sensors.rec")
    assert found.ended_early == "what started the sampler ended before it"
    assert found.timeline


def test_a_sampler_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    """The end of a thread is not that of its process: sampling goes on until it is finished."""
    script = ORPHAN + textwrap.dedent("""
        thread = threading.Thread(target=sampler.__enter__)
        thread.start()
        thread.join()
        end = os.times().elapsed + 0.3
        while os.times().elapsed < end: pass
        assert sampler._process.poll() is None
        print(sampler.finish().ended_early)
    """)
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("None\n", "")


def test_a_folder_that_is_not_there_loses_nothing(tmp_path: Path) -> None:
    """The recording comes over the pipe, and says where it could not be written."""
    with Sampler(PLAN, tmp_path / "nowhere", os.getpid()) as sampler:
        _busy(0.05)
        found = sampler.finish()
    assert found.timeline
    assert found.ended_early is None
    assert "recording file" in {a.sensor for a in found.absent}


def test_a_sampler_that_cannot_start_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The recording is empty, with what the process said last."""
    monkeypatch.setattr("breakeven.sensors.sampler.CHILD", "breakeven.no_such_module")
    with Sampler(PLAN, tmp_path, os.getpid()) as sampler:
        found = sampler.finish()
    assert found.timeline == ()
    assert found.ended_early is not None
    assert "No module named" in found.ended_early


def test_a_sampler_that_was_never_started_has_nothing(tmp_path: Path) -> None:
    """Finishing it is no error either."""
    sampler = Sampler(PLAN, tmp_path, os.getpid())
    assert sampler.pid is None
    assert sampler.finish().timeline == ()


DRIVER = """
import time
from sensors.recorded import *
from sensors.sampled import NVMLError_GpuIsLost, Working
gpu = Working(time.perf_counter)
gpu.realtime = time.time
def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if len(gpu.asked) > {answers}:
        gpu.lost = NVMLError_GpuIsLost("GPU is lost")
    return getattr(gpu, name)
"""


def _with_driver(folder: Path, monkeypatch: pytest.MonkeyPatch, answers: int) -> None:
    """Put bindings on the sampler's path whose GPU is lost after so many answers."""
    (folder / "pynvml.py").write_text(DRIVER.format(answers=answers))
    tests = str(Path(__file__).resolve().parent.parent)
    path = os.pathsep.join([str(folder), tests, os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def test_a_gpu_that_vanishes_half_way_leaves_the_rest_going(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the process as it runs: readings until then, since when there are none, the CPU beside."""
    _with_driver(tmp_path, monkeypatch, 150)
    plan = SamplingPlan(fast_s=0.01, slow_s=0.05, core_share=1.0)
    with Sampler(plan, tmp_path, os.getpid()) as sampler:
        while not any(a.sensor == "gpu0" for a in read_recording(sampler.path).absent):
            _busy(0.1)
        _busy(0.2)
        found = sampler.finish()
    series = {s.sensor: s for s in found.timeline}
    assert series["gpu0.power_w"].value[0] == 400.0
    assert series["gpu0.power_w"].value[-1] is None
    (lost,) = [a for a in found.absent if a.sensor == "gpu0"]
    assert lost.since_s is not None
    assert found.began_s < lost.since_s < found.ended_s
    assert "fallen off the bus" in lost.why
    assert series["tree.rss_bytes"].t_s[-1] > lost.since_s
    assert found.ended_early is None


def test_a_gpu_that_lives_is_read_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its energy is found in the recording, by its counter: 400 W."""
    from breakeven.analysis.energy import energies

    _with_driver(tmp_path, monkeypatch, 1 << 40)
    plan = SamplingPlan(fast_s=0.01, slow_s=0.05, core_share=1.0)
    with Sampler(plan, tmp_path, os.getpid()) as sampler:
        _busy(1.5)
        found = sampler.finish()
    gpu = energies(found.timeline, found.began_s, found.ended_s, absent=found.absent)[0]
    assert gpu.method == "counter"
    assert gpu.gross_j == pytest.approx(400.0 * gpu.window_s, rel=0.02)
