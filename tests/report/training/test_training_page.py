"""Tests of what the report says of a training: planted facts come back as sentences and pictures."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from breakeven.analysis.judge import apply, judge
from breakeven.model.run import RunRecord
from breakeven.model.spec import TrainingSpec
from breakeven.report import charts
from breakeven.report.console import show
from breakeven.report.html import render
from breakeven.report.page import Page, build
from breakeven.report.text import page_markdown
from breakeven.report.training.theirs import FOUND
from breakeven.report.view import WorkloadPage
from records import TORCH_CPU, TWIN
from study_records import NO_RAPL, PHASES, RAPL_FIX, STEPS, teams, trained

GPU, CPU = "torch-cuda", "torch-cpu-16"


def judged(**planted: Any) -> RunRecord:  # noqa: ANN401 - whatever is planted
    """Return a judged record of a training."""
    run = trained(**planted)
    return apply(run, judge(run))


def page(**planted: Any) -> Page:  # noqa: ANN401 - whatever is planted
    """Return the page of a training."""
    return build(judged(**planted))


def reply(shown: Page, label: str) -> str:
    """Return the answer to one question."""
    training = shown.workloads[0].training
    assert training is not None
    return next(r.text for r in training.replies if r.label == label)


def facts(shown: Page) -> str:
    """Return what is said of where the time of a step goes."""
    training = shown.workloads[0].training
    assert training is not None
    return " ".join(training.facts)


def printed(shown: Page, width: int = 80) -> list[str]:
    """Return the lines on a screen."""
    out = io.StringIO()
    show(shown, Console(file=out, width=width))
    return out.getvalue().splitlines()


def table(w: WorkloadPage, title: str) -> list[tuple[str, ...]]:
    """Return the rows of a table."""
    return list(next(t.rows for t in w.tables if t.title.startswith(title)))


@pytest.fixture(scope="module")
def both() -> Page:
    """Return the page of a training on both sides, with epochs that were run."""
    return page(correct={CPU: 351, GPU: 352})


def test_the_answer_says_whether_it_pays_and_how_long_both_take(both: Page) -> None:
    """From which batch on, then the time of the training on either side with its interval."""
    (text,) = both.answers
    assert text.startswith(
        "train: yes, the GPU pays with torch-CUDA at every batch judged, 64 to 512"
    )
    assert "20 epochs at batch 128 take" in text
    assert "with torch-cpu-16" in text
    assert " ".join(printed(both)).startswith(text)


def test_a_gpu_that_loses_is_told_so() -> None:
    """A step that takes longer at every batch pays nowhere."""
    text = page(steps=STEPS | {GPU: lambda b: 0.5 + b * 1e-3}).answers[0]
    assert text.startswith("train: no, the GPU overtakes the best CPU setting nowhere")


def test_a_crossing_is_told_as_a_batch() -> None:
    """A GPU that pays a fixed price for each step pays from some batch on."""
    text = page(batches=(8, 32, 128, 512), steps=STEPS | {GPU: lambda b: 0.03 + b * 1e-5}).answers[
        0
    ]
    assert "yes, the GPU pays with torch-CUDA from somewhere between batch" in text


def test_without_a_gpu_the_time_is_still_told() -> None:
    """A CPU alone has no verdict, and its training's time all the same."""
    text = page(entries=(TORCH_CPU, TWIN)).answers
    assert text[-1].startswith("train: no GPU took part; 20 epochs at batch 128 take 15.")


def test_a_quick_run_claims_nothing() -> None:
    """One round is indicative, in so many words."""
    run = trained(rounds=1)
    run = replace(run, spec=replace(run.spec, effort="quick"))
    shown = build(apply(run, judge(run)))
    assert "indicative, one round, no verdict" in shown.answers[0]


def test_utilisation_is_named_for_what_it_is(both: Page) -> None:
    """Time with a kernel, beside the trace's share and the cores of the CPU."""
    text = reply(both, "RQ1")
    assert "a kernel ran 43 % of the time (of a trace the device was busy 50 %)" in text
    assert "1.20 of 16 cores; torch-cpu-16 used 14.0 of 16 cores" in text


def test_the_knee_is_told_with_memory_from_end_to_end(both: Page) -> None:
    """Where throughput stops growing, and what the batch does to memory."""
    text = reply(both, "RQ2")
    assert "with torch-CUDA throughput stops growing at batch 256" in text.replace("With", "with")
    assert "device memory 3.06 GiB at batch 64 and 3.50 GiB at 512" in text
    assert "host memory 3.00 GiB at any batch" in text


