"""The landing page in one request."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter

from cloud.core.envelope import Envelope, ok
from cloud.core.services import service
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.overview.schemas import Overview
from cloud.domains.overview.service import OverviewService

router = APIRouter(tags=["overview"])


Service = Annotated[OverviewService, service(OverviewService)]
Reader = Annotated[CurrentUser, requires("PlatformOverView")]


@router.get("/overview", operation_id="getOverview")
async def get_overview(service: Service, user: Reader) -> Envelope[Overview]:
    """States, active problems, key values, newest events, completeness, link, favourites and places of the
    gateways that you see; for the platform's staff also the installation's own figures.
    """
    return ok(await service.overview(user))
