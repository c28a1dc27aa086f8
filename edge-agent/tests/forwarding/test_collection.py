"""Records of what was read: one report at a time, again until acknowledged, and only to who takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from edge_contract.collection import Collection, CollectionRecord, SlaveReads
from edge_contract.payloads import Ack, Pulse
from edge_contract.topics import Message

if TYPE_CHECKING:
    from conftest import Edge, FakeCloud

pytestmark = pytest.mark.clause("C-131")


def record(seq: int) -> CollectionRecord:
    read = SlaveReads(name="meter", expected=1, good=1)
    return CollectionRecord(seq=seq, from_ms=seq * 60_000, to_ms=(seq + 1) * 60_000, slaves=[read])


def numbers(cloud: FakeCloud) -> list[list[int]]:
    reports = [report for report in cloud.all(Message.COLLECTION) if isinstance(report, Collection)]
    return [[record.seq for record in report.records] for report in reports]


async def test_reports_follow_each_other_by_acknowledgement(edge: Edge, cloud: FakeCloud) -> None:
    cloud.takes_collection = True
    edge.records.stored = [record(seq) for seq in range(1, 6)]
    await edge.start()
    await cloud.until(lambda: len(numbers(cloud)) >= 2)
    assert set(map(tuple, numbers(cloud))) == {(1, 2)}, "sent again, and nothing else meanwhile"
    stream = edge.store.outbox.state().stream
    cloud.say(Message.ACK, Ack(stream="0" * 16, collected=2))
    cloud.say(Message.ACK, Ack(stream=stream, collected=2))
    await cloud.until(lambda: [3, 4] in numbers(cloud))
    cloud.say(Message.ACK, Ack(stream=stream, collected=4))
    await cloud.until(lambda: [5] in numbers(cloud))
    cloud.say(Message.ACK, Ack(stream=stream, collected=5))
    await cloud.until(lambda: not edge.records.stored)


async def test_a_new_session_sends_what_is_not_acknowledged(edge: Edge, cloud: FakeCloud) -> None:
    cloud.takes_collection = True
    edge.records.stored = [record(1)]
    await edge.start()
    await cloud.until(lambda: numbers(cloud))
    await edge.stop()
    before = len(numbers(cloud))
    await edge.start()
    await cloud.until(lambda: len(numbers(cloud)) > before)


async def test_a_cloud_that_does_not_say_so_gets_none(edge: Edge, cloud: FakeCloud) -> None:
    edge.records.stored = [record(1)]
    await edge.start()
    await cloud.until(lambda: len([one for one in cloud.all(Message.PULSE) if isinstance(one, Pulse)]) >= 2)
    assert numbers(cloud) == []
