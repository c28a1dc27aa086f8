"""What gateways say of their internal slave and their loop-write tasks: the newest word, written together."""

from __future__ import annotations

from itertools import islice
from typing import Any

import msgspec

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.devices.service import DeviceService
from cloud.domains.fieldbus.repository import FieldbusRepository
from cloud.domains.fieldbus.schemas import FieldbusReport
from edge_contract.fieldbus import FieldbusFigures

WRITE_S = 5.0
"""Interval of the writing, as of presence: a transaction a pulse would make the ingest wait."""
GATEWAYS_AT_ONCE = 50
NOTHING = FieldbusFigures()


class FieldbusService:
    """What is not written when the process ends the next pulse says again."""

    def __init__(self, database: Database, devices: DeviceService, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._devices = devices
        self._clock = clock
        self._said: dict[str, tuple[int, FieldbusFigures]] = {}
        # Gateways of which it is written that they have neither: most of them, in each pulse.
        self._without: set[str] = set()

    def said(self, gateway: str, figures: FieldbusFigures) -> None:
        """In place of what it said before; written by the next write()."""
        if figures == NOTHING and gateway in self._without:
            return
        self._without.discard(gateway)
        self._said[gateway] = self._clock(), figures

    def forget(self, gateway: str) -> None:
        """A deleted gateway."""
        self._said.pop(gateway, None)
        self._without.discard(gateway)

    async def write(self) -> None:
        """Periodic. A gateway that somebody deleted or disabled meanwhile is left out."""
        said, self._said = self._said, {}
        left = iter(sorted(said))
        while names := list(islice(left, GATEWAYS_AT_ONCE)):
            async with self._database.asynchronous_commit() as session:
                devices = await DeviceRepository(session, Scope.system()).locked(names)
                rows = [
                    _row(device.id, *said[device.gateway_id])
                    for device in devices
                    if not device.disabled and said[device.gateway_id][1] != NOTHING
                ]
                ids = [device.id for device in devices]
                await FieldbusRepository(session, Scope.system()).replace(ids, rows)
                await session.commit()
            without = {each.gateway_id for each in devices if said[each.gateway_id][1] == NOTHING}
            self._without |= without - self._said.keys()

    async def of_device(self, scope: Scope, device_id: int) -> FieldbusReport:
        """Raises NotFound for a gateway that the scope does not see."""
        await self._devices.gateway_of(scope, device_id)
        async with self._database.reading() as session:
            row = await FieldbusRepository(session, scope).of_device(device_id)
        if row is None:
            return FieldbusReport()
        return FieldbusReport.model_validate({**row.figures, "reported_ms": row.reported_ms})


def _row(device_id: int, reported_ms: int, figures: FieldbusFigures) -> dict[str, Any]:
    return {"device_id": device_id, "figures": msgspec.to_builtins(figures), "reported_ms": reported_ms}
