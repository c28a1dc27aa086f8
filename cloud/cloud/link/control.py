"""Control messages from gateways: decode, call the hook, answer. In order per gateway."""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from cloud.kit.once import Once
from cloud.link.client import MAX_UNACKNOWLEDGED, Incoming
from cloud.link.hooks import HookRunner, LinkHooks
from cloud.link.metrics import DROPPED, HOOK_FAILURES, INVALID
from edge_contract.deployment import FINAL, ConfigurationReport, Receipt
from edge_contract.errors import PayloadError
from edge_contract.fields import ControlMessage
from edge_contract.payloads import (
    CONTROL,
    Ack,
    Catalog,
    CommandResult,
    Hello,
    Pulse,
    State,
    decode,
)
from edge_contract.topics import Message

log = logging.getLogger(__name__)

WORKERS = 4
"""A gateway always goes to the same one: its messages keep their order, a slow one delays few others."""


@dataclass(frozen=True)
class ControlArrival:
    """A message that is not a batch."""

    gateway: str
    message: Message
    incoming: Incoming


class Control:
    """Queues, bounded by the client's own bound on unacknowledged messages, with one task each."""

    def __init__(
        self,
        hooks: LinkHooks,
        runner: HookRunner,
        post: Callable[[str, ControlMessage], None],
        catalog_arrived: Callable[[str], None],
        pulse_arrived: Callable[[str, Pulse], None],
        hello_arrived: Callable[[str, Hello], None],
    ) -> None:
        self._hooks = hooks
        self._runner = runner
        self._post = post
        self._catalog_arrived = catalog_arrived
        self._pulse_arrived = pulse_arrived
        self._hello_arrived = hello_arrived
        self._queues: list[asyncio.Queue[ControlArrival]] = [
            asyncio.Queue(MAX_UNACKNOWLEDGED) for _ in range(WORKERS)
        ]
        self._complaints = Once()

    def put(self, arrival: ControlArrival) -> None:
        """Take a message; a full queue drops it. Gateways repeat results and pulses and say hello again."""
        try:
            self._queues[zlib.crc32(arrival.gateway.encode()) % WORKERS].put_nowait(arrival)
        except asyncio.QueueFull:
            DROPPED.labels("overflow").inc()
            arrival.incoming.acknowledge()

    async def run(self, worker: int) -> None:
        """Serve one queue for ever."""
        while True:
            arrival = await self._queues[worker].get()
            try:
                await self.take(arrival)
            finally:
                arrival.incoming.acknowledge()

    async def take(self, arrival: ControlArrival) -> None:
        """One message. What cannot be decoded is counted, and logged once per gateway and kind."""
        gateway, message = arrival.gateway, arrival.message
        try:
            decoded = decode(CONTROL[message], arrival.incoming.payload)
        except PayloadError as error:
            INVALID.labels(message.value).inc()
            if self._complaints.first(gateway, message):
                log.warning("%s from %s: field %s: %s", message.value, gateway, error.field, error.rule)
            return
        try:
            await self._runner.call(self._serve(gateway, decoded))
        except Exception:
            # A domain's failure must not stop the messages of other gateways. Nothing was acknowledged to
            # this one, so what matters comes again: results are repeated, hello and pulse are sent anew.
            HOOK_FAILURES.labels(message.value).inc()
            log.exception("%s from %s failed", message.value, gateway)

    async def _serve(self, gateway: str, message: ControlMessage) -> None:
        match message:
            case Hello():
                welcome = await self._hooks.on_hello(gateway, message)
                self._post(gateway, welcome)
                if welcome.accepted:
                    self._hello_arrived(gateway, message)
            case Catalog():
                await self._hooks.on_catalog(gateway, message)
                self._catalog_arrived(gateway)
            case State():
                await self._hooks.on_state(gateway, message)
            case Pulse():
                await self._hooks.on_pulse(gateway, message)
                self._pulse_arrived(gateway, message)
            case CommandResult():
                await self._hooks.on_result(gateway, message)
                self._post(gateway, Ack(commands=[message.id]))
            case Receipt():
                await self._hooks.on_receipt(gateway, message)
                if message.step in FINAL:
                    self._post(gateway, Ack(deployments=[message.id]))
            case ConfigurationReport():
                await self._hooks.on_configuration(gateway, message)
