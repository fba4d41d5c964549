"""What a round does beside its timed slots, while its workers live: nothing, unless jobs run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from breakeven.engine.costs import Task
    from breakeven.engine.team import Team
    from breakeven.model.run import Entry


class Aside(Protocol):
    """Is told how a round goes, and may ask its workers while no slot is measured."""

    def opened(self, team: Team) -> None:
        """All workers are open and idle; no case is set up."""
        ...

    def sized(self, team: Team, task: Task, entries: Sequence[Entry]) -> None:
        """All slots of a size are taken; its cases are still set up."""
        ...


class Nothing:
    """Does nothing beside slots."""

    def opened(self, team: Team) -> None:
        """Do nothing."""

    def sized(self, team: Team, task: Task, entries: Sequence[Entry]) -> None:
        """Do nothing."""
