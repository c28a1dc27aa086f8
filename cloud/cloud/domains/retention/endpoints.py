"""How long history is kept."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from cloud.core.envelope import Envelope, ok
from cloud.core.services import service
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.retention.schemas import (
    MAX_DAYS,
    OfPoint,
    PointRetentionBody,
    RetentionBody,
    RetentionDays,
    RetentionEffect,
    Retentions,
)
from cloud.domains.retention.service import RetentionService
from cloud.errors import ParameterError

router = APIRouter(tags=["retention"])

Setter = Annotated[CurrentUser, requires("SystemSetting")]
Keeper = Annotated[CurrentUser, requires("DeviceManage")]


Service = Annotated[RetentionService, service(RetentionService)]
Identifier = Annotated[int, Query(ge=1, le=2**31 - 1)]
Asked = Annotated[int | None, Query(ge=0, le=MAX_DAYS)]


def days_given(
    raw_days: Asked = None,
    minute_days: Asked = None,
    quarter_days: Asked = None,
    hour_days: Asked = None,
    day_days: Asked = None,
) -> RetentionDays | None:
    """All of them, or none: then the setting would be taken back.

    Raises ParameterError when some are missing.
    """
    days = {
        "raw_days": raw_days,
        "minute_days": minute_days,
        "quarter_days": quarter_days,
        "hour_days": hour_days,
        "day_days": day_days,
    }
    given = {field: kept for field, kept in days.items() if kept is not None}
    if not given:
        return None
    for field in days:
        if field not in given:
            raise ParameterError(field, "all of them are needed, or none")
    return RetentionDays(**given)


Days = Annotated[RetentionDays | None, Depends(days_given)]


@router.get("/retention", operation_id="getRetention")
async def get_retention(service: Service, user: Setter) -> Envelope[Retentions]:
    """How many days samples and their levels are kept, for the platform and for users who have their own."""
    return ok(await service.all(user))


@router.put("/retention", operation_id="putRetention")
async def put_retention(service: Service, user: Setter, body: RetentionBody) -> Envelope[Retentions]:
    """Set it for the platform or for a user's gateways; deletes what is older within the hour."""
    return ok(await service.put(user, body))


@router.get("/retention/effect", operation_id="getRetentionEffect")
async def get_retention_effect(
    service: Service,
    user: Setter,
    days: Days,
    user_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> Envelope[RetentionEffect]:
    """What would be deleted if it were set so; without days: if it were taken back."""
    return ok(await service.effect(user, RetentionBody(user_id=user_id, kept=days)))


@router.get("/retention/point", operation_id="getPointRetention")
async def get_point_retention(service: Service, user: Keeper, dsid: Identifier) -> Envelope[OfPoint]:
    """How many days a point's history is kept, and where that was set."""
    return ok(await service.of_point(user, dsid))


@router.put("/retention/point", operation_id="putPointRetention")
async def put_point_retention(service: Service, user: Keeper, body: PointRetentionBody) -> Envelope[OfPoint]:
    """Set it for one point, or take it back."""
    return ok(await service.put_point(user, body))


@router.get("/retention/point/effect", operation_id="getPointRetentionEffect")
async def get_point_retention_effect(
    service: Service, user: Keeper, days: Days, dsid: Identifier
) -> Envelope[RetentionEffect]:
    """What would be deleted if it were set so for one point; without days: if it were taken back."""
    return ok(await service.effect_on_point(user, PointRetentionBody(dsid=dsid, kept=days)))
