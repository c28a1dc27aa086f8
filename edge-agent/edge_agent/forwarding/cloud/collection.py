"""Sends records of what was read, one report at a time, until the cloud has acknowledged it."""

from __future__ import annotations

from edge_agent.forwarding.services import Records
from edge_agent.system.clock import Clock, wait
from edge_agent.transports.mqtt import MqttClient
from edge_contract.collection import Collection
from edge_contract.limits import RESEND_AFTER_S
from edge_contract.payloads import encode
from edge_contract.topics import Message, topic


class CollectionSender:
    """stream: of the store. The next report goes out when this one is acknowledged."""

    def __init__(self, gateway: str, stream: str, records: Records, client: MqttClient, clock: Clock) -> None:
        self._topic = topic(gateway, Message.COLLECTION)
        self._stream = stream
        self._records = records
        self._client = client
        self._clock = clock

    async def run(self) -> None:
        """Send closed records until cancelled, again where no acknowledgement comes. Raises LinkDown."""
        while True:
            records = await self._records.waiting()
            if records:
                report = Collection(stream=self._stream, records=records)
                await self._client.publish(self._topic, encode(report))
            await wait(self._clock, self._records.changed, RESEND_AFTER_S)

    async def acknowledged(self, seq: int) -> None:
        """The cloud holds the records up to this one; the next report is due."""
        await self._records.acknowledged(seq)
        self._records.changed.set()
