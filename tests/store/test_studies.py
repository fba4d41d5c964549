"""Studies, teams and timelines in the folded record."""

from __future__ import annotations

import msgspec

from breakeven.model.event import Began, Ended, Sensed, Studied, TeamDone
from breakeven.model.scaling import Rank, Team
from breakeven.model.sensing import Absent, Mark, Sensing
from breakeven.model.study import Epoch, Latency, StepPhases, Stretch, Study, Training
from breakeven.model.timeline import Series
from breakeven.model.trace import TraceSummary
from breakeven.store.fold import fold
from breakeven.store.privacy import Privacy
from breakeven.store.studies import joined
from breakeven.store.unfold import unfold
from records import record

FIRST = Study(
    workload="train",
    size=64,
    entry="torch-cpu-2",
    parameters=11,
    phases=(
        StepPhases(
            round=1,
            steps=5,
            loader_s=0.1,
            to_device_s=0.0,
            forward_s=0.2,
            step_s=0.31,
            plain_step_s=0.3,
        ),
    ),
)
SECOND = Study(
    workload="train",
    size=64,
    entry="torch-cpu-2",
    stretches=(Stretch(round=2, begin_s=3.0, end_s=5.0, steps=10, samples=640),),
    trace=TraceSummary(why="no profiler"),
)
TEAM = Team(
    workload="train",
    size=64,
    processes=2,
    round=1,
    backend="gloo",
    strategy="ddp",
    seconds=2.0,
    samples=640,
    ranks=(
        Rank(rank=0, device="cpu", steps=5, samples=320, busy_s=1.0, wait_s=0.5, exchange_s=0.5),
    ),
)
SENSED = Sensed(
    timeline=(Series(sensor="cpu.busy_share", t_s=(0.0, 0.1), value=(0.5, None)),),
    sensing=Sensing(
        marks=(Mark(begin_s=0.0, end_s=0.1, kind="steps", label="batch 64"),),
        absent=(Absent(sensor="cpu.energy_j", why="/home/alice/x is not readable"),),
    ),
)
EVENTS = (
    Began(record=msgspec.structs.replace(record(), cases=(), entries=(), backends=())),
    Studied(study=FIRST),
    Studied(study=SECOND),
    TeamDone(team=TEAM),
    Sensed(timeline=(), sensing=Sensing()),
    SENSED,
    Ended(finished="2026-12-01T10:30:00Z"),
)


def test_what_is_new_of_a_study_joins_what_is_known() -> None:
    """Lists of one case are added up; a single fact that the later event lacks stays."""
    (study,) = fold(EVENTS).studies
    assert study.parameters == 11
    assert study.phases == FIRST.phases
    assert study.stretches == SECOND.stretches
    assert study.trace == SECOND.trace


def test_the_last_recording_counts() -> None:
    """A recording is handed over whole, so a later one takes the place of an earlier."""
    whole = fold(EVENTS)
    assert whole.timeline == SENSED.timeline
    assert whole.sensing == SENSED.sensing


def test_a_record_with_studies_folds_back_to_itself() -> None:
    """Studies, teams and timelines outlive the way to events and back."""
    whole = fold(EVENTS)
    again = fold(unfold(whole))
    assert again == whole
    assert again.teams == (TEAM,)


def test_throughput_is_samples_over_time() -> None:
    """A stretch of 640 samples in two seconds makes 320 a second."""
    assert SECOND.stretches[0].samples_per_s == 320.0


def test_reasons_of_absent_sensors_are_stored_without_the_home_folder() -> None:
    """What the system said about a file names no home."""
    cleaned = Privacy("/home/alice", "alice", "").event(SENSED)
    assert isinstance(cleaned, Sensed)
    assert cleaned.sensing.absent[0].why == "~/x is not readable"


def test_too_few_requests_have_no_percentile() -> None:
    """What was not measured is None in the document, never 0."""
    latency = Latency(round=1, requests=3, p50_s=0.1, p95_s=None, p99_s=None, worst_s=0.2)
    assert msgspec.json.decode(msgspec.json.encode(latency))["p99_s"] is None


def _training(epochs: int) -> Study:
    run = tuple(
        Epoch(epoch=n, seconds=1.0, train_loss=1.0, test_loss=1.0, correct=1, total=2)
        for n in range(epochs)
    )
    whole = Training(round=1, seed=7, epochs=run)
    return Study(workload="train", size=64, entry="torch-cpu-2", trainings=(whole,))


def test_a_training_that_was_broken_off_gives_way_to_the_whole_one() -> None:
    """A resumed run repeats it from the same seed; one that is no longer than it replaces none."""
    assert joined(_training(3), _training(20)).trainings == _training(20).trainings
    assert len(joined(_training(3), _training(2)).trainings) == 2
