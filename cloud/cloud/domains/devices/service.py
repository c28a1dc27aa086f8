"""Gateways: lists, details and their data points."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace

from cloud.db import Database
from cloud.domains.audit.changes import tell
from cloud.domains.devices import states
from cloud.domains.devices.loans import Loan, Loans, loan_at, no_loans
from cloud.domains.devices.models import Device, SlaveDevice
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.repository import Counts, DeviceRepository
from cloud.domains.devices.schemas import (
    DataSource,
    DeviceBody,
    DeviceDetail,
    DeviceRow,
    Link,
    Presence,
    Slave,
)
from cloud.domains.devices.share_repository import ShareRepository
from cloud.domains.devices.shares import access_of
from cloud.domains.devices.visibility import Audience, read_only
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.scope import Scope
from cloud.errors import NotFound, ParameterError
from cloud.kit.envelope import Page
from cloud.link import StreamState
from edge_contract.model import Value

log = logging.getLogger(__name__)

SORTS = ("device_title", "gateway_id", "last_ms")
STATUSES = ("online", "offline", "alarm")

EVER_MS = 2**53

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
    """streams: what the link received of a gateway's batches. loans: ports that somebody borrowed.

    What the scope does not see is not found, as if it were not there.
    """

    def __init__(
        self, database: Database, presence: PresenceService, streams: Streams, loans: Loans = no_loans
    ) -> None:
        self._database = database
        self._presence = presence
        self._streams = streams
        self._loans = loans
        self._ids: dict[str, int] = {}

    async def page(
        self, scope: Scope, page: int, limit: int, search: str, status: str, sort: str
    ) -> Page[DeviceRow]:
        """Gateways; ParameterError for a status or sort that there is not."""
        if status and status not in STATUSES:
            raise ParameterError("status", f"one of {', '.join(STATUSES)}")
        if sort and sort.lstrip("-") not in SORTS:
            raise ParameterError("sort", f"one of {', '.join(SORTS)}, with '-' before it to reverse")
        async with self._database.reading() as session:
            repository = DeviceRepository(session, scope)
            devices, total = await repository.page(page, limit, search.strip(), status, sort)
            numbers = [device.id for device in devices]
            counts, layers = await self._layers(scope, repository, numbers)
        rows = [self._row(device, counts[device.id], layers[device.id]) for device in devices]
        return Page(rows=rows, total=total)

    async def row(self, scope: Scope, device_id: int) -> DeviceRow:
        async with self._database.reading() as session:
            repository = DeviceRepository(session, scope)
            device = await self._existing(repository, device_id)
            counts, layers = await self._layers(scope, repository, [device_id])
        return self._row(device, counts[device_id], layers[device_id])

    async def changeable(self, user: CurrentUser, device_id: int) -> DeviceRow:
        """A gateway that is to be changed; NoPermission when it is shared read only."""
        row = await self.row(user.scope, device_id)
        await self.refuse_read_only(user, [device_id])
        return row

    async def refuse_read_only(self, user: CurrentUser, device_ids: Collection[int]) -> None:
        """NoPermission when the user may not change one of these, which he sees."""
        async with self._database.reading() as session:
            repository = DeviceRepository(session, user.scope)
            if len(await repository.writable_among(device_ids)) != len(set(device_ids)):
                raise read_only()

    async def may_change(self, user: CurrentUser, device_id: int) -> bool:
        """True when the user sees the gateway and may change it."""
        async with self._database.reading() as session:
            return bool(await DeviceRepository(session, user.scope).writable_among([device_id]))

    async def watchable(
        self, scope: Scope, device_ids: Collection[int], dsids: Collection[int]
    ) -> tuple[set[int], set[int]]:
        """Of gateways and data points those that there are."""
        async with self._database.reading() as session:
            repository = DeviceRepository(session, scope)
            devices = await repository.among(device_ids) if device_ids else set()
            return devices, set(await repository.owners(dsids)) if dsids else set()

    async def audience(self, device_id: int) -> Audience:
        """Who sees a gateway; of one that is not there nobody but the platform."""
        async with self._database.reading() as session:
            return await ShareRepository(session, Scope.system()).audience(device_id)

    async def detail(self, scope: Scope, device_id: int) -> DeviceDetail:
        async with self._database.reading() as session:
            repository = DeviceRepository(session, scope)
            device = await self._existing(repository, device_id)
            counts, layers = await self._layers(scope, repository, [device_id])
            slaves = await repository.slaves(device_id)
            access = await access_of(session, scope, device)
        lent = await self._loans(scope, [device_id], 0, None) if counts[device_id].slaves_lent else []
        streams = await self._streams(device.gateway_id)
        missing = sum(last - first + 1 for state in streams for first, last in state.missing)
        return DeviceDetail(
            **self._row(device, counts[device_id], layers[device_id]).model_dump(),
            slaves=[_slave(slave, lent) for slave in slaves],
            catalog=device.catalog,
            stream=device.stream,
            refusal=device.refusal,
            received_batches=sum(state.received for state in streams),
            duplicate_batches=sum(state.duplicates for state in streams),
            missing_batches=missing,
            evicted_batches=device.evicted_batches,
            evicted=[(first, last) for first, last in device.evicted],
            dropped_samples=device.dropped_samples,
            written_bytes_day=device.written_bytes_day,
            clock_set=device.clock_set,
            offline_notify=device.offline_notify,
            offline_clear_data=device.offline_clear_data,
            offline_alarm_delay_s=device.offline_alarm_delay_s,
            access=access,
        )

    async def change(self, user: CurrentUser, device_id: int, body: DeviceBody) -> DeviceDetail:
        """Change settings of a gateway; ParameterError for a title that cannot be shown."""
        await self.changeable(user, device_id)
        changes = body.model_dump(exclude_none=True)
        if not str(changes.get("device_title", "x")).isprintable():
            raise ParameterError("device_title", "1 to 200 printable characters")
        async with self._database.session() as session:
            device = await self._existing(DeviceRepository(session, user.scope), device_id)
            before = _settings(device)
            device.title = changes.pop("device_title", device.title)
            for name, value in changes.items():
                setattr(device, name, value)
            await session.commit()
        tell(before, _settings(device))
        log.info("settings of device %d changed by %s: %s", device_id, user.name, sorted(changes))
        await self._presence.changed(device)
        return await self.detail(user.scope, device_id)

    async def announce(self, device_id: int) -> None:
        """What a gateway's row shows of another room has changed: tell who watches it."""
        await self._presence.announce(device_id)

    def is_cleared(self, gateway: str) -> bool:
        """Are this gateway's last values unknown, because it is offline?"""
        return gateway in self._presence.clearing

    async def cleared_points(self, dsids: Sequence[int]) -> set[int]:
        """Those points whose last values are unknown, because their gateway is offline (C-065)."""
        return await self._presence.clearing.points(dsids)

    async def names(self, scope: Scope) -> list[tuple[int, str, str]]:
        """Number, gateway and title of every gateway."""
        async with self._database.reading() as session:
            return await DeviceRepository(session, scope).names()

    async def gateway_of(self, scope: Scope, device_id: int) -> str:
        """Serial number of a gateway; NotFound when there is none."""
        async with self._database.reading() as session:
            return (await self._existing(DeviceRepository(session, scope), device_id)).gateway_id

    async def sources(self, scope: Scope, device_id: int) -> list[DataSource]:
        async with self._database.reading() as session:
            repository = DeviceRepository(session, scope)
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

    async def target(self, scope: Scope, dsid: int) -> Target:
        """What a command needs to know of a point; NotFound when there is none, or it is removed."""
        async with self._database.reading() as session:
            found = await DeviceRepository(session, scope).point(dsid)
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
                device = await DeviceRepository(session, Scope.system()).by_gateway(gateway)
            if device is None:
                return None
            self._ids[gateway] = device.id
        return self._ids[gateway]

    async def owners(self, scope: Scope, dsids: list[int]) -> dict[int, int]:
        """Data point to gateway; NotFound when one does not exist."""
        async with self._database.reading() as session:
            owners = await DeviceRepository(session, scope).owners(dsids)
        if len(owners) != len(set(dsids)):
            raise NotFound("data point")
        return owners

    async def _existing(self, repository: DeviceRepository, device_id: int) -> Device:
        device = await repository.device(device_id)
        if device is None:
            raise NotFound("device")
        return device

    async def _layers(
        self, scope: Scope, repository: DeviceRepository, device_ids: Sequence[int]
    ) -> tuple[dict[int, Counts], dict[int, states.BusLayer]]:
        """What belongs to each gateway, and how its slaves are."""
        counts, silent = await repository.counts(device_ids), await repository.silent_slaves(device_ids)
        lending = [number for number in device_ids if counts[number].slaves_lent]
        lent = await repository.lent_slaves(lending) if lending else {}
        loans = await self._loans(scope, lending, 0, None) if lending else []
        layers = {
            number: _bus(counts[number], silent.get(number), lent.get(number), loans) for number in device_ids
        }
        return counts, layers

    def _row(self, device: Device, counts: Counts, bus: states.BusLayer) -> DeviceRow:
        judged = _presence(device, bus, self._presence.now_ms())
        return DeviceRow(
            id=device.id,
            device_title=device.title,
            gateway_id=device.gateway_id,
            protocol=device.protocol,
            status=judged.status,
            presence=Presence(**asdict(judged)),
            link=Link(online=device.online, since_ms=device.since_ms, reason=device.reason),
            slaves_online=counts.slaves_online if device.online else 0,
            slaves_total=counts.slaves,
            points=counts.points,
            last_ms=self._presence.heard(device.gateway_id) or device.last_ms,
            agent_version=device.agent_version,
            backlog_batches=device.backlog_batches,
            hours_left=device.hours_left,
        )


