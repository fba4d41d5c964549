"""What work costs on a GPU beside a CPU, where the prices of an hour are known."""

from __future__ import annotations

from collections.abc import Iterator

from breakeven.model.cost import Cost, CostWord, Prices
from breakeven.model.run import RunRecord


def costs(record: RunRecord, prices: Prices) -> Iterator[Cost]:
    """Yield every comparison of a GPU entry with the best CPU setting that was judged.

    Time costs its price: work on the GPU is cheaper while the ratio of the prices lies below the
    ratio of the times. The word needs the whole verdict interval on one side. Start-up, idle hours
    and whoever waits are not priced.
    """
    devices = {entry.id: entry.device for entry in record.entries}
    for v in record.verdicts:
        if v.base_kind != "best-cpu" or devices.get(v.entry, "cpu") == "cpu":
            continue
        ends = (v.ratio, v.low, v.high, v.verdict_low, v.verdict_high)
        if v.word == "withheld" or None in ends:
            continue
        ratio, low, high, least, most = (x for x in ends if x is not None)
        word: CostWord = "open"
        if least > prices.ratio:
            word = "cheaper"
        elif most < prices.ratio:
            word = "dearer"
        yield Cost(
            verdict=v,
            share=prices.ratio / ratio,
            low=prices.ratio / high,
            high=prices.ratio / low,
            word=word,
        )
