"""From a user's words to a checked spec."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from breakeven.backends import registry as known
from breakeven.engine.request import (
    MOST_SIZES,
    TOUR_GPU_S,
    TOUR_S,
    Options,
    seconds_of,
    sizes_of,
    spec_of,
)
from breakeven.errors import InputError
from breakeven.model.spec import RunSpec
from breakeven.workloads import registry as workloads
from engine.casts import actor, script


def _spec(*names: str, gpu: bool = False, **options: object) -> RunSpec:
    return spec_of(Options(workloads=names, **options), gpu=gpu)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("128", (128,)),
        ("512, 128,256,128", (128, 256, 512)),
        ("128:1024", (128, 256, 512, 1024)),
        ("100:350", (100, 200, 350)),
        ("7:7", (7,)),
        ([512, 128], (128, 512)),
        ("1073741824", (1 << 30,)),
    ],
)
def test_sizes_are_a_list_or_a_range(text: str | list[int], expected: tuple[int, ...]) -> None:
    """Sizes come ascending, each once; a range doubles and ends at its end."""
    assert sizes_of(text) == expected


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no sizes"), (",", "no sizes"), ("0", "size 0"), ("128,0", "size 0"),
        ("1073741825", "size 1073741825"), ("-5", "'-5'"), ("12.5", "'12.5'"), ("big", "'big'"),
        ("²", "'²'"), ("512:128", "512:128"), ("0:8", "0:8"), ([0], "size 0"), ([], "no sizes"),
        (list(range(1, MOST_SIZES + 2)), "too many"), ("9" * 5000, "is no size"), ("8:" + "9" * 5000, "is no size"),
    ],
)  # fmt: skip
def test_what_is_no_size_is_refused(text: str | list[int], what: str) -> None:
    """The message quotes what is wrong, and says what a size looks like."""
    with pytest.raises(InputError, match=what) as caught:
        sizes_of(text)
    assert caught.value.fix


@pytest.mark.parametrize(
    ("text", "expected"),
    [("90", 90), ("60s", 60), ("10m", 600), ("1.5 h", 5400), ("2 MIN", 120), (30, 30), (2.5, 2.5)],
)
def test_times_have_units(text: str | float, expected: float) -> None:
    """Seconds stand without a unit; minutes and hours with one."""
    assert seconds_of(text) == pytest.approx(expected)


@pytest.mark.parametrize("text", ["", "soon", "-5", "10 days", "1e3", "nan", "inf", "0", "0.5s", "169h",
                                  "9" * 400])  # fmt: skip
def test_what_is_no_time_is_refused(text: str) -> None:
    """Text, negative times, times too short for anything or without end are the user's to mend."""
    with pytest.raises(InputError) as caught:
        seconds_of(text)
    assert caught.value.fix


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"dtype": "float16"}, "dtype 'float16'"),
        ({"rounds": 0}, "0 rounds"),
        ({"rounds": -3}, "-3 rounds"),
        ({"rounds": 1001}, "1001 rounds"),
        ({"seed": -1}, "seed -1"),
        ({"seed": 2**32}, "seed 4294967296"),
        ({"backends": []}, "no backend was given"),
        ({"backends": ["tensorflow"]}, "'tensorflow'"),
        ({"backends": ["scripted:/nowhere.json"]}, "/nowhere.json"),
        ({"budget": "soon"}, "'soon'"),
        ({"sizes": "0"}, "size 0"),
    ],
)
def test_a_wrong_option_is_refused(options: dict[str, Any], what: str) -> None:
    """The message names the value, before anything is measured."""
    with pytest.raises(InputError, match=what):
        _spec("matmul", **options)


def test_a_workload_that_nobody_knows_is_refused_with_those_that_are_known() -> None:
    """The user sees what there is to choose from."""
    with pytest.raises(InputError, match="'matmil'") as caught:
        _spec("matmil")
    assert "matmul, mlp" in caught.value.fix


def test_nothing_said_is_the_tour() -> None:
    """Both workloads at their own sizes, every backend, within the tour's time."""
    spec = _spec()
    assert [w.name for w in spec.workloads] == list(workloads.TOUR)
    assert [w.sizes for w in spec.workloads] == [workloads.get(n).sizes for n in workloads.TOUR]
    assert not any(w.given for w in spec.workloads)
    assert spec.backends == known.names()
    assert not spec.explicit_backends
    assert (spec.effort, spec.budget_s) == ("tour", TOUR_S)
    assert _spec(gpu=True).budget_s == TOUR_GPU_S


def test_what_was_said_is_kept() -> None:
    """Sizes given are marked as given; workloads stand once, backends as often as they were said."""
    spec = _spec("mlp", "mlp", sizes="8,16", backends=["numpy", "numpy"], rounds=3, budget="2m")
    assert [(w.name, w.sizes, w.given) for w in spec.workloads] == [("mlp", (8, 16), True)]
    assert (spec.backends, spec.explicit_backends) == (("numpy", "numpy"), True)
    assert (spec.effort, spec.budget_s, spec.rounds) == ("full", 120.0, 3)
    assert _spec(quick=True).effort == "quick"


def test_a_script_is_a_backend(tmp_path: Path) -> None:
    """A script that can be read may be backends, whole or by actor; an actor that it lacks may not."""
    name = script(tmp_path, one=actor())
    assert _spec("matmul", backends=[name]).backends == (name,)
    assert _spec("matmul", backends=[f"{name}#one"]).backends == (f"{name}#one",)
    with pytest.raises(InputError, match="two"):
        _spec("matmul", backends=[f"{name}#two"])


def test_a_spec_stores_what_each_axis_is_called() -> None:
    """The page is also made where the workload is not installed: the run must know the name."""
    spec = spec_of(Options(workloads=("mlp", "matmul")), gpu=False)
    assert [w.axis for w in spec.workloads] == ["hidden", "N"]


def test_ceilings_are_measured_on_request_or_where_the_budget_has_room() -> None:
    """From five minutes on they are measured anyway; the tour and short budgets leave them out."""
    assert spec_of(Options(ceilings=True), gpu=False).ceilings
    assert spec_of(Options(budget="5m"), gpu=False).ceilings
    assert not spec_of(Options(budget="299s"), gpu=False).ceilings
    assert not spec_of(Options(), gpu=True).ceilings


def test_what_a_library_does_besides_is_planned_with_its_workload() -> None:
    """The stored run tells it without the workload; most workloads have nothing to tell."""
    solve, matmul = _spec("solve", "matmul").workloads
    assert [(o.backend, o.computes_in) for o in solve.unlike] == [("numpy", "float64")]
    assert matmul.unlike == ()
