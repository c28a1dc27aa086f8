"""Keeps a session with the cloud up for as long as the agent runs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

from edge_agent.actions import Action
from edge_agent.forwarding.backoff import Backoff
from edge_agent.forwarding.base import Condition, ForwarderCondition
from edge_agent.forwarding.cloud.actions import forward, reallocation
from edge_agent.forwarding.cloud.session import CloudSession, SessionContext
from edge_agent.forwarding.deliveries import Deliveries
from edge_agent.forwarding.link import LinkState
from edge_agent.signals import signal
from edge_agent.transports.mqtt import Endpoint, LinkDown, LinkRefused, MqttClient
from edge_contract.payloads import CommandAction, State, encode
from edge_contract.topics import Message, gateway_filter, topic
from edge_contract.trace import TraceKind

log = logging.getLogger(__name__)

RECONNECT_S = (1.0, 60.0)
REFUSED_S = (5.0, 300.0)
SECRET_PAUSE_S = 5.0
"""Pause before the secret's file is looked at again."""
GOODBYE_TIMEOUT_S = 3.0
DRAIN_STEP_S = 0.05
ASLEEP = "asleep"
"""Reason of the goodbye of a gateway that saves power."""
SHORTEST_SLEEP_S = 10.0
LOOK_S = 0.1
"""How often reconnect() looks whether the cloud has accepted the gateway."""


class FallsAsleep(LinkDown):
    """The link is closed on purpose until the next report."""


