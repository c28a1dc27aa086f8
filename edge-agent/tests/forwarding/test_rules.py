"""Rules of the cloud and their events: only with a cloud that takes them, until it has acknowledged them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from edge_contract.edge_rules import RuleEvent, RuleEventKind, RuleEvents, Rules, RulesReport, rules_hash
from edge_contract.limits import MAX_RULES_BYTES
from edge_contract.payloads import Ack, Hello, Pulse, encode
from edge_contract.topics import Message

if TYPE_CHECKING:
    from conftest import Edge, FakeCloud

EMPTY = Rules(hash=rules_hash([]))


def event(seq: int) -> RuleEvent:
    return RuleEvent(
        seq=seq, kind=RuleEventKind.RAISED, rule=1, version=1, t_ms=seq, raised_ms=seq, since_ms=seq
    )


def numbers(cloud: FakeCloud) -> list[list[int]]:
    reports = [report for report in cloud.all(Message.EVENTS) if isinstance(report, RuleEvents)]
    return [[one.seq for one in report.events] for report in reports]


def reported(cloud: FakeCloud) -> list[str | None]:
    return [one.hash for one in cloud.all(Message.EVALUATION) if isinstance(one, RulesReport)]


@pytest.mark.clause("C-160")
async def test_a_cloud_that_does_not_say_so_gets_nothing(edge: Edge, cloud: FakeCloud) -> None:
    edge.rules.events = [event(1)]
    await edge.start()
    await cloud.until(lambda: len([one for one in cloud.all(Message.PULSE) if isinstance(one, Pulse)]) >= 2)
    (hello, *_) = cloud.all(Message.HELLO)
    assert isinstance(hello, Hello)
    assert hello.takes_rules
    assert (numbers(cloud), reported(cloud), edge.rules.withdrawn) == ([], [], 1)


@pytest.mark.clause("C-162")
async def test_what_is_held_is_said_before_any_batch_and_after_each_message(
    edge: Edge, cloud: FakeCloud
) -> None:
    cloud.takes_rules = True
    await edge.commit(1)
    await edge.start()
    await cloud.until(lambda: cloud.lanes())
    kinds = [one.kind for one in cloud.arrived]
    assert kinds.index(Message.EVALUATION) < min(kinds.index(kind) for kind, _ in cloud.lanes())
    cloud.say(Message.RULES, EMPTY)
    await cloud.until(lambda: len(reported(cloud)) == 2)
    assert reported(cloud) == [None, EMPTY.hash]
    assert edge.rules.withdrawn == 0


@pytest.mark.clause("C-161")
async def test_rules_that_are_too_large_are_refused(edge: Edge, cloud: FakeCloud) -> None:
    cloud.takes_rules = True
    await edge.start()
    await cloud.until(lambda: reported(cloud))
    cloud.say(Message.RULES, encode(EMPTY)[:-1] + b" " * MAX_RULES_BYTES + b"}")
    await cloud.until(lambda: edge.forwarder.link.bad_messages)
    assert edge.rules.held is None


@pytest.mark.clause("C-165")
async def test_events_follow_each_other_by_acknowledgement(edge: Edge, cloud: FakeCloud) -> None:
    cloud.takes_rules = True
    edge.rules.events = [event(seq) for seq in (1, 2, 3)]
    await edge.start()
    await cloud.until(lambda: len(numbers(cloud)) >= 2)
    assert set(map(tuple, numbers(cloud))) == {(1, 2)}, "sent again, and nothing else meanwhile"
    stream = edge.store.outbox.state().stream
    cloud.say(Message.ACK, Ack(stream="0" * 16, events=2))
    cloud.say(Message.ACK, Ack(stream=stream, events=2))
    await cloud.until(lambda: [3] in numbers(cloud))
    cloud.say(Message.ACK, Ack(stream=stream, events=3))
    await cloud.until(lambda: not edge.rules.events)
