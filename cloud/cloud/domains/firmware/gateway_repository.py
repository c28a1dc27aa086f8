"""Every query of what gateways said that they run, and of what the cloud knows of how they are."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.firmware.gateway_filter import GatewayFilter
from cloud.domains.firmware.models import GatewayFirmware, GatewayUpgrade
from cloud.domains.firmware.plan_repository import inside_projects
from cloud.domains.inventory.models import DataPoint, Device, OnOfflineLog, SlaveDevice
from cloud.domains.inventory.visibility import visible

Row = tuple[Device, GatewayFirmware | None, GatewayUpgrade | None]


class GatewayRepository:
    """Works on the caller's session; commits nothing."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def number(self, gateway: str) -> int | None:
        """Of a claimed gateway."""
        return await self._session.scalar(select(Device.id).where(Device.gateway_id == gateway))

    async def state(self, device_id: int) -> GatewayFirmware | None:
        return await self._session.get(GatewayFirmware, device_id)

    async def takes_firmware(self, gateway: str) -> bool:
        """Whether it said so."""
        query = select(GatewayFirmware.device_id).join(Device, Device.id == GatewayFirmware.device_id)
        return await self._session.scalar(query.where(Device.gateway_id == gateway)) is not None

    def add(self, row: GatewayFirmware) -> None:
        self._session.add(row)

    async def delete(self, row: GatewayFirmware) -> None:
        await self._session.delete(row)

    async def page(self, page: int, limit: int, wanted: GatewayFilter) -> tuple[list[Row], int]:
        """Gateways that the user sees with what they run and their newest upgrade, and how many match."""
        newest = (
            select(GatewayUpgrade.device_id, func.max(GatewayUpgrade.id).label("id"))
            .where(GatewayUpgrade.ordered_ms.is_not(None))
            .group_by(GatewayUpgrade.device_id)
            .subquery()
        )
        query = (
            select(Device, GatewayFirmware, GatewayUpgrade)
            .outerjoin(GatewayFirmware, GatewayFirmware.device_id == Device.id)
            .outerjoin(newest, newest.c.device_id == Device.id)
            .outerjoin(GatewayUpgrade, GatewayUpgrade.id == newest.c.id)
            .where(visible(self._scope))
        )
        if wanted.takes is not None:
            has_row = GatewayFirmware.device_id.is_not(None)
            query = query.where(has_row if wanted.takes else ~has_row)
        if wanted.numbers:
            query = query.where(Device.id.in_(wanted.numbers))
        if wanted.serials:
            query = query.where(Device.gateway_id.in_(wanted.serials))
        if wanted.project_id is not None:
            query = query.where(inside_projects(self._scope, [wanted.project_id]))
        if wanted.search:
            texts = (Device.display_title, Device.gateway_id, GatewayFirmware.version_text)
            query = query.where(or_(*(text.icontains(wanted.search, autoescape=True) for text in texts)))
        count = select(func.count()).select_from(query.with_only_columns(Device.id).subquery())
        total = int((await self._session.execute(count)).scalar_one())
        query = query.order_by(Device.title_key, Device.id).offset((page - 1) * limit).limit(limit)
        return [(row[0], row[1], row[2]) for row in await self._session.execute(query)], total

    async def devices(self, numbers: Collection[int]) -> dict[int, Device]:
        rows = await self._session.scalars(select(Device).where(Device.id.in_(numbers)))
        return {row.id: row for row in rows}

    async def slaves(self, numbers: Collection[int]) -> dict[int, list[tuple[bool, dict[str, Any] | None]]]:
        """Whether each slave of these gateways is online, and its requests of the last pulse."""
        query = select(SlaveDevice.device_id, SlaveDevice.online, SlaveDevice.requests).where(
            SlaveDevice.device_id.in_(numbers), SlaveDevice.removed.is_(False)
        )
        result: dict[int, list[tuple[bool, dict[str, Any] | None]]] = {number: [] for number in numbers}
        for device_id, online, requests in await self._session.execute(query):
            result[device_id].append((online, requests))
        return result

    async def outages(self, numbers: Collection[int], since_ms: int) -> dict[int, int]:
        """Times without each of these gateways that began since then."""
        query = select(OnOfflineLog.device_id, func.count()).where(
            OnOfflineLog.device_id.in_(numbers),
            OnOfflineLog.slave_id.is_(None),
            OnOfflineLog.offline_ms >= since_ms,
        )
        rows = await self._session.execute(query.group_by(OnOfflineLog.device_id))
        return {row[0]: int(row[1]) for row in rows}

    async def points(self, device_id: int, limit: int) -> list[int]:
        """Stored points of a gateway, the first by number."""
        query = select(DataPoint.id).where(
            DataPoint.device_id == device_id, DataPoint.removed.is_(False), DataPoint.record > 0
        )
        return list(await self._session.scalars(query.order_by(DataPoint.id).limit(limit)))
