"""History for charts, in a binary form, and as a file."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from cloud.core.envelope import Envelope, ok
from cloud.core.paging import Millis, identifiers
from cloud.core.services import service
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.jobs.schemas import Job
from cloud.domains.telemetry.charts import ChartService
from cloud.domains.telemetry.exporting import HistoryExport
from cloud.domains.telemetry.schemas import HistoryExportBody, Spans
from cloud.errors import ParameterError

router = APIRouter(tags=["telemetry"])

MAX_SERIES = 16
MAX_PIXELS = 4000
MAX_SPARKLINES = 64
SPARKLINE_PIXELS = 60
"""Four samples of each at most."""
LONGEST_SPARKLINE_MS = 3_600_000
BINARY = "application/octet-stream"

PACKED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The samples",
        "content": {BINARY: {"schema": {"type": "string", "format": "binary"}}},
    }
}

Historian = Annotated[CurrentUser, requires("HisData")]
Dsids = Annotated[str, Query(max_length=400)]


Service = Annotated[ChartService, service(ChartService)]
Exports = Annotated[HistoryExport, service(HistoryExport)]


@router.get(
    "/device/hisdata/packed", operation_id="getPackedHistory", response_class=Response, responses=PACKED
)
async def get_packed_history(
    service: Service,
    user: Historian,
    dsids: Dsids,
    start_ms: Millis,
    end_ms: Millis,
    pixels: Annotated[int, Query(ge=10, le=MAX_PIXELS)] = 1000,
) -> Response:
    """Up to 16 points over a range, at most four samples a pixel and point, extremes kept with their times.

    Little-endian. Header: "HST1", uint32 number of points, float64 start_ms, float64 end_ms. Then of each
    point 40 bytes: uint32 dsid, uint32 n, uint32 flags, uint32 g, float64 width_ms, float64 count, float64
    mean. Then of each point n float64 times (UTC ms) and n float64 values; then of each point g gaps that are
    damaged and cannot be read, float64 first and last millisecond. flags 1: times are those of the
    samples, else within their bucket; 2: there is more, the newest is answered. width_ms 0: every sample, NaN
    for one without a number to trust; else first, lowest, highest and last of each bucket. count: samples
    that they stand for. mean: of these samples, NaN for width_ms 0.
    """
    wanted = identifiers(dsids, "dsids", MAX_SERIES)
    found = await service.packed(user.scope, wanted, start_ms, end_ms, pixels)
    return Response(found, media_type=BINARY)


@router.get(
    "/device/hisdata/sparklines", operation_id="getSparklines", response_class=Response, responses=PACKED
)
async def get_sparklines(
    service: Service,
    user: Historian,
    dsids: Annotated[str, Query(max_length=800)],
    start_ms: Millis,
    end_ms: Millis,
) -> Response:
    """Up to 64 points over an hour at most, as /device/hisdata/packed tells them for 60 pixels.

    Raises ParameterError for a longer time.
    """
    if not 0 < end_ms - start_ms <= LONGEST_SPARKLINE_MS:
        raise ParameterError("end_ms", "must be within an hour after start_ms")
    wanted = identifiers(dsids, "dsids", MAX_SPARKLINES)
    found = await service.packed(user.scope, wanted, start_ms, end_ms, SPARKLINE_PIXELS)
    return Response(found, media_type=BINARY)


@router.get("/device/hisdata/spans", operation_id="getHistorySpans")
async def get_history_spans(
    service: Service, user: Historian, dsids: Dsids, start_ms: Millis, end_ms: Millis
) -> Envelope[Spans]:
    """When the points' gateways and slaves were away, and their alarms for who may read alarms."""
    return ok(await service.spans(user, identifiers(dsids, "dsids", MAX_SERIES), start_ms, end_ms))


@router.post("/device/hisdata/export", operation_id="exportHistory")
async def export_history(service: Exports, user: Historian, body: HistoryExportBody) -> Envelope[Job]:
    """Ask for a file of samples or buckets; at most 1,000,000 rows as CSV, 200,000 as a workbook."""
    return ok(await service.ask(user, body))
