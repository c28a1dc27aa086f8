"""Orders of the platform: verified writes of the points that it may write, each answered.

An order is known by its id and name: delivered again it is answered again and not carried out again, also
after a restart (store.journal). The answer goes out until the broker has acknowledged it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging

import msgspec

from edge_agent.errors import BadValue, StoreFull
from edge_agent.forwarding.mqtt.config import MqttOptions
from edge_agent.forwarding.mqtt.formats import Answer, WriteOrder, id_of, orders
from edge_agent.forwarding.mqtt.naming import Naming
from edge_agent.forwarding.mqtt.publications import note_publication
from edge_agent.forwarding.mqtt.topics import expanded, filter_of
from edge_agent.forwarding.services import Services
from edge_agent.model import PointKey, Quality
from edge_agent.system.clock import wait
from edge_agent.system.rate import Rate
from edge_agent.transports.mqtt import Incoming, MqttClient
from edge_contract.limits import MAX_TEXT
from edge_contract.payloads import Command, CommandAction, CommandResult, Outcome
from edge_contract.trace import TraceDirection

log = logging.getLogger(__name__)

EXPIRY_MS = 60_000
"""An order is carried out so long after it was given, or after it came."""
ORDERS_PER_S, ORDERS_AT_ONCE = 5.0, 50
MAX_BYTES = 64 * 1024
"""Of a message with orders."""
MAX_REFUSALS = 64
"""Answers to what was not carried out that wait to be sent; more are not answered, and logged once."""
RESULTS_AT_ONCE = 50
LOOK_AGAIN_S = 30.0
COMMAND_ID_DIGITS = 40

STATES = {
    Outcome.DONE: "done",
    Outcome.FAILED: "failed",
    Outcome.UNKNOWN: "unknown",
    Outcome.RESOLVED_WRITTEN: "done",
    Outcome.RESOLVED_OTHER: "failed",
}


class Orders:
    """For one target, over all of its connections. commands: carries them out."""

    def __init__(self, name: str, options: MqttOptions, services: Services) -> None:
        self.commands = services.commands_of(name)
        self._name = name
        self._options = options
        self._gateway = services.configuration.gateway.id
        self._naming = Naming(options, self._gateway)
        self._journal = services.store.journal.of_source(name)
        self._clock = services.clock
        self._trace = services.trace
        self._rate = Rate(ORDERS_PER_S, ORDERS_AT_ONCE)
        self._refusals: asyncio.Queue[tuple[str, Answer]] = asyncio.Queue(MAX_REFUSALS)
        self._is_silent = False
        self.filter = filter_of(options.down_topic, self._gateway)

    async def run(self, client: MqttClient) -> None:
        """For one connection, until it breaks (LinkDown) or this is cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._take(client))
            group.create_task(self._send_refusals(client))
            group.create_task(self._send_results(client))

    async def _take(self, client: MqttClient) -> None:
        while True:
            incoming = await client.messages.get()
            note_publication(
                self._trace, self._name, TraceDirection.RECEIVED, incoming.topic, incoming.payload
            )
            if not incoming.retain:  # a write must never happen because a broker kept it
                self._handle(incoming)

    def _handle(self, incoming: Incoming) -> None:
        try:
            if len(incoming.payload) > MAX_BYTES:
                raise BadValue(f"message: must be at most {MAX_BYTES} bytes")
            given = orders(self._options.format, incoming.payload)
        except BadValue as error:
            self._refuse(incoming.topic, id_of(incoming.payload), None, "bad_message", str(error))
            return
        for order in given:
            key = self._naming.written_by(incoming.topic, order.name)
            fault = self._fault(order, key)
            if fault is None and key is not None:
                self.commands.take(self._command(order, key))
            elif fault is not None:
                self._refuse(incoming.topic, order.id, order.name, *fault)

    def _fault(self, order: WriteOrder, key: PointKey | None) -> tuple[str, str] | None:
        """Code and rule of what is refused at once."""
        if key is None:
            return "no_such_name", f"{order.name!r} is no variable with write = true in this topic"
        if order.t_ms is None and not self._options.clean_session:
            field = "t" if self._options.format == "NV" else "ts"
            return "bad_message", f"{field}: must be given with clean_session = false"
        if not self._rate.admits(self._clock.monotonic()):
            return "busy", f"at most {ORDERS_PER_S:g} orders a second are taken"
        return None

    def _command(self, order: WriteOrder, key: PointKey) -> Command:
        """The platform's id and name travel in its arguments, for the answer."""
        now_ms = self._clock.now_ms()
        given_ms = now_ms if order.t_ms is None else min(order.t_ms, now_ms)
        seed = msgspec.json.encode([self._name, str(order.id), order.name])
        return Command(
            id=hashlib.sha256(seed).hexdigest()[:COMMAND_ID_DIGITS],
            action=CommandAction.WRITE,
            expires_ms=given_ms + EXPIRY_MS,
            slave=key.slave,
            point=key.point,
            value=order.value,
            arguments={"id": order.id, "name": order.name},
        )

    def _refuse(
        self, topic: str, order_id: str | int | None, name: str | None, code: str, detail: str
    ) -> None:
        answer = Answer(order_id, name, "refused", self._clock.now_ms(), code, detail[:MAX_TEXT])
        try:
            self._refusals.put_nowait((self._result_topic(topic), answer))
            self._is_silent = False
        except asyncio.QueueFull:
            if not self._is_silent:
                log.warning("forwarder %s: more orders are refused than can be answered", self._name)
            self._is_silent = True

    def _result_topic(self, order_topic: str) -> str:
        template = self._options.result_topic
        return expanded(template, gateway=self._gateway) if template else f"{order_topic}/result"

    async def _send_refusals(self, client: MqttClient) -> None:
        while True:
            topic, answer = await self._refusals.get()
            await self._publish(client, topic, answer)

    async def _send_results(self, client: MqttClient) -> None:
        while True:
            try:
                await self._send_due(client)
            except StoreFull as error:
                log.warning(
                    "forwarder %s: that a result was sent cannot be stored yet: %s", self._name, error
                )
            await wait(self._clock, self.commands.results, LOOK_AGAIN_S)

    async def _send_due(self, client: MqttClient) -> None:
        for result in await self._journal.unacknowledged(RESULTS_AT_ONCE):
            command = await self._journal.command(result.id)
            if command is not None:
                key = PointKey(command.slave or "", command.point or "")
                topic = self._result_topic(self._naming.topic_of(self._options.down_topic, key))
                await self._publish(client, topic, _answer(command, result))
            if await self._journal.result(result.id) == result:  # not one that was resolved meanwhile
                await self._journal.acknowledged([result.id])

    async def _publish(self, client: MqttClient, topic: str, answer: Answer) -> None:
        payload = msgspec.json.encode(answer)
        note_publication(self._trace, self._name, TraceDirection.SENT, topic, payload)
        await client.publish(topic, payload)


def _answer(command: Command, result: CommandResult) -> Answer:
    order_id, name = command.arguments.get("id"), command.arguments.get("name")
    return Answer(
        id=order_id if isinstance(order_id, (str, int)) else None,
        name=name if isinstance(name, str) else None,
        state=STATES[result.outcome or Outcome.FAILED],
        ts=result.t_ms,
        code=result.code,
        detail=result.detail,
        value=result.value if result.quality is Quality.GOOD else None,
    )
