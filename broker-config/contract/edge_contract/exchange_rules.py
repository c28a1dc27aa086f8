"""Rules of data exchange that a gateway runs itself, and what it says of them (C-180 to C-186)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from edge_contract.fields import ControlMessage, Count, Hash, Hex16, Millis, Name, Scalar, Text, content_hash
from edge_contract.limits import MAX_EXCHANGE_RESULTS, MAX_EXCHANGE_RULES

RuleNumber = Annotated[int, msgspec.Meta(ge=1)]


class ExchangeEnd(ControlMessage, frozen=True, kw_only=True):
    """A point of the gateway."""

    slave: Name
    point: Name


class ExchangeRule(ControlMessage, frozen=True, kw_only=True):
    """Values of source for target: value * ratio + bias (exchange.converted). id: the cloud's number of it.

    every_s: 0 sends each change, else at most one value in so many seconds. title: for the gateway's page.
    """

    id: RuleNumber
    title: Text = ""
    source: ExchangeEnd
    target: ExchangeEnd
    ratio: float = 1.0
    bias: float = 0.0
    every_s: Annotated[int, msgspec.Meta(ge=0, le=86_400)] = 0

    def __post_init__(self) -> None:
        if self.source == self.target:
            raise ValueError("target: another point than source")


class ExchangeState(ControlMessage, frozen=True, kw_only=True):
    """sent: the value of its source that a rule sent last, ago_ms ago; missed: it did not arrive."""

    rule: RuleNumber
    sent: Scalar
    ago_ms: Count
    missed: bool = False


class ExchangeRules(ControlMessage, frozen=True, kw_only=True):
    """Every rule that the gateway runs from now on. hash: exchange_hash(rules).

    states: of rules that the cloud has run so far; each counts for a rule of which the gateway has none.
    """

    hash: Hash
    rules: Annotated[list[ExchangeRule], msgspec.Meta(max_length=MAX_EXCHANGE_RULES)] = []
    states: Annotated[list[ExchangeState], msgspec.Meta(max_length=MAX_EXCHANGE_RULES)] = []

    def __post_init__(self) -> None:
        if len({each.id for each in self.rules}) < len(self.rules):
            raise ValueError("rules: each number once")
        if len({(each.target.slave, each.target.point) for each in self.rules}) < len(self.rules):
            raise ValueError("rules: each target once")


class ExchangeProblem(ControlMessage, frozen=True, kw_only=True):
    """A rule that the gateway does not run. code: no_such_slave, no_such_point, read_only, unfit."""

    rule: RuleNumber
    code: Text
    detail: Text = ""


class ExchangeResult(ControlMessage, frozen=True, kw_only=True):
    """The newest write of a rule. source: what its source said; value: what was to be written; read: what was
    read back; t_ms: when it ended.

    outcome: unknown when it may have been carried out. code: why it was not, as of commands; slave_offline:
    it waits until the slave answers again; not_a_number, not_a_position, not_a_text: the value is nothing for
    the target.
    """

    rule: RuleNumber
    source: Scalar
    value: Scalar
    t_ms: Millis
    outcome: Literal["done", "failed", "unknown"] = "done"
    code: Text = ""
    read: Scalar = None


class ExchangeReport(ControlMessage, frozen=True, kw_only=True):
    """What the gateway holds durably, and results that the cloud has not acknowledged, the newest of a rule.

    id: of this report, for its acknowledgement. hash: None while it has got no rules.
    """

    id: Hex16
    hash: Hash | None = None
    problems: Annotated[list[ExchangeProblem], msgspec.Meta(max_length=MAX_EXCHANGE_RULES)] = []
    results: Annotated[list[ExchangeResult], msgspec.Meta(max_length=MAX_EXCHANGE_RESULTS)] = []


def exchange_hash(rules: Sequence[ExchangeRule]) -> str:
    """Names the rules, the same in any order."""
    return content_hash(sorted(rules, key=lambda each: each.id), ExchangeRule)
