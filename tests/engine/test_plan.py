"""From a spec to entries, effort and cores."""

from __future__ import annotations

import msgspec
import pytest

from breakeven.engine.plan import (
    candidates,
    cores_for,
    default_threads,
    effort_of,
    entry_id,
    smallest_first,
    thread_counts,
    twin_of,
)
from breakeven.model.machine import BackendInfo
from breakeven.model.spec import RunSpec, WorkloadSpec
from engine.casts import began
from records import entry, machine


def _info(name: str, *, available: bool = True) -> BackendInfo:
    device = "cuda:0" if name in {"cupy", "torch-cuda"} else "cpu"
    return BackendInfo(name=name, device=device, available=available)


def _ids(spec: RunSpec, *found: tuple[str, BackendInfo, bool], cores: int = 8) -> list[str]:
    return [e.id for e in candidates(spec, found, machine(cores=cores))]


def test_thread_counts_are_one_half_all_but_one_all_and_the_default() -> None:
    """Each count stands once, ascending; none is below one."""
    assert thread_counts(16, 16) == (1, 8, 15, 16)
    assert thread_counts(16, 32) == (1, 8, 15, 16, 32)
    assert thread_counts(2, 2) == (1, 2)
    assert thread_counts(1, 1) == (1,)


def test_every_pool_is_tried_with_every_count() -> None:
    """A backend with thread pools makes an entry a count; one without makes one."""
    found = (("numpy", _info("numpy"), True), ("cupy", _info("cupy"), False))
    assert _ids(began("numpy").spec, *found) == ["numpy-1", "numpy-4", "numpy-7", "numpy-8", "cupy"]


def test_a_quick_run_takes_the_default_alone() -> None:
    """There is no time for scouting: each backend runs as its library does by itself."""
    spec = began("numpy", effort="quick").spec
    assert _ids(spec, ("numpy", _info("numpy"), True)) == ["numpy-8"]


def test_what_is_not_there_does_not_take_part() -> None:
    """An unavailable backend makes no entry."""
    found = (("numpy", _info("numpy"), True), ("cupy", _info("cupy", available=False), False))
    assert _ids(began("numpy", "cupy").spec, *found, cores=1) == ["numpy-1"]


def test_a_backend_given_twice_is_a_second_entry_in_one_setting() -> None:
    """The second self has the default threads and an id of its own."""
    found = (("numpy", _info("numpy"), True),) * 2
    made = candidates(began("numpy", "numpy").spec, found, machine(cores=2))
    assert [e.id for e in made] == ["numpy-1", "numpy-2", "numpy-2#2"]
    assert [e.default for e in made] == [False, True, True]


def test_the_default_is_what_the_environment_says_or_every_cpu() -> None:
    """OpenBLAS' variable comes before MKL's, theirs before OpenMP's; what is no count is none."""
    here = machine(cores=8)

    def with_(**variables: str | None) -> int:
        return default_threads(msgspec.structs.replace(here, environment=variables))

    assert with_() == 8
    assert with_(OMP_NUM_THREADS="3") == 3
    assert with_(OMP_NUM_THREADS="3", OPENBLAS_NUM_THREADS="2") == 2
    assert with_(OMP_NUM_THREADS="", MKL_NUM_THREADS="0") == 8
    assert with_(OMP_NUM_THREADS="4,2") == 8


def test_ids_tell_scripted_actors_and_repeats_apart() -> None:
    """An actor is called by its own name, not by the path of its script."""
    assert entry_id("numpy", 16) == "numpy-16"
    assert entry_id("scripted:/home/x/cast.json#gpu", None) == "gpu"
    assert entry_id("scripted:/home/x/cast.json#gpu", None, 2) == "gpu#2"


def test_a_twin_is_its_entry_under_another_name() -> None:
    """Nothing but id, variant and default differ."""
    one = entry("numpy", 16, default=True)
    twin = twin_of(one)
    assert (twin.id, twin.variant, twin.twin_of) == ("numpy-16-twin", "twin", "numpy-16")
    assert (twin.backend, twin.threads, twin.default) == ("numpy", 16, False)


def test_threads_get_the_last_cpus_one_each_or_none() -> None:
    """More threads than CPUs cannot have one each; a GPU entry needs none."""
    here = machine(cores=8)
    assert cores_for(entry("numpy", 3), here) == (5, 6, 7)
    assert cores_for(entry("numpy", 8), here) == tuple(range(8))
    assert cores_for(entry("numpy", 9), here) == ()
    assert cores_for(entry("cupy"), here) == ()


@pytest.mark.parametrize("gpu", [False, True])
def test_effort_grows_with_what_was_asked(gpu: bool) -> None:
    """A quick run has one round and searches nothing; a long budget measures more of everything."""
    quick = effort_of(began(effort="quick", rounds=None).spec, gpu=gpu)
    tour = effort_of(began(effort="tour", rounds=None).spec, gpu=gpu)
    long = effort_of(began(budget_s=600.0, rounds=None).spec, gpu=gpu)
    assert (quick.rounds_most, quick.grid, quick.scout_slots, quick.cold_most) == (1, False, 0, 0)
    assert tour.rounds_most == long.rounds_most == 20
    assert tour.slots == long.slots == (6 if gpu else 8)
    assert (tour.grid_all, long.grid_all) == (False, True)
    assert long.cold_most > tour.cold_most
    assert effort_of(began(rounds=7).spec, gpu=gpu).rounds_most == 7


def test_every_workload_is_scouted_before_any_is_scouted_twice() -> None:
    """The smallest size of each workload comes first, then the next of those that have one."""
    spec = RunSpec(
        workloads=(
            WorkloadSpec(name="matmul", sizes=(8, 16)),
            WorkloadSpec(name="mlp", sizes=(64, 128, 256)),
        ),
        backends=("numpy",),
    )
    assert smallest_first(spec) == [
        (0, "matmul", 8), (0, "mlp", 64), (1, "matmul", 16), (1, "mlp", 128), (2, "mlp", 256),
    ]  # fmt: skip
