"""Conditions and checks of the protocols' document; the portal's tests read the same tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cloud.domains.points.conditions import broken, compiled, compiled_checks
from cloud.domains.points.facts import port_facts, slave_facts
from cloud.domains.points.faults import checked
from cloud.domains.points.forms import forms

HERE = Path(__file__).parent
CONDITIONS = json.loads((HERE / "conditions.json").read_text(encoding="utf-8"))
PLACES = json.loads((HERE / "places.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CONDITIONS, ids=lambda case: case["name"])
def test_conditions_have_the_values_of_the_table(case: dict[str, Any]) -> None:
    value = compiled(case["condition"])(case["facts"])
    assert (value, type(value) is bool) == (case["value"], type(case["value"]) is bool)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_several_conditions_hold_together(count: int) -> None:
    fact = {"var": "on"}
    for at in range(count):
        parts = [fact if at == here else True for here in range(count)]
        assert [compiled({"and": parts})({"on": on}) for on in (True, False)] == [True, False]
        parts = [fact if at == here else False for here in range(count)]
        assert [compiled({"or": parts})({"on": on}) for on in (7, 0)] == [7, 0 if at == count - 1 else False]


def test_an_unknown_operator_is_refused() -> None:
    with pytest.raises(ValueError, match="'xor' is no operator"):
        compiled({"and": [True, {"xor": [1, 2]}]})


def test_of_each_check_the_first_rule_that_holds() -> None:
    rule = {"field": "rw", "args": {}, "level": "error", "when": True}
    checks = compiled_checks(
        [
            [{**rule, "code": "a", "when": {"var": "off"}}, {**rule, "code": "b"}, {**rule, "code": "c"}],
            [{**rule, "code": "d"}],
        ]
    )
    assert [each.code for each in broken(checks, {})] == ["b", "d"]


@pytest.mark.parametrize("case", PLACES, ids=lambda case: f"{case['protocol']} {case['name']}")
def test_ports_and_slaves_have_the_faults_of_the_table(case: dict[str, Any]) -> None:
    form = forms()[case["protocol"]]
    facts = {**port_facts(case["port"]), **slave_facts(case["address"], form, case["options"])}
    rules = form.compiled
    cells = [cell for checks in (rules.port, rules.address, rules.slave) for cell in checked(checks, facts)]
    assert [[cell.field, cell.code, cell.level] for cell in cells] == case["faults"]
