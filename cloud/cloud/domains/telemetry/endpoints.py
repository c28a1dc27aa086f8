"""Last values and history.

lastdps takes a gateway or up to 1,000 points, lastdp one. rows are raw samples, newest first, paged with
before_ms.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from cloud.core.chunks import chunked, rows_reply
from cloud.core.envelope import Envelope, Rows, ok
from cloud.core.paging import Millis, identifiers
from cloud.core.services import service
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.telemetry.schemas import History, HistoryRows, LastValue
from cloud.domains.telemetry.service import TelemetryService
from cloud.errors import NotFound, ParameterError

router = APIRouter(tags=["telemetry"])

MAX_LAST = 1000
MAX_SERIES = 16
MAX_POINTS = 4000
MAX_ROWS = 1000

Watcher = Annotated[CurrentUser, requires("Monitor.DeviceMonitor")]
Historian = Annotated[CurrentUser, requires("HisData")]
Identifier = Annotated[int, Query(ge=1, le=2**31 - 1)]


Service = Annotated[TelemetryService, service(TelemetryService)]


@router.get("/device/lastdps", operation_id="getLastValues", response_model=Envelope[Rows[LastValue]])
async def get_last_values(
    service: Service,
    user: Watcher,
    device_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    dsids: Annotated[str | None, Query(max_length=20_000)] = None,
) -> Response:
    """Newest values of a gateway's points, or of the points named in dsids (1,2,3).

    Raises ParameterError unless exactly one of the two is given.
    """
    if (device_id is None) == (dsids is None):
        raise ParameterError("device_id", "give either device_id or dsids")
    if device_id is not None:
        return await rows_reply(LastValue, service.of_device(user.scope, device_id))
    wanted = identifiers(dsids or "", "dsids", MAX_LAST)
    return await rows_reply(LastValue, chunked(await service.last_values(user.scope, wanted)))


@router.get("/device/lastdp", operation_id="getLastValue")
async def get_last_value(service: Service, user: Watcher, dsid: Identifier) -> Envelope[LastValue]:
    """Newest value of one point. Raises NotFound without such a point."""
    found = await service.last_values(user.scope, [dsid])
    if not found:
        raise NotFound("value")
    return ok(found[0])


@router.get("/device/hisdata", operation_id="getHistory")
async def get_history(
    service: Service,
    user: Historian,
    dsids: Annotated[str, Query(max_length=400)],
    start_ms: Millis,
    end_ms: Millis,
    points: Annotated[int, Query(ge=10, le=MAX_POINTS)] = 1000,
) -> Envelope[History]:
    """Up to 16 points over a range, raw or in buckets, so that a chart gets at most `points` each."""
    wanted = identifiers(dsids, "dsids", MAX_SERIES)
    return ok(await service.history(user.scope, wanted, start_ms, end_ms, points))


@router.get("/device/hisdata/rows", operation_id="getHistoryRows")
async def get_history_rows(
    service: Service,
    user: Historian,
    dsid: Identifier,
    start_ms: Millis,
    end_ms: Millis,
    limit: Annotated[int, Query(ge=1, le=MAX_ROWS)] = 100,
    before_ms: Annotated[int | None, Query(ge=0, le=2**53)] = None,
) -> Envelope[HistoryRows]:
    """Raw samples, newest first; before_ms: the t_ms of the last row of the page before."""
    end = end_ms if before_ms is None else min(end_ms, before_ms)
    if end <= start_ms < end_ms:
        return ok(HistoryRows(rows=[]))
    return ok(await service.rows(user.scope, dsid, start_ms, end, limit))
