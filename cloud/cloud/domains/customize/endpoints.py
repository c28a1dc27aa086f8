"""The portal's looks by host name."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.customize.schemas import HOST, CustomizeInfo, CustomizeRow, Looks
from cloud.domains.customize.service import CustomizeService
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser

router = APIRouter(tags=["customize"])


Service = Annotated[CustomizeService, service(CustomizeService)]
Setter = Annotated[CurrentUser, requires("auth.Customize")]
Domain = Annotated[str, Path(max_length=253, pattern=HOST)]


@router.get("/customize/info", operation_id="getCustomizeInfo")
async def get_customize_info(
    service: Service, domain: Annotated[str, Query(max_length=253, pattern=r"^[^\x00-\x20/]*$")] = ""
) -> Envelope[CustomizeInfo]:
    """Public: what the portal shows at this host name, and whether it offers the demo sign-in."""
    return ok(await service.info(domain))


@router.get("/customize", operation_id="listCustomize")
async def list_customize(
    user: Setter, service: Service, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[Page[CustomizeRow]]:
    """Every host name that has looks of its own; the entry "default" holds for all others."""
    return ok(await service.page(user, page, limit))


@router.put("/customize/{domain}", operation_id="putCustomize")
async def put_customize(domain: Domain, body: Looks, user: Setter, service: Service) -> Envelope[None]:
    """Make or replace the looks of a host name, or of "default"."""
    await service.put(user, domain, body)
    return ok(None)


@router.delete("/customize/{domain}", operation_id="deleteCustomize")
async def delete_customize(domain: Domain, user: Setter, service: Service) -> Envelope[None]:
    """Forget the looks of a host name."""
    await service.delete(user, domain)
    return ok(None)