def test_throughput_that_still_grows_is_told_so() -> None:
    """No knee is claimed beyond the largest batch."""
    text = reply(page(steps=STEPS | {GPU: lambda _b: 4e-3}), "RQ2")
    assert "still grows at the largest batch, 512" in text
    assert "knee not reached" in text


def test_a_knee_of_one_round_says_so() -> None:
    """Without an interval nobody is led to think that there was one."""
    assert "(knee not reached, one round)" in reply(
        page(rounds=1, steps=STEPS | {GPU: lambda _b: 4e-3}), "RQ2"
    )
    assert "knee not reached, one round" not in reply(
        page(steps=STEPS | {GPU: lambda _b: 4e-3}), "RQ2"
    )


def test_missing_power_says_why_and_gives_the_break_even(both: Page) -> None:
    """The system's words, how to get it, and from which power of the host on."""
    text = reply(both, "RQ3")
    assert f"not measured ({NO_RAPL}; {RAPL_FIX})" in text
    assert (
        "no energy verdict: the torch-cpu-16 run needs less only while the host draws under" in text
    )
    assert " 0 J" not in text


def test_both_meters_give_an_energy_verdict() -> None:
    """The side that needs less is named, with the ratio."""
    assert "the torch-CUDA run needs less energy than the torch-cpu-16 run" in reply(
        page(cpu_energy=True), "RQ3"
    )


def test_time_and_accuracy_stand_beside_each_other(both: Page) -> None:
    """Both sides with intervals; parity is settled or said not to be."""
    text = reply(both, "RQ4")
    assert "(faster)" in text
    assert "accuracy 97.8 % [95.7, 98.9] on torch-CUDA and 97.5 %" in text
    assert "not settled whether on a par" in text


def test_inference_has_its_own_question() -> None:
    """Images a second and percentiles; no training is spoken of."""
    shown = page(workload="infer", spec=TrainingSpec(latency_limit_s=0.02))
    text = reply(shown, "RQ5")
    assert "images/s" in text
    assert "p99 6." in text
    assert "batch 512 is the largest under 20.0 ms" in text
    assert "no batch is surely under 20.0 ms" in text
    assert shown.answers[0].startswith("infer: yes, the GPU pays")
    labels = [r.label for r in shown.workloads[0].training.replies]  # type: ignore[union-attr]
    assert labels == ["RQ1", "RQ2", "RQ3", "RQ5"]


def test_a_loader_bound_run_says_so() -> None:
    """Most of the step waits for the loader, and the most that a remedy could gain is told."""
    waits = {"loader": 0.75, "launch": 0.02, "synchronise": 0.01, "other": 0.02}
    text = facts(page(shares=dict.fromkeys(PHASES, 0.05) | {"loader": 0.8}, idle=waits))
    assert "Most of it waits for the loader." in text
    assert "Without its loader it would be 5.4" in text
    assert "it was idle 75 % for the loader" in text


def test_the_papers_figures_stand_beside_ours_as_theirs(both: Page) -> None:
    """In HTML and in Markdown, under their own name, with where they come from."""
    for text in (render(both, charts.specs(both)), page_markdown(both)):
        plain = text.replace("\u00a0", " ").replace("&nbsp;", " ")
        for label in ("RQ1", "RQ2", "RQ3", "RQ4"):
            assert FOUND[label].split(";")[0] in plain
        assert "two NVIDIA A6000" in plain
        assert FOUND["RQ5"] not in plain


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_screen_holds_it(both: Page, width: int) -> None:
    """No line is wider than the screen; the ratio and the verdict are never left out."""
    lines = printed(both, width)
    assert max(map(len, lines)) <= min(width, 100)
    assert any("faster" in line and "x" in line for line in lines)


def test_each_picture_has_its_data(both: Page) -> None:
    """Curves, phases and accuracy are drawn first; all of it is plain JSON."""
    specs = charts.specs(both)
    assert list(specs)[:5] == [
        "train-batch-throughput", "train-batch-memory", "train-batch-load", "train-step-phases",
        "train-accuracy",
    ]  # fmt: skip
    assert charts.pictures_of("train", specs)[:5] == list(specs)[:5]
    json.dumps(specs, allow_nan=False)


def test_the_knee_is_marked_in_the_picture(both: Page) -> None:
    """A ring on each side's curve, at the batch of its knee."""
    rings = [layer["data"]["values"] for layer in charts.specs(both)["train-batch-throughput"]["layer"]
             if "data" in layer]  # fmt: skip
    assert [(k["size"], k["say"]) for k in rings[0]] == [(128, "knee at 128"), (256, "knee at 256")]


