"""Completeness of gateways, and their gaps."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import Millis, PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.completeness.schemas import (
    Collection,
    CollectionGap,
    Completeness,
    GapEntry,
    GatewayCompleteness,
)
from cloud.domains.completeness.service import CompletenessService, Width
from cloud.domains.completeness.slaves import CollectionService
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.link import GapReason, MissedReason

router = APIRouter(tags=["completeness"])

EVER_MS = 2**53


Service = Annotated[CompletenessService, service(CompletenessService)]
Collecting = Annotated[CollectionService, service(CollectionService)]
SlaveName = Annotated[str, Query(max_length=64, pattern=r"^[^\x00]*$")]
DeviceId = Annotated[int, Path(ge=1, le=2**31 - 1)]
OffsetMin = Annotated[int, Query(ge=-720, le=840, multiple_of=60)]
Text = Annotated[str, Query(max_length=100)]
Watcher = Annotated[CurrentUser, requires("Monitor.DeviceMonitor")]


@router.get("/device/{device_id:int}/completeness", operation_id="getCompleteness")
async def get_completeness(
    service: Service,
    user: Watcher,
    device_id: DeviceId,
    from_ms: Millis,
    to_ms: Millis,
    bucket: Width = "hour",
    offset_min: OffsetMin = 0,
) -> Envelope[Completeness]:
    """What a gateway delivered over a period, by hour or local day (offset_min from UTC)."""
    return ok(await service.of_device(user.scope, device_id, from_ms, to_ms, bucket, offset_min))


@router.get("/device/{device_id:int}/gaps", operation_id="listGaps")
async def list_gaps(
    service: Service,
    user: Watcher,
    device_id: DeviceId,
    from_ms: Millis = 0,
    to_ms: Millis = EVER_MS,
    reason: GapReason | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Envelope[Page[GapEntry]]:
    """Gaps of a gateway that touch a period, filled ones too, the newest first."""
    return ok(await service.gaps(user.scope, device_id, from_ms, to_ms, reason, page, limit))


@router.get("/completeness", operation_id="listCompleteness")
async def list_completeness(
    service: Service,
    user: Watcher,
    from_ms: Millis,
    to_ms: Millis,
    page: PageNumber = 1,
    limit: PageSize = 20,
    sort: Text = "",
) -> Envelope[Page[GatewayCompleteness]]:
    """Every gateway over a period; sort: percent or collection (the worst first), missing or device_title;
    '-' reverses.
    """
    return ok(await service.of_all(user.scope, from_ms, to_ms, page, limit, sort))


@router.get("/device/{device_id:int}/collection", operation_id="getCollection")
async def get_collection(
    service: Collecting, user: Watcher, device_id: DeviceId, from_ms: Millis, to_ms: Millis
) -> Envelope[Collection]:
    """What a gateway should have read of each slave over at most 31 days, what it read, its newest gaps."""
    return ok(await service.of_device(user.scope, device_id, from_ms, to_ms))


@router.get("/device/{device_id:int}/collection/gaps", operation_id="listCollectionGaps")
async def list_collection_gaps(
    service: Collecting,
    user: Watcher,
    device_id: DeviceId,
    from_ms: Millis = 0,
    to_ms: Millis = EVER_MS,
    slave: SlaveName | None = None,
    reason: MissedReason | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Envelope[Page[CollectionGap]]:
    """Times without a good read, the newest first; of a slave with those of the gateway."""
    return ok(await service.gaps(user.scope, device_id, from_ms, to_ms, slave, reason, page, limit))
