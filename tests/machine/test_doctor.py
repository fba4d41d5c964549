"""The doctor judges recorded facts, and each problem comes with its fix."""

from __future__ import annotations

import msgspec

from breakeven.machine.doctor import DoctorLine, judge
from breakeven.model.machine import BackendInfo, Blas, Machine
from records import GPU, machine


def lines(facts: Machine, what: str, *backends: BackendInfo) -> list[DoctorLine]:
    """Return the lines about one thing."""
    return [line for line in judge(facts, backends) if line.what == what]


def with_cpu(**fields: object) -> Machine:
    """Return a machine whose processor differs in `fields`."""
    facts = machine()
    return msgspec.structs.replace(facts, cpu=msgspec.structs.replace(facts.cpu, **fields))


def with_libraries(cuda: str, **versions: str) -> Machine:
    """Return a machine with these libraries and a driver that serves `cuda`."""
    named = {name.replace("_", "-"): version for name, version in versions.items()}
    facts = machine()
    return msgspec.structs.replace(facts, libraries=facts.libraries | named, cuda_driver=cuda)


def test_a_sound_machine_has_no_problem() -> None:
    """Where everything works, every line is ok and none has a fix."""
    info = BackendInfo(name="numpy", device="cpu", available=True, version="2.5.2")
    told = judge(machine(), (info,))
    assert {line.level for line in told} == {"ok"}
    assert all(line.fix is None for line in told)
    assert {"cpu", "cores", "memory", "threads", "driver", "gpu 0", "libraries", "backend"} == {
        line.what for line in told
    }


def test_a_quota_is_named_with_its_remedy() -> None:
    """4 of 64 cores by a quota: the container's limit is what to raise."""
    facts = with_cpu(cores_online=64, affinity=tuple(range(64)), quota_cores=4.0, cores_usable=4)
    (line,) = lines(facts, "cores")
    assert line.level == "note"
    assert "4 of 64 usable" in line.detail
    assert "4.00 cores of time" in line.detail
    assert "container" in (line.fix or "")


def test_affinity_is_named_apart_from_a_quota() -> None:
    """2 of 16 cores by affinity: no quota is blamed."""
    (line,) = lines(with_cpu(affinity=(0, 1), cores_usable=2), "cores")
    assert "affinity allows 2" in line.detail
    assert "control group" not in line.detail


def test_scarce_memory_is_a_problem() -> None:
    """With half a gigabyte left nothing can be measured."""
    facts = msgspec.structs.replace(machine(), memory_available_bytes=1 << 29)
    assert lines(facts, "memory")[0].level == "problem"


def test_unknown_memory_is_not_zero() -> None:
    """A system that does not tell its memory is not said to have none."""
    facts = msgspec.structs.replace(machine(), memory_available_bytes=None)
    (line,) = lines(facts, "memory")
    assert (line.level, "0 B" in line.detail) == ("note", False)


def test_more_threads_than_cores_are_noted() -> None:
    """16 threads on 4 usable cores wait for each other."""
    (line,) = lines(with_cpu(cores_usable=4), "threads")
    assert line.level == "note"
    assert "OPENBLAS_NUM_THREADS=4" in (line.fix or "")


def test_kernels_of_another_age_are_a_problem() -> None:
    """OpenBLAS that runs Prescott's kernels on a CPU with AVX2 leaves most of it unused."""
    pool = Blas(library="openblas", user_api="blas", core_type="Prescott", threads=16)
    facts = msgspec.structs.replace(with_cpu(features=("avx2",)), blas={"numpy": (pool,)})
    (line,) = lines(facts, "blas")
    assert line.level == "problem"
    assert "OPENBLAS_CORETYPE" in (line.fix or "")


def test_an_override_of_the_kernels_is_noted() -> None:
    """OPENBLAS_CORETYPE explains figures, so it is told with its value."""
    facts = msgspec.structs.replace(
        machine(), environment={"OPENBLAS_CORETYPE": "Haswell", "OMP_PLACES": None}
    )
    (line,) = lines(facts, "setting")
    assert "OPENBLAS_CORETYPE=Haswell" in line.detail
    assert "unset OPENBLAS_CORETYPE" in (line.fix or "")


def test_a_machine_without_a_gpu_tells_why_and_what_to_try() -> None:
    """The reason of the probe is split into what is and what to do."""
    facts = msgspec.structs.replace(machine(gpu=False), no_gpu_reason="no driver; install it")
    (line,) = lines(facts, "gpu")
    assert (line.level, line.detail, line.fix) == ("note", "no driver", "install it")


def test_cupy_for_a_newer_cuda_is_a_problem() -> None:
    """CuPy for CUDA 13 beside a driver for 12.4 cannot start a kernel."""
    (line,) = lines(with_libraries("12.4", cupy_cuda13x="14.2.0"), "cupy")
    assert line.level == "problem"
    assert "cupy-cuda12x[ctk]" in (line.fix or "")


def test_cupy_for_an_older_cuda_is_fine() -> None:
    """Drivers serve older CUDA versions too."""
    assert lines(with_libraries("13.0", cupy_cuda12x="14.2.0"), "cupy") == []


def test_two_cupys_are_a_problem() -> None:
    """Two distributions of CuPy overwrite each other's files."""
    (line,) = lines(with_libraries("13.0", cupy_cuda12x="14.2.0", cupy_cuda13x="14.2.0"), "cupy")
    assert "both installed" in line.detail


def test_a_cpu_build_beside_a_gpu_is_a_problem() -> None:
    """PyTorch without CUDA leaves the GPU idle."""
    (line,) = lines(with_libraries("13.0", torch="2.11.0+cpu"), "torch")
    assert "CPU build" in line.detail


def test_a_cpu_build_without_a_gpu_is_fine() -> None:
    """On a machine without a GPU the CPU build is the right one."""
    facts = machine(gpu=False)
    facts = msgspec.structs.replace(facts, libraries=facts.libraries | {"torch": "2.11.0+cpu"})
    assert lines(facts, "torch") == []


def test_torch_for_a_newer_cuda_is_a_problem() -> None:
    """A build for CUDA 13 cannot use a driver for 12.4."""
    (line,) = lines(with_libraries("12.4", torch="2.11.0+cu130"), "torch")
    assert "CUDA 12" in (line.fix or "")


def test_a_broken_backend_is_a_problem_with_its_own_fix() -> None:
    """What a backend says about itself is passed on."""
    info = BackendInfo(
        name="cupy", device="cuda:0", available=False, why_not="no nvrtc", fix="install it"
    )
    (line,) = lines(machine(), "backend", info)
    assert (line.level, line.detail, line.fix) == ("problem", "cupy: no nvrtc", "install it")


def test_a_gpu_backend_without_a_gpu_is_only_noted() -> None:
    """Nothing is broken when a GPU backend does not run where there is no GPU."""
    info = BackendInfo(name="cupy", device="cuda:0", available=False, why_not="no GPU")
    assert lines(machine(gpu=False), "backend", info)[0].level == "note"


def test_a_part_of_a_gpu_is_noted() -> None:
    """A MIG instance explains lower figures than the board's name promises."""
    part = msgspec.structs.replace(GPU, mig=True)
    (line,) = lines(msgspec.structs.replace(machine(), gpus=(part,)), "gpu 0")
    assert (line.level, "MIG" in line.detail) == ("note", True)
