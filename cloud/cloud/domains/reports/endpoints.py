"""The statistical report."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response

from cloud.core.envelope import Envelope, ok
from cloud.core.paging import Millis, PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.reports.schemas import Language, ReportQuery, StatisticalReport
from cloud.domains.reports.service import ReportService

router = APIRouter(tags=["reports"])

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
FILE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The rows", "content": {XLSX: {"schema": {"type": "string", "format": "binary"}}}}
}


Service = Annotated[ReportService, service(ReportService)]
Reader = Annotated[CurrentUser, requires("StatisticalReport")]


def _query(
    starttime: Millis,
    endtime: Millis,
    offset_min: Annotated[int, Query(ge=-840, le=840)] = 0,
    search: Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")] = "",
    project_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    sort: Annotated[str, Query(max_length=20, pattern=r"^[^\x00]*$")] = "-alarms",
) -> ReportQuery:
    return ReportQuery(starttime, endtime, offset_min, search.strip(), project_id, sort)


Wanted = Annotated[ReportQuery, Depends(_query)]


@router.get("/device/eventStatReport", operation_id="getStatisticalReport")
async def get_statistical_report(
    service: Service, user: Reader, wanted: Wanted, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[StatisticalReport]:
    """Alarms, absences and availability of gateways over at most 397 days, by page, with totals and days of
    all of them. search looks into title and serial number; sort takes '-' to reverse.
    """
    return ok(await service.statistics(user, wanted, page, limit))


@router.get(
    "/device/exportStatReport",
    operation_id="exportStatisticalReport",
    response_class=Response,
    responses=FILE,
)
async def export_statistical_report(
    service: Service, user: Reader, wanted: Wanted, language: Language = "zh"
) -> Response:
    """The same as a workbook: gateways (at most 10,000) and days."""
    book = await service.workbook(user, wanted, language)
    headers = {"Content-Disposition": 'attachment; filename="statistics.xlsx"'}
    return Response(book, media_type=XLSX, headers=headers)
