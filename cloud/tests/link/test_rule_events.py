"""Events of rules at a gateway: acknowledged when the domains have them, and not before."""

from __future__ import annotations

import pytest

from cloud.link.broker_connection import Incoming
from cloud.link.control import Control, ControlArrival
from cloud.link.hooks import HookRunner
from edge_contract.edge_rules import RuleEvent, RuleEventKind, RuleEvents
from edge_contract.fields import ControlMessage
from edge_contract.payloads import Ack, encode
from edge_contract.topics import Message, topic

from .equipment import STREAM, Domain

GATEWAY = "gw-1"


async def _arrived(_gateway: str, _catalog: str) -> None:
    """No catalog comes here."""


@pytest.mark.clause("C-166")
async def test_events_are_acknowledged_after_the_domains_have_taken_them() -> None:
    domain, posted = Domain(), list[ControlMessage]()
    control = Control(
        domain.hooks(), HookRunner(), lambda _, message: posted.append(message), _arrived,
        lambda *_: None, lambda *_: None,
    )  # fmt: skip
    event = RuleEvent(seq=7, kind=RuleEventKind.RAISED, rule=1, version=1, t_ms=5, raised_ms=5, since_ms=5)
    payload = encode(RuleEvents(stream=STREAM, events=[event]))
    incoming = Incoming(topic(GATEWAY, Message.EVENTS), payload, False, lambda: None)
    domain.broken = True
    await control.take(ControlArrival(GATEWAY, Message.EVENTS, incoming))
    assert posted == []
    domain.broken = False
    await control.take(ControlArrival(GATEWAY, Message.EVENTS, incoming))
    assert posted == [Ack(stream=STREAM, events=7)]
    assert domain.kinds() == [RuleEvents]
