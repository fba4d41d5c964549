"""Tests of the answers: planted facts of a training come back as figures and words."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from breakeven.analysis.judge import apply, judge
from breakeven.model.questions import Answer, Quantity
from breakeven.model.run import RunRecord
from breakeven.model.spec import TrainingSpec
from breakeven.model.timeline import Series
from breakeven.model.trace import TraceSummary
from records import record
from study_records import BATCHES, NO_RAPL, PHASES, RAPL_FIX, STEPS, trained

GPU, CPU = "torch-cuda", "torch-cpu-16"


def one(run: RunRecord, question: str, entry: str, size: int | None = 256,
        base: str | None = None) -> Answer:  # fmt: skip
    """Return the one answer about a subject."""
    found = [a for a in judge(run).questions
             if (a.question, a.entry, a.size) == (question, entry, size)
             and (question not in {"power", "accuracy"} or a.base == base)]  # fmt: skip
    assert len(found) == 1
    return found[0]


def of(answer: Answer, name: str) -> Quantity:
    """Return a figure that has to be there."""
    found = answer.figure(name)
    assert found is not None, [f.name for f in answer.figures]
    return found


def test_a_run_without_studies_answers_nothing() -> None:
    """What trains nothing is asked nothing."""
    assert judge(record()).questions == ()


def test_answers_stand_in_the_record_and_are_the_same_each_time() -> None:
    """The same record gives the same answers, and they are put in their place."""
    run = trained(rounds=3)
    assert apply(run, judge(run)).questions == judge(run).questions != ()


def test_utilisation_names_what_it_is() -> None:
    """The driver's share, the trace's and the CPU's cores stand beside each other, named."""
    answer = one(trained(), "utilisation", GPU)
    share = of(answer, "gpu_utilisation")
    assert share.value == pytest.approx(0.556)
    assert "at least one kernel" in (share.method or "")
    assert share.n == 5
    busy = of(answer, "gpu_busy")
    assert busy.value == pytest.approx(0.5)
    assert (busy.low, busy.why) == (None, "one trace gives no interval")
    assert of(answer, "cpu_cores").value == pytest.approx(1.2)
    assert of(answer, "cpu_share").value == pytest.approx(1.2 / 16)


def test_a_trace_with_faults_concludes_nothing() -> None:
    """An impossible trace gives no share, and says why."""
    run = trained(rounds=2)
    bad = TraceSummary(
        steps=5, span_s=1.0, busy_share=0.5, faults=("a kernel ends before it starts",)
    )
    run = replace(run, studies=tuple(replace(s, trace=bad) for s in run.studies))
    assert of(one(run, "utilisation", GPU), "gpu_busy").why == "a kernel ends before it starts"
    assert one(run, "step", GPU).figure("idle_loader") is None


def test_the_cores_of_timed_slots_stand_in_for_a_missing_sensor() -> None:
    """Without readings of the process tree the slots' CPU time says how many cores worked."""
    run = trained(rounds=3)
    run = replace(run, studies=tuple(
        replace(s, stretches=tuple(replace(x, readings=()) for x in s.stretches))
        for s in run.studies))  # fmt: skip
    answer = one(run, "utilisation", CPU)
    assert of(answer, "cpu_cores").value == pytest.approx(14.0)
    assert "timed slots" in (of(answer, "cpu_cores").method or "")
    assert of(answer, "cpu_busy").value is None


def test_throughput_that_stops_growing_at_256_says_so() -> None:
    """The planted knee of the GPU is found; the CPU's is a smaller batch."""
    run = trained()
    assert one(run, "batch", GPU, None).word == "reached"
    assert of(one(run, "batch", GPU, None), "knee").value == 256.0
    assert of(one(run, "batch", GPU), "of_best").value == pytest.approx(1.0)
    assert of(one(run, "batch", CPU, None), "knee").value == 128.0


def test_throughput_that_still_grows_says_not_reached() -> None:
    """A step that takes as long at any batch has its knee beyond the largest."""
    run = trained(steps=STEPS | {GPU: lambda _b: 4e-3})
    answer = one(run, "batch", GPU, None)
    assert answer.word == "not_reached"
    assert "still grows at the largest batch, 512" in (answer.why or "")
    assert of(answer, "last_growth").value == pytest.approx(2.0, rel=0.05)


def test_one_batch_size_has_no_knee_and_says_how_to_get_one() -> None:
    """With one size there is nothing to conclude."""
    answer = one(trained(batches=(64,)), "batch", GPU, None)
    assert answer.word is None
    assert "--batch-sizes" in (answer.why or "")


