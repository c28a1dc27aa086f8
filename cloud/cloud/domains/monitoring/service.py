"""Points across gateways with their last values."""

from __future__ import annotations

from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.rows import point_facts
from cloud.domains.devices.states import FILTERS
from cloud.domains.monitoring.repository import MonitoringRepository
from cloud.domains.monitoring.schemas import (
    MonitorDevice,
    MonitorPoint,
    MonitorPoints,
    PointQuery,
    VisibleProduct,
)
from cloud.domains.telemetry.service import TelemetryService
from cloud.errors import ParameterError

MAX_POINTS = 1000


class MonitoringService:
    """Reads what the caller's scope sees."""

    def __init__(self, database: Database, telemetry: TelemetryService) -> None:
        self._database = database
        self._telemetry = telemetry

    async def points(self, scope: Scope, wanted: PointQuery) -> MonitorPoints:
        """ParameterError for a status that there is not."""
        if wanted.status and wanted.status not in FILTERS:
            raise ParameterError("status", f"one of {', '.join(FILTERS)}")
        async with self._database.reading() as session:
            repository = MonitoringRepository(session, scope)
            found, total = await repository.points(wanted, MAX_POINTS)
            devices = {device.id: device for _, _, device in found}
            writes = await repository.writable(devices)
            products = await repository.products()
        dsids = [point.id for point, _, _ in found]
        return MonitorPoints(
            points=[
                MonitorPoint(device_id=device.id, **point_facts(point, slave))
                for point, slave, device in found
            ],
            total=total,
            devices=[
                MonitorDevice(
                    id=device.id,
                    gateway_id=device.gateway_id,
                    device_title=device.display_title,
                    online=device.online,
                    last_ms=device.last_ms,
                    writes=device.id in writes,
                    report_interval_s=device.reports_every_s,
                )
                for device in devices.values()
            ],
            last=await self._telemetry.last_values(scope, dsids) if dsids else [],
            products=[VisibleProduct(id=number, title=title) for number, title in products],
        )