def test_what_was_not_reached_is_not_marked() -> None:
    """A throughput that still grows has no ring."""
    shown = page(steps=STEPS | {GPU: lambda _b: 4e-3})
    text = json.dumps(charts.specs(shown)["train-batch-throughput"])
    assert "knee at 128" in text
    assert "knee at 512" not in text


def test_one_measure_alone_is_named_in_words() -> None:
    """Without a GPU there is one kind of memory, and no legend that would tell it."""
    spec = charts.specs(page(entries=(TORCH_CPU, TWIN)))["train-batch-memory"]
    assert spec["title"]["subtitle"].startswith("Host. ")


def test_every_picture_can_be_drawn(both: Page) -> None:
    """The converter takes each specification."""
    for name in ("train-batch-throughput", "train-batch-load", "train-step-phases"):
        assert charts.to_svg(charts.specs(both)[name]).startswith("<svg")


def test_operators_are_ranked_by_either_time(both: Page) -> None:
    """Device and host time each have a table, the longest first; a CPU has none of a device."""
    w = both.workloads[0]
    assert table(w, "Operators by device time (torch-CUDA")[0][0] == "aten::convolution_backward"
    host = next(t for t in w.tables if t.title.startswith("Operators by host time (torch-cpu-16"))
    assert host.columns == ("operator", "calls", "host, itself", "memory, itself")
    assert not [t for t in w.tables if t.title.startswith("Operators by device time (torch-cpu")]


def test_copies_tell_direction_memory_and_bytes(both: Page) -> None:
    """Two copies of a mebibyte a step, from pageable memory."""
    assert table(both.workloads[0], "Copies")[0][2:6] == (
        "to device",
        "pageable",
        "2.00",
        "2.00 MiB",
    )


def test_a_run_without_studies_has_no_training(gpu_page: Page) -> None:
    """Nothing of a training is shown where nothing was trained."""
    assert gpu_page.workloads[0].training is None
    assert "RQ1" not in render(gpu_page, charts.specs(gpu_page))


def with_teams(busy: tuple[float, ...], samples: tuple[int, ...]) -> Page:
    """Return the page of a training that was also run on several processes."""
    run = replace(trained(rounds=3), teams=teams(busy, samples))
    return build(apply(run, judge(run)))


def test_several_processes_have_their_efficiency_told() -> None:
    """Two that share the work evenly do nearly twice that of one."""
    text = reply(with_teams((1.9, 1.9), (6400, 6400)), "GPUs")
    assert text.startswith("2 processes at batch 128 each reach 6,3")
    assert "an efficiency of 100 % [86, 116] beside as many single ones (5 rounds)" in text
    assert "all of them are evenly at work" in text


def test_the_idle_card_is_named() -> None:
    """A GPU without work is named with its rank, its device and its model."""
    text = reply(with_teams((1.9, 0.05), (6400, 0)), "GPUs")
    assert "rank 1 (cuda:1) is idle" in text
    assert "the load is not balanced" in text


def test_who_waits_for_whom_is_told() -> None:
    """A rank whose own step takes longer keeps the others waiting."""
    text = reply(with_teams((1.9, 1.0), (6400, 6400)), "GPUs")
    assert "the others wait for rank 0 (cuda:0) NVIDIA H200: its own step takes 1.90x" in text
    rows = table(with_teams((1.9, 1.0), (6400, 6400)).workloads[0], "Several processes")
    assert rows[0][:2] == ("128", "2")
    assert rows[0][-2:] == ("slow rank", "rank 0 (cuda:0)")


def test_what_compiling_took_is_told_and_is_part_of_no_step() -> None:
    """It is the entry's own: the CPU's compiler is not the GPU's."""
    run = trained(rounds=3)
    studies = tuple(replace(s, compile_s=21.0) if s.entry == GPU else s for s in run.studies)
    run = replace(run, studies=studies)
    said = facts(build(apply(run, judge(run))))
    assert said.count("Compiling took") == 1
    assert "Compiling took 21.0 s with torch-CUDA, which is part of no step" in said


def test_a_parity_says_that_it_is_of_one_training_a_side() -> None:
    """Its interval is of the images that both answered, not of what other seeds would give."""
    text = reply(page(correct={CPU: 350, GPU: 350}), "RQ4")
    assert "one training a side, n = 1" in text