def test_slots_give_the_throughput_where_too_few_rounds_ran_without_a_pause() -> None:
    """One method serves all sizes of an entry."""
    run = trained()
    run = replace(run, studies=tuple(
        replace(s, stretches=s.stretches[:1] if s.size == 64 else s.stretches)
        for s in run.studies))  # fmt: skip
    methods = {of(one(run, "batch", GPU, s), "throughput").method for s in BATCHES}
    assert methods == {"batch size over the time of a step in its timed slots"}


def test_memory_is_the_peak_of_each_side() -> None:
    """The host's is the worker's own, and not that of all workers; so is the allocator's."""
    answer = one(trained(), "batch", GPU)
    assert of(answer, "device_memory").value == 3.0 * 2**30 + 256 * 2**20
    assert of(answer, "allocator_peak").value == (2 << 30) + 256 * 2**20
    assert of(answer, "host_memory").value == 3 << 30
    assert "worker process" in (of(answer, "host_memory").method or "")
    assert "all processes together" in (of(answer, "device_memory").method or "")


def test_without_the_workers_peak_the_runs_is_named_as_such() -> None:
    """The tree of processes holds the workers of the other entries as well."""
    run = trained()
    run = replace(run, cases=tuple(replace(c, memory=None) for c in run.cases))
    memory = of(one(run, "batch", GPU), "host_memory")
    assert memory.value == pytest.approx(2.1 * 2**30)
    assert "all processes of the run" in (memory.method or "")


@pytest.mark.parametrize(("degrees", "word"), [(0.0, "steady"), (9.0, "rising"), (-9.0, "falling")])
def test_a_gpu_that_warms_up_is_not_steady(degrees: float, word: str) -> None:
    """The last third of each stretch against its middle third tells."""
    answer = one(trained(warming=degrees), "power", GPU)
    assert answer.word == word
    drift = of(answer, "temperature_drift")
    assert drift.value == pytest.approx(degrees / 3, abs=0.3)


def test_one_round_tells_no_drift() -> None:
    """Without an interval nine degrees may be chance."""
    answer = one(trained(warming=9.0, rounds=1), "power", GPU)
    assert answer.word == "undecided"
    assert answer.why == "one round gives no interval"


def test_missing_power_says_why_and_how_to_get_it() -> None:
    """The CPU's energy is absent with the system's words, and never 0."""
    cpu = of(one(trained(), "power", CPU), "cpu_energy")
    assert (cpu.value, cpu.why, cpu.fix) == (None, NO_RAPL, RAPL_FIX)


def test_what_held_the_clocks_down_is_counted_by_reason() -> None:
    """Two of six slots were at the power cap, and heat is not among the reasons."""
    answer = one(trained(), "power", GPU)
    assert of(answer, "held_power_cap").value == pytest.approx(1 / 3)
    assert answer.figure("held_thermal") is None


def test_samples_tell_what_held_the_clocks_before_slots_do() -> None:
    """The mask that was read while steps ran counts; that of an idle GPU holds nothing down."""
    run = trained()
    times = run.timeline[0].t_s
    masks = Series(sensor="gpu0.held_by", t_s=times, value=tuple(float(0x21) for _ in times))
    answer = one(replace(run, timeline=(*run.timeline, masks)), "power", GPU)
    assert of(answer, "held_thermal").value == 1.0
    assert answer.figure("held_power_cap") is None
    assert "samples" in (of(answer, "held").method or "")


def test_energy_is_told_gross_and_net_with_its_doubt() -> None:
    """A thousand images cost power times their time; net leaves out what idling costs."""
    answer = one(trained(), "power", GPU)
    seconds = 1000 / 256 * STEPS[GPU](256)
    assert of(answer, "gpu_energy").value == pytest.approx(203 * seconds, rel=0.02)
    assert of(answer, "gpu_energy_net").value == pytest.approx(123 * seconds, rel=0.02)
    assert of(answer, "gpu_energy").method == "counter"
    # A tenth of a second is open of the 1.9 that the meter saw.
    assert of(answer, "gpu_energy_unsure").value == pytest.approx(0.1 / 1.9, rel=0.01)


@pytest.mark.parametrize(
    ("said", "told"),
    [("the idle stretch cannot be read: too short", "the idle stretch cannot be read: too short"),
     (None, "no idle stretch was recorded before it")],
)  # fmt: skip
def test_energy_without_a_net_figure_has_the_refusals_own_reason(
    said: str | None, told: str
) -> None:
    """A stretch that was recorded and could not be used is not one that was never recorded."""
    run = trained()
    run = replace(run, studies=tuple(
        replace(s, stretches=tuple(replace(x, energies=tuple(
            replace(e, net_j=None, idle_w=None, why=said) if e.device != "cpu" else e
            for e in x.energies)) for x in s.stretches))
        for s in run.studies))  # fmt: skip
    net = of(one(run, "power", GPU), "gpu_energy_net")
    assert (net.value, net.why) == (None, told)


