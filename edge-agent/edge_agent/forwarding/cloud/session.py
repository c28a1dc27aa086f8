"""One connection to the cloud, from State online to the link's end. Nothing that arrives can break it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from edge_agent.errors import StoreFull
from edge_agent.forwarding.backoff import Backoff
from edge_agent.forwarding.cloud.collection import CollectionSender
from edge_agent.forwarding.cloud.firmware import FirmwareLink
from edge_agent.forwarding.cloud.network import NetworkReport
from edge_agent.forwarding.cloud.pace import Pace
from edge_agent.forwarding.cloud.refusal import refusal_of
from edge_agent.forwarding.cloud.reports import HandedOverWork
from edge_agent.forwarding.cloud.rules import RuleSender
from edge_agent.forwarding.cloud.senders import BatchSender, ReceiptSender, ResultSender
from edge_agent.forwarding.cloud.slave_health import health_of
from edge_agent.forwarding.cloud.trace import TraceSender
from edge_agent.forwarding.cloud.values import ValueSender
from edge_agent.forwarding.cloud.window import HISTORY_WAITING
from edge_agent.forwarding.link import LinkState
from edge_agent.forwarding.services import Services
from edge_agent.signals import signal
from edge_agent.system.clock import clock_set, wait
from edge_agent.system.process import resident_bytes
from edge_agent.transports.mqtt import Incoming, LinkDown, MqttClient, first_of
from edge_contract.deployment import FINAL, Deploy
from edge_contract.edge_tasks import EdgeTasks
from edge_contract.errors import ContractError, PayloadError
from edge_contract.exchange_rules import ExchangeRules
from edge_contract.fields import ControlMessage
from edge_contract.limits import PULSE_S
from edge_contract.payloads import Ack, Command, Hello, Pulse, Resend, State, Welcome, decode, encode
from edge_contract.topics import Message, parse, topic
from edge_contract.trace import TraceKind
from edge_contract.version import SPOKEN
from edge_contract.watch import Watch

log = logging.getLogger(__name__)

SLAVES_LOOK_S = 0.5
"""How often slaves are looked at for a change that the cloud should know within a second."""

AWAKE_S = 20.0
"""A gateway that saves power stays connected so long after it was accepted, or last asked for something."""

WELCOME_TIMEOUT_S = 10.0
"""The cloud answers a hello at once; a slow broker may take seconds to deliver it."""
REFUSED_S = (5.0, 300.0)
"""First and longest pause before a refused gateway asks again."""


@dataclass(frozen=True)
class SessionContext:
    """What outlives a session. pace: when stored batches are released."""

    services: Services
    pace: Pace

    @property
    def id(self) -> str:
        """Of the gateway."""
        return self.services.configuration.gateway.id


class CloudSession:
    """Talks over a connected client; run() ends only by LinkDown or cancellation."""

    def __init__(self, context: SessionContext, client: MqttClient, link: LinkState) -> None:
        self._context = context
        self._services = services = context.services
        self._client = client
        self._link = link
        self._clock = services.clock
        self._welcome: Welcome | None = None
        self._welcomed = asyncio.Event()
        self._pulse_now = asyncio.Event()
        self._reported_batches = 0
        self._wanted_at = self._clock.monotonic()
        self._batches = BatchSender(
            context.id,
            services.store,
            client,
            services.clock,
            link,
            self._forgotten,
            context.pace,
        )
        self._results = ResultSender(context.id, services.store.journal, client, services.clock)
        self._receipts = ReceiptSender(context.id, services.deployments, client, services.clock)
        self._values = ValueSender(
            context.id,
            services.catalog.hash,
            services.live_values,
            client,
            services.clock,
            context.pace.interval_s,
        )
        stream = services.outbox_state().stream
        self._collection = CollectionSender(context.id, stream, services.collection, client, services.clock)
        self._rules = RuleSender(context.id, stream, services.rules, client, services.clock)
        self._exchange = HandedOverWork(
            context.id, Message.EXCHANGED, ExchangeRules, services.exchange, client, services.clock
        )
        self._tasks = HandedOverWork(
            context.id, Message.TASK_RUNS, EdgeTasks, services.timed_tasks, client, services.clock
        )
        self._firmware = FirmwareLink(context.id, services.firmware, client, services.clock)
        self._trace = TraceSender(context.id, services.trace, client, services.clock)
        self._network = NetworkReport(services.modem, services.links, services.clock)

    async def run(self) -> None:
        """Serve until the link is gone. Raises LinkDown with the reason, always."""
        why = "the session ended"
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._until_disconnected())
                group.create_task(self._receive())
                group.create_task(self._serve(group))
        except* LinkDown as errors:
            why = first_of(errors)
        raise LinkDown(why)

    async def say_offline(self, reason: str, back_ms: int | None = None) -> None:
        """The last word before a disconnection on purpose, which sends no will. back_ms: of who is asleep."""
        now_ms = self._clock.now_ms()
        state = State(online=False, boot=self._services.boot, t_ms=now_ms, reason=reason, back_ms=back_ms)
        await self._publish(Message.STATE, state, retain=True)

    async def until_idle(self) -> None:
        """Return when everything is reported and nothing is going on."""
        while not await self._is_idle():
            await self._clock.sleep(SLAVES_LOOK_S)

    async def _is_idle(self) -> bool:
        services, journal = self._services, self._services.store.journal
        step = services.deployments.running().step
        return (
            self._link.accepted
            and self._clock.monotonic() - self._wanted_at >= AWAKE_S
            and self._batches.idle
            and (step is None or step in FINAL)
            and not services.tunnels.has_open
            and not await journal.unfinished()
            and not await journal.unacknowledged(1)
            and await self._rules.idle()
            and self._exchange.idle
            and self._tasks.idle
            and self._firmware.idle
            and self._trace.idle
        )

    async def _serve(self, group: asyncio.TaskGroup) -> None:
        state = State(online=True, boot=self._services.boot, t_ms=self._clock.now_ms())
        await self._publish(Message.STATE, state, retain=True)
        welcome = await self._greet()
        up = signal(TraceKind.LINK, "up", "cloud")
        log.info("the cloud accepted gateway %s", self._context.id, extra=up)
        self._link.accepted, self._link.since_ms = True, self._clock.now_ms()
        self._wanted_at = self._clock.monotonic()
        self._link.takes_collection = welcome.collection
        self._link.reason = self._link.refusal = ""
        if welcome.need_catalog:
            self._batches.want_catalog(self._services.catalog.hash)
        if welcome.rules:
            await self._rules.report()
            group.create_task(self._rules.run())
        else:
            await self._rules.withdraw()
        for work, is_taken in ((self._exchange, welcome.exchange), (self._tasks, welcome.tasks)):
            if is_taken:
                group.create_task(work.run())
            else:
                await work.withdraw()
        if welcome.firmware:
            group.create_task(self._firmware.run())
        group.create_task(self._pulse())
        group.create_task(self._watch_conditions())
        group.create_task(self._batches.run())
        group.create_task(self._trace.run())
        group.create_task(self._values.run(self._services.outbox_state().stream))
        group.create_task(self._results.run(self._services.commands.results))
        group.create_task(self._receipts.run())
        if welcome.collection:
            group.create_task(self._collection.run())
        group.create_task(self._services.tunnels.run(self._send_frame))

    async def _greet(self) -> Welcome:
        """Say hello until the cloud accepts; a refusal is logged once for each reason."""
        pause = Backoff(*REFUSED_S)
        said = ""
        await self._hello()
        wait_s = WELCOME_TIMEOUT_S
        while True:
            if not await wait(self._clock, self._welcomed, wait_s):
                if wait_s == WELCOME_TIMEOUT_S:
                    self._link.reason = "the broker answers, the cloud does not"
                await self._hello()
                wait_s = WELCOME_TIMEOUT_S
                continue
            welcome = self._welcome
            if welcome is None:
                continue
            reason = refusal_of(welcome)
            if not reason:
                return welcome
            self._link.reason, self._link.refusal = reason, str(welcome.refusal or "version")
            if reason != said:
                log.warning("the cloud refuses this gateway: %s; data is kept, asking again later", reason)
            said = reason
            wait_s = pause.next_s()

    async def _hello(self) -> None:
        state = self._services.outbox_state()
        now_ms = self._clock.now_ms()
        hello = Hello(
            version_min=SPOKEN[0],
            version_max=SPOKEN[1],
            agent=self._services.agent,
            boot=self._services.boot,
            stream=state.stream,
            first_seq=state.first_seq,
            next_seq=state.next_seq,
            catalog=self._services.catalog.hash,
            clock_set=clock_set(now_ms),
            t_ms=now_ms,
            configuration=self._services.deployments.running(),
            report_interval_s=self._context.pace.interval_s,
            takes_rules=True,
            takes_exchange=True,
            takes_tasks=True,
            firmware=self._firmware.state(),
        )
        await self._publish(Message.HELLO, hello)

    async def _pulse(self) -> None:
        """Now, every PULSE_S, and at once when a backlog has gone, or a slave or a target came or went."""
        while True:
            state = self._services.outbox_state()
            self._reported_batches = state.batches
            modem, links = self._network.take()
            pulse = Pulse(
                t_ms=self._clock.now_ms(),
                boot=self._services.boot,
                stream=state.stream,
                next_seq=state.next_seq,
                outbox_batches=state.batches,
                outbox_bytes=state.payload_bytes,
                hours_left=state.hours_left,
                evicted_batches=state.evicted_batches,
                evicted=list(state.evicted),
                dropped_samples=state.dropped_samples,
                written_bytes_day=state.written_bytes_day,
                memory_bytes=resident_bytes(),
                clock_set=clock_set(self._clock.now_ms()),
                configuration=self._services.deployments.running(),
                takes_watch=self._values.takes_watch,
                takes_trace=True,
                slaves=[health_of(slave) for slave in self._services.slaves()],
                targets=self._services.targets(),
                modem=modem,
                links=links,
                fieldbus=self._services.fieldbus(),
            )
            await self._publish(Message.PULSE, pulse)
            await wait(self._clock, self._pulse_now, PULSE_S)

    async def _watch_conditions(self) -> None:
        """The bus layer of presence and targets that come and go must not wait for the next pulse."""
        sent_health = self._health()
        while True:
            await self._clock.sleep(SLAVES_LOOK_S)
            if (now := self._health()) != sent_health:
                sent_health = now
                self._pulse_now.set()

    def _health(self) -> list[tuple[str, bool | str, str]]:
        slaves = [(slave.slave, slave.online, slave.reason) for slave in self._services.slaves()]
        return [*slaves, *((one.name, one.condition, one.reason) for one in self._services.targets())]

    async def _publish(self, message: Message, payload: ControlMessage, *, retain: bool = False) -> None:
        await self._client.publish(topic(self._context.id, message), encode(payload), retain=retain)

    async def _send_frame(self, frame: bytes) -> None:
        await self._client.publish(topic(self._context.id, Message.TUNNEL_UP), frame)

    async def _until_disconnected(self) -> None:
        await self._client.disconnected.wait()
        raise LinkDown(self._client.why)

    async def _receive(self) -> None:
        while True:
            incoming = await self._client.messages.get()
            try:
                await self._take(incoming)
            except ContractError as error:
                self._bad(incoming.topic, error)
            except StoreFull as error:
                log.warning("an answer of the cloud could not be noted: %s; it will come again", error)

    def _bad(self, where: str, error: ContractError) -> None:
        """Count it; log the first of each kind."""
        self._link.bad_messages += 1
        kind = f"{where.rpartition('/')[2][:40]}: {error.field}"
        if kind not in self._link.faults and len(self._link.faults) < 50:
            self._link.faults.add(kind)
            log.warning(
                "a message of the cloud breaks the contract (%s): %s; counted from now on", where[:80], error
            )

    async def _take(self, incoming: Incoming) -> None:
        gateway, message = parse(incoming.topic)
        if gateway != self._context.id or incoming.retain:
            raise PayloadError("topic", "must be this gateway's and not retained")
        if message is not Message.ACK:
            self._wanted_at = self._clock.monotonic()
        match message:
            case Message.ACK:
                await self._acknowledged(decode(Ack, incoming.payload))
            case Message.COMMAND:
                self._services.commands.take(decode(Command, incoming.payload))
            case Message.DEPLOY:
                self._services.deployments.take(decode(Deploy, incoming.payload))
            case Message.TUNNEL_DOWN:
                self._services.tunnels.take(incoming.payload)
            case Message.WATCH:
                self._values.watch(decode(Watch, incoming.payload))
            case Message.TRACE:
                self._trace.take(incoming.payload)
            case Message.RULES:
                await self._rules.take(incoming.payload)
            case Message.EXCHANGE:
                await self._exchange.take(incoming.payload)
            case Message.TASKS:
                await self._tasks.take(incoming.payload)
            case Message.UPGRADE:
                self._firmware.take(incoming.payload)
            case Message.RESEND:
                await self._resend(decode(Resend, incoming.payload))
            case Message.WELCOME:
                self._take_welcome(decode(Welcome, incoming.payload))
            case _:
                raise PayloadError("topic", "is for the cloud to read")

    async def _acknowledged(self, ack: Ack) -> None:
        self._link.last_ack_ms = self._clock.now_ms()
        state = self._services.outbox_state()
        if ack.ranges and ack.stream == state.stream:
            self._batches.acknowledged(ack.ranges)
        elif ack.ranges:
            self._link.ignored_acks += 1
        if ack.collected and ack.stream == state.stream:
            await self._collection.acknowledged(ack.collected)
        if ack.events and ack.stream == state.stream:
            await self._services.rules.acknowledged(ack.events)
        self._exchange.acknowledged(ack.exchange)
        self._tasks.acknowledged(ack.tasks)
        if ack.commands:
            await self._results.acknowledged(ack.commands)
        if ack.deployments:
            await self._services.deployments.acknowledged(ack.deployments)
        await self._firmware.acknowledged(ack.upgrades)

    def _forgotten(self) -> None:
        """Say at once that a backlog which the last pulse reported has gone."""
        if self._reported_batches and self._services.outbox_state().batches == 0:
            self._reported_batches = 0
            self._pulse_now.set()

    async def _resend(self, resend: Resend) -> None:
        if resend.catalog is not None:
            self._batches.want_catalog(resend.catalog)
        if resend.stream != self._services.outbox_state().stream:
            return
        held: list[int] = []
        for first, last in resend.ranges:
            if len(held) >= HISTORY_WAITING:
                break
            numbers = await self._services.store.outbox.numbers(first - 1, HISTORY_WAITING - len(held))
            held += [seq for seq in numbers if seq <= last]
        self._batches.requested(held)

    def _take_welcome(self, welcome: Welcome) -> None:
        if not self._link.accepted:
            self._welcome = welcome
            self._welcomed.set()
        elif reason := refusal_of(welcome):
            raise LinkDown(f"the cloud refuses this gateway from now on: {reason}")
        elif welcome.need_catalog:
            self._batches.want_catalog(self._services.catalog.hash)
