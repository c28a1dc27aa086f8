"""The list monitor."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from cloud.core.envelope import Envelope, ok
from cloud.core.paging import identifiers
from cloud.core.services import service
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.monitoring.schemas import MonitorPoints, PointQuery
from cloud.domains.monitoring.service import MAX_POINTS, MonitoringService

router = APIRouter(tags=["monitoring"])


Service = Annotated[MonitoringService, service(MonitoringService)]
Watcher = Annotated[CurrentUser, requires("Monitor.DeviceMonitorList")]


@router.get("/monitor/points", operation_id="listMonitorPoints")
async def list_monitor_points(
    service: Service,
    user: Watcher,
    search: Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")] = "",
    project_id: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None,
    product_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    device_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    dsids: Annotated[str, Query(max_length=11_000)] = "",
    status: Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")] = "",
) -> Envelope[MonitorPoints]:
    """Points over all gateways that you see with their last values: the first 1,000 that match.

    project_id 0 is for gateways in no project; dsids (1,2,3) keeps those alone; status: of the gateway, as in
    the list of gateways.
    """
    chosen = tuple(identifiers(dsids, "dsids", MAX_POINTS)) if dsids else ()
    wanted = PointQuery(search.strip(), project_id, product_id, device_id, chosen, status)
    return ok(await service.points(user.scope, wanted))
