"""Workbooks of gateways: template, export, and an import from its upload to its end."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from cloud.domains.files.kinds import Wrong
from cloud.domains.files.multipart import FIELD, only_file
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.importing.columns import Language
from cloud.domains.importing.exporting import ExportService
from cloud.domains.importing.schemas import (
    ApplyBody,
    ExportBody,
    ImportRow,
    ImportState,
    PreviewBody,
    RowFilter,
    SheetFilter,
)
from cloud.domains.importing.service import ImportService
from cloud.domains.jobs.schemas import Job
from cloud.errors import ParameterError
from cloud.kit.envelope import Envelope, Page, ok
from cloud.kit.paging import PageNumber, PageSize
from cloud.kit.xlsx import MEDIA_TYPE

router = APIRouter(tags=["import"])

BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": [FIELD],
                    "properties": {FIELD: {"type": "string", "format": "binary"}},
                }
            }
        },
    }
}
FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The workbook",
        "content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}},
    }
}


def _imports(request: Request) -> ImportService:
    service: ImportService = request.app.state.services.imports
    return service


def _exports(request: Request) -> ExportService:
    service: ExportService = request.app.state.services.exports
    return service


Imports = Annotated[ImportService, Depends(_imports)]
Exports = Annotated[ExportService, Depends(_exports)]
Importer = Annotated[CurrentUser, requires("Device/save")]
Exporter = Annotated[CurrentUser, requires("DeviceManage")]
Import = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]
Text = Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")]
Number = Annotated[int | None, Query(ge=0, le=2**31 - 1)]


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
    search: Text = "",
    status: Text = "",
    project_id: Number = None,
    product_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    protocol: Annotated[int | None, Query(ge=1, le=9)] = None,
    model: Annotated[str, Query(max_length=64, pattern=r"^[^\x00]*$")] = "",
    gateway_type: Annotated[int | None, Query(ge=1, le=3)] = None,
    expires_before_ms: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    bound: bool | None = None,
    language: Language = "zh",
) -> Response:
    """Up to 100 gateways of a list with everything that an import takes; 409 with more, which are a job."""
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
) -> Envelope[ImportState]:
    """Read a workbook, .xls or .xlsx, and guess what its columns are. Nothing is changed yet."""
    try:
        data = only_file(request.headers.get("content-type", ""), await request.body())
    except Wrong as wrong:
        raise ParameterError("file", wrong.rule, reason=wrong.reason) from None
    return ok(await service.upload(user, data, file_name))


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
    import_id: Import, service: Imports, user: Importer, body: PreviewBody
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
    return _file(await service.errors(user, import_id, language), "import-errors.xlsx")


@router.post("/device/import/{import_id}/apply", operation_id="applyImport")
async def apply_import(import_id: Import, service: Imports, user: Importer, body: ApplyBody) -> Envelope[Job]:
    """Do what the preview says, as a job: everything or nothing."""
    return ok(await service.apply(user, import_id, body))


def _file(content: bytes, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=MEDIA_TYPE, headers=headers)
