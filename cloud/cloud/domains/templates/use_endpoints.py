"""Templates on gateways: who uses one, what applying would change, and applying it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from cloud.core.envelope import Envelope, Page, Rows, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.jobs.schemas import Job
from cloud.domains.templates.applying import ApplyService
from cloud.domains.templates.schemas import (
    Applied,
    ApplyTemplateBody,
    Attach,
    Detach,
    GatewayLink,
    Instantiate,
    Override,
    PreviewTemplateBody,
    RowPreview,
    RowPreviewBody,
    TemplatePreview,
    UsageRow,
    UsePointTemplate,
)
from cloud.domains.templates.using import UsingService

router = APIRouter(tags=["templates"])


Applying = Annotated[ApplyService, service(ApplyService)]
Using = Annotated[UsingService, service(UsingService)]
Editor = Annotated[CurrentUser, requires("DeviceTemplate")]
Keeper = Annotated[CurrentUser, requires("DeviceManage")]
TemplateId = Annotated[int, Path(ge=1, le=2**31 - 1)]
DeviceId = Annotated[int, Path(ge=1, le=2**31 - 1)]


@router.get("/template/{template_id:int}/usage", operation_id="listTemplateUsage")
async def list_template_usage(
    service: Using, user: Editor, template_id: TemplateId, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[Page[UsageRow]]:
    """Gateways that use a template, with the version and what each overrides."""
    return ok(await service.usage(user, template_id, page, limit))


@router.post("/template/{template_id:int}/preview", operation_id="previewTemplate")
async def preview_template(
    service: Applying, user: Editor, template_id: TemplateId, body: PreviewTemplateBody
) -> Envelope[TemplatePreview]:
    """What a version would change in the drafts of the gateways that use the template. Changes nothing."""
    return ok(await service.preview(user, template_id, body))


@router.post("/template/{template_id:int}/preview/row", operation_id="previewTemplateRows")
async def preview_template_rows(
    service: Applying, user: Editor, template_id: TemplateId, body: RowPreviewBody
) -> Envelope[Page[RowPreview]]:
    """Row by row what a version would change in one gateway's draft. Changes nothing."""
    return ok(await service.preview_rows(user, template_id, body))


@router.post("/template/{template_id:int}/apply", operation_id="applyTemplate")
async def apply_template(
    service: Applying, user: Editor, template_id: TemplateId, body: ApplyTemplateBody
) -> Envelope[Job]:
    """Apply a version to drafts, as a job; its summary says what became of each gateway."""
    return ok(await service.apply(user, template_id, body))


@router.get("/device/{device_id:int}/template", operation_id="listDeviceTemplates")
async def list_device_templates(
    service: Using, user: Keeper, device_id: DeviceId
) -> Envelope[Rows[GatewayLink]]:
    """Templates that a gateway's draft uses; slave "" is the gateway template."""
    return ok(Rows(rows=await service.links(user.scope, device_id)))


@router.post("/device/{device_id:int}/template", operation_id="instantiateTemplate")
async def instantiate_template(
    service: Using, user: Keeper, device_id: DeviceId, body: Instantiate
) -> Envelope[Applied]:
    """Put a gateway template into a gateway's draft, with the gateway's own values."""
    return ok(await service.instantiate(user, device_id, body))


@router.post("/device/{device_id:int}/slavedevice/template", operation_id="putPointTemplate")
async def put_point_template(
    service: Using, user: Keeper, device_id: DeviceId, body: UsePointTemplate
) -> Envelope[Applied]:
    """Put a point template into a slave of a gateway's draft."""
    return ok(await service.use_points(user, device_id, body))


@router.post("/device/{device_id:int}/template/detach", operation_id="detachTemplate")
async def detach_template(
    service: Using, user: Keeper, device_id: DeviceId, body: Detach
) -> Envelope[Applied]:
    """End the use of a template, by a slave or by some of its points; the rows become the gateway's own."""
    return ok(await service.detach(user, device_id, body))


@router.post("/device/{device_id:int}/template/attach", operation_id="attachTemplate")
async def attach_template(
    service: Using, user: Keeper, device_id: DeviceId, body: Attach
) -> Envelope[Applied]:
    """Take a detachment back: rows that are there count as made with a template again."""
    return ok(await service.attach(user, device_id, body))


@router.get("/device/{device_id:int}/template/override", operation_id="listTemplateOverrides")
async def list_template_overrides(
    service: Using,
    user: Keeper,
    device_id: DeviceId,
    slave: Annotated[str, Query(max_length=64, pattern=r"^[A-Za-z0-9_-]*$")] = "",
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Envelope[Page[Override]]:
    """What a slave's points have otherwise than its template; slave "" is the gateway template."""
    return ok(await service.overrides(user, device_id, slave, page, limit))
