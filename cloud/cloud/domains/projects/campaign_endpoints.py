"""Every gateway of a project at once, by the specification's GETs; each makes a job."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from cloud.core.envelope import Envelope, ok
from cloud.core.services import service
from cloud.domains.commands.endpoints import Address
from cloud.domains.identity.access import CHANGES, requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.jobs.schemas import Job
from cloud.domains.projects.campaigns import CampaignService
from cloud.domains.projects.endpoints import ProjectId
from cloud.domains.projects.schemas import CampaignPreview, DeployCampaign, RebootCampaign

router = APIRouter(tags=["projects"])


Service = Annotated[CampaignService, service(CampaignService)]
Keeper = Annotated[CurrentUser, requires("DeviceManage")]
Share = Annotated[float, Query(ge=0, le=1)]
Expiry = Annotated[int, Query(ge=60, le=7 * 86_400)]


@router.get("/project/{project_id:int}/campaign", operation_id="previewCampaign")
async def preview_campaign(
    project_id: ProjectId, user: Keeper, service: Service
) -> Envelope[CampaignPreview]:
    """How many gateways a deployment or a restart of a project would reach now."""
    return ok(await service.preview(user, project_id))


@router.get("/device/projdeploy/{project_id:int}", operation_id="deployProject", dependencies=[CHANGES])
async def deploy_project(
    project_id: ProjectId,
    user: Keeper,
    service: Service,
    canary: Annotated[int, Query(ge=0, le=100)] = 1,
    error_share: Share = 0.2,
    wait: bool = False,
    expires_s: Expiry = 86_400,
    confirm_s: Annotated[int, Query(ge=30, le=900)] = 300,
    healthy_share: Share = 0.9,
) -> Envelope[Job]:
    """Deploy the draft of every gateway in a project, or in a group and below; the job tells the rest.

    canary: so many must confirm first. error_share: more failures stop it. wait: also gateways that are
    offline now, when they come within expires_s.
    """
    body = DeployCampaign(
        canary=canary, error_share=error_share, wait=wait, expires_s=expires_s, confirm_s=confirm_s,
        healthy_share=healthy_share,
    )  # fmt: skip
    return ok(await service.deploy(user, project_id, body))


@router.get("/device/projreboot/{project_id:int}", operation_id="rebootProject", dependencies=[CHANGES])
async def reboot_project(
    project_id: ProjectId,
    user: Keeper,
    address: Address,
    service: Service,
    at_once: Annotated[int, Query(ge=1, le=100)] = 20,
    error_share: Share = 0.2,
    wait: bool = False,
    expires_s: Expiry = 86_400,
) -> Envelope[Job]:
    """Start every gateway of a project, or of a group and below, again; the job tells the rest.

    at_once: so many are away at the same time. error_share: more failures stop it.
    """
    body = RebootCampaign(at_once=at_once, error_share=error_share, wait=wait, expires_s=expires_s)
    return ok(await service.reboot(user, project_id, body, address))
