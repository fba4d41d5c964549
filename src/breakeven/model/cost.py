"""What work costs where the prices of an hour are known."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.verdict import Verdict

CostWord = Literal["cheaper", "dearer", "open"]


class Prices(msgspec.Struct, frozen=True, kw_only=True):
    """What an hour of each machine costs, in US dollars; both above 0."""

    cpu: float
    gpu: float

    @property
    def ratio(self) -> float:
        """Price of the GPU's machine over that of the CPU's."""
        return self.gpu / self.cpu


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """One GPU entry beside the best CPU setting, in money.

    Attributes
    ----------
    verdict : Verdict
        Its ratio is the ratio of prices below which the GPU is cheaper.
    share, low, high : float
        Cost on the GPU over that on the CPU, with its 95 % interval.
    word : str
        ``cheaper`` or ``dearer`` where the whole verdict interval says so.
    """

    verdict: Verdict
    share: float
    low: float
    high: float
    word: CostWord
