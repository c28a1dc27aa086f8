"""What a session sends on its own: batches through the window, results of commands until acknowledged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from edge_agent.errors import StoreFull
from edge_agent.forwarding.cloud.pace import Pace
from edge_agent.forwarding.cloud.window import Sending, Window
from edge_agent.forwarding.link import LinkState
from edge_agent.store.base import CommandJournal, Store
from edge_agent.system.clock import Clock, wait
from edge_agent.transports.mqtt import MqttClient
from edge_contract.deployment import ConfigurationReport, Receipt
from edge_contract.limits import RESEND_AFTER_S
from edge_contract.payloads import encode
from edge_contract.ranges import join
from edge_contract.topics import Message, topic

log = logging.getLogger(__name__)

AT_ONCE = 8
"""Batches read and published together: bounds memory to 2 MB and hides the broker's round trip."""
HISTORY_AT_ONCE = 64
IDLE_S = 30.0
FORGET_AGAIN_S = 1.0
"""Pause before deleting is tried again on a medium that was full."""
CATALOGS_WANTED = 16
RESULTS_AT_ONCE = 100


class BatchSender:
    """Window, store and connection brought together. Live is what is committed from now on."""

    def __init__(
        self,
        gateway: str,
        store: Store,
        client: MqttClient,
        clock: Clock,
        link: LinkState,
        forgotten: Callable[[], None],
        pace: Pace,
    ) -> None:
        """forgotten: called after confirmed batches were deleted. pace: when batches are released."""
        self._gateway = gateway
        self._store = store
        self._outbox = store.outbox
        self._client = client
        self._clock = clock
        self._link = link
        self._pace = pace
        self._released = self._outbox.state().next_seq
        self._window = Window(self._released, self._outbox.travels_late)
        self._history_done = False
        self._catalogs: set[str] = set()
        self._wake = asyncio.Event()
        self._forget: list[tuple[int, int]] = []
        self._forgettable = asyncio.Event()
        self._forgotten = forgotten

    async def run(self) -> None:
        """Send batches within the window until cancelled. Raises LinkDown."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._watch())
            group.create_task(self._forget_confirmed())
            group.create_task(self._send())

    def want_catalog(self, catalog: str) -> None:
        """Send this catalog before the next batch, when it is still known."""
        if len(self._catalogs) < CATALOGS_WANTED:
            self._catalogs.add(catalog)
        self._wake.set()

    def requested(self, held: list[int]) -> None:
        """The cloud asks for batches that the store holds."""
        self._window.requested(held, self._clock.monotonic())
        self._wake.set()

    def acknowledged(self, ranges: list[tuple[int, int]]) -> None:
        """The only way in which a batch comes to be forgotten. Space for the next one is there at once."""
        self._release()
        self._forget = join([*self._forget, *self._window.acknowledged(ranges)])
        self._wake.set()
        self._forgettable.set()
        self._link.in_flight = self._window.in_flight

    async def _forget_confirmed(self) -> None:
        """Delete what is confirmed; confirmations that came meanwhile share one transaction.

        What a full medium does not let go is tried again until it does.
        """
        refused = False
        while True:
            await self._forgettable.wait()
            self._forgettable.clear()
            ranges, self._forget = self._forget, []
            try:
                self._link.acknowledged_batches += await self._outbox.forget(ranges)
                refused = False
            except StoreFull as error:
                self._forget = join([*ranges, *self._forget])
                if not refused:
                    log.warning("confirmed batches cannot be deleted yet: %s", error)
                refused = True
                self._forgotten()
                await self._clock.sleep(FORGET_AGAIN_S)
                self._forgettable.set()
                continue
            self._forgotten()

    @property
    def idle(self) -> bool:
        """Everything that was released is with the cloud."""
        return self._history_done and not self._catalogs and self._window.is_empty

    async def _watch(self) -> None:
        self._pace.reported()  # what is there goes with the connection
        while True:
            self._released = self._outbox.state().next_seq
            self._window.committed(self._released)
            self._wake.set()
            await self._outbox.wait_new(self._released - 1)
            await self._pace.due()

    def _release(self) -> None:
        """What was committed meanwhile, unless it waits for its report."""
        if not self._pace.interval_s:
            self._released = self._outbox.state().next_seq
        self._window.committed(self._released)

    async def _send(self) -> None:
        while True:
            await self._send_catalogs()
            await self._feed()
            now = self._clock.monotonic()
            chosen = self._window.take(now, AT_ONCE)
            if chosen:
                await self._publish(chosen)
            else:
                due = self._window.next_due()
                await wait(self._clock, self._wake, IDLE_S if due is None else max(due - now, 0.0))

    async def _send_catalogs(self) -> None:
        while self._catalogs:
            payload = await self._store.catalogs.payload(self._catalogs.pop())
            if payload is not None:
                await self._client.publish(topic(self._gateway, Message.CATALOG), payload)

    async def _feed(self) -> None:
        """Show the window what older batches the store holds."""
        while not self._history_done and (cursor := self._window.history_cursor) is not None:
            numbers = await self._outbox.numbers(cursor, HISTORY_AT_ONCE)
            self._window.offer_history(numbers)
            self._history_done = not numbers or numbers[-1] >= self._window.live_from

    async def _publish(self, chosen: list[Sending]) -> None:
        ranges = [(sending.seq, sending.seq) for sending in chosen]
        held = {batch.seq: batch for batch in await self._outbox.read(ranges, len(ranges))}
        async with asyncio.TaskGroup() as group:
            for sending in chosen:
                batch = held.get(sending.seq)
                if batch is None:
                    self._window.gone(sending.seq)
                    continue
                where = topic(self._gateway, Message.LIVE if sending.live else Message.HISTORY)
                group.create_task(self._client.publish(where, batch.payload))
                self._link.sent_batches += 1
        self._link.in_flight = self._window.in_flight


class ResultSender:
    """Sends what the journal holds unacknowledged, again after RESEND_AFTER_S."""

    def __init__(self, gateway: str, journal: CommandJournal, client: MqttClient, clock: Clock) -> None:
        self._topic = topic(gateway, Message.RESULT)
        self._journal = journal
        self._client = client
        self._clock = clock
        self._sent: dict[str, tuple[bytes, float]] = {}

    async def run(self, changed: asyncio.Event) -> None:
        """changed: set when there may be a new result."""
        while True:
            await self.send_due()
            await wait(self._clock, changed, RESEND_AFTER_S)

    async def send_due(self) -> None:
        """Publish results that wait, those without an acknowledgement again. Raises LinkDown."""
        now = self._clock.monotonic()
        before, self._sent = self._sent, {}
        for result in await self._journal.unacknowledged(RESULTS_AT_ONCE):
            payload, sent = encode(result), before.get(result.id, (b"", 0.0))
            if sent[0] != payload or sent[1] + RESEND_AFTER_S <= now:
                await self._client.publish(self._topic, payload)
                sent = (payload, now)
            self._sent[result.id] = sent

    async def acknowledged(self, command_ids: Sequence[str]) -> None:
        """A result that was resolved after it was sent is not what the cloud has acknowledged."""
        held = []
        for command_id in command_ids:
            result, sent = await self._journal.result(command_id), self._sent.get(command_id)
            if result is not None and (sent is None or sent[0] == encode(result)):
                held.append(command_id)
        await self._journal.acknowledged(held)


class ReceiptSource(Protocol):
    """Where receipts come from: services.DeploymentService, as far as they are sent."""

    changed: asyncio.Event

    def unsent(self) -> list[Receipt]:
        """Steps and final receipts to send, in order."""

    def reports(self) -> list[ConfigurationReport]:
        """Running configurations that were requested."""


class ReceiptSender:
    """Sends steps of deployments and reported configurations; the final step again after RESEND_AFTER_S."""

    def __init__(self, gateway: str, receipts: ReceiptSource, client: MqttClient, clock: Clock) -> None:
        self._gateway = gateway
        self._receipts = receipts
        self._client = client
        self._clock = clock

    async def run(self) -> None:
        """Publish receipts and reports until cancelled. Raises LinkDown."""
        while True:
            for receipt in self._receipts.unsent():
                await self._client.publish(topic(self._gateway, Message.RECEIPT), encode(receipt))
            for report in self._receipts.reports():
                await self._client.publish(topic(self._gateway, Message.CONFIGURATION), encode(report))
            await wait(self._clock, self._receipts.changed, RESEND_AFTER_S)
