"""Traces of signals and frames: begun, renewed, ended, and on record."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request

from cloud.core.changes import only_looked
from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.signal_trace.permission import Tracer
from cloud.domains.signal_trace.schemas import TraceRow, TraceState
from cloud.domains.signal_trace.service import SignalTraceService

router = APIRouter(tags=["strace"])


def address(request: Request) -> str:
    """Where the caller is."""
    return request.client.host if request.client else ""


Service = Annotated[SignalTraceService, service(SignalTraceService)]
Address = Annotated[str, Depends(address)]
DeviceId = Annotated[int, Path(ge=1, le=2**31 - 1)]
TraceId = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]

TRACE = "/ota/strace/{device_id:int}/{trace_id}"


@router.get("/ota/strace", operation_id="listTraces")
async def list_traces(
    user: Tracer,
    service: Service,
    page: PageNumber = 1,
    limit: PageSize = 20,
    search: Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")] = "",
    device_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> Envelope[Page[TraceRow]]:
    """Who traced which gateway, newest first. search: gateway or user."""
    return ok(await service.page(user.scope, page, limit, search.strip(), device_id))


@router.post("/ota/strace/{device_id:int}", operation_id="startTrace")
async def start_trace(
    device_id: DeviceId, user: Tracer, service: Service, caller: Address
) -> Envelope[TraceState]:
    """Have a gateway send its signals and frames for as long as this is renewed. They come over the WebSocket
    of the user.
    """
    return ok(await service.begin(user, device_id, caller))


@router.put(TRACE, operation_id="renewTrace")
async def renew_trace(
    device_id: DeviceId, trace_id: TraceId, user: Tracer, service: Service
) -> Envelope[TraceState]:
    """Somebody still watches."""
    state = await service.renew(user, device_id, trace_id)
    only_looked()
    return ok(state)


@router.delete(TRACE, operation_id="stopTrace")
async def stop_trace(
    device_id: DeviceId, trace_id: TraceId, user: Tracer, service: Service
) -> Envelope[TraceRow]:
    """Nobody watches any more; the gateway stops with the last one."""
    return ok(await service.end(user, device_id, trace_id))
