"""Every query of exchange rules."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Select, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.exchange.models import ExchangeHome, ExchangeRule
from cloud.domains.identity.models import User
from cloud.domains.inventory.models import DataPoint, Device, SlaveDevice
from cloud.domains.inventory.visibility import seen

LIVE_ONLY = 0
"""Record mode of points that are in no store (C-141)."""

End = tuple[Device, SlaveDevice, DataPoint]


class ExchangeRepository:
    """Works on the caller's session; commits nothing. A rule is seen by who sees both of its gateways."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    def add(self, rule: ExchangeRule) -> None:
        self._session.add(rule)

    async def delete(self, rule: ExchangeRule) -> None:
        await self._session.delete(rule)

    async def rule(self, rule_id: int) -> ExchangeRule | None:
        return (await self._session.scalars(self._rules().where(ExchangeRule.id == rule_id))).one_or_none()

    async def of_target(self, dsid: int) -> ExchangeRule | None:
        """Of anybody: a target has one rule."""
        query = select(ExchangeRule).where(ExchangeRule.target_dsid == dsid)
        return (await self._session.scalars(query)).one_or_none()

    async def count_of(self, user_id: int) -> int:
        query = select(func.count()).select_from(ExchangeRule).where(ExchangeRule.user_id == user_id)
        return int((await self._session.execute(query)).scalar_one())

    async def page(
        self, page: int, limit: int, search: str, device_id: int | None
    ) -> tuple[list[ExchangeRule], int]:
        """Newest first, and how many match."""
        query = self._rules()
        if search:
            query = query.where(ExchangeRule.title.icontains(search, autoescape=True))
        if device_id is not None:
            ends = (ExchangeRule.source_device_id, ExchangeRule.target_device_id)
            query = query.where(or_(*(end == device_id for end in ends)))
        total = int(
            (await self._session.execute(select(func.count()).select_from(query.subquery()))).scalar_one()
        )
        query = query.order_by(ExchangeRule.id.desc()).offset((page - 1) * limit).limit(limit)
        return list(await self._session.scalars(query)), total

    async def ends(self, dsids: set[int]) -> dict[int, End]:
        """Points by number, with their slaves and gateways."""
        query = select(Device, SlaveDevice, DataPoint)
        query = query.join(DataPoint, DataPoint.device_id == Device.id)
        query = query.join(SlaveDevice, SlaveDevice.id == DataPoint.slave_id)
        query = query.where(DataPoint.id.in_(dsids), seen(self._scope, DataPoint.device_id))
        return {row[2].id: (row[0], row[1], row[2]) for row in await self._session.execute(query)}

    async def edges(self) -> list[tuple[int, int, int]]:
        """Number, source and target of every rule there is."""
        query = select(ExchangeRule.id, ExchangeRule.source_dsid, ExchangeRule.target_dsid)
        return [(row[0], row[1], row[2]) for row in await self._session.execute(query)]

    async def running(self, limit: int) -> list[ExchangeRule]:
        query = (
            select(ExchangeRule).where(ExchangeRule.enabled.is_(True)).order_by(ExchangeRule.id).limit(limit)
        )
        return list(await self._session.scalars(query))

    async def unstored(self, dsids: Collection[int]) -> set[int]:
        """Those of these points whose values are live only (record mode 0)."""
        query = select(DataPoint.id).where(DataPoint.id.in_(dsids), DataPoint.record == LIVE_ONLY)
        return set(await self._session.scalars(query))

    async def note(self, rule_id: int, **columns: Any) -> None:
        await self._session.execute(update(ExchangeRule).where(ExchangeRule.id == rule_id).values(**columns))

    async def rules_within(self, device_id: int, numbers: Collection[int]) -> dict[int, ExchangeRule]:
        """Those of these rules that have both ends at the gateway, for who changes them."""
        query = select(ExchangeRule).where(
            ExchangeRule.id.in_(numbers),
            ExchangeRule.source_device_id == device_id,
            ExchangeRule.target_device_id == device_id,
        )
        rows = await self._session.scalars(query.order_by(ExchangeRule.id).with_for_update())
        return {row.id: row for row in rows}

    async def newest_commands(self, numbers: Collection[int]) -> dict[int, str]:
        """The newest command of each of these rules that has sent any."""
        query = select(ExchangeRule.id, ExchangeRule.last_command).where(
            ExchangeRule.id.in_(numbers), ExchangeRule.last_command.is_not(None)
        )
        return {row[0]: row[1] or "" for row in await self._session.execute(query)}

    async def user_names(self, users: Collection[int]) -> dict[int, str]:
        query = select(User.id, User.user_name).where(User.id.in_(users))
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def homes(self) -> dict[int, ExchangeHome]:
        """Of gateways that can run rules, by number."""
        return {row.device_id: row for row in await self._session.scalars(select(ExchangeHome))}

    async def noted_home(self, gateway: str) -> ExchangeHome | None:
        """Of a gateway, for who only looks at it."""
        query = select(ExchangeHome).join(Device, Device.id == ExchangeHome.device_id)
        return (await self._session.scalars(query.where(Device.gateway_id == gateway))).one_or_none()

    async def home(self, gateway: str, *, make: bool = False) -> ExchangeHome | None:
        """Of a gateway, for who changes it. make: a claimed one that never had any gets one."""
        number = await self._session.scalar(select(Device.id).where(Device.gateway_id == gateway))
        if number is None:
            return None
        query = select(ExchangeHome).where(ExchangeHome.device_id == number).with_for_update()
        row = (await self._session.scalars(query)).one_or_none()
        if row is None and make:
            row = ExchangeHome(device_id=number, takes=False, numbers=[], problems={}, sent_numbers=[])
            self._session.add(row)
            await self._session.flush()
        return row

    async def online_gateway(self, device_id: int) -> str | None:
        """Serial number of a gateway that is online."""
        query = select(Device.gateway_id).where(Device.id == device_id, Device.online.is_(True))
        return await self._session.scalar(query)

    def _rules(self) -> Select[Any]:
        ends = (ExchangeRule.source_device_id, ExchangeRule.target_device_id)
        return select(ExchangeRule).where(*(seen(self._scope, end) for end in ends))
