"""What gateways say of other targets than the cloud: newest word only, written together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import msgspec

from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.devices.service import DeviceService
from cloud.domains.forwarding.models import ForwardingTarget
from cloud.domains.forwarding.repository import ForwardingRepository
from cloud.domains.forwarding.schemas import GatewayTargetRow, RefusedRecord, TargetRow
from edge_contract.targets import TargetState

WRITE_S = 5.0
"""Interval of the writing, as of presence: a transaction a pulse would make landing wait."""
GATEWAYS_AT_ONCE = 50


class ForwardingService:
    """What is not written when the process ends the next pulse says again."""

    def __init__(self, database: Database, devices: DeviceService, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._devices = devices
        self._clock = clock
        self._said: dict[str, tuple[int, Sequence[TargetState]]] = {}

    def said(self, gateway: str, targets: Sequence[TargetState]) -> None:
        """In place of what it said before; written by the next write()."""
        self._said[gateway] = self._clock(), targets

    def forget(self, gateway: str) -> None:
        """A deleted gateway."""
        self._said.pop(gateway, None)

    async def write(self) -> None:
        """Periodic. A gateway that somebody deleted or disabled meanwhile is left out."""
        said, self._said = self._said, {}
        left = iter(sorted(said))
        while names := list(islice(left, GATEWAYS_AT_ONCE)):
            async with self._database.asynchronous_commit() as session:
                devices = await DeviceRepository(session, Scope.system()).locked(names)
                rows = [
                    _row(device.id, target, said[device.gateway_id][0])
                    for device in devices
                    if not device.disabled
                    for target in said[device.gateway_id][1]
                ]
                ids = [device.id for device in devices]
                await ForwardingRepository(session, Scope.system()).replace(ids, rows)
                await session.commit()

    async def of_device(self, scope: Scope, device_id: int) -> list[TargetRow]:
        """By name. Raises NotFound for a gateway that the scope does not see."""
        await self._devices.gateway_of(scope, device_id)
        async with self._database.reading() as session:
            rows = await ForwardingRepository(session, scope).of_device(device_id)
        return [TargetRow(**_facts(row)) for row in rows]

    async def page(
        self, scope: Scope, condition: str, search: str, page: int, limit: int
    ) -> Page[GatewayTargetRow]:
        """Of all gateways that the scope sees: those that are down first."""
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


def _row(device_id: int, target: TargetState, reported_ms: int) -> dict[str, Any]:
    said = msgspec.structs.asdict(target)
    said["rejects"] = [msgspec.structs.asdict(one) for one in target.rejects]
    return said | {"device_id": device_id, "reported_ms": reported_ms}


def _facts(row: ForwardingTarget) -> dict[str, Any]:
    facts = {name: getattr(row, name) for name in TargetRow.model_fields if name != "rejects"}
    return facts | {"rejects": [RefusedRecord(**one) for one in reversed(row.rejects)]}
