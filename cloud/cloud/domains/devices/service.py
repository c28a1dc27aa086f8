"""Gateways: claim, credentials, lists and details."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from cloud.db import Database
from cloud.domains.devices.models import Device, SlaveDevice
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.repository import Counts, DeviceRepository
from cloud.domains.devices.schemas import DataSource, DeviceDetail, DeviceRow, Link, Slave
from cloud.errors import Conflict, NotFound, ParameterError
from cloud.kit.clock import NowMs, now_ms
from cloud.kit.envelope import Page
from cloud.link import StreamState
from edge_contract.access import Principal, Role
from edge_contract.errors import TopicError
from edge_contract.model import Value
from edge_contract.topics import GATEWAY_ID, check_gateway

SORTS = ("device_title", "gateway_id", "last_ms")
STATUSES = ("online", "offline", "alarm")

PutGateway = Callable[[str, str], Awaitable[None]]
Streams = Callable[[str], Awaitable[list[StreamState]]]


@dataclass(frozen=True)
class Target:
    """A data point as a command sees it."""

    device_id: int
    gateway: str
    online: bool
    slave: str
    point: str
    rw: str
    kind: str
    data_type: str
    min: float | None
    max: float | None
    on_value: Value
    off_value: Value


class DeviceService:
    """put_gateway, disable_gateway: tell the broker that keeps its own list; streams: reception evidence."""

    def __init__(
        self,
        database: Database,
        presence: PresenceService,
        put_gateway: PutGateway,
        disable_gateway: Callable[[str], Awaitable[None]],
        streams: Streams,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._presence = presence
        self._put_gateway = put_gateway
        self._disable_gateway = disable_gateway
        self._streams = streams
        self._clock = clock
        self._ids: dict[str, int] = {}
        self._credentials: dict[str, tuple[str, bool]] | None = None

    async def authenticate(self, username: str, password: str) -> Principal | None:
        """A gateway and its secret; None when they do not belong together or it is disabled."""
        if not GATEWAY_ID.fullmatch(username):
            return None
        async with self._database.reading() as session:
            device = await DeviceRepository(session).by_gateway(username)
        if device is None or device.disabled:
            return None
        same = hmac.compare_digest(device.secret_hash, _hash(password))
        return Principal(Role.GATEWAY, username) if same else None

    async def claim(self, gateway: str, title: str, *, rotate: bool = False) -> str:
        """Make a gateway, or give it a new secret; the secret, which is shown once and never stored.

        Conflict when it is claimed and rotate is not set. The broker is told before the change is committed,
        so that a broker which refuses leaves everything as it was.
        """
        try:
            check_gateway(gateway)
        except TopicError as error:
            raise ParameterError(error.field, error.rule) from None
        if not 1 <= len(title) <= 200 or not title.isprintable():
            raise ParameterError("title", "1 to 200 printable characters")
        secret = secrets.token_urlsafe(32)
        async with self._database.session() as session:
            repository = DeviceRepository(session)
            device = await repository.by_gateway(gateway)
            if device is not None and not rotate:
                raise Conflict(f"gateway {gateway} is claimed already", field="gateway", rule="must be new")
            if device is None:
                device = Device(gateway_id=gateway, created_ms=self._clock())
                repository.add(device)
            device.title, device.secret_hash, device.disabled = title, _hash(secret), False
            await repository.flush()
            await self._put_gateway(gateway, secret)
            await session.commit()
        return secret

    async def disable(self, gateway: str) -> None:
        """Refuse a gateway from now on and end its connection."""
        async with self._database.session() as session:
            device = await DeviceRepository(session).by_gateway(gateway)
            if device is None:
                raise NotFound(f"gateway {gateway}")
            if device.online:
                device.since_ms = self._clock()
            device.disabled, device.online, device.reason = True, False, "disabled"
            await session.commit()
        await self._disable_gateway(gateway)

    async def end_stale(self, disconnect: Callable[[str], Awaitable[None]]) -> None:
        """Periodic: end connections whose gateway got another secret or was disabled, by whatever process.

        For the embedded broker, which has no list of its own and asks only when a gateway connects.
        """
        async with self._database.reading() as session:
            found = await DeviceRepository(session).credentials()
        known, self._credentials = self._credentials, found
        for gateway, credential in (known or {}).items():
            if found.get(gateway) != credential:
                await disconnect(gateway)

    async def page(self, page: int, limit: int, search: str, status: str, sort: str) -> Page[DeviceRow]:
        """Gateways; ParameterError for a status or sort that there is not."""
        if status and status not in STATUSES:
            raise ParameterError("status", f"one of {', '.join(STATUSES)}")
        if sort and sort.lstrip("-") not in SORTS:
            raise ParameterError("sort", f"one of {', '.join(SORTS)}, with '-' before it to reverse")
        async with self._database.reading() as session:
            repository = DeviceRepository(session)
            devices, total = await repository.page(page, limit, search.strip(), status, sort)
            counts = await repository.counts([device.id for device in devices])
        return Page(rows=[self._row(device, counts[device.id]) for device in devices], total=total)

    async def row(self, device_id: int) -> DeviceRow:
        async with self._database.reading() as session:
            repository = DeviceRepository(session)
            device = await self._existing(repository, device_id)
            counts = await repository.counts([device_id])
        return self._row(device, counts[device_id])

    async def detail(self, device_id: int) -> DeviceDetail:
        async with self._database.reading() as session:
            repository = DeviceRepository(session)
            device = await self._existing(repository, device_id)
            counts = await repository.counts([device_id])
            slaves = await repository.slaves(device_id)
        streams = await self._streams(device.gateway_id)
        missing = sum(last - first + 1 for state in streams for first, last in state.missing)
        return DeviceDetail(
            **self._row(device, counts[device_id]).model_dump(),
            slaves=[_slave(slave) for slave in slaves],
            catalog=device.catalog,
            stream=device.stream,
            refusal=device.refusal,
            received_batches=sum(state.received for state in streams),
            duplicate_batches=sum(state.duplicates for state in streams),
            missing_batches=missing,
            evicted_batches=device.evicted_batches,
        )

    async def sources(self, device_id: int) -> list[DataSource]:
        async with self._database.reading() as session:
            repository = DeviceRepository(session)
            await self._existing(repository, device_id)
            rows = await repository.points(device_id)
        return [
            DataSource(
                dsid=point.id,
                ds_name=point.name,
                ds_title=point.title,
                ds_type=point.kind,
                rw=point.rw,
                data_type=point.data_type,
                unit=point.unit,
                decimals=point.decimals,
                slave=slave.name,
                slave_title=slave.title,
                record=point.record,
                period_ms=point.period_ms,
                min=point.min,
                max=point.max,
                on_value=point.on_value,
                off_value=point.off_value,
            )
            for point, slave in rows
        ]

    async def target(self, dsid: int) -> Target:
        """What a command needs to know of a point; NotFound when there is none, or it is removed."""
        async with self._database.reading() as session:
            found = await DeviceRepository(session).point(dsid)
        if found is None or found[0].removed:
            raise NotFound("data point")
        point, slave, device = found
        return Target(
            device_id=device.id,
            gateway=device.gateway_id,
            online=device.online,
            slave=slave.name,
            point=point.name,
            rw=point.rw,
            kind=point.kind,
            data_type=point.data_type,
            min=point.min,
            max=point.max,
            on_value=point.on_value,
            off_value=point.off_value,
        )

    async def id_of(self, gateway: str) -> int | None:
        """Number of a claimed gateway; it never changes."""
        if gateway not in self._ids:
            async with self._database.reading() as session:
                device = await DeviceRepository(session).by_gateway(gateway)
            if device is None:
                return None
            self._ids[gateway] = device.id
        return self._ids[gateway]

    async def owners(self, dsids: list[int]) -> dict[int, int]:
        """Data point to gateway; NotFound when one does not exist."""
        async with self._database.reading() as session:
            owners = await DeviceRepository(session).owners(dsids)
        if len(owners) != len(set(dsids)):
            raise NotFound("data point")
        return owners

    async def _existing(self, repository: DeviceRepository, device_id: int) -> Device:
        device = await repository.device(device_id)
        if device is None:
            raise NotFound("device")
        return device

    def _row(self, device: Device, counts: Counts) -> DeviceRow:
        status = "offline"
        if device.online:
            status = "alarm" if counts.slaves_online < counts.slaves else "online"
        return DeviceRow(
            id=device.id,
            device_title=device.title,
            gateway_id=device.gateway_id,
            protocol=device.protocol,
            status=status,
            link=Link(online=device.online, since_ms=device.since_ms, reason=device.reason),
            slaves_online=counts.slaves_online if device.online else 0,
            slaves_total=counts.slaves,
            points=counts.points,
            last_ms=self._presence.heard(device.gateway_id) or device.last_ms,
            agent_version=device.agent_version,
            backlog_batches=device.backlog_batches,
            hours_left=device.hours_left,
        )


def _slave(row: SlaveDevice) -> Slave:
    return Slave(
        id=row.id,
        name=row.name,
        title=row.title,
        protocol=row.protocol,
        port=row.port,
        address=row.address,
        online=row.online,
        last_good_ms=row.last_good_ms,
        reason=row.reason,
    )


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
