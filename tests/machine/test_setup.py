"""The set-up of a computer is read from its files, and nothing is loaded for it."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from breakeven.machine.setup import read_setup
from breakeven.model.setup import MachineFacts
from machine.trees import plant
from records import machine

CARD = "sys/bus/pci/devices/0000:1b:00.0"
SOUND = "sys/bus/pci/devices/0000:1b:00.1"
BRIDGE = "sys/bus/pci/devices/0000:00:01.0"


def read(root: Path, *installed: metadata.Distribution, **environ: str) -> MachineFacts:
    """Return what is read of a tree."""
    return read_setup(machine(), root, environ, installed)


def distribution(
    folder: Path, name: str, version: str, installer: str = "pip"
) -> metadata.Distribution:
    """Return an installed distribution."""
    place = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    files = {"METADATA": f"Name: {name}\nVersion: {version}\n", "INSTALLER": f"{installer}\n"}
    return metadata.PathDistribution(plant(place, files))


def test_a_card_is_told_from_its_sound_and_from_other_makers(tmp_path: Path) -> None:
    """Only NVIDIA's display controllers count, and none is told from a bus that is not shown."""
    assert read(tmp_path).pci_gpus is None
    plant(tmp_path, {
        f"{CARD}/vendor": "0x10de\n", f"{CARD}/class": "0x030200\n",
        f"{SOUND}/vendor": "0x10de\n", f"{SOUND}/class": "0x040300\n",
        f"{BRIDGE}/vendor": "0x1002\n", f"{BRIDGE}/class": "0x030000\n",
    })  # fmt: skip
    assert read(tmp_path).pci_gpus == ("0000:1b:00.0",)


def test_device_files_are_listed_without_folders(tmp_path: Path) -> None:
    """The device files and WSL's bridge are listed; the folder of capabilities is none of them."""
    plant(
        tmp_path, {"dev/nvidia0": "", "dev/nvidiactl": "", "dev/dxg": "", "dev/nvidia-caps/x": ""}
    )
    assert read(tmp_path).device_nodes == ("/dev/dxg", "/dev/nvidia0", "/dev/nvidiactl")


def test_containers_and_wsl_are_recognised(tmp_path: Path) -> None:
    """Docker's mark, or the group of process 1, tells a container; the kernel's name tells WSL."""
    bare = read(tmp_path)
    assert (bare.container, bare.wsl) == (False, False)
    plant(tmp_path, {
        "proc/1/cgroup": "0::/kubepods/pod1\n",
        "proc/sys/kernel/osrelease": "5.15.167.4-microsoft-standard-WSL2\n",
        "etc/os-release": 'NAME="Ubuntu"\nID=ubuntu\nVERSION_ID="24.04"\n',
    })  # fmt: skip
    there = read(tmp_path)
    assert (there.container, there.wsl, there.system) == (True, True, "ubuntu")


def test_libraries_of_cuda_are_named_by_their_major(tmp_path: Path) -> None:
    """The toolkit's and the driver's libraries are found where the loader finds them."""
    plant(tmp_path, {
        "usr/local/cuda-12.4/lib64/libnvrtc.so.12.4.127": "",
        "usr/local/cuda-12.4/lib64/libnvrtc-builtins.so.12.4": "",
        "usr/lib/x86_64-linux-gnu/libcuda.so.1": "",
    })  # fmt: skip
    assert read(tmp_path).shared_libraries == ("libcuda.so.1", "libnvrtc.so.12")


def test_only_distributions_that_matter_are_listed(tmp_path: Path) -> None:
    """CuPy, PyTorch, CUDA's and NVML's packages are listed with what installed them."""
    facts = read(
        tmp_path,
        distribution(tmp_path, "cupy-cuda12x", "13.6.0"),
        distribution(tmp_path, "nvidia_ml_py3", "7.352.0"),
        distribution(tmp_path, "torch", "2.11.0", "uv"),
        distribution(tmp_path, "torchvision", "0.26.0"),
        distribution(tmp_path, "private-package", "1.0"),
    )
    assert facts.distributions == {
        "cupy-cuda12x": "13.6.0", "nvidia-ml-py3": "7.352.0", "torch": "2.11.0"
    }  # fmt: skip
    assert facts.installers["torch"] == "uv"


def test_a_variable_that_is_empty_is_told_from_one_that_is_unset(tmp_path: Path) -> None:
    """An empty CUDA_VISIBLE_DEVICES hides all GPUs, an unset one none."""
    assert read(tmp_path).environment["CUDA_VISIBLE_DEVICES"] is None
    assert read(tmp_path, CUDA_VISIBLE_DEVICES="").environment["CUDA_VISIBLE_DEVICES"] == ""
