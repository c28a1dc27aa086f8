"""Workbooks of gateways: template, export, and an import from its upload to its end."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.multipart import BODY, received_file
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.core.xlsx import MEDIA_TYPE
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.importing.exporting import ExportService
from cloud.domains.importing.schemas import (
    ApplyImportBody,
    DeviceNumber,
    ExpiresBefore,
    ExportBody,
    GatewayType,
    ImportRow,
    ImportState,
    ListText,
    ModelText,
    PreviewImportBody,
    ProductNumber,
    ProjectNumber,
    ProtocolNumber,
    RowFilter,
    SheetFilter,
)
from cloud.domains.importing.service import ImportService
from cloud.domains.jobs.schemas import Job
from cloud.domains.sheets.columns import Language

router = APIRouter(tags=["import"])

FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The workbook",
        "content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}},
    }
}


Imports = Annotated[ImportService, service(ImportService)]
Exports = Annotated[ExportService, service(ExportService)]
Importer = Annotated[CurrentUser, requires("Device/save")]
Exporter = Annotated[CurrentUser, requires("DeviceManage")]
Import = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]


@router.get(
    "/device/downloadTemplate", operation_id="downloadImportTemplate", response_class=Response, responses=FILE
)
async def download_template(service: Exports, user: Importer, language: Language = "zh") -> Response:
    """An empty workbook for the import, with a sheet that explains its columns."""
    return _file(await service.template(user, language), "device-template.xlsx")


@router.get("/device/export-list", operation_id="exportDevices", response_class=Response, responses=FILE)
async def export_devices(
    service: Exports,
    user: Exporter,
    search: ListText = "",
    status: ListText = "",
    project_id: ProjectNumber | None = None,
    product_id: ProductNumber | None = None,
    protocol: ProtocolNumber | None = None,
    model: ModelText = "",
    gateway_type: GatewayType | None = None,
    expires_before_ms: ExpiresBefore | None = None,
    bound: bool | None = None,
    device_id: DeviceNumber | None = None,
    language: Language = "zh",
) -> Response:
    """Up to 100 gateways of a list, or one of them, with all that an import takes; 409 with more: a job."""
    wanted = ExportBody(
        search=search,
        status=status,
        project_id=project_id,
        product_id=product_id,
        protocol=protocol,
        model=model,
        gateway_type=gateway_type,
        expires_before_ms=expires_before_ms,
        bound=bound,
        ids=None if device_id is None else [device_id],
        language=language,
    )
    return _file(await service.workbook(user, wanted), "devices.xlsx")


@router.post("/device/export-list", operation_id="beginDeviceExport")
async def begin_device_export(service: Exports, user: Exporter, body: ExportBody) -> Envelope[Job]:
    """The same as a job, with more gateways."""
    return ok(await service.ask(user, body))


@router.post("/device/import", operation_id="uploadImport", openapi_extra=BODY)
async def upload_import(
    request: Request,
    service: Imports,
    user: Importer,
    file_name: Annotated[str, Query(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")],
    device_id: DeviceNumber | None = None,
) -> Envelope[ImportState]:
    """Read a workbook, .xls or .xlsx, and guess what its columns are. Nothing is changed yet.

    device_id: for this gateway alone; then no column has to name it.
    """
    gateway = None if device_id is None else await service.single(user, device_id)
    return ok(await service.upload(user, await received_file(request), file_name, gateway))


@router.get("/device/import/{import_id}", operation_id="getImport")
async def get_import(import_id: Import, service: Imports, user: Importer) -> Envelope[ImportState]:
    """An import of yours."""
    return ok(await service.state(user, import_id))


@router.delete("/device/import/{import_id}", operation_id="deleteImport")
async def delete_import(import_id: Import, service: Imports, user: Importer) -> Envelope[None]:
    """Forget an import; what it has done stays."""
    await service.discard(user, import_id)
    return ok(None)


@router.post("/device/import/{import_id}/preview", operation_id="previewImport")
async def preview_import(
    import_id: Import, service: Imports, user: Importer, body: PreviewImportBody
) -> Envelope[Job]:
    """Compare the file with what there is, as a job; it changes nothing."""
    return ok(await service.preview(user, import_id, body))


@router.get("/device/import/{import_id}/rows", operation_id="listImportRows")
async def list_import_rows(
    import_id: Import,
    service: Imports,
    user: Importer,
    kind: RowFilter = "",
    sheet: SheetFilter = "",
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Envelope[Page[ImportRow]]:
    """Rows that the import adds, changes or removes, and those that are wrong, cell by cell."""
    return ok(await service.rows(user, import_id, kind, sheet, page, limit))


@router.get(
    "/device/import/{import_id}/errors",
    operation_id="getImportErrors",
    response_class=Response,
    responses=FILE,
)
async def get_import_errors(
    import_id: Import, service: Imports, user: Importer, language: Language = "zh"
) -> Response:
    """The wrong rows as they stand in the file, with a column that says what is wrong."""
    parts = await service.errors(user, import_id, language)
    headers = {"Content-Disposition": 'attachment; filename="import-errors.xlsx"'}
    return StreamingResponse(parts, media_type=MEDIA_TYPE, headers=headers)


@router.post("/device/import/{import_id}/apply", operation_id="applyImport")
async def apply_import(
    import_id: Import, service: Imports, user: Importer, body: ApplyImportBody
) -> Envelope[Job]:
    """Do what the preview says, as a job: everything or nothing."""
    return ok(await service.apply(user, import_id, body))


def _file(content: bytes, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=MEDIA_TYPE, headers=headers)
