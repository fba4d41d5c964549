"""CPU time and memory of a tree of processes, from files like the kernel's."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from breakeven.sensors.process_tree import ProcessTree, parse

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


class Machine:
    """Processes in a folder that looks like ``/proc``, and a clock."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.now = folder, 0.0
        self.started(0)

    def started(self, newest: int) -> None:
        """Say which process was started last."""
        (self.folder / "loadavg").write_text(f"0.1 0.1 0.1 1/9 {newest}\n")

    def has(
        self, pid: int, parent: int, own_s: float, reaped_s: float = 0.0, pages: int = 1
    ) -> None:
        """Give a process these figures."""
        (self.folder / str(pid)).mkdir(exist_ok=True)
        before = ["S", str(parent), *["0"] * 9]
        times = [str(round(own_s * TICKS)), "0", str(round(reaped_s * TICKS)), "0"]
        after = ["20", "0", "1", "0", "99", "1000", str(pages), "0"]
        text = f"{pid} (a) b) c) {' '.join([*before, *times, *after])}\n"
        (self.folder / str(pid) / "stat").write_text(text)

    def ends(self, pid: int) -> None:
        """Have a process end."""
        # An open file of the kernel fails once its process has ended; this one is emptied.
        (self.folder / str(pid) / "stat").write_text("")
        shutil.rmtree(self.folder / str(pid))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Return a machine with a root, a child, a grandchild and a stranger."""
    found = Machine(tmp_path)
    found.has(10, 1, 1.0, pages=100)
    found.has(11, 10, 2.0, pages=10)
    found.has(12, 11, 3.0, pages=5)
    found.has(99, 1, 50.0, pages=9000)
    return found


def _tree(machine: Machine, **options: object) -> ProcessTree:
    return ProcessTree(10, proc=machine.folder, clock=lambda: machine.now, **options)  # type: ignore[arg-type]


def _read(machine: Machine, tree: ProcessTree, later_s: float = 1.0) -> dict[str, float | None]:
    machine.now += later_s
    return {s.sensor: s.value for s in tree.read("fast")}


def test_all_descendants_count_and_strangers_do_not(machine: Machine) -> None:
    """Memory is that of the root, its child and its grandchild."""
    tree = _tree(machine)
    assert _read(machine, tree) == {"tree.rss_bytes": 115 * PAGE}
    assert tree.cpu_s() == pytest.approx(6.0)
    tree.close()


def test_cores_are_cpu_time_over_time(machine: Machine) -> None:
    """Two processes that worked all the second make two cores."""
    tree = _tree(machine)
    _read(machine, tree)
    machine.has(10, 1, 2.0)
    machine.has(12, 11, 4.0)
    assert _read(machine, tree)["tree.cpu_cores"] == pytest.approx(2.0)


def test_a_child_that_is_waited_for_counts_once(machine: Machine) -> None:
    """Its time moves to its parent: the tree's neither jumps nor falls."""
    tree = _tree(machine)
    _read(machine, tree)
    machine.ends(12)
    machine.has(11, 10, 2.0, reaped_s=3.0)
    assert _read(machine, tree)["tree.cpu_cores"] == 0.0
    assert tree.cpu_s() == pytest.approx(6.0)


def test_a_process_that_nobody_waits_for_keeps_its_time(machine: Machine) -> None:
    """An orphan is collected outside the tree; what it had used stays counted."""
    tree = _tree(machine)
    _read(machine, tree)
    machine.ends(12)
    assert _read(machine, tree)["tree.cpu_cores"] == 0.0
    assert tree.cpu_s() == pytest.approx(6.0)


def test_a_process_that_came_and_went_counts_through_its_parent(machine: Machine) -> None:
    """Nobody saw it, and its parent was handed its second."""
    tree = _tree(machine)
    _read(machine, tree)
    machine.has(10, 1, 1.0, reaped_s=1.0)
    assert _read(machine, tree)["tree.cpu_cores"] == pytest.approx(1.0)


