"""All rules: our own, with those that other packages register."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import entry_points

from breakeven.findings.rule import CAUSES, Rule, RunRule, StepRule
from breakeven.findings.rules.feeding import FEEDING
from breakeven.findings.rules.kernels import KERNELS
from breakeven.findings.rules.launching import LAUNCHING
from breakeven.findings.rules.memory import MEMORY
from breakeven.findings.rules.placement import PLACEMENT
from breakeven.findings.rules.ported import PORTED
from breakeven.findings.rules.readings import READINGS
from breakeven.findings.rules.settings import SETTINGS
from breakeven.findings.rules.setup import SETUP
from breakeven.findings.rules.several_gpus import SEVERAL_GPUS
from breakeven.findings.rules.waiting import WAITING

GROUP = "breakeven.findings"
OWN: tuple[Rule, ...] = (
    *PLACEMENT,
    *SETUP,
    *PORTED,
    *FEEDING,
    *WAITING,
    *LAUNCHING,
    *KERNELS,
    *SETTINGS,
    *MEMORY,
    *SEVERAL_GPUS,
    *READINGS,
)


def rules() -> tuple[Rule, ...]:
    """Return all rules in the order in which causes explain time away.

    An entry point of the group ``breakeven.findings`` is a `StepRule`, a `RunRule`, or several of
    them; its `Code` is its own, and must not begin with ``BE``.

    Raises
    ------
    TypeError
        If an entry point is no rule.
    ValueError
        If its code is one of ours.
    """
    found = [*OWN, *_of_others()]
    return tuple(sorted(found, key=lambda rule: CAUSES.index(rule.cause)))


def _of_others() -> Iterator[Rule]:
    for point in sorted(entry_points(group=GROUP), key=lambda p: p.name):
        loaded = point.load()
        for rule in loaded if isinstance(loaded, list | tuple) else (loaded,):
            if not isinstance(rule, StepRule | RunRule):
                raise TypeError(f"{point.value} is no rule, nor a list of rules")
            if rule.code.code.startswith("BE"):
                raise ValueError(f"{point.value} takes the code {rule.code.code}, which is ours")
            yield rule
