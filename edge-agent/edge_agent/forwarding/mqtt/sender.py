"""Brings stored batches to the platform: a batch is passed when all of its messages are acknowledged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from edge_agent.forwarding.deliveries import Deliveries
from edge_agent.forwarding.mqtt.config import MqttOptions
from edge_agent.forwarding.mqtt.messages import Message, Selection, Unsendable, messages_of
from edge_agent.forwarding.mqtt.naming import Naming
from edge_agent.forwarding.mqtt.publications import note_publication
from edge_agent.forwarding.services import Services
from edge_agent.model import Quality, Sample
from edge_agent.store.base import Outbox, StoredBatch
from edge_agent.transports.mqtt import MqttClient
from edge_contract import batch
from edge_contract.errors import BatchError
from edge_contract.payloads import Catalog, decode
from edge_contract.trace import TraceDirection

log = logging.getLogger(__name__)

BATCHES_AT_ONCE = 64
SAMPLES_AT_ONCE = 2000
"""Batches are read together up to so many samples: the loop is held up for less than 40 ms."""
IN_FLIGHT = 32
"""Messages that wait for the broker's acknowledgement together; below transports.mqtt.OUTGOING."""
MAX_CATALOGS = 8

Points = dict[int, tuple[str, str]]


class MqttProgress(msgspec.Struct, frozen=True):
    """Kept beside the cursor. ended_ms: of send = "interval". deliveries: in messages."""

    ended_ms: int = 0
    deliveries: Deliveries = Deliveries()


@dataclass
class _Group:
    """Messages of batches that are passed together. read_seq: the last of them."""

    read_seq: int
    messages: list[Message]


@dataclass(frozen=True)
class _Decoded:
    """A batch. fault: why it cannot be read."""

    stored: StoredBatch
    catalog: str = ""
    samples: Sequence[Sample] = ()
    fault: str = ""


