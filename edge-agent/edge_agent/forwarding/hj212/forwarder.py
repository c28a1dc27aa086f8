"""Records of stored batches to a platform of HJ 212: live data first, then what was missed, each until it is
acknowledged.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from edge_agent.actions import Action
from edge_agent.errors import StoreError
from edge_agent.forwarding.backoff import Backoff
from edge_agent.forwarding.base import Condition, ForwarderCondition
from edge_agent.forwarding.deliveries import Deliveries
from edge_agent.forwarding.hj212.channels import rules_of
from edge_agent.forwarding.hj212.codec import PacketCodec
from edge_agent.forwarding.hj212.collector import PROGRESS, Collector
from edge_agent.forwarding.hj212.connection import PlatformConnection, PlatformDown, Refused
from edge_agent.forwarding.hj212.instruments import Instruments
from edge_agent.forwarding.hj212.notices import Notices
from edge_agent.forwarding.hj212.options import Hj212Options
from edge_agent.forwarding.hj212.packet import BadPacket, Packet
from edge_agent.forwarding.hj212.packets import PacketWriter
from edge_agent.forwarding.hj212.parameters import NOTE, Parameters
from edge_agent.forwarding.hj212.profile import profile
from edge_agent.forwarding.hj212.realtime import RealtimeArea, RealtimeData
from edge_agent.forwarding.hj212.record_queue import RecordQueue
from edge_agent.forwarding.hj212.requests import Requests
from edge_agent.forwarding.hj212.secrets import lacks_key
from edge_agent.forwarding.hj212.sending import Sender
from edge_agent.forwarding.hj212.station import advice, packet_options, with_secrets
from edge_agent.forwarding.services import Services
from edge_agent.signals import signal
from edge_agent.store.base import Outbox, TargetRecord
from edge_agent.system.cancellation import cancellable
from edge_agent.system.clock import clock_set, set_machine_clock, wait
from edge_contract.payloads import CommandAction
from edge_contract.trace import TraceDirection, TraceKind

log = logging.getLogger(__name__)

RETRY_S = (2.0, 60.0)
IDLE_S = 30.0
"""At the longest nothing is looked for; whatever is new wakes the sending before."""
MAX_REQUESTS = 32
"""That wait to be answered; more are dropped."""
CLOCK_LOOK_S = 1.0
DRAIN_STEP_S = 0.05


class ForwarderState(msgspec.Struct, frozen=True):
    """Kept beside the cursor."""

    read_seq: int = 0
    deliveries: Deliveries = Deliveries()


@dataclass
class _Session:
    """record: of the store that waits for its answer; label: of whatever does, empty while nothing does.
    uploads: that were begun, delivered: of them.
    """

    connection: PlatformConnection
    requests: asyncio.Queue[tuple[Packet, int | None]]
    record: TargetRecord | None = None
    label: str = ""
    uploads: int = 0
    delivered: int = 0

    def begin(self, label: str, record: TargetRecord | None = None) -> None:
        self.uploads += 1
        self.label, self.record = label, record

    def end(self) -> None:
        self.label, self.record = "", None


class Hj212Forwarder:
    """forwarding.base.Forwarder."""

    link = None

    def __init__(self, name: str, options: Hj212Options, services: Services, outbox: Outbox) -> None:
        self._name = name
        self._options = options
        self._services = services
        self._outbox = outbox
        self._records = services.store.target_records
        self._clock = services.clock
        self._where = f"{options.server}:{options.port}"
        known = msgspec.json.decode(outbox.position().state or b"{}", type=ForwarderState)
        self._deliveries = known.deliveries
        self._read_seq, self._needs_seq = known.read_seq, outbox.position().upto_seq
        self._condition, self._since_ms, self._reason = Condition.DOWN, 0, ""
        self._session: _Session | None = None
        self._wake = asyncio.Event()
        self._queue = RecordQueue(name, options, self._records, self._give_up)
        self._nothing_taken = False
        self._missing = ""
        self._draw = random.uniform
        self._retry = Backoff(*RETRY_S)
        self._parameters = Parameters(options, None)

    def condition(self) -> ForwarderCondition:
        """Unless it is down the reason says what the platform has changed."""
        reason = self._reason
        if self._condition is not Condition.DOWN and (text := self._parameters.text()):
            reason = f"set by the platform: {text}"
        next_try_ms, waiting = self._retry.next_try_ms, self._queue.waiting
        return ForwarderCondition(self._condition, self._since_ms, reason, next_try_ms, waiting)

    def deliveries(self) -> Deliveries:
        """Records that the platform acknowledged or did not, and those that were given up."""
        return self._deliveries

    def actions(self) -> Mapping[CommandAction, Action]:
        """None: what a platform may ask is answered here."""
        return {}

    async def drain(self, timeout_s: float) -> None:
        """Return when every record is sent, at the latest after timeout_s."""
        deadline = self._clock.monotonic() + timeout_s
        while (
            self._condition is not Condition.DOWN
            and self._clock.monotonic() < deadline
            and (self._read_seq < self._outbox.state().next_seq - 1 or await self._queue.count())
        ):
            await self._clock.sleep(DRAIN_STEP_S)

    async def run(self) -> None:
        """Until cancelled."""
        notes = await self._records.notes(self._name)
        await self._queue.count()
        options, _ = with_secrets(self._options, self._services.folder, self._name)
        self._parameters = Parameters(options, notes.get(NOTE))
        self._packet_options = packet_options(self._options)
        codec = PacketCodec(profile(self._options.version), self._packet_options)
        writer = self._writer = PacketWriter(
            codec, self._options.st, self._options.mn, self._options.flag == 5, self._parameters
        )
        self._sender = Sender(writer, self._options.offset_ms, self._clock, self._repeat)
        sets_clock = self._services.configuration.system.set_clock
        self._notices = Notices(
            self._options, self._parameters, self._sender, self._clock, sets_clock=sets_clock
        )
        instruments = Instruments(self._name, self._options, self._services)
        self._requests = Requests(
            self._name,
            self._options,
            writer,
            self._sender,
            self._records,
            self._clock,
            self._take_changes,
            set_machine_clock if sets_clock else None,
            instruments,
        )
        self._collector = Collector(
            self._name,
            rules_of(self._options, self._services.catalog),
            self._parameters,
            self._outbox,
            self._records,
            self._clock,
            self._services.configuration.storage.commit_interval_s,
            self._options.keep_days,
            on_read=self._read,
            on_refused=self._give_up,
            on_added=self._added,
        )
        self._realtime = RealtimeData(
            self._collector, self._parameters, self._queue, self._clock, self._wake.set
        )
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._collector.run(notes.get(PROGRESS)))
            tasks.create_task(self._realtime.run())
            if instruments.commands is not None:
                tasks.create_task(instruments.commands.run())
            tasks.create_task(self._connect())

    async def _connect(self) -> None:
        while True:
            while not self._take_secrets():
                await self._retry.rest(self._clock)
            session = self._new_session()
            while not clock_set(self._clock.now_ms()):
                self._turn(Condition.DOWN, "the gateway's clock is not set")
                await self._clock.sleep(CLOCK_LOOK_S)
            try:
                await session.connection.open(self._options.server, self._options.port)
                await cancellable(self._serve(session))
            except* PlatformDown as group:
                await self._ended(group.exceptions[0], session)
            except* StoreError as group:
                self._turn(Condition.DOWN, str(group.exceptions[0]))
            finally:
                self._session, self._realtime.is_connected = None, False
                self._queue.live.clear()
            if session.delivered:
                self._retry.reset()
            await self._realtime.connection_ended()
            await self._retry.rest(self._clock)

    def _take_secrets(self) -> bool:
        """As they are now; False, and down, while there is no key."""
        options, self._missing = with_secrets(self._options, self._services.folder, self._name)
        if lacks_key(options):
            self._turn(Condition.DOWN, self._missing)
            return False
        self._parameters.configure(options)
        self._take_key()
        return True

    def _take_key(self) -> None:
        parameters = self._parameters
        options = msgspec.structs.replace(self._options, cipher_secret=parameters.cipher_secret)
        taken = packet_options(options, parameters.previous_cipher_secret)
        if taken != self._packet_options:
            self._packet_options = taken
            self._writer.codec = PacketCodec(profile(options.version), taken)

    def _take_changes(self) -> None:
        """Of the platform."""
        self._take_key()
        if self._session is not None:
            self._session.connection.take_codec(self._writer.codec, self._packet_options)
        self._realtime.changed.set()

    def _new_session(self) -> _Session:
        waiting: asyncio.Queue[tuple[Packet, int | None]] = asyncio.Queue(MAX_REQUESTS)

        def take(packet: Packet, fault: int | None) -> None:
            try:
                waiting.put_nowait((packet, fault))
            except asyncio.QueueFull:
                log.debug("forwarder %s: a request CN=%s is dropped: too many wait", self._name, packet.cn)

        def notice(direction: TraceDirection, packet: Packet) -> None:
            self._services.trace.packet(self._name, direction, packet.safe_text)

        codec, options = self._writer.codec, self._packet_options
        connection = PlatformConnection(
            self._where, codec, options, self._parameters, self._clock, take, notice
        )
        return _Session(connection, waiting)

    async def _serve(self, session: _Session) -> None:
        """Until the connection ends; always raises."""
        if not self._nothing_taken:
            self._turn(Condition.CONNECTED, "")
        try:
            if not self._options.supplementary:
                await self._queue.drop_missed()
            self._session, self._realtime.is_connected = session, True
            await self._notices.connected(session.connection)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(session.connection.receive())
                tasks.create_task(self._answer(session))
                tasks.create_task(self._send(session))
        finally:
            await session.connection.close()

    async def _answer(self, session: _Session) -> None:
        while True:
            packet, fault = await session.requests.get()
            try:
                await self._requests.answer(packet, fault, session.connection)
            except BadPacket as error:
                log.warning("forwarder %s: a request CN=%s has no answer: %s", self._name, packet.cn, error)

    async def _send(self, session: _Session) -> None:
        heartbeat_s = self._options.heartbeat_s
        while True:
            await self._pause()
            await self._notices.ask_for_key(session.connection)
            if (newest := self._realtime.next()) is not None:
                await self._send_realtime(session, newest)
            elif (record := await self._queue.next()) is not None:
                await self._send_record(session, record)
            else:
                is_new = await wait(self._clock, self._wake, heartbeat_s or IDLE_S)
                if heartbeat_s and not is_new:
                    await self._notices.heartbeat(session.connection)

    async def _pause(self) -> None:
        """The random number of the options: it delays the sending, and never changes a value."""
        low, high = self._options.random_min_ms, self._options.random_max_ms
        if high:
            await self._clock.sleep(self._draw(low, high) / 1000)

    async def _send_realtime(self, session: _Session, newest: RealtimeArea) -> None:
        session.begin(self._queue.label(newest.kind, newest.t_ms))
        try:
            await self._sender.send_area(newest.kind, newest.area, session.connection)
        except BadPacket as error:
            self._give_up(session.label, str(error))
        else:
            self._delivered(session)
        session.end()
        self._realtime.done(newest)

    async def _send_record(self, session: _Session, record: TargetRecord) -> None:
        session.begin(self._queue.label(record.kind, record.t_ms), record)
        is_late = (record.kind, record.t_ms) not in self._queue.live
        try:
            await self._sender.send_record(record, session.connection, again=is_late)
        except BadPacket as error:
            await self._queue.drop(record, str(error))
        else:
            await self._queue.delivered(record)
            self._delivered(session, late=is_late)
        session.end()

    async def _added(self, records: list[TargetRecord]) -> None:
        if self._session is not None:
            self._queue.live.update((record.kind, record.t_ms) for record in records)
        await self._queue.bound()
        self._wake.set()

    async def _ended(self, error: BaseException, session: _Session) -> None:
        reason = str(error)
        if session.connection.is_open:
            self._nothing_taken = session.uploads > session.delivered == 0
            reason = self._explained(error, session.connection.complaint)
        if session.label:
            self._deliveries = self._deliveries.with_failed(session.label, reason, self._clock.now_ms())
            self._write_state()
        if session.record is not None:
            try:
                await self._queue.failed(session.record, error, were_others_taken=bool(session.delivered))
            except StoreError as failed:
                log.error("forwarder %s: %s", self._name, failed)
        self._turn(Condition.DOWN, reason)

    def _explained(self, error: BaseException, complaint: str) -> str:
        """With what else is known, and where to look when that is nothing."""
        parts = [str(error), complaint]
        if self._nothing_taken:
            is_known = complaint or (isinstance(error, Refused) and error.names_cause)
            parts += [self._missing, "" if is_known else advice(self._options)]
        return "; ".join(filter(None, parts))

    def _delivered(self, session: _Session, *, late: bool = False) -> None:
        session.delivered += 1
        self._deliveries = self._deliveries.with_delivered(1, self._clock.now_ms(), late=late)
        self._turn(Condition.UP, "")
        self._write_state()

    def _repeat(self) -> None:
        self._deliveries = self._deliveries.with_repeated()

    def _give_up(self, record: str, reason: str) -> None:
        self._deliveries = self._deliveries.with_given_up(record, reason, self._clock.now_ms())
        self._write_state()

    def _read(self, read_seq: int, needs_seq: int) -> None:
        if (read_seq, needs_seq) != (self._read_seq, self._needs_seq):
            self._read_seq, self._needs_seq = read_seq, needs_seq
            self._write_state()

    def _write_state(self) -> None:
        """With the next commit of a batch."""
        state = msgspec.json.encode(ForwarderState(self._read_seq, self._deliveries)).decode()
        self._outbox.passed(self._needs_seq, state)

    def _turn(self, condition: Condition, reason: str) -> None:
        """Logged once when it goes down, for each reason, and once when it is connected and up."""
        if condition is not self._condition or not self._since_ms:
            self._since_ms = self._clock.now_ms()
            if condition is Condition.CONNECTED:
                log.info("forwarder %s: connected to %s", self._name, self._where)
            if condition is Condition.UP:
                up = signal(TraceKind.TARGET, "up", self._name)
                log.info("forwarder %s: %s takes data", self._name, self._where, extra=up)
        if condition is Condition.DOWN and reason != self._reason:
            down = signal(TraceKind.TARGET, "down", self._name)
            log.warning("forwarder %s: %s; what is stored waits", self._name, reason, extra=down)
        self._condition, self._reason = condition, reason
