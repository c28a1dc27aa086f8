"""The link, assembled: broker, client, ingest, control, write-behind and clean-up."""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from cloud.core.clock import every
from cloud.db import Database
from cloud.link.broker_connection import BrokerAddress, Incoming
from cloud.link.brokers.embedded import EmbeddedBroker
from cloud.link.brokers.mosquitto import DynSec
from cloud.link.brokers.takeover import end_session
from cloud.link.catalogs import ASK_AGAIN_S, Catalogs
from cloud.link.collection_intake import CollectionIntake
from cloud.link.collection_store import CollectionStore
from cloud.link.control import WORKERS, Control, ControlArrival
from cloud.link.direct_connection import DirectConnection
from cloud.link.errors import LinkDown, LinkError
from cloud.link.gap_detection import CHECK_S, GapDetector
from cloud.link.gap_store import GapStore
from cloud.link.hooks import Authenticate, HookRunner, LinkHooks
from cloud.link.ingest import LIVE_OR_HISTORY, BatchMessage, Ingest
from cloud.link.ingest_buffer import IngestBuffer, StreamState
from cloud.link.live_values import LiveValues
from cloud.link.metrics import DROPPED, MESSAGES
from cloud.link.mqtt_client import BACKOFF_S, MqttClient
from cloud.link.orphan_cleanup import OrphanCleanup
from cloud.link.rate_limits import StreamAdmission
from cloud.link.reception_statistics import ReceptionStatistics
from cloud.link.retention import BufferRetention
from cloud.link.stream_expiry import StreamExpiry
from cloud.link.waiting import WaitingRepository
from cloud.link.write_behind import WriteBehind
from cloud.timeseries.base import TimeSeries
from edge_contract.access import Principal, Role
from edge_contract.errors import TopicError
from edge_contract.fields import ControlMessage
from edge_contract.payloads import CONTROL, encode
from edge_contract.topics import CLOUD_FILTERS, Message, parse, topic

log = logging.getLogger(__name__)

SERVICE_NAME = "edge-cloud"
"""User name of the cloud when the settings name none."""

TOPICS = 50_000
"""Topics whose meaning is remembered: two lanes and a few messages of some ten thousand gateways."""

_COUNTERS = {message: MESSAGES.labels(message.value) for message in Message}

_TAILS: dict[type[ControlMessage], Message] = {kind: message for message, kind in CONTROL.items()}


class LinkSettings(Protocol):
    """What the link reads of the settings."""

    @property
    def broker(self) -> str: ...
    @property
    def broker_host(self) -> str: ...
    @property
    def broker_port(self) -> int: ...
    @property
    def broker_url(self) -> str | None: ...
    @property
    def broker_username(self) -> str | None: ...
    @property
    def broker_password_file(self) -> Path | None: ...
    @property
    def broker_ca_file(self) -> Path | None: ...
    @property
    def dynsec_username(self) -> str | None: ...
    @property
    def dynsec_password_file(self) -> Path | None: ...


