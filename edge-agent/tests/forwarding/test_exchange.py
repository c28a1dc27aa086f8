"""Rules of data exchange and their results: only with a cloud that takes them, until it acknowledges them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from edge_contract.exchange_rules import ExchangeReport, ExchangeResult, ExchangeRules, exchange_hash
from edge_contract.limits import MAX_RULES_BYTES
from edge_contract.payloads import Ack, Hello, Pulse, encode
from edge_contract.topics import Message

if TYPE_CHECKING:
    from conftest import Edge, FakeCloud

EMPTY = ExchangeRules(hash=exchange_hash([]))


def result(rule: int) -> ExchangeResult:
    return ExchangeResult(rule=rule, source=1, value=1, t_ms=1)


def reports(cloud: FakeCloud) -> list[ExchangeReport]:
    return [one for one in cloud.all(Message.EXCHANGED) if isinstance(one, ExchangeReport)]


def acknowledge(cloud: FakeCloud) -> None:
    """What came last."""
    cloud.say(Message.ACK, Ack(exchange=reports(cloud)[-1].id))


@pytest.mark.clause("C-180")
async def test_a_cloud_that_does_not_say_so_gets_nothing(edge: Edge, cloud: FakeCloud) -> None:
    edge.exchange.results = [result(1)]
    await edge.start()
    await cloud.until(lambda: len([one for one in cloud.all(Message.PULSE) if isinstance(one, Pulse)]) >= 2)
    (hello, *_) = cloud.all(Message.HELLO)
    assert isinstance(hello, Hello)
    assert hello.takes_exchange
    assert (reports(cloud), edge.exchange.withdrawn) == ([], 1)


@pytest.mark.clause("C-182")
async def test_what_is_held_is_said_after_the_welcome_and_when_it_changes(
    edge: Edge, cloud: FakeCloud
) -> None:
    cloud.takes_exchange = True
    await edge.start()
    await cloud.until(lambda: reports(cloud))
    acknowledge(cloud)
    cloud.say(Message.EXCHANGE, EMPTY)
    await cloud.until(lambda: reports(cloud)[-1].hash == EMPTY.hash)
    acknowledge(cloud)
    assert reports(cloud)[0].hash is None
    assert edge.exchange.withdrawn == 0


@pytest.mark.clause("C-182")
async def test_results_go_again_until_they_are_acknowledged_by_their_report(
    edge: Edge, cloud: FakeCloud
) -> None:
    cloud.takes_exchange = True
    edge.exchange.results = [result(rule) for rule in (1, 2, 3)]
    await edge.start()
    await cloud.until(lambda: len(reports(cloud)) >= 2)
    first, second = reports(cloud)[:2]
    assert [one.rule for one in second.results] == [1, 2] == [one.rule for one in first.results]
    assert first.id != second.id
    cloud.say(Message.ACK, Ack(exchange="f" * 16))
    acknowledge(cloud)
    await cloud.until(lambda: [one.rule for one in reports(cloud)[-1].results] == [3])
    acknowledge(cloud)
    await cloud.until(lambda: not edge.exchange.results)


@pytest.mark.clause("C-181")
async def test_rules_that_are_too_large_are_refused(edge: Edge, cloud: FakeCloud) -> None:
    cloud.takes_exchange = True
    await edge.start()
    await cloud.until(lambda: reports(cloud))
    cloud.say(Message.EXCHANGE, encode(EMPTY)[:-1] + b" " * MAX_RULES_BYTES + b"}")
    await cloud.until(lambda: edge.forwarder.link.bad_messages)
    assert edge.exchange.held is None
