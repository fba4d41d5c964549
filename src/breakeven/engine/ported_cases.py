"""What a worker told of the user's function on its library, as a case says it."""

from __future__ import annotations

import msgspec

from breakeven import units
from breakeven.model.case import Agreement
from breakeven.model.ported import Ported

MOST_SAID = 3


def named(
    ported: Ported, entry: str, workload: str, size: int, kernels: int | None = None
) -> Ported:
    """Return it with the names that a worker does not know.

    Parameters
    ----------
    kernels : int or None
        That the device ran in one call, counted in a process apart: without any, nothing ran there.
    """
    made = msgspec.structs.replace(
        ported, entry=entry, workload=workload, size=size, kernels=kernels
    )
    if kernels == 0 and made.reach == "fully":
        return msgspec.structs.replace(
            made, reach="host_part", outside=(*made.outside, "the device ran no kernel")
        )
    return made


def why_of(ported: Ported | None, agreement: Agreement | None) -> str | None:
    """Return the reason, or the remark, of the case; None where there is nothing to say."""
    outside = () if ported is None else ported.outside
    said = "; ".join(outside[:MOST_SAID])
    if agreement is not None and not agreement.passed:
        error = units.significant(agreement.error, 2)
        return said or f"its answer differs from NumPy's by {error} of it"
    if ported is not None and ported.reach == "host_part":
        return _on_host(ported)
    return said or None


def _on_host(ported: Ported) -> str:
    bridged = [site for site in ported.sites if site.bridged]
    if not bridged and ported.kernels == 0:
        return "the device ran no kernel: NumPy did the work"
    if not bridged:
        return "it gives arrays in host memory: NumPy did the work, or the answer was fetched"
    names = ", ".join(dict.fromkeys(site.name for site in bridged))
    moved = sum(site.to_host_bytes + site.to_device_bytes for site in bridged)
    said = f"NumPy did {names} on the host, and {units.size_bytes(moved)} travelled for it"
    total = sum(site.seconds or 0.0 for site in ported.sites)
    took = sum(site.seconds or 0.0 for site in bridged)
    share = f": {round(100 * took / total)} % of one call" if total > 0 else ""
    return said + share
