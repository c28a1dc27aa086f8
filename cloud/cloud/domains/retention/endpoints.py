"""How long history is kept."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request

from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.retention.schemas import OfPoint, PointRetentionBody, RetentionBody, Retentions
from cloud.domains.retention.service import RetentionService
from cloud.kit.envelope import Envelope, ok

router = APIRouter(tags=["retention"])

Setter = Annotated[CurrentUser, requires("SystemSetting")]
Keeper = Annotated[CurrentUser, requires("DeviceManage")]


def retention(request: Request) -> RetentionService:
    service: RetentionService = request.app.state.services.retention
    return service


Service = Annotated[RetentionService, Depends(retention)]


@router.get("/retention", operation_id="getRetention")
async def get_retention(service: Service, user: Setter) -> Envelope[Retentions]:
    """How many days samples and their levels are kept, for the platform and for users who have their own."""
    return ok(await service.all(user))


@router.put("/retention", operation_id="putRetention")
async def put_retention(service: Service, user: Setter, body: RetentionBody) -> Envelope[Retentions]:
    """Set it for the platform or for a user's gateways; deletes what is older within the hour."""
    return ok(await service.put(user, body))


@router.get("/retention/point", operation_id="getPointRetention")
async def get_point_retention(
    service: Service, user: Keeper, dsid: Annotated[int, Query(ge=1, le=2**31 - 1)]
) -> Envelope[OfPoint]:
    """How many days a point's history is kept, and where that was set."""
    return ok(await service.of_point(user, dsid))


@router.put("/retention/point", operation_id="putPointRetention")
async def put_point_retention(service: Service, user: Keeper, body: PointRetentionBody) -> Envelope[OfPoint]:
    """Set it for one point, or take it back."""
    return ok(await service.put_point(user, body))
