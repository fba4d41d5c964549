"""Tests of the advice: by size, with what holds below, merged where scopes agree."""

from __future__ import annotations

from msgspec.structs import replace

from breakeven.model.run import RunRecord
from breakeven.model.verdict import Advice
from breakeven.report.evidence import Evidence
from breakeven.report.recommendation import recommendations


def advised(run: RunRecord, *found: Advice) -> list[str]:
    """Return the headlines for some advice."""
    evidence = Evidence(replace(run, advice=found, bands=()))
    return [a.headline for a in recommendations(evidence, "matmul")]


def advice(scope: str, choice: str | None, **fields: object) -> Advice:
    """Return advice on matmul."""
    return Advice(workload="matmul", scope=scope, choice=choice, reasons=(), **fields)  # type: ignore[arg-type]


def test_both_scopes_of_one_choice_are_one_sentence(gpu_record: RunRecord) -> None:
    """From where on in each scope, and once what to use below."""
    below = {"otherwise": "torch-cpu-16", "otherwise_to": 512.0}
    assert advised(
        gpu_record,
        advice("transfer", "torch-cuda", from_size=934.0, **below),
        advice("resident", "torch-cuda", from_size=255.0, **below),
    ) == [
        (
            "Use torch-CUDA from N = 934 on if the data must travel, from N = 255 on if it already "
            "lives on the GPU; at smaller sizes the best CPU setting (torch-cpu-16)."
        )
    ]


def test_equal_scopes_are_not_told_twice(gpu_record: RunRecord) -> None:
    """One size for both scopes, with what is still open."""
    same = {"from_size": 1024.0, "open_sizes": (128, 512)}
    assert advised(
        gpu_record, advice("transfer", "cupy", **same), advice("resident", "cupy", **same)
    ) == [
        (
            "Use CuPy from N = 1024 on, whether the data must travel or not; not settled at "
            "N = 128 and 512."
        )
    ]


def test_a_choice_that_always_holds_says_so(gpu_record: RunRecord) -> None:
    """Nothing open and nothing below: every size tested."""
    (text,) = advised(gpu_record, advice("resident", "cupy", from_size=128.0))
    assert text == "Use CuPy at every size tested if the data already lives on the GPU."


def test_nothing_is_claimed_beyond_the_largest_size(gpu_record: RunRecord) -> None:
    """A choice that holds at the largest size alone is for that size, unless a crossing was seen."""
    largest = advice("transfer", "cupy", from_size=8192.0)
    (text,) = advised(replace(gpu_record, crossovers=()), largest)
    assert text == "Use CuPy at N = 8192 if the data must travel."
    (text,) = advised(gpu_record, largest)
    assert text == "Use CuPy from N = 8192 on if the data must travel."


def test_one_size_is_not_every_size(gpu_record: RunRecord) -> None:
    """Where one size was measured, both kinds of choice are for that size."""
    cases = tuple(c for c in gpu_record.cases if c.size == 2048)
    run = replace(gpu_record, cases=cases)
    (use,) = advised(run, advice("resident", "cupy", from_size=2048.0))
    (stay,) = advised(run, advice("resident", "torch-cpu-16", from_size=2048.0))
    for text in (use, stay):
        assert "at N = 2048 (the only size judged) if the data already lives on the GPU." in text


def test_a_base_is_advised_as_far_as_it_is_settled(gpu_record: RunRecord) -> None:
    """One settled small size makes no advice for the large ones."""
    some = advice("transfer", "torch-cpu-16", from_size=128.0, to_size=512.0,
                  open_sizes=(1024, 2048))  # fmt: skip
    assert advised(gpu_record, some) == [
        (
            "Stay with the best CPU setting (torch-cpu-16) up to N = 512 if the data must travel; not "
            "settled at N = 1024 and 2048."
        )
    ]


def test_without_a_gpu_no_scope_is_told(cpu_record: RunRecord) -> None:
    """Data of a CPU entry need not travel."""
    found = advice("resident", "torch-cpu-2", from_size=512.0, otherwise="numpy-2")
    assert advised(cpu_record, found) == [
        "Use torch-cpu-2 from N = 512 on; at smaller sizes numpy-2."
    ]


def test_no_choice_is_said_once(gpu_record: RunRecord) -> None:
    """Where no scope has a choice, one line holds both."""
    (text,) = advised(gpu_record, advice("transfer", None), advice("resident", None))
    assert text.startswith("No choice is settled if the data must travel and if")


def test_libraries_that_are_not_told_apart_are_named(gpu_record: RunRecord) -> None:
    """The winner's band names the other library."""
    evidence = Evidence(replace(gpu_record, advice=(
        advice("transfer", "cupy", from_size=790.0, otherwise="torch-cpu-16"),)))  # fmt: skip
    (found,) = recommendations(evidence, "matmul")
    assert found.headline.startswith("Use CuPy (or torch-CUDA, not told apart) from N = 790 on")


def test_a_size_that_another_library_wins_is_told(gpu_record: RunRecord) -> None:
    """The other library is named with its size and scope, and is not called alike as well."""
    quicker = advice("transfer", "cupy", from_size=790.0, quicker={"torch-cuda": (8192,)})
    run = replace(gpu_record, advice=(quicker, advice("resident", "cupy", from_size=790.0)))
    (found,) = recommendations(Evidence(run), "matmul")
    assert found.headline == (
        "Use CuPy from N = 790 on, whether the data must travel or not; torch-CUDA is faster still "
        "at N = 8192 if it must travel."
    )
