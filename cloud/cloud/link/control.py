"""Control messages from gateways: decode, call the hook, answer. In order per gateway."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from cloud.core.log_once import LogOnce
from cloud.core.token_bucket import TokenBuckets
from cloud.link.broker_connection import MAX_UNACKNOWLEDGED, Incoming
from cloud.link.fair_queue import FairQueue
from cloud.link.hooks import HookRunner, LinkHooks
from cloud.link.metrics import DROPPED, HOOK_FAILURES, INVALID, LIMITED
from cloud.link.rate_limits import MESSAGE_RATES
from edge_contract.deployment import FINAL, ConfigurationReport, Receipt
from edge_contract.edge_rules import RuleEvents, RulesReport
from edge_contract.edge_tasks import TaskReport
from edge_contract.errors import PayloadError
from edge_contract.exchange_rules import ExchangeReport
from edge_contract.fields import ControlMessage
from edge_contract.payloads import (
    CONTROL,
    MAX_CONTROL_BYTES,
    Ack,
    Catalog,
    CommandResult,
    Hello,
    Pulse,
    State,
    decode,
)
from edge_contract.topics import Message
from edge_contract.trace import TraceReport
from edge_contract.upgrade import FINAL_UPGRADE, FirmwareReport

log = logging.getLogger(__name__)

WORKERS = 4
"""Messages served at a time, one of a gateway: they keep their order, and a slow one delays few others."""

MAX_EACH = 1000
MAX_BYTES_EACH = 2 * MAX_CONTROL_BYTES
"""Waiting messages of one gateway."""

LARGE_BYTES = 64 * 1024
"""A larger message is decoded in a thread."""


@dataclass(frozen=True)
class ControlArrival:
    """A message that is not a batch."""

    gateway: str
    message: Message
    incoming: Incoming


class Control:
    """One queue, bounded by the client's own bound on unacknowledged messages and for each gateway; gateways
    take turns. clock: monotonic seconds.
    """

    def __init__(
        self,
        hooks: LinkHooks,
        runner: HookRunner,
        post: Callable[[str, ControlMessage], None],
        catalog_arrived: Callable[[str, str], Awaitable[None]],
        pulse_arrived: Callable[[str, Pulse], None],
        hello_arrived: Callable[[str, Hello], None],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._hooks = hooks
        self._runner = runner
        self._post = post
        self._catalog_arrived = catalog_arrived
        self._pulse_arrived = pulse_arrived
        self._hello_arrived = hello_arrived
        self._queue: FairQueue[ControlArrival] = FairQueue(MAX_UNACKNOWLEDGED, MAX_EACH, MAX_BYTES_EACH)
        self._hellos: dict[str, ControlArrival] = {}  # the newest of each gateway that waits
        self._arrived = asyncio.Event()
        self._buckets = {
            message: TokenBuckets(allowance, clock)
            for message, allowance in MESSAGE_RATES.items()
            if allowance is not None
        }
        self._complaints = LogOnce()

    def put(self, arrival: ControlArrival) -> None:
        """Take a message. One above its gateway's allowance, or without room, is dropped: gateways repeat
        results and pulses, say hello again, and are asked for the rest again.
        """
        gateway, message, size = arrival.gateway, arrival.message, len(arrival.incoming.payload)
        if not self._buckets[message].take(gateway, size):
            self._limit(arrival)
        elif self._queue.put(gateway, arrival, size):
            if message is Message.HELLO:
                self._hellos[gateway] = arrival
            self._arrived.set()
        elif len(self._queue) >= MAX_UNACKNOWLEDGED:
            DROPPED.labels("overflow").inc()
            arrival.incoming.acknowledge()
        else:
            self._limit(arrival)

    def forget(self, gateway: str) -> None:
        """A gateway is no more, and the next one with its serial number begins with what it may."""
        self._hellos.pop(gateway, None)
        for arrival in self._queue.remove(gateway):
            DROPPED.labels("deleted").inc()
            arrival.incoming.acknowledge()
        for buckets in self._buckets.values():
            buckets.forget(gateway)

    async def run(self) -> None:
        """Serve one gateway after the other, for ever; one of WORKERS tasks."""
        while True:
            while not self._queue.owners:
                self._arrived.clear()
                await self._arrived.wait()
            gateway, arrival, _ = self._queue.pop()
            if self._is_overtaken(arrival):
                arrival.incoming.acknowledge()
                continue
            self._queue.hold(gateway)
            try:
                await self.take(arrival)
            finally:
                arrival.incoming.acknowledge()
                self._queue.release(gateway)
                self._arrived.set()

    def _is_overtaken(self, arrival: ControlArrival) -> bool:
        """A hello behind which another one of its gateway waits: each is said again until it is answered, and
        of thousands that wait for their first answer most would be repetitions.
        """
        if arrival.message is not Message.HELLO:
            return False
        newest = self._hellos.get(arrival.gateway)
        if newest is arrival:
            del self._hellos[arrival.gateway]
        return newest is not arrival and newest is not None

    def _limit(self, arrival: ControlArrival) -> None:
        LIMITED.labels(arrival.message.value).inc()
        if self._complaints.first(arrival.gateway, arrival.message, "limit"):
            log.warning("%s from %s come too often, some are dropped", arrival.message.value, arrival.gateway)
        arrival.incoming.acknowledge()

    async def take(self, arrival: ControlArrival) -> None:
        """One message. What cannot be decoded is counted, and logged once per gateway and kind."""
        gateway, message = arrival.gateway, arrival.message
        try:
            decoded = await self._decoded(arrival)
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

    @staticmethod
    async def _decoded(arrival: ControlArrival) -> ControlMessage:
        kind, payload = CONTROL[arrival.message], arrival.incoming.payload
        if len(payload) <= LARGE_BYTES:
            return decode(kind, payload)
        return await asyncio.to_thread(decode, kind, payload)

    async def _serve(self, gateway: str, message: ControlMessage) -> None:
        match message:
            case Hello():
                welcome = await self._hooks.on_hello(gateway, message)
                self._post(gateway, welcome)
                if welcome.accepted:
                    self._hello_arrived(gateway, message)
            case Catalog():
                await self._hooks.on_catalog(gateway, message)
                await self._catalog_arrived(gateway, message.hash)
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
            case RulesReport():
                await self._hooks.on_rules_report(gateway, message)
            case RuleEvents():
                await self._hooks.on_rule_events(gateway, message)
                self._post(gateway, Ack(stream=message.stream, events=message.events[-1].seq))
            case ExchangeReport():
                await self._hooks.on_exchange_report(gateway, message)
                self._post(gateway, Ack(exchange=message.id))
            case TaskReport():
                await self._hooks.on_task_report(gateway, message)
                self._post(gateway, Ack(tasks=message.id))
            case TraceReport():
                await self._hooks.on_trace(gateway, message)
            case FirmwareReport():
                await self._hooks.on_firmware(gateway, message)
                if message.step in FINAL_UPGRADE:
                    self._post(gateway, Ack(upgrades=[message.id]))