class Link:
    """Everything between the broker and the domains. Initialising checks settings; starting connects.

    takes_in: False in a process that only sends and reads the statistics; then nothing is subscribed to.
    """

    def __init__(
        self,
        settings: LinkSettings,
        database: Database,
        hooks: LinkHooks,
        authenticate: Authenticate,
        timeseries: TimeSeries,
        *,
        takes_in: bool = True,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._sleep = sleep
        self._takes_in = takes_in
        self._name = settings.broker_username or SERVICE_NAME
        self._password = _secret(settings.broker_password_file) or secrets.token_urlsafe(32)
        self._embedded: EmbeddedBroker | None = None
        if settings.broker == "embedded":
            check = service_authenticate(self._name, self._password, authenticate)
            self._embedded = EmbeddedBroker(settings.broker_host, settings.broker_port, check)
        self._address = self._locate(settings)
        self.dynsec = dynsec(settings)
        self._client = self._connect(sleep)
        self._buffer = IngestBuffer(database)
        self._runner = HookRunner()
        waiting = WaitingRepository(database)
        self._catalogs = Catalogs(
            waiting, hooks, self._runner, self._post, lambda gateway: self._write_behind.wake([gateway]),
            now_ms=now_ms,
        )  # fmt: skip
        self._write_behind = WriteBehind(
            self._buffer, timeseries, hooks, self._runner, waiting, self._catalogs, now_ms=now_ms,
            pressed=lambda: self._ingest.pressed, sleep=sleep,
        )  # fmt: skip
        self._values = LiveValues(self._catalogs, hooks, self._runner, now_ms)
        admission = StreamAdmission()
        self._ingest = Ingest(
            self._buffer, self._post, self._write_behind.wake, admission, now_ms=now_ms, sleep=sleep
        )
        self.gap_store = GapStore(database)
        self.reception = ReceptionStatistics(database, now_ms=now_ms)
        self.collection = CollectionStore(database, now_ms=now_ms)
        self._collecting = CollectionIntake(self.collection, self._post, sleep=sleep)
        self._gaps = GapDetector(self.gap_store, self._post, now_ms=now_ms, admission=admission)
        self._orphans = OrphanCleanup(database, now_ms=now_ms)
        self._expiry = StreamExpiry(database)
        self._control = Control(
            hooks, self._runner, self._post, self._catalogs.arrived, self._gaps.pulse, self._gaps.hello
        )
        self._retention = BufferRetention(self._buffer, before=self.reception.update, sleep=sleep)
        self._tunnel = hooks.on_tunnel
        self._admits = hooks.admits
        self._authenticates = settings.broker == "emqx"
        self._parse = lru_cache(TOPICS)(parse)
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start the embedded broker, if it is the one, and all tasks. Does not wait for a connection."""
        if self._embedded is not None:
            await self._embedded.start()
            self._address = BrokerAddress(
                self._address.host, self._embedded.port, self._address.username, self._address.password
            )
            self._client = self._connect(self._sleep)
        if self._takes_in:
            self._take_in()
        if self.dynsec is None:
            await self._client.start()
        else:
            self._spawn("dynsec", self._ensure_service(self.dynsec))

    def _take_in(self) -> None:
        self._spawn("ingest", self._ingest.run())
        self._spawn("write-behind", self._write_behind.run())
        self._spawn("values", self._values.run())
        self._spawn("collection", self._collecting.run())
        self._spawn("statistics", every(CHECK_S, self.update_statistics, self._sleep))
        self._spawn("waiting", every(ASK_AGAIN_S, self._catalogs.look, self._sleep))
        for worker in range(WORKERS):
            self._spawn(f"control-{worker}", self._control.run())

    async def stop(self) -> None:
        """Stop taking messages, then everything else. What was not acknowledged comes again."""
        await self._client.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
        await self._runner.finish()
        if self._embedded is not None:
            await self._embedded.stop()

    def healthy(self) -> bool:
        """True while the broker is connected and every task runs."""
        return self._client.connected and not any(task.done() for task in self._tasks if _endless(task))

    async def forget_old(self, now_ms: int) -> None:
        """Periodic: delete stored batches that were kept long enough, counts of old hours, and streams."""
        await self._retention.clean(now_ms)
        async with self.reception.lock, self.gap_store.lock:
            await self._expiry.clean(now_ms)
        await self.reception.forget_old(now_ms)
        await self.collection.forget_old(now_ms)

    @property
    def port(self) -> int:
        """Port of the broker; of the embedded one when its setting was 0."""
        return self._address.port

    async def send(self, gateway: str, message: ControlMessage) -> None:
        """Publish to a gateway; returns at the broker's PUBACK, raises LinkDown."""
        await self._client.publish(topic(gateway, _TAILS[type(message)]), encode(message))

    async def send_tunnel(self, gateway: str, frame: bytes) -> None:
        """Publish a frame of a tunnel; returns at the broker's PUBACK, raises LinkDown."""
        await self._client.publish(topic(gateway, Message.TUNNEL_DOWN), frame)

    def forget(self, gateway: str) -> None:
        """A gateway is no more: nothing remembered of it meets the next one with its serial number."""
        self._ingest.forget(gateway)
        self._control.forget(gateway)
        self._write_behind.forget(gateway)
        self._catalogs.forget(gateway)
        self._values.forget(gateway)
        self._collecting.forget(gateway)
        self._gaps.forget(gateway)

    async def erase(self, gateway: str) -> None:
        """A gateway is no more: what was received of it is deleted. Its next batches are taken like any."""
        async with self.reception.lock, self.gap_store.lock, self.collection.lock:
            self.forget(gateway)
            await self._orphans.erase(gateway)

    async def erase_orphans(self, is_claimed: Callable[[str], Awaitable[bool]]) -> None:
        """Periodic: erase what is left of gateways that are no more: a process ended in between, or a batch
        was still under way.
        """
        for gateway in await self._orphans.known():
            if not await is_claimed(gateway):
                await self.erase(gateway)

    async def backlog(self) -> int:
        """Batches that are buffered and not yet stored."""
        return await self._buffer.backlog()

    async def update_statistics(self) -> None:
        """Periodic: bring the hours and the gaps up to date."""
        await self.reception.update()
        await self._gaps.check()

    async def streams(self, gateway: str) -> list[StreamState]:
        """What was received of a gateway's streams and what is missing, the newest stream last."""
        return await self._buffer.streams(gateway)

    async def put_gateway(self, gateway: str, secret: str) -> None:
        """Let a gateway in with this secret; an open connection is ended. LinkError when the broker refuses.

        Only mosquitto keeps a list of its own. With the others, who decides ends what cannot be ended now
        (`end_session`), and nothing that it sends is taken until then.
        """
        if self.dynsec is not None:
            await self.dynsec.put_gateway(gateway, secret)
        else:
            await self._try_to_end(gateway)

    async def put_gateways(self, gateways: Mapping[str, str]) -> None:
        """Let new gateways in with their secrets, by name; many of them at once. LinkError as put_gateway."""
        if self.dynsec is not None:
            await self.dynsec.put_gateways(gateways)

    async def disable_gateway(self, gateway: str) -> None:
        """End a gateway's connection; with mosquitto also refuse the next. LinkError as put_gateway."""
        if self.dynsec is not None:
            await self.dynsec.disable_gateway(gateway)
        else:
            await self._try_to_end(gateway)

    @property
    def ends_sessions(self) -> bool:
        """Whether end_session() does something: not on mosquitto, whose list ends them."""
        return self._embedded is not None or self._authenticates

    async def end_session(self, gateway: str) -> None:
        """End a gateway's open connection to a broker that asks the cloud. LinkDown when it may go on."""
        if self._embedded is not None:
            await self._embedded.disconnect(gateway)
        elif self._authenticates:
            await end_session(self._address, gateway)

    async def _try_to_end(self, gateway: str) -> None:
        try:
            await self.end_session(gateway)
        except LinkDown as error:
            log.warning("the session of %s is not ended yet: %s", gateway, error)

    def _locate(self, settings: LinkSettings) -> BrokerAddress:
        if settings.broker == "embedded":
            return BrokerAddress(settings.broker_host, settings.broker_port, self._name, self._password)
        return address(settings, self._name, self._password)

    def _connect(self, sleep: Callable[[float], Awaitable[None]]) -> MqttClient:
        filters = CLOUD_FILTERS if self._takes_in else ()
        return MqttClient(self._address, filters, self._route, connection=DirectConnection, sleep=sleep)

    def _route(self, incoming: Incoming) -> None:
        """Hand a message to its queue. What is not of the contract is counted and done with."""
        try:
            gateway, message = self._parse(incoming.topic)
        except TopicError:
            DROPPED.labels("topic").inc()
            incoming.acknowledge()
            return
        _COUNTERS[message].inc()
        if not self._admits(gateway, message):
            DROPPED.labels("not_admitted").inc()
            incoming.acknowledge()
        elif incoming.retained and message is not Message.STATE:
            DROPPED.labels("retained").inc()  # an old message says nothing new
            incoming.acknowledge()
        elif message in LIVE_OR_HISTORY:
            self._ingest.put(BatchMessage(gateway, message, incoming))
        elif message is Message.VALUES:
            self._values.put(gateway, incoming)
        elif message is Message.TUNNEL_UP:
            self._tunnel(gateway, incoming.payload)
            incoming.acknowledge()
        elif message is Message.COLLECTION:
            self._collecting.put(gateway, incoming)
        else:
            self._control.put(ControlArrival(gateway, message, incoming))

    def _post(self, gateway: str, message: ControlMessage) -> None:
        self._client.post(topic(gateway, _TAILS[type(message)]), encode(message))

    def _spawn(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name=f"link-{name}")
        task.add_done_callback(_report)
        self._tasks.append(task)

    async def _ensure_service(self, admin: DynSec) -> None:
        """Make the cloud's own client on mosquitto, then connect: a change of a client ends its connection.

        When that fails the link connects all the same, because the client may exist from an earlier start.
        """
        pause, longest = BACKOFF_S
        started = False
        while True:
            try:
                await admin.ensure_service(self._name, self._password)
                return
            except LinkError as error:
                log.warning("mosquitto's list of clients cannot be brought up to date: %s", error)
            finally:
                if not started:
                    await self._client.start()
                    started = True
            await self._sleep(pause)
            pause = min(pause * 2, longest)


def service_authenticate(
    name: str, password: str, authenticate: Authenticate, *, several: bool = False
) -> Authenticate:
    """Who connects: the cloud itself by this name and password, gateways by `authenticate`.

    several: its other connections and processes too, whose names begin with this one and "-", and in the name
    of any gateway a connection that may do nothing (takeover.py). The password decides, so a gateway that is
    called like that still comes in by its own secret.
    """

    async def check(username: str, secret: str) -> Principal | None:
        is_cloud = hmac.compare_digest(secret.encode(), password.encode())
        if username == name or (several and is_cloud and username.startswith(f"{name}-")):
            return Principal(Role.SERVICE, username) if is_cloud else None
        if several and is_cloud:
            return Principal(Role.CLOSER, username)
        return await authenticate(username, secret)

    return check


def address(settings: LinkSettings, username: str, password: str) -> BrokerAddress:
    """Where the broker of broker_url is; ValueError names the rule."""
    url = urlsplit(settings.broker_url or "")
    if url.scheme not in ("mqtt", "mqtts") or not url.hostname:
        raise ValueError("broker_url: must be mqtt://host:port or mqtts://host:port")
    tls = url.scheme == "mqtts"
    port = url.port or (8883 if tls else 1883)
    return BrokerAddress(url.hostname, port, username, password, tls, settings.broker_ca_file)


def dynsec(settings: LinkSettings) -> DynSec | None:
    """Administration of mosquitto, when it is the broker and its administrator is set."""
    if settings.broker != "mosquitto" or not settings.dynsec_username:
        return None
    return DynSec(address(settings, settings.dynsec_username, _secret(settings.dynsec_password_file)))


def _secret(path: Path | None) -> str:
    return path.read_text().strip() if path else ""


def _endless(task: asyncio.Task[None]) -> bool:
    return task.get_name() != "link-dynsec"


def _report(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("%s has ended", task.get_name(), exc_info=error)