def _settings(device: Device) -> dict[str, object]:
    """What DeviceBody may name."""
    return {
        name: getattr(device, "title" if name == "device_title" else name) for name in DeviceBody.model_fields
    }


def _bus(
    counts: Counts,
    silent: tuple[int, SlaveDevice] | None,
    lent: SlaveDevice | None,
    loans: Sequence[Loan],
) -> states.BusLayer:
    bus = states.BusLayer(total=counts.slaves)
    if silent is not None:
        number, slave = silent
        bus = states.BusLayer(
            number, counts.slaves, slave.name, slave.title, slave.reason, slave.since_ms, slave.last_good_ms
        )
    if lent is None:
        return bus
    loan = loan_at(loans, lent.device_id, lent.port, 0, EVER_MS)
    return replace(
        bus,
        lent=counts.slaves_lent,
        lent_port=lent.port,
        lent_to=loan.user if loan else "",
        lent_ms=loan.from_ms if loan else lent.since_ms,
    )


def _presence(device: Device, bus: states.BusLayer, now: int) -> states.Presence:
    value = states.ValueLayer(
        device.clock_set,
        device.hours_left,
        device.backlog_batches,
        device.dropped_samples,
        device.dropped_ms,
        device.evicted_batches,
        device.evicted_ms,
    )
    link = states.LinkLayer(device.online, device.since_ms, device.reason)
    return states.presence(link, bus, value, now)


def _slave(row: SlaveDevice, loans: Sequence[Loan]) -> Slave:
    is_lent = not row.online and row.reason == states.LENT
    loan = loan_at(loans, row.device_id, row.port, 0, EVER_MS) if is_lent else None
    return Slave(
        id=row.id,
        name=row.name,
        title=row.title,
        protocol=row.protocol,
        port=row.port,
        address=row.address,
        online=row.online,
        last_good_ms=row.last_good_ms,
        since_ms=row.since_ms,
        reason=row.reason,
        lent_to=loan.user if loan else None,
        lent_ms=loan.from_ms if loan else None,
    )
