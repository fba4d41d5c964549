"""Options of a training that cannot be kept are refused before anything is measured."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from breakeven.engine.request import Options, spec_of
from breakeven.engine.training_limits import check_machine
from breakeven.engine.training_request import TrainingOptions
from breakeven.errors import InputError
from breakeven.model.spec import RunSpec
from records import GPU, machine


def _spec(
    *names: str, quick: bool = False, backends: list[str] | None = None, **training: object
) -> RunSpec:
    options = Options(
        workloads=names or ("train",),
        quick=quick,
        backends=backends,
        training=TrainingOptions(**training),  # type: ignore[arg-type]
    )
    return spec_of(options, gpu=False)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"epochs": 3}, "--epochs"),
        ({"learning_rate": 0.1}, "--lr"),
        ({"optimizer": "sgd"}, "--optimizer"),
        ({"gpus": "1,2"}, "--gpus"),
        ({"all_epochs": True}, "--all-epochs"),
    ],
)
def test_inference_refuses_what_only_a_training_has(given: dict[str, object], said: str) -> None:
    """Passed over, it would be believed to have had an effect; beside a training it has one."""
    with pytest.raises(InputError, match=f"{said} is an option of train"):
        _spec("infer", **given)
    assert _spec("train", "infer", **given).training is not None


@pytest.mark.parametrize("given", [{"gpus": "1,2"}, {"all_epochs": True}])
def test_a_quick_run_refuses_what_it_has_no_time_for(given: dict[str, object]) -> None:
    """It ends after one round, before several processes or whole trainings."""
    with pytest.raises(InputError, match="--quick has no time"):
        _spec(quick=True, **given)


@pytest.mark.parametrize("chosen", [["numpy"], ["torch-cpu", "cupy"]])
def test_a_library_of_arrays_cannot_train(chosen: list[str]) -> None:
    """It would be opened and measured first, and fail then."""
    with pytest.raises(InputError, match=r"is for arrays.*torch-cpu"):
        _spec(backends=chosen)


def test_more_processes_than_cores_are_refused() -> None:
    """Each has cores of its own; as many as there are cores is the most."""
    check_machine(_spec(gpus="2"), machine(gpu=False, cores=2))
    with pytest.raises(InputError, match=r"--gpus 9: 2 usable cores are here.*at most --gpus 2"):
        check_machine(_spec(gpus="1,9"), machine(gpu=False, cores=2))


def test_more_processes_than_gpus_are_refused() -> None:
    """A GPU that takes part bounds them, not the cores beside it."""
    one = replace(machine(gpu=False, cores=16), gpus=(GPU,))
    check_machine(_spec(gpus="1"), one)
    with pytest.raises(InputError, match="--gpus 2: 1 GPU is here"):
        check_machine(_spec(gpus="2"), one)
    check_machine(_spec(gpus="2", backends=["torch-cpu"]), one)


def test_data_parallel_needs_gpus() -> None:
    """It shares a batch among GPUs; the number of them has to be given as well."""
    spec = _spec(gpus="2", strategy="dp")
    assert spec.training is not None
    assert spec.training.strategy == "data_parallel"
    with pytest.raises(InputError, match="--strategy dp shares a batch among GPUs"):
        check_machine(spec, machine(gpu=False, cores=4))
    with pytest.raises(InputError, match="add --gpus"):
        _spec(strategy="dp")
    with pytest.raises(InputError, match="no strategy is called 'fsdp'"):
        _spec(gpus="2", strategy="fsdp")
