"""Places of gateways."""

from __future__ import annotations

import gzip
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Response

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.devices.endpoints import DeviceId, Keeper, Text
from cloud.domains.devices.filters import PlaceFilter
from cloud.domains.devices.position_schemas import Location, PositionBody, Positions
from cloud.domains.devices.positions import PositionService
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser

router = APIRouter(tags=["devices"])

PACKING = 5
"""Level of gzip: 10,000 places in a few hundredths of a second."""

SMALLEST_PACKED_BYTES = 2000


def _wanted(
    project_id: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None,
    product_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    status: Text = "",
    search: Text = "",
    gis: bool = False,
    placed: bool | None = None,
) -> PlaceFilter:
    return PlaceFilter(project_id, product_id, status, search.strip(), gis, placed)


Service = Annotated[PositionService, service(PositionService)]
MapReader = Annotated[CurrentUser, requires("Monitor.DeviceMap")]
Locator = Annotated[CurrentUser, requires("Monitor.DeviceLocation")]
Wanted = Annotated[PlaceFilter, Depends(_wanted)]


@router.get("/device/positions", operation_id="listPositions", response_model=Envelope[Positions])
async def list_positions(
    service: Service,
    user: MapReader,
    wanted: Wanted,
    accept_encoding: Annotated[str, Header(max_length=200, include_in_schema=False)] = "",
) -> Response:
    """All gateways with a place, in columns; project_id with its subtree, 0 for those in none, gis those of
    the GIS screen.
    """
    content = ok(await service.positions(user.scope, wanted)).model_dump_json().encode()
    headers = {"Vary": "Accept-Encoding"}
    if "gzip" in accept_encoding and len(content) >= SMALLEST_PACKED_BYTES:
        content = gzip.compress(content, PACKING, mtime=0)
        headers["Content-Encoding"] = "gzip"
    return Response(content, media_type="application/json", headers=headers)


@router.get("/device/location", operation_id="listLocations")
async def list_locations(
    service: Service, user: Locator, wanted: Wanted, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[Page[Location]]:
    """Gateways with and without a place, those without first."""
    return ok(await service.page(user.scope, wanted, page, limit))


@router.get("/device/{device_id:int}/position", operation_id="getPosition")
async def get_position(service: Service, user: Locator, device_id: DeviceId) -> Envelope[Location]:
    """Where one gateway is."""
    return ok(await service.location(user.scope, device_id))


@router.put("/device/{device_id:int}/position", operation_id="putPosition")
async def put_position(
    service: Service, user: Keeper, device_id: DeviceId, body: PositionBody
) -> Envelope[Location]:
    """Give a gateway a place, take it away, or let it follow the gateway's location point."""
    return ok(await service.put(user, device_id, body))
