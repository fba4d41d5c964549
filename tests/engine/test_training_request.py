"""From a user's words to a checked training."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.backends import registry as backends
from breakeven.engine.jobs import Jobs, fitting
from breakeven.engine.request import JOB_QUICK_S, JOB_S, Options, spec_of
from breakeven.engine.training_request import TrainingOptions
from breakeven.errors import InputError
from breakeven.model.spec import RunSpec
from breakeven.workloads.jobs import LIMITED_SIZES, SIZES
from breakeven.workloads.training.base import Facts


def _spec(*names: str, quick: bool = False, **training: object) -> RunSpec:
    options = Options(
        workloads=names or ("train",),
        quick=quick,
        training=TrainingOptions(**training),  # type: ignore[arg-type]
    )
    return spec_of(options, gpu=False)


def test_a_training_has_its_own_sizes_backends_and_time() -> None:
    """Without a word it is batch 64 and 128, on what trains, within two minutes."""
    spec = _spec()
    assert [(w.name, w.sizes, w.axis, w.given) for w in spec.workloads] == [
        ("train", SIZES, "batch", False)
    ]
    assert "numpy" not in spec.backends
    assert {"torch-cpu", "torch-cuda"} <= set(spec.backends)
    assert all(backends.get(name).about.trains for name in spec.backends)
    assert spec.budget_s == JOB_S
    assert _spec(quick=True).budget_s == JOB_QUICK_S


def test_array_code_has_no_training() -> None:
    """A run of the tour starts workers that make arrays."""
    assert spec_of(Options(), gpu=False).training is None


def test_what_was_given_stands_in_the_spec() -> None:
    """Each option has its place."""
    spec = _spec(
        "train", "infer", model="mlp", data="synthetic", image_size=16, batch_sizes="1,8", epochs=3,
        learning_rate=0.1, optimizer="sgd", workers=2, compile=True, precision=["fp32", "bf16"],
        latency_limit="20ms", gpus="2,1",
    )  # fmt: skip
    training = spec.training
    assert training is not None
    assert (training.model, training.data, training.image_size) == ("mlp", "synthetic", 16)
    assert (training.epochs, training.learning_rate, training.optimizer) == (3, 0.1, "sgd")
    assert (training.workers, training.compile, training.gpus) == (2, True, (1, 2))
    assert training.latency_limit_s == pytest.approx(0.02)
    assert spec.precisions == ("bfloat16",)
    assert (spec.workloads[0].sizes, spec.workloads[0].given) == ((1, 8), True)


def test_a_limit_of_latency_asks_for_small_requests_too() -> None:
    """The largest batch that keeps it may be a single image."""
    found = _spec("infer", latency_limit=0.02).workloads[0]
    assert (found.sizes, found.given) == (LIMITED_SIZES, False)


def test_a_file_of_the_users_own_is_taken_by_its_name(tmp_path: Path) -> None:
    """Whether it makes a model is found out in a process of its own."""
    file = tmp_path / "net.py"
    file.write_text("def make(): ...\n")
    training = _spec(model=f"{file}:make", data=str(tmp_path)).training
    assert training is not None
    assert training.model == f"{file}:make"
    assert training.data == str(tmp_path)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"model": "vgg"}, "vgg"),
        ({"model": "/nowhere/net.py:make"}, "does not exist"),
        ({"data": "/nowhere"}, "/nowhere"),
        ({"batch_sizes": "0"}, "size 0"),
        ({"batch_sizes": "x"}, "--batch-sizes"),
        ({"batch_sizes": [1 << 21]}, "cannot be measured"),
        ({"epochs": 0}, "--epochs 0"),
        ({"learning_rate": 0.0}, "--lr"),
        ({"learning_rate": float("nan")}, "--lr"),
        ({"optimizer": "rmsprop"}, "rmsprop"),
        ({"precision": ["fp8"]}, "fp8"),
        ({"precision": []}, "no precision"),
        ({"workers": -1}, "--workers"),
        ({"image_size": 0}, "--image-size"),
        ({"gpus": "1,x"}, "'x'"),
        ({"gpus": [0]}, "0"),
        ({"latency_limit": "20ms"}, "infer"),
    ],
)
def test_what_cannot_be_is_refused_with_a_remedy(options: dict[str, object], what: str) -> None:
    """One line says what is wrong and what to try."""
    with pytest.raises(InputError, match=what) as caught:
        _spec(**options)
    assert caught.value.fix


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"workloads": ("train", "matmul")}, "one run"),
        ({"workloads": ("train",), "sizes": "64"}, "batch sizes"),
        ({"workloads": ("train",), "dtype": "float64"}, "float64"),
        ({"workloads": ("train",), "precisions": ["tf32"]}, "--precision"),
        ({"workloads": ("matmul",), "training": TrainingOptions(model="cnn")}, "--model"),
        ({"workloads": ("infer",), "training": TrainingOptions(all_epochs=True)}, "--all-epochs"),
        ({"workloads": ("infer",), "training": TrainingOptions(latency_limit="2h")}, "no time"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: dict[str, object], what: str) -> None:
    """An option that would be passed over is an error and no surprise."""
    with pytest.raises(InputError, match=what) as caught:
        spec_of(Options(**options), gpu=False)  # type: ignore[arg-type]
    assert caught.value.fix


def _jobs(samples: int) -> Jobs:
    facts = Facts(
        model="m", data="few", classes=2, image=(1, 8, 8), batch_size=64, steps_per_epoch=1,
        samples_per_epoch=64, train_samples=samples, test_samples=10, parameters=10,
    )  # fmt: skip
    return Jobs(facts={"train": {64: facts}})


def test_a_default_batch_that_the_data_are_too_few_for_is_left_out() -> None:
    """Nobody asked for it."""
    assert fitting(_spec(), _jobs(100)).workloads[0].sizes == (64,)


def test_a_named_batch_that_the_data_are_too_few_for_is_refused() -> None:
    """The message names the data and how many there are."""
    with pytest.raises(InputError, match="100 training images of few") as caught:
        fitting(_spec(batch_sizes="64,128"), _jobs(100))
    assert "100" in caught.value.fix
    with pytest.raises(InputError, match="more than the 10"):
        fitting(_spec(), _jobs(10))


@pytest.mark.parametrize("option", ["model", "data"])
def test_a_name_that_is_no_text_is_refused(option: str) -> None:
    """A file whose name is no UTF-8 could be neither stored nor told: one line says so."""
    with pytest.raises(InputError, match="cannot be written as text"):
        _spec(**{option: "m\udce9.py:make"})
