"""Every query of the alarms that the settings of points say."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy import Select, delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.chunks import chunked
from cloud.domains.devices.setting_models import PointSetting
from cloud.domains.inventory.models import DataPoint, Device, SlaveDevice
from cloud.domains.triggers.models import Trigger, TriggerGateway, TriggerRule

Subject = tuple[PointSetting, SlaveDevice, DataPoint]


class PointAlarmRepository:
    """Works on the caller's session; commits nothing. For the system: it asks for no scope."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def lock(self, device_id: int) -> None:
        """Until the end of the transaction nobody else derives the alarms of this gateway."""
        await self._session.execute(select(Device.id).where(Device.id == device_id).with_for_update())

    async def concerns(self, device_id: int) -> bool:
        """Has a gateway any alarm of a point, set or made?"""
        wanted = select(PointSetting.name).where(
            PointSetting.device_id == device_id, PointSetting.alarm_enable.is_(True)
        )
        if (await self._session.execute(wanted.limit(1))).first() is not None:
            return True
        return (await self._session.execute(self._made(device_id).limit(1))).first() is not None

    async def subjects(self, device_id: int) -> list[Subject]:
        """Settings with an alarm, of points that the gateway has."""
        query = select(PointSetting, SlaveDevice, DataPoint)
        query = query.join(
            SlaveDevice,
            (SlaveDevice.device_id == PointSetting.device_id) & (SlaveDevice.name == PointSetting.slave),
        )
        query = query.join(
            DataPoint, (DataPoint.slave_id == SlaveDevice.id) & (DataPoint.name == PointSetting.name)
        )
        query = query.where(
            PointSetting.device_id == device_id,
            PointSetting.alarm_enable.is_(True),
            DataPoint.removed.is_(False),
        )
        rows = await self._session.execute(query.order_by(DataPoint.id))
        return [(row[0], row[1], row[2]) for row in rows]

    async def made(self, device_id: int) -> dict[int, Trigger]:
        """By number of the point."""
        rows = await self._session.execute(self._made(device_id))
        return {row[1]: row[0] for row in rows}

    async def rules(self, triggers: Iterable[Trigger]) -> dict[int, dict[int, TriggerRule]]:
        """By trigger and place."""
        rules: dict[int, dict[int, TriggerRule]] = {}
        async for some in chunked(sorted(trigger.id for trigger in triggers)):
            query = select(TriggerRule).where(TriggerRule.trigger_id.in_(some))
            for rule in await self._session.scalars(query):
                rules.setdefault(rule.trigger_id, {})[rule.place] = rule
        return rules

    async def delete(self, triggers: Collection[int]) -> None:
        async for some in chunked(sorted(triggers)):
            await self._session.execute(delete(Trigger).where(Trigger.id.in_(some)))

    async def delete_rules(self, rules: Collection[int]) -> None:
        async for some in chunked(sorted(rules)):
            await self._session.execute(delete(TriggerRule).where(TriggerRule.id.in_(some)))

    async def add_triggers(self, device_id: int, triggers: list[Trigger]) -> None:
        """Afterwards they have their numbers."""
        self._session.add_all(triggers)
        await self._session.flush()
        self._session.add_all(
            TriggerGateway(trigger_id=trigger.id, device_id=device_id) for trigger in triggers
        )

    async def add_rules(self, rules: list[TriggerRule]) -> None:
        self._session.add_all(rules)
        await self._session.flush()

    async def count_rules(self) -> int:
        """Of everybody."""
        return int((await self._session.execute(select(func.count(TriggerRule.id)))).scalar_one())

    async def forget_linkages(self, device_id: int) -> None:
        """Of the settings of a gateway, and who set them."""
        await self._session.execute(
            update(PointSetting)
            .where(PointSetting.device_id == device_id)
            .values(alarm_linkage=None, alarm_user_id=None, alarm_user_name=None)
        )

    async def devices(self) -> list[int]:
        """Gateways with an alarm of a point, set or made."""
        wanted = select(PointSetting.device_id).where(PointSetting.alarm_enable.is_(True))
        made = select(DataPoint.device_id).where(
            DataPoint.id.in_(select(Trigger.point_id).where(Trigger.point_id.is_not(None)))
        )
        query = select(Device.id).where(or_(Device.id.in_(wanted), Device.id.in_(made)))
        return list(await self._session.scalars(query.order_by(Device.id)))

    @staticmethod
    def _made(device_id: int) -> Select[Trigger, int]:
        query = select(Trigger, DataPoint.id).join(DataPoint, DataPoint.id == Trigger.point_id)
        return query.where(DataPoint.device_id == device_id)
