"""Rules of data exchange at the gateway: what they say, and by what they are told apart."""

from __future__ import annotations

import pytest

from edge_contract.errors import PayloadError
from edge_contract.exchange_rules import (
    ExchangeEnd,
    ExchangeReport,
    ExchangeResult,
    ExchangeRule,
    ExchangeRules,
    exchange_hash,
)
from edge_contract.limits import MAX_EXCHANGE_RESULTS, MAX_EXCHANGE_RULES, MAX_RULES_BYTES, MAX_TEXT
from edge_contract.payloads import decode, encode


def rule(number: int, ratio: float = 1, target: str = "") -> ExchangeRule:
    source, written = ExchangeEnd(slave="a", point="x"), ExchangeEnd(slave="a", point=target or f"y{number}")
    return ExchangeRule(id=number, source=source, target=written, ratio=ratio)


@pytest.mark.clause("C-181")
def test_equal_rules_have_an_equal_hash_in_any_order() -> None:
    assert exchange_hash([rule(1), rule(2)]) == exchange_hash([rule(2), rule(1)])
    assert exchange_hash([rule(1, 1.0)]) == exchange_hash([rule(1, 1)])
    assert exchange_hash([rule(1)]) != exchange_hash([rule(1, 2)])
    assert len(exchange_hash([])) == 64


@pytest.mark.clause("C-181")
def test_what_cannot_be_said() -> None:
    with pytest.raises(ValueError, match="rules: each number once"):
        ExchangeRules(hash=exchange_hash([]), rules=[rule(1), rule(1)])
    with pytest.raises(ValueError, match="rules: each target once"):
        ExchangeRules(hash=exchange_hash([]), rules=[rule(1, target="y"), rule(2, target="y")])
    with pytest.raises(ValueError, match="target: another point than source"):
        rule(1, target="x")


@pytest.mark.clause("C-181")
def test_as_many_rules_as_a_gateway_takes_fit_into_a_message() -> None:
    long = ExchangeEnd(slave="s" * 64, point="p" * 64)
    rules = [
        ExchangeRule(
            id=number,
            title="\u6eab" * 100,
            source=long,
            target=ExchangeEnd(slave="s" * 64, point=f"q{number}"),
        )
        for number in range(1, MAX_EXCHANGE_RULES + 1)
    ]
    message = ExchangeRules(hash=exchange_hash(rules), rules=rules)
    assert len(encode(message)) < MAX_RULES_BYTES // 2, "what went last of each has the same room"
    assert decode(ExchangeRules, encode(message)) == message
    with pytest.raises(PayloadError):
        decode(ExchangeRules, encode(message).replace(b'"rules":[', b'"rules":[' + encode(rule(9999)) + b","))


@pytest.mark.clause("C-182")
def test_a_report_is_bounded() -> None:
    result = ExchangeResult(rule=1, source="x" * MAX_TEXT, value="x" * MAX_TEXT, t_ms=1)
    largest = ExchangeReport(id="0" * 16, results=[result] * MAX_EXCHANGE_RESULTS)
    assert decode(ExchangeReport, encode(largest)) == largest
    with pytest.raises(PayloadError):
        decode(
            ExchangeReport, encode(ExchangeReport(id="0" * 16, results=[result] * (MAX_EXCHANGE_RESULTS + 1)))
        )
