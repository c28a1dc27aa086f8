"""Parameters of gateways and parameter plans."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.jobs.schemas import Job
from cloud.domains.parameters.gateway_parameters import GatewayParameterService, group_schemas
from cloud.domains.parameters.running import ParameterPlanRunner
from cloud.domains.parameters.schemas import (
    GatewayParameters,
    ParameterGateway,
    ParameterGroupSchema,
    ParameterPlanBody,
    ParameterPlanPreview,
    ParameterPlanResult,
    ParameterPlanRow,
    ParameterPlanRun,
    ParametersBody,
    ParametersSaved,
)
from cloud.domains.parameters.service import ParameterPlanService

router = APIRouter(tags=["parameters"])

Editor = Annotated[CurrentUser, requires("DeviceManage")]
Watcher = Annotated[CurrentUser, requires("Monitor.DeviceMonitor")]
Planner = Annotated[CurrentUser, requires("ota.Device")]
Parameters = Annotated[GatewayParameterService, service(GatewayParameterService)]
Plans = Annotated[ParameterPlanService, service(ParameterPlanService)]
Runner = Annotated[ParameterPlanRunner, service(ParameterPlanRunner)]
DeviceId = Annotated[int, Path(ge=1, le=2**31 - 1)]
DeviceIds = Annotated[list[DeviceId], Query(alias="device_id", min_length=1, max_length=100)]
PlanId = Annotated[int, Path(ge=1, le=2**31 - 1)]
Search = Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")]

PLAN = "/ota/parameter-plan/{parameter_plan_id:int}"


@router.get("/ota/parameter-group", operation_id="listParameterGroups")
async def list_parameter_groups(user: Watcher) -> Envelope[list[ParameterGroupSchema]]:
    """JSON schema of every parameter group, with words for a form in both languages."""
    return ok(group_schemas())


@router.get("/ota/parameter-gateway", operation_id="listParameterGateways")
async def list_parameter_gateways(
    service: Parameters, user: Planner, numbers: DeviceIds
) -> Envelope[list[ParameterGateway]]:
    """Draft and last parameter plan of each of these gateways, as far as you see them."""
    return ok(await service.gateways(user, numbers))


@router.get("/device/{device_id:int}/parameters", operation_id="getParameters")
async def get_parameters(
    service: Parameters, user: Watcher, device_id: DeviceId
) -> Envelope[GatewayParameters]:
    """Parameters of the newest configuration of a gateway, deployed or not."""
    return ok(await service.read(user, device_id))


@router.put("/device/{device_id:int}/parameters", operation_id="saveParameters")
async def save_parameters(
    service: Parameters, user: Editor, device_id: DeviceId, body: ParametersBody
) -> Envelope[ParametersSaved]:
    """Put groups of parameters into the draft of a gateway; groups that are left out stay as they are."""
    return ok(await service.save(user, device_id, body))


@router.get("/ota/parameter-plan", operation_id="listParameterPlans")
async def list_parameter_plans(
    service: Plans, user: Planner, page: PageNumber = 1, limit: PageSize = 20, search: Search = ""
) -> Envelope[Page[ParameterPlanRow]]:
    """Plans of you and of everybody below you, by title; secrets are masked."""
    return ok(await service.page(user, page, limit, search.strip()))


@router.post("/ota/parameter-plan", operation_id="createParameterPlan")
async def create_parameter_plan(
    service: Plans, user: Planner, body: ParameterPlanBody
) -> Envelope[ParameterPlanRow]:
    """A new plan. It does nothing before it is run."""
    return ok(await service.create(user, body))


@router.get(PLAN, operation_id="getParameterPlan")
async def get_parameter_plan(
    service: Plans, user: Planner, parameter_plan_id: PlanId
) -> Envelope[ParameterPlanRow]:
    """One plan; secrets are masked."""
    return ok(await service.plan(user, parameter_plan_id))


@router.put(PLAN, operation_id="changeParameterPlan")
async def change_parameter_plan(
    service: Plans, user: Planner, parameter_plan_id: PlanId, body: ParameterPlanBody
) -> Envelope[ParameterPlanRow]:
    """Replace a plan; its version must be above the one before. A masked secret stays what it was."""
    return ok(await service.change(user, parameter_plan_id, body))


@router.delete(PLAN, operation_id="deleteParameterPlan")
async def delete_parameter_plan(service: Plans, user: Planner, parameter_plan_id: PlanId) -> Envelope[None]:
    """Delete a plan with its results; deployments of it go on."""
    await service.delete(user, parameter_plan_id)
    return ok(None)


@router.get(PLAN + "/preview", operation_id="previewParameterPlan")
async def preview_parameter_plan(
    service: Plans, user: Planner, parameter_plan_id: PlanId, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[ParameterPlanPreview]:
    """What a plan would change now, by gateway and field, and which gateways it would leave alone."""
    return ok(await service.preview(user, parameter_plan_id, page, limit))


@router.post(PLAN + "/run", operation_id="runParameterPlan")
async def run_parameter_plan(
    service: Runner, user: Editor, parameter_plan_id: PlanId, body: ParameterPlanRun
) -> Envelope[Job]:
    """Bring a plan to its gateways, the first ones first; the job tells the rest. As deploying, it needs
    DeviceManage.
    """
    return ok(await service.begin(user, parameter_plan_id, body))


@router.get(PLAN + "/gateway", operation_id="listParameterPlanResults")
async def list_parameter_plan_results(
    service: Plans, user: Planner, parameter_plan_id: PlanId, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[Page[ParameterPlanResult]]:
    """What each gateway said of the plan when it was asked last."""
    return ok(await service.results(user, parameter_plan_id, page, limit))
