"""Gateways: lists, details and their data points."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.changes import record_change
from cloud.core.chunks import CHUNK_ROWS
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.configuration.general_drafts import general_values
from cloud.domains.devices import rows
from cloud.domains.devices.access_passwords import AccessPasswordService
from cloud.domains.devices.filters import SORTS, DeviceFilter
from cloud.domains.devices.forms import DeviceFields, values_of
from cloud.domains.devices.point_display import DEFAULT_DISPLAY, PointDisplays, no_displays
from cloud.domains.devices.port_locks import PortLocksOf, no_port_locks
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.registry import Registry
from cloud.domains.devices.registry_repository import RegistryRepository
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.devices.rights import refuse_read_only
from cloud.domains.devices.rows import RowContext
from cloud.domains.devices.schemas import DataSource, DeviceDetail, DeviceRow
from cloud.domains.devices.share_repository import ShareRepository
from cloud.domains.devices.shares import access_of
from cloud.domains.devices.states import FILTERS
from cloud.domains.devices.targets import Freshness, Target
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import DataPoint, Device
from cloud.errors import NotFound, ParameterError
from cloud.link import StreamState
from cloud.realtime.audience import Audience

log = logging.getLogger(__name__)

_OF_DETAIL = (
    "catalog", "stream", "refusal", "evicted_batches", "dropped_samples", "written_bytes_day", "memory_bytes",
    "clock_set", "offline_notify", "offline_clear_data", "offline_alarm_delay_s", "auto_position",
    "positioned_ms", "scan_bind", "remark",
)  # fmt: skip
"""Columns that a gateway's detail shows as they are."""

POINTS_AT_ONCE = 2000
"""Points in one question."""

Streams = Callable[[str], Awaitable[list[StreamState]]]

Configured = Callable[[int], Awaitable[None]]
"""Called with the id of a gateway whose draft has changed."""


async def nobody(device_id: int) -> None:
    """For a process that notifies nobody."""


