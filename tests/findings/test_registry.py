"""Rules are found: our own, with those of other packages."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from breakeven.findings import registry
from breakeven.findings.catalogue import CATALOGUE
from breakeven.findings.code import Code
from breakeven.findings.rule import CAUSES, Rule, RunRule

OTHER = RunRule(
    Code(code="ACME1", title="t", kind="contended", severity="info", fix="f", verify="v"),
    "wrong measurement",
    lambda _scene: (),
)
STOLEN = RunRule(CATALOGUE["BE101"], "wrong measurement", lambda _scene: ())


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    """Entry points that a test fills."""
    points: list[EntryPoint] = []
    monkeypatch.setattr(registry, "entry_points", lambda **_: points)
    return points


def order(rules: tuple[Rule, ...]) -> list[int]:
    """Return the places of the rules' causes."""
    return [CAUSES.index(rule.cause) for rule in rules]


def test_rules_are_asked_in_the_order_of_causes() -> None:
    """What is never on the GPU comes before what is wrongly measured, and so on."""
    assert order(registry.rules()) == sorted(order(registry.OWN))


def test_a_rule_of_another_package_is_asked_as_well(others: list[EntryPoint]) -> None:
    """It takes its place among ours."""
    others.append(EntryPoint("acme", "findings.test_registry:OTHER", registry.GROUP))
    assert [r.code.code for r in registry.rules() if r.code.code not in CATALOGUE] == ["ACME1"]
    assert order(registry.rules()) == sorted(order(registry.rules()))


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [("STOLEN", ValueError, "BE101, which is ours"), ("CAUSES", TypeError, "is no rule")],
)
def test_what_is_no_rule_or_takes_our_code_is_refused(
    others: list[EntryPoint], name: str, error: type[Exception], said: str
) -> None:
    """A code means one thing."""
    others.append(EntryPoint("acme", f"findings.test_registry:{name}", registry.GROUP))
    with pytest.raises(error, match=said):
        registry.rules()
