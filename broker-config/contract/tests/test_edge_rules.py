"""Rules at the gateway: what they call things, and by what they are told apart."""

from __future__ import annotations

import msgspec
import pytest

from edge_contract.alarms.rule import Comparison, Operator, Rule
from edge_contract.edge_rules import (
    GatewayRule,
    RuleEvent,
    RuleEventKind,
    Rules,
    connection_signal,
    point_signal,
    rules_hash,
    signal_parts,
)


def rule(number: int, threshold: float = 90.0) -> GatewayRule:
    condition = Comparison(signal="boiler/t", op=Operator.GREATER, threshold=threshold)
    return GatewayRule(rule=Rule(id=number, conditions=[condition]))


@pytest.mark.clause("C-161")
def test_names_with_dots_are_told_apart() -> None:
    assert signal_parts(point_signal("a.b", "c")) == ("a.b", "c")
    assert signal_parts(point_signal("a", "b.c")) == ("a", "b.c")
    assert signal_parts(connection_signal("a.b")) == ("a.b", None)
    longest = point_signal("s" * 64, "p" * 64)
    assert msgspec.json.decode(msgspec.json.encode(rule(1)), type=GatewayRule) == rule(1)
    assert len(longest) <= 130, "as long as a signal may be"


@pytest.mark.clause("C-161")
def test_equal_rules_have_an_equal_hash_in_any_order() -> None:
    assert rules_hash([rule(1), rule(2)]) == rules_hash([rule(2), rule(1)])
    assert rules_hash([rule(1, 90.0)]) == rules_hash([rule(1, 90)])
    assert rules_hash([rule(1)]) != rules_hash([rule(1, 91.0)])
    assert len(rules_hash([])) == 64


def test_what_cannot_be_said() -> None:
    with pytest.raises(ValueError, match="rules: each number once"):
        Rules(hash=rules_hash([]), rules=[rule(1), rule(1)])
    numbered = msgspec.structs.replace(rule(1).rule.conditions[0], signal=4)
    with pytest.raises(ValueError, match="rule: signals by the names"):
        GatewayRule(rule=Rule(id=1, conditions=[numbered]))
    for kind, preset, on in ((RuleEventKind.LINKAGE, None, "raised"), (RuleEventKind.RAISED, 1, "raised")):
        with pytest.raises(ValueError, match="preset: of a linkage's event"):
            RuleEvent(
                seq=1, kind=kind, rule=1, version=1, t_ms=1, raised_ms=1, since_ms=1, preset=preset, on=on
            )  # type: ignore[arg-type]
