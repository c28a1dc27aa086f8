"""Every query of targets."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import delete, func, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.chunks import chunked
from cloud.core.scope import Scope
from cloud.domains.forwarding.models import ForwardingTarget
from cloud.domains.forwarding.trouble import TargetTrouble
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.visibility import seen


class ForwardingRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._seen = seen(scope, ForwardingTarget.device_id)

    async def replace(self, device_ids: Collection[int], rows: Sequence[Mapping[str, Any]]) -> None:
        """All targets of these gateways."""
        await self._session.execute(
            delete(ForwardingTarget).where(ForwardingTarget.device_id.in_(device_ids), self._seen)
        )
        async for some in chunked(rows):
            await self._session.execute(insert(ForwardingTarget), list(some))

    async def troubles(self, device_ids: Collection[int]) -> dict[int, dict[str, TargetTrouble]]:
        """By gateway and name."""
        target = ForwardingTarget
        query = select(
            target.device_id,
            target.name,
            target.condition,
            target.since_ms,
            target.trouble_since_ms,
            target.in_trouble,
        ).where(target.device_id.in_(device_ids), self._seen)
        by_device: dict[int, dict[str, TargetTrouble]] = {}
        for row in await self._session.execute(query):
            by_device.setdefault(row[0], {})[row[1]] = TargetTrouble(row[2], row[3], row[4], row[5])
        return by_device

    async def of_device(self, device_id: int) -> list[ForwardingTarget]:
        """By name."""
        query = select(ForwardingTarget).where(ForwardingTarget.device_id == device_id, self._seen)
        return list(await self._session.scalars(query.order_by(ForwardingTarget.name)))

    async def page(
        self, condition: str, search: str, page: int, limit: int
    ) -> tuple[list[tuple[ForwardingTarget, Device]], int]:
        """Of all gateways, and how many match: those in trouble first, then those that are down, then by
        gateway and name.

        condition: "trouble" for those in trouble. search: in the gateway's title or serial number, the
        target's name, the reason.
        """
        query = select(ForwardingTarget, Device).join(Device, ForwardingTarget.device_id == Device.id)
        query = query.where(self._seen)
        if condition == "trouble":
            query = query.where(ForwardingTarget.in_trouble)
        elif condition:
            query = query.where(ForwardingTarget.condition == condition)
        if search:
            columns = (
                Device.display_title, Device.gateway_id, ForwardingTarget.name, ForwardingTarget.reason
            )  # fmt: skip
            query = query.where(or_(*(column.icontains(search, autoescape=True) for column in columns)))
        counted = select(func.count()).select_from(query.subquery())
        total = int((await self._session.execute(counted)).scalar_one())
        query = query.order_by(
            ForwardingTarget.in_trouble.desc(),
            ForwardingTarget.condition != "down",
            Device.display_title,
            Device.id,
            ForwardingTarget.name,
        )
        rows = await self._session.execute(query.offset((page - 1) * limit).limit(limit))
        return [(row[0], row[1]) for row in rows], total
