"""Why a GPU driver gave no answer, in words that a user can act on."""

from __future__ import annotations

# By the name of NVML's error class: what it means to the user, then what to try.
_NO_DRIVER = {
    "NVMLError_LibraryNotFound": (
        "no NVIDIA driver was found",
        "if this machine has an NVIDIA GPU, install its driver, or let the container see it",
    ),
    "NVMLError_DriverNotLoaded": (
        "the NVIDIA driver is installed but not loaded",
        "run nvidia-smi to see why; a reboot after a driver or kernel update often mends it",
    ),
    "NVMLError_LibRmVersionMismatch": (
        "the NVIDIA driver in memory is not the version of its libraries",
        "reboot, so that the updated driver is loaded",
    ),
    "NVMLError_NoPermission": (
        "this user may not talk to the NVIDIA driver",
        "ask for access to /dev/nvidia*, often by joining the group video or render",
    ),
    "NVMLError_GpuIsLost": (
        "a GPU has fallen off the bus",
        "reboot; if it comes back, look at power and seating",
    ),
}


def explain(error: Exception) -> str:
    """Return what an error of NVML means, with what to try."""
    known = _NO_DRIVER.get(type(error).__name__)
    return f"NVML: {error}; run nvidia-smi to see more" if known is None else "; ".join(known)


def explain_end(returncode: int, stderr: bytes) -> str:
    """Return why the process that asked the driver ended without an answer."""
    if returncode < 0:
        return (
            f"the GPU probe was ended by signal {-returncode} inside the driver's library; run "
            "nvidia-smi: if that crashes too, reinstall the driver"
        )
    lines = stderr.decode(errors="replace").strip().splitlines()
    return f"the GPU probe failed: {lines[-1] if lines else f'exit code {returncode}'}"
