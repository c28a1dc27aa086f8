"""What gateways say of other targets than the cloud: newest word only, written together; and the alarms of
those that take nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.alarms.codes import AlarmType
from cloud.domains.alarms.system_alarms import SystemAlarm, SystemAlarms
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.devices.service import DeviceService
from cloud.domains.forwarding.models import ForwardingTarget
from cloud.domains.forwarding.repository import ForwardingRepository
from cloud.domains.forwarding.schemas import GatewayTargetRow, RefusedRecord, TargetRow
from cloud.domains.forwarding.trouble import TargetTrouble, alarm_origin, trouble_after
from edge_contract.targets import TargetState

WRITE_S = 5.0
"""Interval of the writing, as of presence: a transaction a pulse would make landing wait."""
GATEWAYS_AT_ONCE = 50
TARGET_DOWN = "target_down"
"""Cause of the alarm of a target in trouble."""
TARGET_REMOVED = "target_removed"
"""Why it is over, when the target was removed or switched off."""

Said = tuple[int, Sequence[TargetState]]
"""When, by the cloud's clock, and what."""


class ForwardingService:
    """What is not written when the process ends the next pulse says again."""

    def __init__(
        self, database: Database, devices: DeviceService, alarms: SystemAlarms, *, clock: NowMs = now_ms
    ) -> None:
        self._database = database
        self._devices = devices
        self._alarms = alarms
        self._clock = clock
        self._said: dict[str, Said] = {}

    def said(self, gateway: str, targets: Sequence[TargetState]) -> None:
        """In place of what it said before; written by the next write()."""
        self._said[gateway] = self._clock(), targets

    def forget(self, gateway: str) -> None:
        """A deleted gateway."""
        self._said.pop(gateway, None)

    async def write(self) -> None:
        """Periodic. A gateway that somebody deleted or disabled meanwhile is left out.

        What begins or ends an alarm is written with it, in a transaction that lasts.
        """
        said, self._said = self._said, {}
        left = iter(sorted(said))
        while names := list(islice(left, GATEWAYS_AT_ONCE)):
            some = {name: said[name] for name in names}
            async with self._database.asynchronous_commit() as session:
                with_alarms = await self._write(session, some, lasting=False)
                await session.commit()
            if with_alarms:
                async with self._database.session() as session:
                    await self._write(session, {name: said[name] for name in with_alarms}, lasting=True)
                    await session.commit()

    async def _write(self, session: AsyncSession, said: Mapping[str, Said], *, lasting: bool) -> list[str]:
        """Unless it lasts, those gateways are left out and returned whose alarms change."""
        repository = ForwardingRepository(session, Scope.system())
        locked = await DeviceRepository(session, Scope.system()).locked(said)
        devices = {device.id: device.gateway_id for device in locked if not device.disabled}
        known, ids, rows, left = await repository.troubles(devices), list[int](), list[dict[str, Any]](), []
        for device_id, gateway in devices.items():
            reported_ms, targets = said[gateway]
            before = known.get(device_id, {})
            after = {one.name: trouble_after(before.get(one.name), one, reported_ms) for one in targets}
            if {name for name, one in before.items() if one.in_trouble} != {
                name for name, one in after.items() if one.in_trouble
            }:
                if not lasting:
                    left.append(gateway)
                    continue
                await self._change_alarms(session, device_id, before, after, reported_ms)
            ids.append(device_id)
            rows += [_row(device_id, one, after[one.name], reported_ms) for one in targets]
        await repository.replace(ids, rows)
        return left

    async def _change_alarms(
        self,
        session: AsyncSession,
        device_id: int,
        before: Mapping[str, TargetTrouble],
        after: Mapping[str, TargetTrouble],
        at_ms: int,
    ) -> None:
        for name in sorted(before.keys() | after.keys()):
            was, now = before.get(name), after.get(name)
            if was is not None and was.in_trouble and (now is None or not now.in_trouble):
                why = "" if now is not None and now.condition != "off" else TARGET_REMOVED
                await self._alarms.end(session, alarm_origin(device_id, name, was), at_ms, why)
            elif now is not None and now.in_trouble and (was is None or not was.in_trouble):
                origin, since_ms = alarm_origin(device_id, name, now), now.trouble_since_ms
                alarm = SystemAlarm(origin, device_id, AlarmType.FAULT, since_ms, name, TARGET_DOWN)
                await self._alarms.begin(session, alarm)

    async def of_device(self, scope: Scope, device_id: int) -> list[TargetRow]:
        """By name. Raises NotFound for a gateway that the scope does not see."""
        await self._devices.gateway_of(scope, device_id)
        async with self._database.reading() as session:
            rows = await ForwardingRepository(session, scope).of_device(device_id)
        return [TargetRow(**_facts(row)) for row in rows]

    async def page(
        self, scope: Scope, condition: str, search: str, page: int, limit: int
    ) -> Page[GatewayTargetRow]:
        """Of all gateways that the scope sees: those in trouble first."""
        async with self._database.reading() as session:
            rows, total = await ForwardingRepository(session, scope).page(condition, search, page, limit)
        ledgers = [
            GatewayTargetRow(
                device_id=device.id,
                device_title=device.display_title,
                gateway_id=device.gateway_id,
                online=device.online,
                **_facts(row),
            )
            for row, device in rows
        ]
        return Page(rows=ledgers, total=total)


def _row(device_id: int, target: TargetState, trouble: TargetTrouble, reported_ms: int) -> dict[str, Any]:
    said = msgspec.structs.asdict(target)
    said["rejects"] = [msgspec.structs.asdict(one) for one in target.rejects]
    if target.waiting_records is None:
        said["waiting_records"] = target.waiting_batches
    return said | {
        "device_id": device_id,
        "reported_ms": reported_ms,
        "trouble_since_ms": trouble.trouble_since_ms,
        "in_trouble": trouble.in_trouble,
    }


def _facts(row: ForwardingTarget) -> dict[str, Any]:
    facts = {name: getattr(row, name) for name in TargetRow.model_fields if name != "rejects"}
    return facts | {"rejects": [RefusedRecord(**{"given_up": False, **one}) for one in reversed(row.rejects)]}
