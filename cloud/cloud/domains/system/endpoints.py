"""Health and metrics, which an anonymous caller may ask; the API's document for who has signed in."""

from __future__ import annotations

import asyncio
import hmac
from typing import Annotated

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from cloud.core.envelope import Envelope, ok
from cloud.core.services import service
from cloud.domains.identity.access import Signed, requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.system.service import GatewayBroker, SystemService
from cloud.errors import NoPermission

router = APIRouter(tags=["system"])

Service = Annotated[SystemService, service(SystemService)]
Saver = Annotated[CurrentUser, requires("Device/save")]

LOOPBACK = frozenset({"127.0.0.1", "::1"})


@router.get("/healthz", include_in_schema=False)
async def healthz(service: Service) -> JSONResponse:
    """200 when every part serves, 503 otherwise; checks: the state of each part."""
    checks = await service.checks()
    healthy = all(checks.values())
    body = {"status": "ok" if healthy else "degraded", "checks": checks}
    return JSONResponse(body, status_code=200 if healthy else 503)


@router.get("/metrics", include_in_schema=False)
async def metrics(request: Request, service: Service, authorization: str = Header(default="")) -> Response:
    """Prometheus text; from loopback, or with the token of EDGE_METRICS_TOKEN_FILE as bearer.

    Raises NoPermission for anybody else.
    """
    token = service.metrics_token
    host = request.client.host if request.client else ""
    given = authorization.removeprefix("Bearer ")
    if host not in LOOPBACK and not (token and hmac.compare_digest(given.encode(), token.encode())):
        raise NoPermission("metrics")
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


@router.get("/api/v1/openapi.json", include_in_schema=False)
async def openapi_document(request: Request, user: Signed) -> JSONResponse:
    """The OpenAPI document of every operation; it is made by the first call."""
    return JSONResponse(await asyncio.to_thread(request.app.openapi))


@router.get("/api/v1/device/broker", operation_id="getGatewayBroker")
async def gateway_broker(service: Service, user: Saver) -> Envelope[GatewayBroker]:
    """Where a new gateway finds the broker."""
    return ok(service.gateway_broker())