class DeviceService:
    """streams: what the link received of a gateway's batches. port_locks: ports that somebody locked.

    What the scope does not see raises NotFound, as if it were not there.
    """

    def __init__(
        self,
        database: Database,
        presence: PresenceService,
        streams: Streams,
        port_locks: PortLocksOf = no_port_locks,
        displays: PointDisplays = no_displays,
        configured: Configured = nobody,
    ) -> None:
        self._database = database
        self._presence = presence
        self._streams = streams
        self._port_locks = port_locks
        self._displays = displays
        self._configured = configured
        self._ids: dict[str, int] = {}
        self.access_passwords = AccessPasswordService(database, presence.now_ms)

    async def page(
        self, scope: Scope, wanted: DeviceFilter, page: int, limit: int, sort: str
    ) -> Page[DeviceRow]:
        """Gateways; ParameterError for a status or sort that there is not."""
        if wanted.status and wanted.status not in FILTERS:
            raise ParameterError("status", f"one of {', '.join(FILTERS)}")
        if sort and sort.removeprefix("-") not in SORTS:
            raise ParameterError("sort", f"one of {', '.join(SORTS)}, with '-' before it to reverse")
        async with self._database.reading() as session:
            devices, total = await DeviceRepository(session, scope).page(wanted, page, limit, sort)
            context = await self._context(session, scope, devices)
        return Page(rows=[self._row(device, context) for device in devices], total=total)

    async def row(self, scope: Scope, device_id: int) -> DeviceRow:
        """A gateway as lists show it. Raises NotFound when the scope does not see it."""
        async with self._database.reading() as session:
            device = await self._existing(DeviceRepository(session, scope), device_id)
            context = await self._context(session, scope, [device])
        return self._row(device, context)

    async def rows_of(self, scope: Scope, device_ids: Collection[int]) -> list[DeviceRow]:
        """Those of these gateways that the scope sees, in their order by title."""
        if not device_ids:
            return []
        async with self._database.reading() as session:
            devices = await DeviceRepository(session, scope).some(device_ids)
            context = await self._context(session, scope, devices)
        return [self._row(device, context) for device in devices]

    async def changeable(self, user: CurrentUser, device_id: int) -> DeviceRow:
        """A gateway that is to be changed. Raises NotFound; NoPermission when it is shared read only."""
        row = await self.row(user.scope, device_id)
        await self.refuse_read_only(user, [device_id])
        return row

    async def commandable(self, user: CurrentUser, device_id: int) -> DeviceRow:
        """A gateway to be written to. Raises as changeable; NoPermission without its access password."""
        row = await self.changeable(user, device_id)
        await self.access_passwords.refuse(user, [device_id])
        return row

    async def owns(self, user: CurrentUser, device_ids: Collection[int]) -> set[int]:
        """Those of these gateways that belong to the user or to somebody below him: their secrets are his."""
        async with self._database.reading() as session:
            return await DeviceRepository(session, user.scope).owned_among(device_ids)

    async def refuse_read_only(self, user: CurrentUser, device_ids: Collection[int]) -> None:
        """NoPermission when the user may not change one of these, which he sees."""
        async with self._database.reading() as session:
            await refuse_read_only(session, user, device_ids)

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
        """A gateway with its slaves. Raises NotFound when the scope does not see it."""
        async with self._database.reading() as session:
            repository = DeviceRepository(session, scope)
            device = await self._existing(repository, device_id)
            context = await self._context(session, scope, [device])
            slaves = await repository.slaves(device_id)
            access = await access_of(session, scope, device)
            has_location_point = await RegistryRepository(session, scope).has_location_point(device_id)
            general, pending = await general_values(session, scope, device_id)
            is_locked = context.counts[device_id].slaves_locked
            locked = await self._port_locks(session, scope, [device_id], 0, None) if is_locked else []
        streams = await self._streams(device.gateway_id)
        missing = sum(last - first + 1 for state in streams for first, last in state.missing)
        return DeviceDetail(
            **self._row(device, context).model_dump(),
            **{name: getattr(device, name) for name in _OF_DETAIL},
            has_location_point=has_location_point,
            **general,
            settings_pending=pending,
            slaves=[rows.slave(slave, locked) for slave in slaves],
            received_batches=sum(state.received for state in streams),
            duplicate_batches=sum(state.duplicates for state in streams),
            missing_batches=missing,
            evicted=[(first, last) for first, last in device.evicted],
            access=access,
        )

    async def change(self, user: CurrentUser, device_id: int, body: DeviceFields) -> DeviceDetail:
        """Change fields of a gateway. Raises as Registry.change; ParameterError for what is not printable."""
        await self.changeable(user, device_id)
        async with self._database.session() as session:
            device = await self._existing(DeviceRepository(session, user.scope), device_id)
            before = values_of(device)
            changes = await Registry(session, user).change(device, body)
            await session.commit()
        general = {name: value for name, value in body.general().items() if name in changes}
        record_change(
            {**before, **{name: changes[name] for name in general}}, {**values_of(device), **general}
        )
        log.info("settings of device %d changed by %s: %s", device_id, user.name, sorted(changes))
        await self._presence.changed(device)
        if general:
            await self._configured(device_id)
        return await self.detail(user.scope, device_id)

    async def announce(self, device_id: int) -> None:
        """What a gateway's row has from another domain has changed: push it to who watches it."""
        await self._presence.announce(device_id)

    def is_cleared(self, gateway: str) -> bool:
        """Are this gateway's last values unknown, because it is offline?"""
        return gateway in self._presence.clearing

    async def cleared_points(self, dsids: Sequence[int]) -> set[int]:
        """Those points whose last values are unknown, because their gateway is offline (C-065)."""
        return await self._presence.clearing.points(dsids)

    async def freshness(self, scope: Scope, dsids: Sequence[int]) -> dict[int, Freshness]:
        """What speaks for the values of these points now, of those that the scope sees."""
        by_point: dict[int, Freshness] = {}
        async with self._database.reading() as session:
            repository = DeviceRepository(session, scope)
            for start in range(0, len(dsids), POINTS_AT_ONCE):
                points, devices = await repository.freshness(dsids[start : start + POINTS_AT_ONCE])
                gateways = {
                    device.id: (device.online, self._heard_ms(device), device.reports_every_s * 1000)
                    for device in devices
                }
                by_point |= {
                    dsid: Freshness(record, period_ms, *gateways[device_id])
                    for dsid, record, period_ms, device_id in points
                    if device_id in gateways
                }
        return by_point

    def _heard_ms(self, device: Device) -> int:
        return max(self._presence.heard(device.gateway_id) or 0, device.last_ms or 0)

    async def report_intervals(self, gateway: str | None = None) -> dict[str, int]:
        """Gateway to its report interval in ms, of those that have one; of one or of all."""
        async with self._database.reading() as session:
            return await DeviceRepository(session, Scope.system()).report_intervals(gateway)

    async def names(self, scope: Scope) -> list[tuple[int, str, str]]:
        """Number, gateway and title of every gateway."""
        async with self._database.reading() as session:
            return await DeviceRepository(session, scope).names()

    async def gateway_of(self, scope: Scope, device_id: int) -> str:
        """Serial number of a gateway; NotFound when there is none."""
        async with self._database.reading() as session:
            return (await self._existing(DeviceRepository(session, scope), device_id)).gateway_id

    async def sources(self, scope: Scope, device_id: int) -> list[DataSource]:
        """Data points of a gateway."""
        return [source async for some in self.source_chunks(scope, device_id) for source in some]

    async def sources_among(
        self, scope: Scope, device_id: int, dsids: Collection[int]
    ) -> dict[int, DataSource]:
        """By number those of these data points that the gateway has."""
        chunks = self.source_chunks(scope, device_id, DataPoint.id.in_(dsids))
        return {source.dsid: source async for chunk in chunks for source in chunk}

    async def sources_named(
        self, scope: Scope, device_id: int, slave: str, names: Collection[str]
    ) -> dict[str, DataSource]:
        """By name those of these data points that a slave has."""
        chunks = self.source_chunks(scope, device_id, DataPoint.name.in_(names))
        return {source.ds_name: source async for chunk in chunks for source in chunk if source.slave == slave}

    async def source_chunks(
        self, scope: Scope, device_id: int, *conditions: ColumnElement[bool]
    ) -> AsyncIterator[list[DataSource]]:
        """Data points of a gateway, CHUNK_ROWS at a time: it may have 20,000. conditions: of DataPoint."""
        async with self._database.reading() as session:
            repository = DeviceRepository(session, scope)
            await self._existing(repository, device_id)
            slaves = {slave.id: slave for slave in await repository.slaves(device_id, removed=True)}
        displays = await self._displays(scope, device_id)
        async for points in self._points(scope, device_id, *conditions):
            yield [
                DataSource(
                    **rows.point_facts(point, slave),
                    line_color=display.line_color,
                    alarm_limits=list(display.alarm_limits) if point.kind in ("num", "cal") else [],
                    gis_show=display.gis_show,
                )
                for point in points
                if (slave := slaves.get(point.slave_id)) is not None  # else it was added in between
                and (display := displays.get((slave.name, point.name), DEFAULT_DISPLAY))
            ]

    async def numbers(self, scope: Scope, device_id: int) -> list[int]:
        """Numbers of a gateway's data points."""
        async with self._database.reading() as session:
            await self._existing(DeviceRepository(session, scope), device_id)
        return [point.id async for points in self._points(scope, device_id) for point in points]

    async def _points(
        self, scope: Scope, device_id: int, *conditions: ColumnElement[bool]
    ) -> AsyncIterator[Sequence[Row[Any]]]:
        after, more = 0, True
        while more:
            async with self._database.reading() as session:
                points = await DeviceRepository(session, scope).points(
                    device_id, after, CHUNK_ROWS, *conditions
                )
            yield points
            more = len(points) == CHUNK_ROWS
            after = points[-1].id if points else 0

    async def target(self, scope: Scope, dsid: int) -> Target:
        """What a command needs to know of a point. Raises NotFound when there is none, or it is removed."""
        async with self._database.reading() as session:
            row = await DeviceRepository(session, scope).point(dsid)
        if row is None or row[0].removed:
            raise NotFound("data point")
        point, slave, device = row
        return Target(
            device_id=device.id,
            gateway=device.gateway_id,
            online=device.connected,
            asleep=device.online and not device.connected,
            slave=slave.name,
            point=point.name,
            rw=point.rw,
            kind=point.kind,
            data_type=point.data_type,
            min=point.min,
            max=point.max,
            device_title=device.display_title,
            slave_title=slave.title,
            title=point.title,
            unit=point.unit,
            selector=point.selector,
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

    async def is_claimed(self, gateway: str) -> bool:
        """Does a gateway with this serial number exist?"""
        return await self.id_of(gateway) is not None

    def forget(self, gateway: str) -> None:
        """A gateway is no more; one with the same serial number has another number."""
        self._ids.pop(gateway, None)

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

    async def _context(self, session: AsyncSession, scope: Scope, devices: Sequence[Device]) -> RowContext:
        """What belongs to each gateway, how its slaves are, and what the reader may know and do of it."""
        numbers = [device.id for device in devices]
        repository = DeviceRepository(session, scope)
        counts, silent = await repository.counts(numbers), await repository.silent_slaves(numbers)
        locked_numbers = [number for number in numbers if counts[number].slaves_locked]
        locked = await repository.locked_slaves(locked_numbers) if locked_numbers else {}
        port_locks = await self._port_locks(session, scope, locked_numbers, 0, None) if locked_numbers else []
        projects, products = await RegistryRepository(session, scope).titles(
            [device.project_id for device in devices if device.project_id is not None],
            [device.product_id for device in devices if device.product_id is not None],
        )
        writable, visited = await repository.rights_among(numbers)
        return RowContext(
            counts,
            {
                number: rows.bus(counts[number], silent.get(number), locked.get(number), port_locks)
                for number in numbers
            },
            projects,
            products,
            writable,
            await repository.sampled([device.gateway_id for device in devices]),
            visited,
        )

    def _row(self, device: Device, context: RowContext) -> DeviceRow:
        heard_ms = self._presence.heard(device.gateway_id)
        return rows.row(device, context, heard_ms, self._presence.now_ms())
