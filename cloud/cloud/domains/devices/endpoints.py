"""Gateways and their data sources."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from cloud.core.chunks import rows_reply
from cloud.core.envelope import Envelope, Page, Rows, ok
from cloud.core.paging import Millis, PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.devices.filters import DeviceFilter
from cloud.domains.devices.outages import EVER_MS, OutageService
from cloud.domains.devices.schemas import DataSource, DeviceBody, DeviceDetail, DeviceRow, OnOfflineEntry
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser

router = APIRouter(tags=["devices"])


Service = Annotated[DeviceService, service(DeviceService)]
Outages = Annotated[OutageService, service(OutageService)]
Watcher = Annotated[CurrentUser, requires("Monitor.DeviceMonitor")]
Keeper = Annotated[CurrentUser, requires("DeviceManage")]
DeviceId = Annotated[int, Path(ge=1, le=2**31 - 1)]
Text = Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")]


def wanted(
    search: Text = "",
    status: Text = "",
    project_id: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None,
    product_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    protocol: Annotated[int | None, Query(ge=1, le=9)] = None,
    model: Annotated[str, Query(max_length=64, pattern=r"^[^\x00]*$")] = "",
    gateway_type: Annotated[int | None, Query(ge=1, le=3)] = None,
    expires_before_ms: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    bound: bool | None = None,
) -> DeviceFilter:
    """Of a list: project_id with everything below it, 0 for gateways in none; bound: others have it too."""
    return DeviceFilter(
        search, status, project_id, product_id, protocol, model, gateway_type, expires_before_ms, bound
    )


Wanted = Annotated[DeviceFilter, Depends(wanted)]


@router.get("/device", operation_id="listDevices")
async def list_devices(
    service: Service,
    user: Watcher,
    wanted: Wanted,
    page: PageNumber = 1,
    limit: PageSize = 20,
    sort: Text = "",
) -> Envelope[Page[DeviceRow]]:
    """Gateways by page; search looks into titles, serial number, IMEI, ICCID and address, sort takes '-' to
    reverse.
    """
    return ok(await service.page(user.scope, wanted, page, limit, sort))


@router.get("/device/dss", operation_id="listDataSources", response_model=Envelope[Rows[DataSource]])
async def list_data_sources(
    service: Service, user: Watcher, device_id: Annotated[int, Query(ge=1, le=2**31 - 1)]
) -> Response:
    """Data points of a gateway."""
    return await rows_reply(DataSource, service.source_chunks(user.scope, device_id))


@router.get("/device/onofflinelog", operation_id="listOnOfflineLog")
async def list_on_offline_log(
    service: Service,
    log: Outages,
    user: Watcher,
    device_id: Annotated[int, Query(ge=1, le=2**31 - 1)],
    from_ms: Millis = 0,
    to_ms: Millis = EVER_MS,
    slaves: bool = True,
    at_least_ms: Millis = 0,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Envelope[Page[OnOfflineEntry]]:
    """Times without a gateway or one of its slaves that touch a period and lasted that long, newest first."""
    await service.gateway_of(user.scope, device_id)
    return ok(
        await log.page(
            user.scope,
            device_id,
            from_ms,
            to_ms,
            slaves=slaves,
            at_least_ms=at_least_ms,
            page=page,
            limit=limit,
        )
    )


@router.delete("/device/onofflinelog/{entry_id:int}", operation_id="deleteOnOfflineEntry")
async def delete_on_offline_entry(
    log: Outages, user: Keeper, entry_id: Annotated[int, Path(ge=1, le=2**31 - 1)]
) -> Envelope[None]:
    """Delete an entry that has ended."""
    await log.delete(user, entry_id)
    return ok(None)


@router.put("/device/{device_id:int}", operation_id="changeDevice")
async def change_device(
    service: Service, user: Keeper, device_id: DeviceId, body: DeviceBody
) -> Envelope[DeviceDetail]:
    """Change settings of a gateway; a field that there is not is refused by its name."""
    return ok(await service.change(user, device_id, body))


@router.get("/device/{device_id:int}", operation_id="getDevice")
async def get_device(service: Service, user: Watcher, device_id: DeviceId) -> Envelope[DeviceDetail]:
    """One gateway with its slaves and what is known of its link."""
    return ok(await service.detail(user.scope, device_id))
