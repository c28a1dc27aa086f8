"""Configurations of gateways and their deployment."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.large_json import LargeJsonRoute
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.commands.endpoints import Address
from cloud.domains.commands.endpoints import Service as Commands
from cloud.domains.commands.schemas import CommandRef
from cloud.domains.deploy.configurations import ConfigurationService
from cloud.domains.deploy.schemas import (
    CONFIRM_S,
    EXPIRES_S,
    HEALTHY_SHARE,
    LONGEST_EXPIRY_S,
    CheckBody,
    ConfigurationDifference,
    ConfigurationState,
    DeployBody,
    DeploymentDetail,
    DeploymentRef,
    DeploymentStatus,
    DeploymentTask,
    DraftBody,
    Version,
    VersionDocument,
)
from cloud.domains.deploy.service import DeployService
from cloud.domains.identity.access import CHANGES, requires
from cloud.domains.identity.schemas import CurrentUser
from edge_contract.payloads import CommandAction

router = APIRouter(tags=["deploy"], route_class=LargeJsonRoute)


Deployments = Annotated[DeployService, service(DeployService)]
Configurations = Annotated[ConfigurationService, service(ConfigurationService)]
Watcher = Annotated[CurrentUser, requires("Monitor.DeviceMonitor")]
Deployer = Annotated[CurrentUser, requires("DeviceManage")]
DeviceId = Annotated[int, Path(ge=1, le=2**31 - 1)]
HashPath = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$")]


@router.get("/device/deploy/{device_id:int}", operation_id="deployDraft", dependencies=[CHANGES])
async def deploy_draft(
    service: Deployments,
    user: Deployer,
    device_id: DeviceId,
    force: bool = False,
    wait: bool = False,
    changes_link: bool = False,
    expires_s: Annotated[int, Query(ge=10, le=LONGEST_EXPIRY_S)] = EXPIRES_S,
    confirm_s: Annotated[int, Query(ge=30, le=900)] = CONFIRM_S,
    healthy_share: Annotated[float, Query(ge=0, le=1)] = HEALTHY_SHARE,
) -> Envelope[DeploymentRef]:
    """Deploy the gateway's draft; steps come from the deployment and over the WebSocket."""
    body = DeployBody(
        force=force,
        wait=wait,
        changes_link=changes_link,
        expires_s=expires_s,
        confirm_s=confirm_s,
        healthy_share=healthy_share,
    )
    return ok(await service.request(user, device_id, body))


@router.post("/device/{device_id:int}/deploy", operation_id="deploy")
async def deploy(
    service: Deployments, user: Deployer, device_id: DeviceId, body: DeployBody
) -> Envelope[DeploymentRef]:
    """Deploy a version, an older one too: that is the way back."""
    return ok(await service.request(user, device_id, body))


@router.get("/device/{device_id:int}/deployments", operation_id="listDeployments")
async def list_deployments(
    service: Deployments, user: Watcher, device_id: DeviceId, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[Page[DeploymentStatus]]:
    """Deployments of a gateway, newest first."""
    return ok(await service.page(user.scope, device_id, page, limit))


@router.get("/device/deployments", operation_id="listAllDeployments")
async def list_all_deployments(
    service: Deployments,
    user: Deployer,
    page: PageNumber = 1,
    limit: PageSize = 20,
    search: Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")] = "",
    open: bool | None = None,
) -> Envelope[Page[DeploymentTask]]:
    """Deployments of all gateways, newest first. open: under way, or ended. search: gateway or user."""
    return ok(await service.tasks(user.scope, page, limit, search.strip(), open))


@router.get("/device/deployment/{deployment_id}", operation_id="getDeployment")
async def get_deployment(
    service: Deployments,
    user: Watcher,
    deployment_id: Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{8,40}$")],
) -> Envelope[DeploymentDetail]:
    """One deployment with its steps, faults and change."""
    return ok(await service.detail(user.scope, deployment_id))


@router.post("/device/deployment/{deployment_id}/revert", operation_id="revertDeployment")
async def revert_deployment(
    service: Deployments,
    commands: Commands,
    user: Deployer,
    address: Address,
    deployment_id: Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{8,40}$")],
) -> Envelope[CommandRef]:
    """End its trial: the gateway reverts now; 409 when it is not on trial."""
    device_id = await service.on_trial(user, deployment_id)
    arguments = {"deployment": deployment_id}
    return ok(await commands.act(user, device_id, CommandAction.REVERT, address, arguments=arguments))


@router.post("/device/deployment/{deployment_id}/cancel", operation_id="cancelDeployment")
async def cancel_deployment(
    service: Deployments,
    user: Deployer,
    deployment_id: Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{8,40}$")],
) -> Envelope[DeploymentStatus]:
    """Take it back while it waits or is unanswered; 409 when the gateway has switched to it or it has ended.
    A gateway that has it may carry it out all the same, which its receipts then say.
    """
    return ok(await service.cancel(user, deployment_id))


@router.get("/device/{device_id:int}/configuration", operation_id="getConfiguration")
async def get_configuration(
    service: Configurations, user: Watcher, device_id: DeviceId, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[ConfigurationState]:
    """What runs, the draft, an edit made on the gateway, and the versions, newest first."""
    return ok(await service.state(user.scope, device_id, page, limit))


@router.put("/device/{device_id:int}/configuration", operation_id="saveDraft")
async def save_draft(
    service: Configurations, user: Deployer, device_id: DeviceId, body: DraftBody
) -> Envelope[Version]:
    """Keep a new draft, made from base; refused when base is not the newest version any more."""
    return ok(await service.save(user, device_id, body))


@router.delete("/device/{device_id:int}/configuration/draft", operation_id="discardDraft")
async def discard_draft(service: Configurations, user: Deployer, device_id: DeviceId) -> Envelope[None]:
    """Drop the draft; its version stays in the history."""
    await service.discard(user, device_id)
    return ok(None)


@router.get("/device/{device_id:int}/configuration/diff", operation_id="compareConfigurations")
async def compare_configurations(
    service: Configurations,
    user: Watcher,
    device_id: DeviceId,
    before: Annotated[str | None, Query(alias="from", pattern=r"^[0-9a-f]{64}$")] = None,
    after: Annotated[str | None, Query(alias="to", pattern=r"^[0-9a-f]{64}$")] = None,
    limit: Annotated[int, Query(ge=0, le=5000)] = 500,
) -> Envelope[ConfigurationDifference]:
    """By point, slave and port, with how far it reaches; from what runs to the draft when not named."""
    return ok(await service.compare(user.scope, device_id, before, after, limit))


@router.post("/device/{device_id:int}/configuration/check", operation_id="checkConfiguration")
async def check_configuration(
    service: Deployments, user: Deployer, device_id: DeviceId, body: CheckBody
) -> Envelope[DeploymentDetail]:
    """The gateway validates a version: faults, or what it changes and the bus load; nothing is switched."""
    return ok(await service.check(user, device_id, body.hash))


@router.get("/device/{device_id:int}/configuration/{hash}", operation_id="getConfigurationVersion")
async def get_configuration_version(
    service: Configurations, user: Watcher, device_id: DeviceId, hash: HashPath
) -> Envelope[VersionDocument]:
    """A version with its document; secrets are masked for who may not manage devices."""
    return ok(await service.document(user, device_id, hash))
