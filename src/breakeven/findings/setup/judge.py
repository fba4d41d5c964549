"""All that is wrong with a set-up, from its recorded facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from breakeven.findings.setup.builds import builds
from breakeven.findings.setup.found import found
from breakeven.findings.setup.host import host
from breakeven.findings.setup.reach import reach
from breakeven.model.finding import Finding
from breakeven.model.setup import MachineFacts

_ORDER = {"error": 0, "warning": 1, "info": 2}
_BUILT_IN = {"numpy": None, "torch-cpu": "torch", "torch-cuda": "torch", "cupy": "cupy"}


def judge_setup(facts: MachineFacts) -> tuple[Finding, ...]:
    """Return what is wrong, worst first; ``info`` explains figures, and nothing is wrong with it.

    Parameters
    ----------
    facts : MachineFacts
        As recorded; nothing is read from this computer.
    """
    reached = tuple(reach(facts))
    hidden = any(f.code == "BE807" for f in reached)
    here = bool(facts.machine.gpus) and not hidden
    all_found = [*reached, *builds(facts, reached=here), *host(facts)]
    all_found += _other_backends(facts, gpu=here)
    return tuple(sorted(all_found, key=lambda f: (_ORDER[f.severity], f.code)))


def wrong(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings that need mending."""
    return tuple(f for f in findings if f.severity != "info")


def headline(findings: Sequence[Finding]) -> str:
    """Return the answer in a line: that nothing is wrong, or how many things, with names."""
    bad = wrong(findings)
    if not bad:
        return "Nothing is wrong here."
    thing = "1 thing is wrong" if len(bad) == 1 else f"{len(bad)} things are wrong"
    titles = dict.fromkeys(_inside(f.title) for f in bad)
    return f"{thing}: {'; '.join(titles)}."


def _inside(title: str) -> str:
    """Return a title as it stands inside a sentence: names such as PyTorch keep their capital."""
    first = title.partition(" ")[0]
    ordinary = first == "A" or first[1:].islower()
    return title[0].lower() + title[1:] if ordinary else title


def _other_backends(facts: MachineFacts, *, gpu: bool) -> Iterator[Finding]:
    """Say which backends failed that no trial speaks for: NumPy, PyTorch's CPU, others' own."""
    for info in facts.backends:
        library = _BUILT_IN.get(info.name)
        spoken = library is not None and (info.device != "cpu" or _dead(facts, library))
        absent = "not installed" in (info.why_not or "") or info.version is None
        if info.available or spoken or absent or (info.device != "cpu" and not gpu):
            continue
        yield found(
            "BE816",
            f"backend {info.name} {info.version} does not work: {info.why_not}.",
            None,
            fix=info.fix,
        )


def _dead(facts: MachineFacts, library: str) -> bool:
    trial = facts.trial(library)
    return trial is not None and trial.stage == "import"
