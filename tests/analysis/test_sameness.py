"""What makes two runs of two machines, and what merely differs."""

from __future__ import annotations

import msgspec
import pytest

from breakeven.analysis.sameness import facts, other_setting, same_machine
from breakeven.model.ported import FunctionSpec
from breakeven.model.run import RunRecord
from breakeven.model.spec import TrainingSpec
from records import GPU, record

replace = msgspec.structs.replace


@pytest.fixture(scope="module")
def run() -> RunRecord:
    """Return a run of three rounds."""
    return record(rounds=1, slots=1, sizes=(128,))


def on(run: RunRecord, **fields: object) -> RunRecord:
    """Return the run on a machine with other facts; those of the processor by `cpu_` names."""
    cpu = {k.removeprefix("cpu_"): v for k, v in fields.items() if k.startswith("cpu_")}
    rest = {k: v for k, v in fields.items() if not k.startswith("cpu_")}
    machine = replace(run.machine, cpu=replace(run.machine.cpu, **cpu), **rest)
    return replace(run, machine=machine)


def test_a_run_beside_itself_has_nothing_that_differs(run: RunRecord) -> None:
    """The same record twice: one machine, no fact, no other setting."""
    assert facts(run, run) == ()
    assert other_setting(run, run, "cupy", "matmul", 128) is None


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"cpu_model": "Other"}, "processor"),
        ({"cpu_cores_online": 8}, "cores"),
        ({"cpu_cores_usable": 8}, "usable cores"),
        ({"memory_bytes": 64 << 30}, "memory"),
        ({"memory_bytes": None}, "memory"),
        ({"gpus": (replace(GPU, uuid="GPU-1111"),)}, "GPUs"),
        ({"gpus": ()}, "GPUs"),
    ],
)
def test_each_of_these_makes_another_machine(
    run: RunRecord, changed: dict[str, object], name: str
) -> None:
    """One such fact is enough, and it is named."""
    found = facts(run, on(run, **changed))
    assert [f.name for f in found] == [name]
    assert not same_machine(found)


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"driver": "590.1"}, "driver"),
        ({"cuda_driver": "13.1"}, "CUDA of the driver"),
        ({"kernel": "6.19"}, "kernel"),
        ({"python": "3.13.0"}, "Python"),
        ({"libraries": {"numpy": "2.6.0", "torch": "2.11.0", "cupy": "14.2.0"}}, "library numpy"),
        ({"environment": {"OMP_NUM_THREADS": "4"}}, "variable OMP_NUM_THREADS"),
        ({"gpus": (replace(GPU, power_limit_w=400.0),)}, "power limit of NVIDIA H200"),
    ],
)
def test_each_of_these_is_told_of_the_same_machine(
    run: RunRecord, changed: dict[str, object], name: str
) -> None:
    """What may be the very cause of a change does not make another machine."""
    found = facts(run, on(run, **changed))
    assert [f.name for f in found] == [name]
    assert same_machine(found)


def test_memory_that_a_kernel_keeps_makes_no_other_machine(run: RunRecord) -> None:
    """One per cent less memory after another boot is the same machine."""
    assert facts(run, on(run, memory_bytes=int((128 << 30) * 0.99))) == ()


@pytest.mark.parametrize(
    "changed", [{"dtype": "float64"}, {"matmul_precision": "tf32"}, {"calls": 2}, {"threads": 3}]
)
def test_another_setting_of_an_entry_is_named(run: RunRecord, changed: dict[str, object]) -> None:
    """Times of another precision, or of more calls, are those of other work."""
    entries = tuple(replace(e, **changed) if e.id == "cupy" else e for e in run.entries)
    said = other_setting(run, replace(run, entries=entries), "cupy", "matmul", 128)
    assert said is not None
    assert str(next(iter(changed.values()))) in said


def test_other_work_is_named(run: RunRecord) -> None:
    """A call that counts more operations is no slower one."""
    cases = tuple(
        replace(c, work=replace(c.work, flops=1.0)) if c.work is not None else c for c in run.cases
    )
    said = other_setting(run, replace(run, cases=cases), "cupy", "matmul", 128)
    assert said is not None
    assert "other work" in said


def test_other_inputs_withhold_and_another_function_does_not(run: RunRecord) -> None:
    """A function before and after an edit is what is compared; other inputs are other work."""

    def of(target: str, inputs: str) -> RunRecord:
        spec = replace(run.spec, function=FunctionSpec(target=target, inputs=inputs))
        return replace(run, spec=spec)

    before, after = of("old.py:f", "n"), of("new.py:f", "n")
    assert other_setting(before, after, "cupy", "matmul", 128) is None
    assert [f.name for f in facts(before, after)] == ["setting function"]
    assert "inputs is n in A and 2*n in B" in str(
        other_setting(before, of("old.py:f", "2*n"), "cupy", "matmul", 128)
    )


def test_other_options_of_a_training_withhold_but_for_its_length(run: RunRecord) -> None:
    """Another optimiser is other work in a step; more epochs are more of the same steps."""

    def of(training: TrainingSpec) -> RunRecord:
        return replace(run, spec=replace(run.spec, training=training))

    plain = TrainingSpec(model="mlp", data="digits")
    slow = replace(plain, optimizer="sgd")
    assert "optimizer is" in str(other_setting(of(plain), of(slow), "cupy", "matmul", 128))
    longer = replace(plain, epochs=plain.epochs + 1)
    assert other_setting(of(plain), of(longer), "cupy", "matmul", 128) is None
