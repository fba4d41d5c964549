"""Findings are explained away, priced, joined, ranked; that nothing is wrong is one as well."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from breakeven.findings.code import Code
from breakeven.findings.judge import judge, merged
from breakeven.findings.rule import RunRule, Seen
from breakeven.findings.scene import Scene
from breakeven.lab import load
from breakeven.model.finding import Finding, Location
from breakeven.model.ported import Ported
from breakeven.model.trace import TraceSummary
from findings.profiles import at, profile, run_of, site, trace, trial
from records import record

_H200 = sorted((Path(__file__).resolve().parents[2] / "examples" / "h200").glob("*.json"))
READ = {"host_s": 0.3, "idle_after_s": 0.2, "bytes": 400, "name": "torch.Tensor.item"}


def smell(code: str, kind: str, line: int, **fields: object) -> Finding:
    """Return what the source shows at a line."""
    values: dict[str, object] = {"message": "The source shows it.", "severity": "warning"} | fields
    return Finding(code=code, title="t", evidence=("static",), kind=kind,  # type: ignore[arg-type]
                   location=Location(path="src/job.py", line=line, column=5, text="x = y"),
                   **values)  # type: ignore[arg-type]  # fmt: skip


def codes(found: tuple[Finding, ...]) -> list[str]:
    """Return the codes, in order."""
    return [f.code for f in found]


def test_a_healthy_script_has_nothing_wrong() -> None:
    """Where the rules saw enough and none spoke, that is the finding."""
    found = judge(run_of(profile(traced=trace(busy=0.93, launch=0.05))))
    assert codes(found) == ["BE000"]
    assert found[0].kind == "none"


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (profile(steps=0), "no repeated step was found"),
        (profile(steps=3), "only 3 steps were seen"),
        (profile(exit_code=1), "the script ended with 1"),
        (profile(traced=TraceSummary(why="torch is not there")), "no trace: torch is not there"),
        (profile(traced=TraceSummary(faults=("a kernel ends before it begins",))), "impossible"),
        (profile(pass_why="the script cannot be run twice"), "cannot be run twice"),
    ],
    ids=["no steps", "few steps", "failed", "no trace", "faulty trace", "no pass"],
)  # fmt: skip
def test_what_hinders_the_look_is_told(seen: object, why: str) -> None:
    """Where too little was seen it cannot be told, with the reason, and nothing is called well."""
    found = judge(run_of(seen))  # type: ignore[arg-type]
    assert "BE000" not in codes(found)
    assert why in (found[-1].why or "")
    assert found[-1].code == "BE001"


def test_a_run_of_scouting_alone_says_nothing() -> None:
    """Without a round there is nothing to call sound; nor where a function ran nowhere else."""
    scouted = record(sizes=(512,), rounds=0)
    assert codes(judge(scouted)) == ["BE001"]
    nowhere = Ported(workload="f", entry="cupy", size=512, reach="preview")
    found = judge(replace(record(sizes=(512,)), ported=(nowhere,)))
    assert [(f.code, f.why) for f in found] == [("BE001", "the function ran on no other library")]


def test_a_faulty_trace_proves_nothing() -> None:
    """A trace with impossible orders does not make a rule speak."""
    bad = trace(busy=0.3, loader=0.6)
    assert "BE201" in codes(judge(run_of(profile(traced=bad))))
    faulty = replace(bad, faults=("a kernel ends before it begins",))
    assert "BE201" not in codes(judge(run_of(profile(traced=faulty))))


def test_an_earlier_cause_explains_away_a_later_one() -> None:
    """Where the loader explains the idle time, launches are not blamed as well."""
    both = trace(busy=0.2, loader=0.5, launch=0.3, number=50_000)
    assert "BE304" not in codes(judge(run_of(profile(traced=both))))
    launches = trace(busy=0.2, loader=0.1, launch=0.7, number=50_000)
    assert "BE304" in codes(judge(run_of(profile(traced=launches))))


def test_a_busy_device_silences_stalls_and_not_waste() -> None:
    """From 80 % busy on a read is no obstacle; kernels that waste the time still are."""
    busy = run_of(profile(site(25, "implicit_sync", **READ), traced=trace(busy=0.95)))
    assert codes(judge(busy)) == ["BE000"]
    priced = judge(busy, (smell("BE301", "implicit-sync", 25),))
    assert [(f.code, f.severity, f.evidence) for f in priced] == [
        ("BE301", "info", ("static", "trace")),
        ("BE000", "info", ("counter",)),
    ]
    assert "busy for 95 %" in (priced[0].message or "")


def test_source_and_run_become_one_finding() -> None:
    """The same fault at the same line has both kinds of evidence, its place, its figures."""
    run = run_of(profile(site(25, "implicit_sync", **READ)))
    found = judge(run, (smell("BE301", "implicit-sync", 25, snippet="x = y.detach()"),))
    mine = [f for f in found if f.code == "BE301"]
    assert [(f.evidence, f.severity) for f in mine] == [(("static", "counter"), "warning")]
    assert mine[0].location is not None
    assert (mine[0].location.path, mine[0].location.column) == ("src/job.py", 5)
    assert mine[0].gain_ceiling == pytest.approx(1.25)
    assert mine[0].snippet == "x = y.detach()"
    assert mine[0].message is not None
    assert mine[0].message.startswith("The source shows it. Line 25 waits")


def test_a_switch_that_was_seen_on_does_not_excuse_it() -> None:
    """Of faults that cost no time the graver word stands."""
    run = run_of(profile(settings={"torch.backends.cuda.matmul.allow_tf32": "True"}))
    found = judge(run, (smell("BE404", "tf32-accuracy", 9),))
    assert [(f.code, f.severity, f.evidence) for f in found][:1] == [
        ("BE404", "warning", ("static", "counter"))
    ]


def test_findings_of_other_lines_stay_apart() -> None:
    """The same kind at two lines is two findings."""
    a, b = smell("BE301", "implicit-sync", 25), smell("BE301", "implicit-sync", 26)
    run = replace(smell("BE301", "implicit-sync", 40), evidence=("trace",))
    assert len(merged((a, b), (run,))) == 3


def test_a_finding_without_a_line_takes_that_of_the_source() -> None:
    """What a trace shows without a line is placed by the source."""
    run = Finding(code="BE201", title="t", severity="warning", evidence=("trace",),
                  kind="dataloader-starvation", message="It waits.")  # fmt: skip
    found = merged((smell("BE201", "dataloader-starvation", 30),), (run,))
    assert [(f.evidence, f.location and f.location.line) for f in found] == [
        (("static", "trace"), 30)
    ]


def test_a_more_telling_code_leaves_nothing_to_the_general_one() -> None:
    """A loop over elements is not told again as a read in each step."""
    run = run_of(profile(site(16, "implicit_sync", **READ)))
    assert codes(judge(run, (smell("BE305", "element-loop", 16),)))[:1] == ["BE305"]
    assert "BE301" not in codes(judge(run, (smell("BE305", "element-loop", 16),)))


def test_a_cheap_smell_is_told_as_information() -> None:
    """What takes under 5 % of the time is not worth mending."""
    run = run_of(profile(site(12, "to_device", host_s=0.01, bytes=10**6)))
    found = judge(run, (smell("BE202", "transfer-in-loop", 12, message="it travels again"),))
    assert [(f.code, f.severity) for f in found][:1] == [("BE202", "info")]
    assert (found[0].message or "").startswith("it travels again. It takes")
    assert "1.0 % of the time" in (found[0].message or "")


def test_a_wrong_clock_is_never_priced_away() -> None:
    """A busy device excuses no figure that is wrong."""
    run = run_of(profile(traced=trace(busy=0.99)))
    found = judge(run, (smell("BE101", "missing-sync", 25, severity="error"),))
    assert [(f.code, f.severity) for f in found] == [("BE101", "error")]


def test_errors_come_first_then_gain_over_effort() -> None:
    """An error leads; of two warnings the one that gains more for less effort."""
    slow = profile(
        site(25, "implicit_sync", **(READ | {"idle_after_s": 0.1})),
        trials=(trial("cached_batch", 0.01, 0.007),),
    )
    found = judge(run_of(slow), (smell("BE101", "missing-sync", 40, severity="error"),))
    assert codes(found)[:3] == ["BE101", "BE201", "BE301"]
    assert found[1].gain is not None
    assert found[1].gain.value == pytest.approx(0.01 / 0.007)


@pytest.mark.parametrize("path", _H200, ids=lambda p: p.stem)
def test_no_false_alarm_on_stored_runs_of_an_h200(path: Path) -> None:
    """Sound runs of real hardware have nothing above information."""
    assert [f for f in judge(load(str(path))) if f.severity != "info"] == []


def test_the_same_record_gives_the_same_findings() -> None:
    """Nothing but the record and the source decides."""
    run = run_of(profile(site(25, "implicit_sync", **READ)))
    assert judge(run) == judge(run)


def test_a_rule_of_another_package_speaks_under_its_own_code() -> None:
    """A rule that is given brings its code, title and fix with it."""
    own = Code(code="ACME1", title="Too slow for us", kind="kernel-quality", severity="warning",
               fix="Ask Acme.", verify="Ask again.")  # fmt: skip

    def look(scene: Scene) -> list[Seen]:
        return [Seen(message=scene.record.id, evidence=("counter",), location=at(3))]

    found = judge(record(sizes=(512,)), given=(RunRule(own, "kernels", look),))
    assert [(f.code, f.fix) for f in found] == [("ACME1", "Ask Acme.")]
