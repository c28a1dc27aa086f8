"""Keeping alarms quiet for a time: shelving, maintenance, out of service."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.alarms.endpoints import Number, Reader
from cloud.domains.alarms.schemas import MaintenanceBody, Outcome, SuppressBody, SuppressionRow
from cloud.domains.alarms.suppressions import SuppressionService
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser

router = APIRouter(tags=["events"])

Suppressions = Annotated[SuppressionService, service(SuppressionService)]
Keeper = Annotated[CurrentUser, requires("Device/save")]
Id = Annotated[int, Path(ge=1, le=2**31 - 1)]


@router.get("/event/suppression", operation_id="listSuppressions")
async def list_suppressions(
    suppressions: Suppressions,
    user: Reader,
    kind: Literal["", "shelved", "maintenance", "out_of_service"] = "",
    device_id: Number | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Envelope[Page[SuppressionRow]]:
    """What is kept quiet now: who, when, why, until when; what ends first first."""
    return ok(await suppressions.page(user, kind, device_id, page, limit))


@router.post("/event/alarmlog/suppress", operation_id="suppressAlarms")
async def suppress_alarms(suppressions: Suppressions, user: Reader, body: SuppressBody) -> Envelope[Outcome]:
    """Shelve the rules of events at their gateways, or take them out of service there, for a time."""
    return ok(await suppressions.suppress(user, body))


@router.post("/event/maintenance/{device_id:int}", operation_id="beginMaintenance")
async def begin_maintenance(
    suppressions: Suppressions, user: Keeper, device_id: Id, body: MaintenanceBody
) -> Envelope[SuppressionRow]:
    """From now on all alarms of a gateway are suppressed, and its linkages rest, for a time."""
    return ok(await suppressions.maintain(user, device_id, body))


@router.delete("/event/suppression/{suppression_id:int}", operation_id="endSuppression")
async def end_suppression(suppressions: Suppressions, user: Reader, suppression_id: Id) -> Envelope[None]:
    """Unshelve, end a maintenance, or put back into service, now: what stands is announced."""
    await suppressions.end(user, suppression_id)
    return ok(None)
