"""The page of a watched command, and what a run's page says of its timeline."""

from __future__ import annotations

import msgspec
import pytest
from rich.console import Console

from breakeven import lab
from breakeven.model.run import RunRecord
from breakeven.model.sensing import Absent, Energy, Reading, Watched
from breakeven.report import charts, html, page, text
from records import machine, record
from timelines import sensing, timeline

READINGS = (
    Reading(sensor="tree.rss_bytes", mean=3e8, low=2e8, high=4e8, samples=50),
    Reading(sensor="tree.cpu_cores", mean=1.2, low=0.1, high=1.9, samples=50),
    Reading(sensor="cpu1.busy_share", mean=0.5, low=0.0, high=1.0, samples=50),
    Reading(sensor="gpu0.utilisation_share", mean=0.43, low=0.0, high=0.9, samples=50),
    Reading(sensor="gpu1.utilisation_share", mean=0.021, low=0.0, high=0.1, samples=50),
    Reading(sensor="gpu0.to_device_bytes_per_s", mean=2.5e8, low=0.0, high=1e9, samples=5),
)


def watched(**changes: object) -> RunRecord:
    """Return a run that is a watched command."""
    found = {"readings": READINGS} | changes
    return msgspec.structs.replace(
        record(rounds=1, slots=1), command=("watch", "--", "python", "train.py"), cases=(),
        cold_starts=(), entries=(), backends=(), naive_shots=(), timeline=timeline(gpus=2),
        spec=msgspec.structs.replace(record(rounds=1, slots=1).spec, workloads=()),
        sensing=sensing(**found),
    )  # fmt: skip


def test_the_answer_has_every_figure() -> None:
    """Time, end, cores, memory, busy share of each GPU and energy are in the first sentence."""
    (said,) = page.build(watched()).answers
    assert said == (
        "python train.py ran 4.85 s and ended with exit code 0. It used 1.20 of 16 CPU cores and "
        "at most 381 MiB of memory. Busy share: GPU 0 43 % and GPU 1 2.1 %. Energy: GPU 0 "
        "1.47 kJ (CPU not known)."
    )


def test_the_systems_account_goes_before_samples() -> None:
    """CPU time as the system counts it, and a peak that no sample saw, are told."""
    about = Watched(command=("a",), wall_s=2.0, exit_code=0, cpu_s=3.0, peak_rss_bytes=1 << 30)
    (said,) = page.build(watched(watched=about)).answers
    assert "It used 1.50 of 16 CPU cores and at most 1.00 GiB of memory." in said


@pytest.mark.parametrize(
    ("about", "said"),
    [
        (
            Watched(command=("a",), wall_s=2.0, signal="SIGKILL"),
            "a ran 2.00 s and was ended by SIGKILL.",
        ),
        (
            Watched(command=("a",), wall_s=2.0, exit_code=3),
            "a ran 2.00 s and ended with exit code 3.",
        ),
        (Watched(command=("a block",), wall_s=2.0), "a block ran 2.00 s."),
        (Watched(command=("a", "b c\nd"), wall_s=2.0), "a 'b c d' ran 2.00 s."),
    ],
)
def test_every_end_has_its_words(about: Watched, said: str) -> None:
    """An exit code, a signal and a block that simply ended are told apart, on one line."""
    assert page.build(watched(watched=about)).answers[0].startswith(said)


def test_a_recording_that_is_not_whole_says_so() -> None:
    """What ended the recording early is the first thing to be read beside the answer."""
    found = page.build(
        watched(watched=Watched(command=("a",), wall_s=2.0), ended_early="the disk was taken away")
    )
    assert found.answers[0].startswith("a was watched for 2.00 s.")
    assert found.weighty[0] == "The recording is not whole: the disk was taken away."


def test_what_is_missing_is_never_0() -> None:
    """Without a GPU and a meter the reasons stand in the place of figures."""
    run = watched(
        readings=(), watched=Watched(command=("a",), wall_s=0.001, exit_code=0),
        absent=(Absent(sensor="gpu", why="no NVIDIA driver was found", fix="install it"),),
        energies=(Energy(device="cpu", window_s=0.0, why="no counter"),),
    )  # fmt: skip
    run = msgspec.structs.replace(run, machine=machine(gpu=False))
    (said,) = page.build(run).answers
    assert said == (
        "a ran 1.00 ms and ended with exit code 0. No GPU was read: no NVIDIA driver was found. "
        "Energy is not known: no counter."
    )


def test_the_table_has_units_and_no_core() -> None:
    """Readings stand in units that people read; single cores are left to the exports."""
    (table, energy, absent) = page.build(watched()).timeline.tables  # type: ignore[union-attr]
    assert [row[:2] for row in table.rows] == [
        ("watched: memory", "286 MiB"),
        ("watched: CPU", "1.20 cores"),
        ("GPU 0: busy", "43 %"),
        ("GPU 0: PCIe to device", "250 MB/s"),
        ("GPU 1: busy", "2.1 %"),
    ]
    assert energy.rows[0][:4] == ("GPU 0", "1.47 kJ", "40.0 J", "882 J")
    assert absent.rows[1][:3] == ("gpu0.temperature_c", "3.00 s", "the driver stopped answering")


def test_energy_is_told_with_its_method_and_what_is_open() -> None:
    """A figure has its uncertainty, its window, its mean and its meter beside it."""
    lines = page.build(watched()).timeline.lines  # type: ignore[union-attr]
    assert lines[0] == (
        "Energy of GPU 0: 1.47 kJ within 40.0 J over 4.90 s, 300 W on average; 882 J net of idle; "
        "by the driver's energy counter."
    )
    assert not any("Energy of CPU" in line for line in lines), "it stands under what is absent"


def test_the_page_shows_pictures_and_tables() -> None:
    """The HTML of a watch has each picture, each table, and nothing of verdicts."""
    built = page.build(watched())
    specs = charts.specs(built)
    made = html.render(built, specs)
    assert len(specs) == 7
    assert all(f'data-chart="{name}"' in made for name in specs)
    assert "What was not to be read" in made
    assert "verdict interval" not in made
    assert "pool threads pinned" not in made


def test_markdown_has_the_tables() -> None:
    """The same tables are in the Markdown."""
    made = text.page_markdown(page.build(watched()))
    assert "## Over time" in made
    assert "| GPU 0: busy | 43 % |" in made


@pytest.mark.parametrize("columns", [40, 80])
def test_the_screen_fits(columns: int) -> None:
    """Nothing that is printed of a watch is wider than the screen."""
    console = Console(width=columns, record=True, file=open("/dev/null", "w"))  # noqa: PTH123, SIM115
    lab.show(watched(), console)
    lines = console.export_text().splitlines()
    console.file.close()
    assert max(len(line) for line in lines) <= columns
    assert lines[0].startswith("python train.py ran")


def test_a_run_with_a_timeline_shows_it_too() -> None:
    """A measured run under the sensors has its pictures behind its workloads."""
    run = msgspec.structs.replace(
        lab.judged(record(rounds=3, slots=3)), timeline=timeline(), sensing=sensing(watched=None)
    )
    built = page.build(run)
    made = html.render(built, charts.specs(built))
    assert built.workloads
    assert made.index('id="workload-1"') < made.index('id="timeline"')


def test_a_run_without_sensors_has_no_such_part() -> None:
    """Where no sensor was read, the page says nothing of time."""
    built = page.build(lab.judged(record(rounds=3, slots=3)))
    assert built.timeline is None
    assert 'id="timeline"' not in html.render(built, charts.specs(built))