def test_a_new_process_is_found_when_the_system_has_started_one(machine: Machine) -> None:
    """It counts from the next sample on; without a start nothing is looked for."""
    tree = _tree(machine)
    _read(machine, tree)
    machine.has(13, 12, 0.5, pages=7)
    assert _read(machine, tree)["tree.rss_bytes"] == 115 * PAGE
    machine.started(13)
    assert _read(machine, tree)["tree.rss_bytes"] == 122 * PAGE


def test_an_orphan_stays_in_the_tree(machine: Machine) -> None:
    """It was seen while its parent lived: who its parent is now does not matter."""
    tree = _tree(machine)
    _read(machine, tree)
    machine.ends(11)
    machine.has(12, 1, 3.5, pages=5)
    assert _read(machine, tree)["tree.rss_bytes"] == 105 * PAGE
    assert tree.cpu_s() == pytest.approx(6.5)


def test_the_sampler_does_not_count(machine: Machine) -> None:
    """What is left out is no member, nor is what it starts."""
    tree = _tree(machine, leave_out=[11])
    assert _read(machine, tree)["tree.rss_bytes"] == 100 * PAGE


def test_a_tree_that_has_ended_says_since_when(machine: Machine) -> None:
    """Readings stop, with the moment; they do not fall to 0."""
    tree = _tree(machine)
    _read(machine, tree)
    assert tree.absent() == ()
    for pid in (10, 11, 12):
        machine.ends(pid)
    assert _read(machine, tree) == {}
    (said,) = tree.absent()
    assert (said.sensor, said.since_s) == ("tree", 2.0)
    assert "process 10 has ended" in said.why


def test_a_name_with_brackets_does_not_shift_the_fields() -> None:
    """The fields are counted from the last bracket on; a text cut short is nothing."""
    fields = " ".join(["S", "7", *["0"] * 9, "250", "50", "0", "0", *["0"] * 6, "3", "0"])
    stat = parse(f"5 (a) b (c)) {fields}", 0.01, 4096)
    assert stat is not None
    assert (stat.parent, stat.own_s, stat.rss_bytes) == (7, pytest.approx(3.0), 12288)
    assert parse("5 (a) S 7 0", 0.01, 4096) is None


def test_a_command_that_has_not_begun_yet_has_no_memory(machine: Machine) -> None:
    """Between fork and exec a command shares the watcher's memory, which is not its own."""
    machine.has(11, 10, 2.0, pages=100)
    tree = _tree(machine, count_root=False)
    assert _read(machine, tree) == {"tree.rss_bytes": 5 * PAGE}
    machine.has(11, 10, 2.0, pages=7)
    assert _read(machine, tree)["tree.rss_bytes"] == 12 * PAGE
    tree.close()


def test_less_than_a_tick_says_nothing_of_cores(machine: Machine) -> None:
    """Two readings within a tick give no cores: one tick in a millisecond would be ten of them."""
    tree = _tree(machine)
    _read(machine, tree)
    machine.has(10, 1, 1.0 + 1.0 / TICKS)
    assert "tree.cpu_cores" not in _read(machine, tree, later_s=0.1 / TICKS)
    found = _read(machine, tree, later_s=1.0)
    assert found["tree.cpu_cores"] == pytest.approx(1.0 / TICKS / (1.0 + 0.1 / TICKS))
    tree.close()


def test_one_that_only_watches_is_not_counted(machine: Machine) -> None:
    """The process at the top may leave itself out: what it started, and orphans, count."""
    tree = _tree(machine, count_root=False)
    assert _read(machine, tree) == {"tree.rss_bytes": 15 * PAGE}
    machine.has(10, 1, 9.0, reaped_s=0.5, pages=100)
    machine.has(12, 10, 3.0, pages=5)
    machine.has(13, 10, 0.25, pages=1)
    machine.started(13)
    found = _read(machine, tree)
    assert found["tree.rss_bytes"] == 16 * PAGE
    assert found["tree.cpu_cores"] == pytest.approx(0.75)
    tree.close()
