"""Verdicts and findings follow from a record, and follow again."""

from __future__ import annotations

from msgspec.structs import replace

from breakeven.lab.judging import concluded
from breakeven.model.finding import Finding, Location
from findings.profiles import profile, run_of, site
from records import record

SMELL = Finding(code="BE301", title="t", severity="warning", evidence=("static",),
                kind="implicit-sync", location=Location(path="job.py", line=25))  # fmt: skip


def test_a_profile_is_judged_with_what_its_source_shows() -> None:
    """Smells are kept as they were, and findings price them."""
    seen = profile(site(25, "implicit_sync", host_s=0.3, idle_after_s=0.2, name="item"))
    made = concluded(run_of(seen), (SMELL,))
    assert made.smells == (SMELL,)
    assert [f.evidence for f in made.findings] == [("static", "counter")]


def test_judging_again_says_the_same() -> None:
    """Smells that are stored are read again, so that a second judgement is the first."""
    seen = profile(site(25, "implicit_sync", host_s=0.3, idle_after_s=0.2, name="item"))
    made = concluded(run_of(seen), (SMELL,))
    assert concluded(made).findings == made.findings


def test_a_plain_run_has_findings_beside_its_verdicts() -> None:
    """A sound run is found sound."""
    made = concluded(record())
    assert made.verdicts
    assert [f.code for f in made.findings] == ["BE000"]


def test_a_watched_command_is_told_of_no_fault() -> None:
    """Readings alone are no work that a fault could be told of."""
    assert concluded(replace(run_of(profile()), profiled=None)).findings == ()
