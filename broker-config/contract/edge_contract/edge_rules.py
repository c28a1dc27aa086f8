"""Rules that a gateway evaluates itself, and what it says of them (C-160 to C-169)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Annotated, Literal

import msgspec

from edge_contract.alarms.rule import MAX_CONDITIONS, Rule
from edge_contract.alarms.state import EngineState, On
from edge_contract.fields import ControlMessage, Count, Hash, Hex16, Millis, Name, Scalar, Text, content_hash
from edge_contract.fields import Sequence as Number
from edge_contract.limits import MAX_EDGE_RULES, MAX_EVENTS

RuleNumber = Annotated[int, msgspec.Meta(ge=1)]

MAX_WRITES = 100
"""Of one linkage."""

MAX_LINKAGES = 20
"""Of one rule."""

SEPARATOR = "/"
"""In no name."""


def point_signal(slave: str, point: str) -> str:
    """What a rule calls a point of the gateway."""
    return f"{slave}{SEPARATOR}{point}"


def connection_signal(slave: str) -> str:
    """What a rule calls the connection of a slave (True: connected)."""
    return slave


def signal_parts(signal: str) -> tuple[str, str | None]:
    """Slave and point; None for the connection of the slave."""
    slave, separator, point = signal.partition(SEPARATOR)
    return slave, point if separator else None


class RuleWrite(ControlMessage, frozen=True, kw_only=True):
    """A value for a point of the gateway."""

    slave: Name
    point: Name
    value: Scalar


class RuleLinkage(ControlMessage, frozen=True, kw_only=True):
    """Writes in their order when an alarm is raised, or when it is over. preset: the cloud's number of them;
    expires_s: not begun later than so long after the transition.
    """

    on: On
    preset: RuleNumber
    expires_s: Annotated[int, msgspec.Meta(ge=1, le=3600)] = 20
    writes: Annotated[list[RuleWrite], msgspec.Meta(min_length=1, max_length=MAX_WRITES)]


class GatewayRule(ControlMessage, frozen=True, kw_only=True):
    """A rule whose signals are named by point_signal and connection_signal. title: for the gateway's page."""

    rule: Rule
    title: Text = ""
    linkages: Annotated[list[RuleLinkage], msgspec.Meta(max_length=MAX_LINKAGES)] = []

    def __post_init__(self) -> None:
        if any(isinstance(condition.signal, int) for condition in self.rule.conditions):
            raise ValueError("rule: signals by the names of slave and point")


class Rules(ControlMessage, frozen=True, kw_only=True):
    """Every rule that the gateway evaluates from now on. hash: rules_hash(rules).

    state: of rules that the cloud has evaluated so far; it counts for those that the gateway has none of.
    returned: rules that the cloud evaluates from now on; their alarms do not end.
    """

    hash: Hash
    rules: Annotated[list[GatewayRule], msgspec.Meta(max_length=MAX_EDGE_RULES)] = []
    state: EngineState | None = None
    returned: Annotated[list[RuleNumber], msgspec.Meta(max_length=MAX_EDGE_RULES)] = []

    def __post_init__(self) -> None:
        if len({each.rule.id for each in self.rules}) < len(self.rules):
            raise ValueError("rules: each number once")


class RuleProblem(ControlMessage, frozen=True, kw_only=True):
    """A rule that the gateway does not evaluate. code: no_such_point, no_such_slave."""

    rule: RuleNumber
    code: Text
    detail: Text = ""


class RulesReport(ControlMessage, frozen=True, kw_only=True):
    """What the gateway holds durably. hash: None while it has got no rules; problems: which it leaves out."""

    hash: Hash | None = None
    problems: Annotated[list[RuleProblem], msgspec.Meta(max_length=MAX_EDGE_RULES)] = []


class RuleEventKind(StrEnum):
    """What has happened. ENDED: the rule does not go on, by `cause`; LINKAGE: what came of its writes."""

    RAISED = "raised"
    AGAIN = "again"
    CLEARED = "cleared"
    ENDED = "ended"
    LINKAGE = "linkage"


class RuleWriteResult(ControlMessage, frozen=True, kw_only=True):
    """What came of one write of a linkage. value: what was to be written; read: what was read back; t_ms:
    when it ended. code: why it was not done, as of commands, empty when it was. outcome: unknown when it may
    have been carried out.
    """

    slave: Name
    point: Name
    value: Scalar
    t_ms: Millis
    outcome: Literal["done", "failed", "unknown"] = "done"
    code: Text = ""
    read: Scalar = None


class RuleEvent(ControlMessage, frozen=True, kw_only=True):
    """t_ms: when; raised_ms: of the alarm that it is about; since_ms: when its conditions began to hold, or
    to hold no more; condition: place in the rule of that which changed last, value: at that moment.

    cause: of ENDED rule_changed or point_removed. uncertain: of a time at which the clock was not set.
    on, preset, code, results: of LINKAGE; code: why a write was not done, as of commands, empty when all
    were; results: of each write, in their order.
    left_out: of code linkage_limited, how many linkages of the rule were by then; t_ms: when the rest began.
    """

    seq: Number
    kind: RuleEventKind
    rule: RuleNumber
    version: RuleNumber
    t_ms: Millis
    raised_ms: Millis
    since_ms: Millis
    condition: Annotated[int, msgspec.Meta(ge=0, lt=MAX_CONDITIONS)] = 0
    value: Scalar = None
    cause: Text = ""
    uncertain: bool = False
    on: On | None = None
    preset: RuleNumber | None = None
    code: Text = ""
    detail: Text = ""
    left_out: Count = 0
    results: Annotated[list[RuleWriteResult], msgspec.Meta(max_length=MAX_WRITES)] = []

    def __post_init__(self) -> None:
        if (self.kind is RuleEventKind.LINKAGE) is not (self.preset is not None and self.on is not None):
            raise ValueError("preset: of a linkage's event, with `on`")


class RuleEvents(ControlMessage, frozen=True, kw_only=True):
    """Events in rising order, acknowledged up to the last. stream: of the store, as a batch's.

    dropped: events of this stream that went unsent, because too many waited.
    """

    stream: Hex16
    events: Annotated[list[RuleEvent], msgspec.Meta(min_length=1, max_length=MAX_EVENTS)]
    dropped: Count = 0

    def __post_init__(self) -> None:
        if any(one.seq >= other.seq for one, other in pairwise(self.events)):
            raise ValueError("events: by rising seq")


def rules_hash(rules: Sequence[GatewayRule]) -> str:
    """Names the rules, the same in any order."""
    return content_hash(sorted(rules, key=lambda each: each.rule.id), GatewayRule)
