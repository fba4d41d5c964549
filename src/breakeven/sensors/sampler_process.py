"""The process that samples: started by `Sampler`, ended by it, or with it."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import msgspec

from breakeven.sensors.base import Sensor
from breakeven.sensors.host import Host
from breakeven.sensors.nvml_sampling import gpu_sensors
from breakeven.sensors.played import Played
from breakeven.sensors.powercap import Powercap
from breakeven.sensors.process_tree import NAMES, ProcessTree
from breakeven.sensors.recording import read_recording
from breakeven.sensors.sampler import FAST_S, FINISH, IN_FILE, READY, Order
from breakeven.sensors.sampling import Loop
from breakeven.sensors.thrifty import Thrifty
from breakeven.sensors.writing import Writer

PR_SET_PDEATHSIG = 1
GPU_PART, CPU_PART = 0.45, 0.4
"""Of the CPU time for readings, that of all GPUs; of the rest, that of the CPUs."""
ORPHANED = "what started the sampler ended before it"
_ASKED = ""


class Ears:
    """Waits for deadlines, for the word to finish, and for signals.

    The system sends a signal when the thread that started this process ends, which in a program
    with several threads need not be the end of the program: the parent's number decides.

    Parameters
    ----------
    parent : int
        The process that started this one.
    """

    def __init__(self, parent: int) -> None:
        self._parent = parent
        self._signalled: str | None = None
        self._bell, ring = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(ring, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, self._take)
        signal.signal(signal.SIGUSR1, lambda *_: None)
        for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(ignored, signal.SIG_IGN)
        if sys.platform == "linux":
            ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGUSR1)

    def wait(self, seconds: float) -> str | None:
        """Wait; return early with why it is over, empty when the parent asked for it."""
        readable, _, _ = select.select([0, self._bell], [], [], seconds)
        if self._bell in readable:
            os.read(self._bell, 4096)
        if os.getppid() != self._parent:
            return ORPHANED
        if self._signalled is not None:
            return self._signalled
        if 0 not in readable:
            return None
        # The end of the pipe alone is that of the parent, whose number may still be there.
        return _ASKED if os.read(0, len(FINISH)) else ORPHANED

    def _take(self, number: int, frame: FrameType | None) -> None:
        del frame
        self._signalled = f"the sampler was ended by {signal.Signals(number).name}"


def sensors_of(order: Order) -> tuple[Sensor, ...]:
    """Return the sensors of this machine, or a recording in their place."""
    plan = order.plan
    if plan.replay is not None:
        return (Played(read_recording(Path(plan.replay))),)
    tree = ProcessTree(order.root_pid, leave_out=[os.getpid()], count_root=plan.count_root)
    # Who asks for more readings than usual agrees to what they cost.
    share = min(1.0, plan.core_share * max(1.0, FAST_S / plan.fast_s))
    gpus: tuple[Sensor, ...] = ()
    if plan.gpus:
        gpus = gpu_sensors(fast_s=plan.fast_s, slow_s=plan.slow_s, share=GPU_PART * share)
    rest = (1 - GPU_PART) * share if any(gpu.names for gpu in gpus) else share
    return (
        *gpus,
        Powercap(),
        Thrifty(Host(), ["cpu.busy_share"], period_s=plan.fast_s, share=CPU_PART * rest),
        Thrifty(tree, NAMES, period_s=plan.fast_s, share=(1 - CPU_PART) * rest),
    )


def sample(order: Order, sensors: Sequence[Sensor], ears: Ears) -> Writer:
    """Sample until it is over; return what was kept."""
    plan = order.plan
    writer = Writer(
        Path(order.path),
        time.perf_counter(),
        points=plan.points,
        tail_bytes=plan.tail_bytes,
        source="sensors" if plan.replay is None else "replay",
        unix_s=datetime.now(UTC).timestamp(),
    )
    loop = Loop(sensors, writer, fast_s=plan.fast_s, slow_s=plan.slow_s, wait=ears.wait)
    loop.begin()
    _say(READY)
    loop.run()
    return writer


def _say(data: bytes) -> None:
    """Write to whoever started this process, if it still listens."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(1, view) :]
    except OSError:
        return


def main() -> None:
    """Sample as the first argument says."""
    order = msgspec.json.decode(sys.argv[1], type=Order)
    ears = Ears(order.parent)
    sensors = sensors_of(order)
    writer = sample(order, sensors, ears)
    for sensor in sensors:
        sensor.close()
    if writer.in_memory:
        for piece in writer.whole():
            _say(piece)
    else:
        _say(IN_FILE)
    writer.close()


if __name__ == "__main__":
    main()