def test_without_the_cpus_meter_there_is_a_break_even_and_no_verdict() -> None:
    """The statement names the mean power of the host from which on the GPU run needs less."""
    answer = one(trained(), "power", GPU, base=CPU)
    assert answer.word == "break_even"
    there = 1000 / 256 * STEPS[CPU](256)
    here = 1000 / 256 * STEPS[GPU](256)
    assert of(answer, "host_power").value == pytest.approx(203 * here / there, rel=0.05)
    assert of(answer, "host_share").value == pytest.approx(here / there, rel=0.05)
    assert answer.why == NO_RAPL


def test_with_both_meters_the_side_that_needs_less_is_named() -> None:
    """The GPU run counts the CPU's joules beside the GPU's."""
    answer = one(trained(cpu_energy=True), "power", GPU, base=CPU)
    assert answer.word == "less"
    ratio = STEPS[CPU](256) * 150 / (STEPS[GPU](256) * (203 + 60))
    assert of(answer, "energy_ratio").value == pytest.approx(ratio, rel=0.05)


def test_no_winner_of_energy_from_two_rounds() -> None:
    """Fewer rounds than a first verdict needs name nobody."""
    answer = one(trained(cpu_energy=True, rounds=2), "power", GPU, base=CPU)
    assert answer.word == "undecided"


def test_epoch_and_training_are_steps_times_their_number() -> None:
    """1437 images in batches of 256 are 6 steps; 20 epochs are 120."""
    answer = one(trained(), "time", GPU)
    step = of(answer, "step")
    assert step.value is not None
    assert of(answer, "epoch").value == pytest.approx(6 * step.value)
    training, low = of(answer, "training"), step.low
    assert training.value == pytest.approx(120 * step.value)
    assert low is not None
    assert training.low == pytest.approx(120 * low)
    assert answer.base == CPU
    assert of(answer, "ratio").value == pytest.approx(
        STEPS[CPU](256) / (STEPS[GPU](256) + 75e-6), rel=0.2
    )


def test_epochs_that_were_not_run_say_how_to_run_them() -> None:
    """Only steps were measured: the remedy is an option."""
    assert "--all-epochs" in (of(one(trained(), "time", GPU), "epoch_run").why or "")


def test_epochs_that_were_run_stand_beside_what_steps_foretell() -> None:
    """Three epochs of a little over a second each."""
    answer = one(trained(correct={GPU: 350}), "time", GPU)
    assert of(answer, "epoch_run").value == pytest.approx(1.1)
    assert of(answer, "training_run").value == pytest.approx(3.3)


def test_accuracy_carries_wilsons_interval() -> None:
    """350 of 360 images, whatever the number of rounds."""
    q = of(one(trained(correct={GPU: 350}), "accuracy", GPU), "accuracy")
    assert (q.value, q.n) == (350 / 360, 360)
    assert q.low == pytest.approx(0.9496, abs=2e-4)
    assert q.high == pytest.approx(0.9848, abs=2e-4)


def test_equal_answers_to_the_same_images_are_on_a_par() -> None:
    """Pairs narrow the interval: 352 and 351 right answers are within 2 points for sure."""
    run = trained(correct={CPU: 351, GPU: 352})
    wrong = {CPU: tuple(range(9)), GPU: tuple(range(8))}
    run = replace(run, studies=tuple(
        replace(s, trainings=tuple(replace(t, wrong=wrong[s.entry]) for t in s.trainings))
        for s in run.studies))  # fmt: skip
    answer = one(run, "accuracy", GPU, base=CPU)
    assert answer.word == "parity"
    assert "paired: the same images" in (of(answer, "difference").method or "")


def test_one_training_each_names_no_side_that_learnt_less() -> None:
    """300 of 360 against 355 of 360 is no parity; another seed might close the gap."""
    answer = one(trained(correct={CPU: 355, GPU: 300}), "accuracy", GPU, base=CPU)
    assert answer.word == "undecided"
    assert "one training each" in (answer.why or "")
    high = of(answer, "difference").high
    assert high is not None
    assert high < 0


def test_few_images_settle_no_parity() -> None:
    """Without pairs, 360 images leave more than 2 points open."""
    answer = one(trained(correct={CPU: 351, GPU: 352}), "accuracy", GPU, base=CPU)
    assert answer.word == "undecided"
    assert "unpaired" in (of(answer, "difference").method or "")