class CloudForwarder:
    """run() until cancelled. secret: reads the gateway's secret, None while there is none. goodbye: why it
    was cancelled, for the cloud.
    """

    def __init__(
        self,
        context: SessionContext,
        url: str,
        secret: Callable[[], str | None],
        ca_file: str | None = None,
        goodbye: Callable[[], str] = lambda: "stopped",
    ) -> None:
        self.link = LinkState()
        self._context = context
        self._services = context.services
        self._url = url
        self._ca_file = ca_file
        self._secret = secret
        self._goodbye = goodbye
        self._clock = context.services.clock
        self._said = ""
        self._leave = asyncio.Event()

    async def run(self) -> None:
        """Connect and serve until cancelled, with growing pauses after each loss."""
        lost, refused = Backoff(*RECONNECT_S), Backoff(*REFUSED_S)
        while True:
            secret = self._secret()
            if secret is None:
                self._down(
                    "there is no cloud secret yet: run 'edge-agent secret --set' with what "
                    "'edge-cloud gateway claim' showed"
                )
                await self._clock.sleep(SECRET_PAUSE_S)
                continue
            try:
                await self._connection(secret)
            except FallsAsleep as error:
                lost.reset()
                refused.reset()
                self._asleep(str(error))
                await self._context.pace.due()
                continue
            except LinkRefused as error:
                pause_s = refused.next_s()
                self._down(str(error))
            except LinkDown as error:
                if self.link.accepted:
                    lost.reset()
                    refused.reset()
                pause_s = lost.next_s()
                self._down(str(error))
            await self._clock.sleep(pause_s)

    async def drain(self, timeout_s: float) -> None:
        """Wait until the cloud holds everything, at most so long, and only while there is a session."""
        deadline = self._clock.monotonic() + timeout_s
        self._context.pace.report_now()
        while (
            self.link.accepted
            and self._services.outbox_state().batches
            and self._clock.monotonic() < deadline
        ):
            await self._clock.sleep(DRAIN_STEP_S)

    async def reconnect(self, timeout_s: float) -> bool:
        """Leave the broker and come back; whether the cloud has accepted it anew within the time."""
        deadline = self._clock.monotonic() + timeout_s
        if self.link.connected:
            self._leave.set()
        while self._leave.is_set() or not self.link.accepted:
            if self._clock.monotonic() >= deadline:
                return False
            await self._clock.sleep(LOOK_S)
        return True

    def condition(self) -> ForwarderCondition:
        """A gateway that sleeps until its next report is up."""
        link = self.link
        is_up = link.accepted or link.back_ms > 0
        return ForwarderCondition(Condition.UP if is_up else Condition.DOWN, link.since_ms, link.reason)

    def deliveries(self) -> Deliveries:
        """Batches, since this start of the agent; the cloud refuses none for good."""
        link = self.link
        answered = link.acknowledged_batches + link.in_flight
        return Deliveries(
            delivered=link.acknowledged_batches,
            repeated=max(link.sent_batches - answered, 0),
            last_ack_ms=link.last_ack_ms,
        )

    def actions(self) -> dict[CommandAction, Action]:
        """What is committed goes at once; leave the broker and come back."""
        services = self._services
        return {
            CommandAction.FORWARD: forward(
                services.commit, lambda: services.outbox_state().batches, self._context.pace.report_now
            ),
            CommandAction.REALLOCATE: reallocation(self.reconnect),
        }

    async def _connection(self, secret: str) -> None:
        """One connection from beginning to end; always raises."""
        context = self._context
        endpoint = Endpoint(self._url, context.id, secret, self._ca_file)
        will = State(online=False, boot=context.services.boot, t_ms=self._clock.now_ms(), reason="link_lost")
        client = MqttClient(endpoint, topic(context.id, Message.STATE), encode(will))
        session = CloudSession(context, client, self.link)
        goodbye, back_ms = "", None
        try:
            await client.connect(gateway_filter().format(gateway=context.id))
            self._up()
            await self._talk(session)
        except FallsAsleep:
            goodbye, back_ms = ASLEEP, self._back_ms()
            raise
        except LinkDown:
            goodbye = "connecting again"
            raise
        finally:
            if not client.disconnected.is_set() and self.link.connected:
                with contextlib.suppress(LinkDown, TimeoutError):
                    async with asyncio.timeout(GOODBYE_TIMEOUT_S):
                        await session.say_offline(goodbye or self._goodbye(), back_ms)
            await client.close()
            self.link.connected = False

    async def _talk(self, session: CloudSession) -> None:
        """Until the link is lost, reconnect() wants another, or it is not needed for now; always raises."""
        talking = asyncio.ensure_future(session.run())
        leaving = asyncio.ensure_future(self._leave.wait())
        resting = asyncio.ensure_future(self._until_rest(session))
        try:
            await asyncio.wait({talking, leaving, resting}, return_when=asyncio.FIRST_COMPLETED)
            if talking.done():
                talking.result()
            if resting.done():
                resting.result()
                raise FallsAsleep("asleep until the next report")
            raise LinkDown("the cloud asked for a new connection")
        finally:
            for task in (talking, leaving, resting):
                task.cancel()
            await asyncio.wait({talking, leaving, resting})
            if not talking.cancelled():
                talking.exception()  # taken here when leaving was faster

    async def _until_rest(self, session: CloudSession) -> None:
        """Return when the link may be closed for a while; without power saving never."""
        pace = self._context.pace
        if not pace.saving:
            await asyncio.Event().wait()
        while True:
            await session.until_idle()
            if pace.left_s >= SHORTEST_SLEEP_S:
                return
            await self._clock.sleep(SHORTEST_SLEEP_S)

    def _back_ms(self) -> int:
        return self._clock.now_ms() + round(max(self._context.pace.left_s, 0.0) * 1000)

    def _asleep(self, reason: str) -> None:
        """As _down, but as it should be: nothing to warn of."""
        log.info("link to the cloud: %s", reason, extra=signal(TraceKind.LINK, "down", "cloud"))
        self.link.accepted, self.link.since_ms = False, self._clock.now_ms()
        self.link.in_flight, self.link.reason = 0, ""
        self.link.back_ms = self._back_ms()
        self._leave.clear()

    def _up(self) -> None:
        log.info("connected to %s", self._url)
        self._said = ""
        self.link.back_ms = 0
        self.link.connected, self.link.accepted = True, False
        self.link.since_ms = self._clock.now_ms()
        self.link.reason = self.link.refusal = ""

    def _down(self, reason: str) -> None:
        """Note why there is no link; logged once until it is up again."""
        if self.link.accepted or not self.link.since_ms:
            self.link.since_ms = self._clock.now_ms()
        self.link.accepted = False
        self._leave.clear()  # not before: reconnect() would take the old acceptance for a new one
        self.link.in_flight = self.link.back_ms = 0
        self.link.reason = reason
        if reason != self._said and not (self._said and self._retrying(reason)):
            extra = signal(TraceKind.LINK, "down", "cloud")
            log.warning("no link to the cloud: %s; collecting and storing go on", reason, extra=extra)
        self._said = reason

    def _retrying(self, reason: str) -> bool:
        """Attempts of one outage fail in changing words; only a refusal among them is news."""
        return "refuses" not in reason and "secret" not in reason
