"""The tree of templates, their versions and files."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from cloud.core.envelope import Envelope, Page, Rows, ok
from cloud.core.large_json import large_reply
from cloud.core.multipart import BODY, received_file
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.core.xlsx import MEDIA_TYPE
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.sheets.columns import Language
from cloud.domains.templates.making import MakingService
from cloud.domains.templates.schemas import (
    Category,
    ChangeTemplate,
    CopyTemplate,
    CreateTemplate,
    ImportTemplate,
    MoveTemplate,
    ReadyTemplate,
    SaveVersion,
    TemplateFile,
    TemplateRow,
    TemplateSheets,
    TemplateVersionDocument,
    TemplateVersionRow,
)
from cloud.domains.templates.service import TemplateService
from cloud.domains.templates.sheets import SheetService

router = APIRouter(tags=["templates"])


FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The rows",
        "content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}},
    }
}

Sheets = Annotated[SheetService, service(SheetService)]
Templates = Annotated[TemplateService, service(TemplateService)]
Making = Annotated[MakingService, service(MakingService)]
Editor = Annotated[CurrentUser, requires("DeviceTemplate")]
TemplateId = Annotated[int, Path(ge=1, le=2**31 - 1)]
VersionNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]


@router.get("/template", operation_id="listTemplates")
async def list_templates(service: Templates, user: Editor, category: Category) -> Envelope[Rows[TemplateRow]]:
    """The whole tree of point or of gateway templates: the user's own and what is shared with him."""
    return ok(Rows(rows=await service.nodes(user.scope, category)))


@router.get("/template/ready", operation_id="listReadyTemplates")
async def list_ready_templates(service: Templates, user: Editor) -> Envelope[Rows[ReadyTemplate]]:
    """Point templates that the platform brings along."""
    return ok(Rows(rows=service.ready(user)))


@router.post("/template", operation_id="createTemplate")
async def create_template(service: Making, user: Editor, body: CreateTemplate) -> Envelope[TemplateRow]:
    """A group or a template: empty, from a ready one, or from what a gateway has."""
    return ok(await service.create(user, body))


@router.post("/template/import", operation_id="importTemplate")
async def import_template(service: Making, user: Editor, body: ImportTemplate) -> Envelope[TemplateRow]:
    """A template from a file that an export gave."""
    return ok(await service.from_file(user, body))


@router.get("/template/{template_id:int}", operation_id="getTemplate")
async def get_template(service: Templates, user: Editor, template_id: TemplateId) -> Envelope[TemplateRow]:
    """One node of the tree."""
    return ok(await service.row(user.scope, template_id))


@router.put("/template/{template_id:int}", operation_id="changeTemplate")
async def change_template(
    service: Templates, user: Editor, template_id: TemplateId, body: ChangeTemplate
) -> Envelope[TemplateRow]:
    """Title, remark, and whether those below may use it."""
    return ok(await service.change(user, template_id, body))


@router.delete("/template/{template_id:int}", operation_id="deleteTemplate")
async def delete_template(
    service: Templates, user: Editor, template_id: TemplateId, detach: bool = False
) -> Envelope[None]:
    """Remove a node. detach: gateways that use it keep its rows as their own; refused otherwise."""
    await service.remove(user, template_id, detach=detach)
    return ok(None)


@router.post("/template/{template_id:int}/move", operation_id="moveTemplate")
async def move_template(
    service: Templates, user: Editor, template_id: TemplateId, body: MoveTemplate
) -> Envelope[TemplateRow]:
    """Under another group, or to another place."""
    return ok(await service.move(user, template_id, body))


@router.post("/template/{template_id:int}/copy", operation_id="copyTemplate")
async def copy_template(
    service: Templates, user: Editor, template_id: TemplateId, body: CopyTemplate
) -> Envelope[TemplateRow]:
    """A new template with the newest version's content."""
    return ok(await service.copy(user, template_id, body))


@router.get("/template/{template_id:int}/version", operation_id="listTemplateVersions")
async def list_template_versions(
    service: Templates, user: Editor, template_id: TemplateId, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[Page[TemplateVersionRow]]:
    """The newest first."""
    return ok(await service.versions(user.scope, template_id, page, limit))


@router.post("/template/{template_id:int}/version", operation_id="saveTemplateVersion")
async def save_template_version(
    service: Templates, user: Editor, template_id: TemplateId, body: SaveVersion
) -> Envelope[TemplateVersionRow]:
    """A new version; gateways change when it is applied to them."""
    return ok(await service.save(user, template_id, body))


@router.get("/template/{template_id:int}/version/{number:int}", operation_id="getTemplateVersion")
async def get_template_version(
    service: Templates, user: Editor, template_id: TemplateId, number: VersionNumber
) -> Envelope[TemplateVersionDocument]:
    """A version with its content."""
    return ok(await service.version(user.scope, template_id, number))


@router.get("/template/{template_id:int}/export", operation_id="exportTemplate")
async def export_template(service: Making, user: Editor, template_id: TemplateId) -> Envelope[TemplateFile]:
    """The newest version, to be kept as a file."""
    return ok(await service.export(user, template_id))


@router.get(
    "/template/{template_id:int}/workbook",
    operation_id="exportTemplateSheets",
    response_class=Response,
    responses=FILE,
)
async def export_template_sheets(
    service: Sheets,
    user: Editor,
    template_id: TemplateId,
    number: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    language: Language = "zh",
) -> Response:
    """The rows of a version as an .xlsx, the newest unless number says another."""
    book = await service.workbook(user, template_id, number, language)
    headers = {"Content-Disposition": 'attachment; filename="template.xlsx"'}
    return Response(book, media_type=MEDIA_TYPE, headers=headers)


@router.post(
    "/template/{template_id:int}/workbook",
    operation_id="compareTemplateSheets",
    openapi_extra=BODY,
    response_model=Envelope[TemplateSheets],
)
async def compare_template_sheets(
    request: Request,
    service: Sheets,
    user: Editor,
    template_id: TemplateId,
    file_name: Annotated[str, Query(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")],
) -> Response:
    """What a workbook, .xls or .xlsx, would change of the newest version. Changes nothing."""
    await service.known(user, template_id)
    found = await service.compare(user, template_id, await received_file(request), file_name)
    return await large_reply(found)
