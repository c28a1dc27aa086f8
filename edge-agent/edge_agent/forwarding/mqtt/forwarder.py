"""Keeps a connection to a third-party platform for as long as the agent runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from edge_agent.actions import Action
from edge_agent.forwarding.backoff import Backoff
from edge_agent.forwarding.base import Condition, ForwarderCondition
from edge_agent.forwarding.deliveries import Deliveries
from edge_agent.forwarding.mqtt.config import SIGN_IN, MqttOptions, places
from edge_agent.forwarding.mqtt.orders import Orders
from edge_agent.forwarding.mqtt.sender import Sender
from edge_agent.forwarding.mqtt.topics import expanded
from edge_agent.forwarding.passwords import SET_IT, PasswordState, password_of
from edge_agent.forwarding.services import Services
from edge_agent.signals import signal
from edge_agent.store.base import Outbox
from edge_agent.system.cancellation import cancellable
from edge_agent.transports.mqtt import Endpoint, LinkDown, LinkRefused, MqttClient, first_of
from edge_contract.payloads import CommandAction
from edge_contract.trace import TraceKind

log = logging.getLogger(__name__)

RECONNECT_S = (1.0, 60.0)
STEADY_S = 60.0
"""A connection that held so long is no failed attempt."""
DRAIN_STEP_S = 0.05
FRUITLESS = 3
"""After so many connections that broke over a message its topic and size are said."""


class MqttForwarder:
    """forwarding.base.Forwarder."""

    link = None

    def __init__(self, name: str, options: MqttOptions, services: Services, outbox: Outbox) -> None:
        self._name = name
        self._options = options
        self._clock = services.clock
        self._folder = services.folder
        self._gateway = services.configuration.gateway.id
        self._sender = Sender(name, options, services, outbox, self._acknowledged)
        self._orders = Orders(name, options, services) if options.down_topic else None
        self._condition = Condition.DOWN
        self._since_ms = 0
        self._reason = ""
        self._fruitless = 0
        self._pause = Backoff(*RECONNECT_S)

    def condition(self) -> ForwarderCondition:
        """CONNECTED until the broker has acknowledged a message of this connection."""
        return ForwarderCondition(self._condition, self._since_ms, self._reason, self._pause.next_try_ms)

    def deliveries(self) -> Deliveries:
        """Messages that the broker acknowledged; a value that no message can carry is given up."""
        return self._sender.deliveries

    def actions(self) -> Mapping[CommandAction, Action]:
        """None: a platform writes points, it asks nothing of the link."""
        return {}

    async def drain(self, timeout_s: float) -> None:
        """Return when everything is acknowledged, at the latest after timeout_s."""
        deadline = self._clock.monotonic() + timeout_s
        while (
            self._condition is not Condition.DOWN
            and not self._sender.is_idle
            and self._clock.monotonic() < deadline
        ):
            await self._clock.sleep(DRAIN_STEP_S)

    async def run(self) -> None:
        """Connect and serve until cancelled, with growing pauses after each loss."""
        async with asyncio.TaskGroup() as group:
            if self._orders is not None:
                group.create_task(self._orders.commands.run())
            group.create_task(self._connect())

    async def _connect(self) -> None:
        while True:
            begun, delivered = self._clock.monotonic(), self._sender.deliveries.delivered
            try:
                await self._connection()
            except LinkDown as error:
                reason = self._reason_of(error, delivered)
                if self._condition is not Condition.DOWN:
                    self._sender.connection_ended(reason)
                self._turn(Condition.DOWN, reason)
            has_delivered = self._sender.deliveries.delivered > delivered
            if has_delivered or self._clock.monotonic() - begun >= STEADY_S:
                self._pause.reset()
            await self._pause.rest(self._clock)

    async def _connection(self) -> None:
        """One connection to its end; always raises LinkDown."""
        password: str | None = None
        state = PasswordState.SET
        if (place := places(self._options).get(SIGN_IN)) is not None:
            password, state = password_of(self._folder, self._name, SIGN_IN, place)
        if state is PasswordState.OTHER_PLACE:
            raise LinkRefused(f"the password was set for another server, port, user or TLS: {SET_IT}")
        client = MqttClient(self._endpoint(password))
        try:
            await self._identified(client, state)
            self._turn(Condition.CONNECTED, "")
            await cancellable(self._serve(client))
        finally:
            await client.close()
            if client.dropped:
                log.warning("forwarder %s: %d orders came too fast to be read", self._name, client.dropped)

    async def _identified(self, client: MqttClient, state: PasswordState) -> None:
        """Connected; LinkRefused says whether there is a password at all."""
        try:
            await client.connect("" if self._orders is None else self._orders.filter)
        except LinkRefused as error:
            if "refuses the connection" not in str(error):
                raise
            missing = f"no password is set for this target: {SET_IT}"
            hint = missing if state is PasswordState.MISSING else "check client_id, username and password"
            raise LinkRefused(f"{error}; {hint}") from error

    async def _serve(self, client: MqttClient) -> None:
        why = "the session ended"
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(_until_over(client))
                group.create_task(self._sender.run(client))
                if self._orders is not None:
                    group.create_task(self._orders.run(client))
        except* LinkDown as errors:
            why = first_of(errors)
        raise LinkDown(why)

    def _endpoint(self, password: str | None) -> Endpoint:
        options = self._options
        return Endpoint(
            options.url,
            self._identity(options.client_id),
            password,
            options.ca_file,
            username=self._identity(options.username),
            keep_alive_s=options.keep_alive_s,
            clean_session=options.clean_session,
            section="options",
        )

    def _identity(self, template: str) -> str:
        return expanded(template, gateway=self._gateway, target=self._name)

    def _reason_of(self, error: LinkDown, delivered: int) -> str:
        """With the message over which connections break: some brokers end them for what they refuse."""
        message = self._sender.unconfirmed
        if message is None or self._sender.deliveries.delivered > delivered:
            self._fruitless = 0
        elif self._condition is not Condition.DOWN:
            self._fruitless += 1
        if message is None or self._fruitless < FRUITLESS:
            return str(error)
        size = len(message.payload(self._options))
        return (
            f"{error}; each time over a message to {message.topic}, {size} bytes: does the broker permit it?"
        )

    def _acknowledged(self) -> None:
        self._turn(Condition.UP, "")

    def _turn(self, condition: Condition, reason: str) -> None:
        """Logged once when it goes down, again when it is refused, and once when it is connected and up."""
        is_refused = "refuses" in reason or "password" in reason
        is_news = condition is not self._condition or not self._since_ms
        if is_news:
            self._since_ms = self._clock.now_ms()
        if condition is Condition.CONNECTED:
            log.info("forwarder %s is connected to %s", self._name, self._options.url)
        elif condition is Condition.UP:
            if is_news:
                up = signal(TraceKind.TARGET, "up", self._name)
                log.info("forwarder %s: %s takes data", self._name, self._options.url, extra=up)
        elif is_news or (is_refused and reason != self._reason):
            down = signal(TraceKind.TARGET, "down", self._name)
            log.warning("forwarder %s: %s; what is stored waits", self._name, reason, extra=down)
        self._condition, self._reason = condition, reason


async def _until_over(client: MqttClient) -> None:
    await client.disconnected.wait()
    raise LinkDown(client.why)
