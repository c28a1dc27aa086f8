"""Gateways and their data sources."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request

from cloud.domains.devices.schemas import DataSource, DeviceDetail, DeviceRow
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.access import requires
from cloud.kit.envelope import Envelope, Page, Rows, ok
from cloud.kit.paging import PageNumber, PageSize

router = APIRouter(tags=["devices"])


def devices(request: Request) -> DeviceService:
    service: DeviceService = request.app.state.services.devices
    return service


Service = Annotated[DeviceService, Depends(devices)]
DeviceId = Annotated[int, Path(ge=1, le=2**31 - 1)]
Text = Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")]


@router.get("/device", operation_id="listDevices", dependencies=[requires("Monitor.DeviceMonitor")])
async def list_devices(
    service: Service,
    page: PageNumber = 1,
    limit: PageSize = 20,
    search: Text = "",
    status: Text = "",
    sort: Text = "",
) -> Envelope[Page[DeviceRow]]:
    """Gateways by page; search looks into title and serial number, sort takes '-' to reverse."""
    return ok(await service.page(page, limit, search, status, sort))


@router.get("/device/dss", operation_id="listDataSources", dependencies=[requires("Monitor.DeviceMonitor")])
async def list_data_sources(
    service: Service, device_id: Annotated[int, Query(ge=1, le=2**31 - 1)]
) -> Envelope[Rows[DataSource]]:
    """Data points of a gateway."""
    return ok(Rows(rows=await service.sources(device_id)))


@router.get(
    "/device/{device_id:int}", operation_id="getDevice", dependencies=[requires("Monitor.DeviceMonitor")]
)
async def get_device(service: Service, device_id: DeviceId) -> Envelope[DeviceDetail]:
    """One gateway with its slaves and the evidence of its link."""
    return ok(await service.detail(device_id))