class Sender:
    """It outlives connections: what one did not confirm is sent again, marked, and nothing else.

    acknowledged: called for each message that the broker took.
    """

    def __init__(
        self,
        name: str,
        options: MqttOptions,
        services: Services,
        outbox: Outbox,
        acknowledged: Callable[[], None],
    ) -> None:
        self._name = name
        self._options = options
        self._outbox = outbox
        self._acknowledged = acknowledged
        self._catalogs = services.store.catalogs
        self._clock = services.clock
        self._trace = services.trace
        self._naming = Naming(options, services.configuration.gateway.id)
        self._points: dict[str, Points] = {}
        position = outbox.position()
        self._read_seq = position.upto_seq
        self._doubtful_seq = outbox.state().next_seq - 1  # an earlier process may have sent what is stored
        known = msgspec.json.decode(position.state or b"{}", type=MqttProgress)
        self._selection = Selection(options, known.ended_ms)
        self._group: _Group | None = None
        self._missed_seq = 0  # what was stored before this connection
        self.deliveries = known.deliveries

    @property
    def is_idle(self) -> bool:
        """Everything that is stored was acknowledged."""
        return self._group is None and self._read_seq >= self._outbox.state().next_seq - 1

    @property
    def unconfirmed(self) -> Message | None:
        """The first message that was sent and not acknowledged."""
        return next(iter(self._unconfirmed()), None)

    def connection_ended(self, reason: str) -> None:
        """What it did not confirm waits."""
        for message in self._unconfirmed():
            self.deliveries = self.deliveries.with_failed(message.topic, reason, self._clock.now_ms())

    def _unconfirmed(self) -> list[Message]:
        messages = self._group.messages if self._group is not None else []
        return [one for one in messages if one.sent and not one.acknowledged]

    async def run(self, client: MqttClient) -> None:
        """Until the connection breaks (LinkDown) or this is cancelled; the next run goes on from there."""
        self._missed_seq = self._outbox.state().next_seq - 1
        while True:
            if self._group is None:
                self._group = await self._next_group()
            await self._publish(client, self._group.messages)
            self._pass(self._group.read_seq)
            self._group = None

    async def _publish(self, client: MqttClient, messages: list[Message]) -> None:
        waiting = iter([message for message in messages if not message.acknowledged])

        async def work() -> None:
            for message in waiting:
                await self._send(client, message)

        async with asyncio.TaskGroup() as group:
            for _ in range(min(IN_FLIGHT, len(messages))):
                group.create_task(work())

    async def _send(self, client: MqttClient, message: Message) -> None:
        payload = message.payload(self._options)
        if message.sent:
            self.deliveries = self.deliveries.with_repeated()
        message.sent = True
        note_publication(self._trace, self._name, TraceDirection.SENT, message.topic, payload)
        await client.publish(message.topic, payload, qos=self._options.qos)
        message.acknowledged = True
        late = message.seq <= self._missed_seq
        self.deliveries = self.deliveries.with_delivered(1, self._clock.now_ms(), late=late)
        self._acknowledged()

    def _pass(self, read_seq: int) -> None:
        progress = MqttProgress(self._selection.ended_ms, self.deliveries)
        upto_seq = self._selection.needs_seq(read_seq)
        self._outbox.passed(upto_seq, msgspec.json.encode(progress).decode())

    async def _next_group(self) -> _Group:
        """Waits for batches. What they are made of changes only once nothing is waited for any more."""
        while True:
            newest = self._outbox.state().next_seq - 1
            batches = _bounded(await self._outbox.following(self._read_seq, BATCHES_AT_ONCE))
            if batches:
                break
            self._read_seq = max(self._read_seq, newest)
            await self._outbox.wait_new(self._read_seq)
        decoded = [self._decoded(stored) for stored in batches]
        points = {one.catalog: await self._points_of(one.catalog) for one in decoded}
        messages: list[Message] = []
        for one in decoded:
            messages += self._messages(one, points[one.catalog])
        self._read_seq = batches[-1].seq
        return _Group(self._read_seq, messages)

    def _messages(self, decoded: _Decoded, points: Points) -> list[Message]:
        stored = decoded.stored
        if decoded.fault:
            log.error("forwarder %s: batch %d cannot be read: %s", self._name, stored.seq, decoded.fault)
            self._give_up(f"batch {stored.seq}", decoded.fault)
        wanted = [
            one for one in decoded.samples if one.point not in points or self._is_sent(*points[one.point])
        ]
        made = messages_of(
            self._options,
            self._naming,
            points,
            self._selection.feed(stored.seq, stored.t_ms, wanted),
            repeat=stored.seq <= self._doubtful_seq,
        )
        messages: list[Message] = []
        for one in made:
            if isinstance(one, Unsendable):
                self._give_up(f"batch {stored.seq} {one.record}", one.reason)
            else:
                one.seq = stored.seq
                messages.append(one)
        return messages

    def _is_sent(self, slave: str, point: str) -> bool:
        return self._naming.name_of(slave, point) is not None

    def _decoded(self, stored: StoredBatch) -> _Decoded:
        """No samples of a batch that the cloud asked for once more, which was here before."""
        if self._outbox.travels_late(stored.seq):
            return _Decoded(stored)
        try:
            header, columns = batch.decode(stored.payload)
        except BatchError as error:
            return _Decoded(stored, fault=str(error))
        samples = [
            Sample(column.point, t_ms, value, Quality(quality))
            for column in columns
            for t_ms, value, quality in zip(column.t_ms, column.values, column.qualities, strict=True)
        ]
        return _Decoded(stored, header.catalog, samples)

    async def _points_of(self, catalog: str) -> Points:
        """Slave and name of the catalog's points by number; none of one that is not stored any more."""
        if catalog not in self._points:
            payload = await self._catalogs.payload(catalog) if catalog else None
            points = decode(Catalog, payload).points if payload is not None else []
            if len(self._points) >= MAX_CATALOGS:
                self._points.pop(next(iter(self._points)))
            self._points[catalog] = {point.id: (point.slave, point.name) for point in points}
        return self._points[catalog]

    def _give_up(self, record: str, reason: str) -> None:
        self.deliveries = self.deliveries.with_given_up(record, reason, self._clock.now_ms())


def _bounded(batches: list[StoredBatch]) -> list[StoredBatch]:
    """As many from the beginning as have SAMPLES_AT_ONCE together, at least one."""
    count, samples = 0, 0
    for stored in batches:
        samples += stored.samples
        if count and samples > SAMPLES_AT_ONCE:
            break
        count += 1
    return batches[:count]
