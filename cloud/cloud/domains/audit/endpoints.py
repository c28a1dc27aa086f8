"""Reading the audit."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import Millis, PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.audit.kinds import Kind
from cloud.domains.audit.results import Outcome
from cloud.domains.audit.schemas import AuditFilter, AuditRow
from cloud.domains.audit.service import AuditService
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser

router = APIRouter(tags=["audit"])

CSV = "text/csv; charset=utf-8"


Service = Annotated[AuditService, service(AuditService)]
Reader = Annotated[CurrentUser, requires("auth.Audit")]
Part = Annotated[str, Query(max_length=64, pattern=r"^[^\x00]*$")]


def _filter(
    user: Part = "",
    operation: Part = "",
    thing: Part = "",
    kind: Kind | None = None,
    outcome: Outcome | None = None,
    start_ms: Millis | None = None,
    end_ms: Millis | None = None,
    failed: bool | None = None,
) -> AuditFilter:
    return AuditFilter(user, thing, kind, outcome, operation, start_ms, end_ms, failed)


Wanted = Annotated[AuditFilter, Depends(_filter)]


@router.get("/audit", operation_id="listAudit")
async def list_audit(
    reader: Reader, wanted: Wanted, service: Service, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[Page[AuditRow]]:
    """What you and the users below you changed, the newest first. user, operation, thing: a part of it."""
    return ok(await service.page(reader, wanted, page, limit))


@router.get(
    "/audit/export",
    operation_id="exportAudit",
    response_class=StreamingResponse,
    responses={200: {"description": "The rows", "content": {"text/csv": {"schema": {"type": "string"}}}}},
)
async def export_audit(reader: Reader, wanted: Wanted, service: Service) -> StreamingResponse:
    """The same as a CSV file of at most 100,000 rows."""
    headers = {"Content-Disposition": 'attachment; filename="audit.csv"'}
    return StreamingResponse(await service.export(reader, wanted), media_type=CSV, headers=headers)