def test_energy_that_the_meter_leaves_open_names_nobody() -> None:
    """A doubt as large as the figure cannot be narrowed by rounds."""
    run = trained(cpu_energy=True)
    run = replace(run, studies=tuple(
        replace(s, stretches=tuple(replace(x, energies=tuple(
            replace(e, uncertainty_j=0.0 if e.gross_j is None else e.gross_j * 0.99)
            for e in x.energies)) for x in s.stretches))
        for s in run.studies))  # fmt: skip
    answer = one(run, "power", GPU, base=CPU)
    assert answer.word == "undecided"
    assert "meters leave open" in (answer.why or "")


def test_a_step_that_waits_for_its_loader_says_so() -> None:
    """By the trace where there is one, by the phases where there is none."""
    waits = {"loader": 0.7, "launch": 0.1, "synchronise": 0.0, "other": 0.0}
    assert one(trained(idle=waits), "step", GPU).word == "loader"
    split = dict.fromkeys(PHASES, 0.05) | {"loader": 0.8}
    assert one(trained(shares=split), "step", CPU).word == "loader"


def test_a_step_bound_by_launches_says_so() -> None:
    """The device is idle most of the time for the next launch."""
    waits = {"loader": 0.0, "launch": 0.7, "synchronise": 0.0, "other": 0.0}
    assert one(trained(idle=waits), "step", GPU).word == "launch"


def test_a_loader_that_takes_most_of_the_step_has_its_ceiling_told() -> None:
    """With 80 % of the step in the loader no remedy gains more than about fivefold."""
    split = dict.fromkeys(PHASES, 0.05) | {"loader": 0.8}
    answer = one(trained(shares=split), "step", GPU)
    assert of(answer, "loader_share").value == pytest.approx(0.8)
    # The loader's 0.816 of the plain step, since awaiting cost 2 %.
    assert of(answer, "without_loader").value == pytest.approx(1 / (1 - 0.816), rel=0.02)
    assert of(answer, "phases_of_step").value == pytest.approx(1.0)


def test_a_phase_as_long_as_a_plain_step_has_no_ceiling() -> None:
    """Steps overlap then: what would be left without it is not known, and is no 1000x."""
    split = dict.fromkeys(PHASES, 0.0) | {"loader": 1.0}
    ceiling = of(one(trained(shares=split), "step", GPU), "without_loader")
    assert ceiling.value is None
    assert "as long as a whole step" in (ceiling.why or "")


def test_inference_has_percentiles_and_no_backward() -> None:
    """Percentiles are over rounds; the phases of training are absent, not 0."""
    run = trained(workload="infer")
    answer = one(run, "inference", GPU)
    assert of(answer, "p99").value == pytest.approx(STEPS[GPU](256) * 1.53, rel=0.01)
    assert of(answer, "p99").n == 5
    assert of(answer, "requests").value == 400
    assert one(run, "step", GPU).figure("backward") is None


def test_the_largest_batch_under_the_limit_keeps_its_upper_bound_below() -> None:
    """Upward from the smallest batch, to the last whose bound of p99 keeps the limit."""
    spec = TrainingSpec(latency_limit_s=0.1)
    run = trained(workload="infer", spec=spec)
    found = one(run, "inference", CPU, None)
    # 64 images take 34 ms, 128 take 66 ms: their p99 are 52 and 101 ms.
    assert (found.word, of(found, "largest_batch").value) == ("found", 64.0)
    assert "batch 128" in (found.why or "")
    everything = one(run, "inference", GPU, None)
    assert of(everything, "largest_batch").value == 512.0


def test_no_batch_under_the_limit_is_an_answer() -> None:
    """Where the smallest batch already breaks the limit, none is named."""
    run = trained(workload="infer", spec=TrainingSpec(latency_limit_s=1e-4))
    found = one(run, "inference", CPU, None)
    assert (found.word, found.figure("largest_batch")) == ("none", None)


def test_too_few_requests_have_no_percentile() -> None:
    """A percentile that could not be had is absent with its reason, and so is the batch."""
    run = trained(workload="infer", spec=TrainingSpec(latency_limit_s=0.1), rounds=3)
    run = replace(run, studies=tuple(
        replace(s, latencies=tuple(replace(x, requests=50, p99_s=None) for x in s.latencies))
        for s in run.studies))  # fmt: skip
    assert of(one(run, "inference", GPU), "p99").why == "50 requests are too few for it"
    assert one(run, "inference", GPU, None).word == "undecided"


def test_one_round_gives_figures_without_intervals() -> None:
    """Nothing is claimed about a spread that was not seen."""
    share = of(one(trained(rounds=1), "utilisation", GPU), "gpu_utilisation")
    assert (share.low, share.high, share.n) == (None, None, 1)
    assert share.why == "one round gives no interval"
