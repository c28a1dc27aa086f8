"""Plans of firmware, their rollouts, and what gateways run and went through."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import StringConstraints

from cloud.core.envelope import Envelope, Page, Rows, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.firmware.actions import PlanActions
from cloud.domains.firmware.file_endpoints import Search
from cloud.domains.firmware.gateway_filter import GatewayFilter
from cloud.domains.firmware.permission import LogReader, ProjectReader, Upgrader
from cloud.domains.firmware.project_service import FirmwareProjectService
from cloud.domains.firmware.rollout import PlanState
from cloud.domains.firmware.schemas import (
    FirmwareGatewayRow,
    FirmwareProjectRow,
    PlanBody,
    PlanDetail,
    PlanPreview,
    PlanRow,
    UpgradeRow,
)
from cloud.domains.firmware.service import PlanService
from cloud.domains.firmware.states import UpgradeState
from cloud.domains.firmware.upgrade_filter import UpgradeFilter
from cloud.domains.identity.access import CHANGES

router = APIRouter(tags=["firmware"])

Plans = Annotated[PlanService, service(PlanService)]
Projects = Annotated[FirmwareProjectService, service(FirmwareProjectService)]
Actions = Annotated[PlanActions, service(PlanActions)]
PlanId = Annotated[int, Path(ge=1, le=2**31 - 1)]
DeviceId = Annotated[int, Path(ge=1, le=2**31 - 1)]
Serial = Annotated[str, StringConstraints(max_length=40, pattern=r"^[^\x00]*$")]
Millis = Annotated[int, Query(ge=0, le=2**53)]
States = Annotated[list[UpgradeState], Query(alias="upgrade_state", max_length=11)]


@router.get("/firmware/plan", operation_id="listFirmwarePlans")
async def list_plans(
    user: Upgrader,
    service: Plans,
    page: PageNumber = 1,
    limit: PageSize = 20,
    search: Search = "",
    state: PlanState | None = None,
) -> Envelope[Page[PlanRow]]:
    """Plans with the counts of their gateways, newest first."""
    return ok(await service.page(user, page, limit, search.strip(), state.value if state else ""))


@router.post("/firmware/plan", operation_id="createFirmwarePlan")
async def create_plan(body: PlanBody, user: Upgrader, service: Plans) -> Envelope[PlanDetail]:
    """A new plan; it does nothing until it is started."""
    return ok(await service.create(user, body))


@router.get("/firmware/plan/{plan_id:int}", operation_id="getFirmwarePlan")
async def get_plan(plan_id: PlanId, user: Upgrader, service: Plans) -> Envelope[PlanDetail]:
    """A plan with each wave of its rollout."""
    return ok(await service.detail(user, plan_id))


@router.put("/firmware/plan/{plan_id:int}", operation_id="changeFirmwarePlan")
async def change_plan(
    plan_id: PlanId, body: PlanBody, user: Upgrader, service: Plans
) -> Envelope[PlanDetail]:
    """Change a plan that does not run; it has to be approved again where it says so."""
    return ok(await service.change(user, plan_id, body))


@router.delete("/firmware/plan/{plan_id:int}", operation_id="deleteFirmwarePlan")
async def delete_plan(plan_id: PlanId, user: Upgrader, service: Plans) -> Envelope[None]:
    """Delete a plan of which no gateway has an order; the history of gateways stays."""
    await service.delete(user, plan_id)
    return ok(None)


@router.get("/firmware/plan/{plan_id:int}/preview", operation_id="previewFirmwarePlan")
async def preview_plan(plan_id: PlanId, user: Upgrader, service: Plans) -> Envelope[PlanPreview]:
    """What a start would do now: gateways of each wave, and which are left out for what reason."""
    return ok(await service.preview(user, plan_id))


@router.get("/firmware/plan/{plan_id:int}/upgrade", operation_id="listPlanUpgrades")
async def list_plan_upgrades(
    plan_id: PlanId,
    user: Upgrader,
    service: Plans,
    page: PageNumber = 1,
    limit: PageSize = 20,
    states: States = [],  # noqa: B006 - FastAPI copies it
    wave: Annotated[int | None, Query(ge=0, le=10_000)] = None,
    search: Search = "",
    newest: bool = False,
) -> Envelope[Page[UpgradeRow]]:
    """Gateways of a plan and how their upgrades stand, newest first. newest: only the newest attempt of each,
    in the direction that the plan has now; what failed first, then what is under way, then by wave.
    """
    wanted = UpgradeFilter(states=_names(states), wave=wave, search=search.strip())
    return ok(await service.upgrades_of(user, plan_id, page, limit, wanted, newest=newest))


@router.post("/firmware/plan/{plan_id:int}/approve", operation_id="approveFirmwarePlan")
async def approve_plan(
    plan_id: PlanId, user: Upgrader, actions: Actions, service: Plans
) -> Envelope[PlanDetail]:
    """Approve a plan as it is now; not by who changed it last."""
    await actions.approve(user, plan_id)
    return ok(await service.detail(user, plan_id))


@router.post("/firmware/plan/{plan_id:int}/start", operation_id="startFirmwarePlan")
async def start_plan(
    plan_id: PlanId, user: Upgrader, actions: Actions, service: Plans
) -> Envelope[PlanDetail]:
    """Begin a rollout with its first wave; of one that has ended, with gateways that came since."""
    await actions.start(user, plan_id)
    return ok(await service.detail(user, plan_id))


@router.post("/firmware/plan/{plan_id:int}/pause", operation_id="pauseFirmwarePlan")
async def pause_plan(
    plan_id: PlanId, user: Upgrader, actions: Actions, service: Plans
) -> Envelope[PlanDetail]:
    """Order nothing more for now; gateways that have their order go on."""
    await actions.pause(user, plan_id)
    return ok(await service.detail(user, plan_id))


@router.post("/firmware/plan/{plan_id:int}/resume", operation_id="resumeFirmwarePlan")
async def resume_plan(
    plan_id: PlanId, user: Upgrader, actions: Actions, service: Plans
) -> Envelope[PlanDetail]:
    """Go on with a rollout that is paused; its failures until now do not count any more."""
    await actions.resume(user, plan_id)
    return ok(await service.detail(user, plan_id))


@router.post("/firmware/plan/{plan_id:int}/retry", operation_id="retryFirmwarePlan")
async def retry_plan(
    plan_id: PlanId, user: Upgrader, actions: Actions, service: Plans
) -> Envelope[PlanDetail]:
    """Another attempt for the gateways that failed, did not come or were cancelled, and for no others."""
    await actions.retry(user, plan_id)
    return ok(await service.detail(user, plan_id))


@router.post("/firmware/plan/{plan_id:int}/rollback", operation_id="rollBackFirmwarePlan")
async def roll_back_plan(
    plan_id: PlanId, user: Upgrader, actions: Actions, service: Plans
) -> Envelope[PlanDetail]:
    """Bring every gateway that runs the plan's file back to the file that it ran before."""
    await actions.roll_back(user, plan_id)
    return ok(await service.detail(user, plan_id))


@router.post("/firmware/plan/{plan_id:int}/cancel", operation_id="cancelFirmwarePlan")
async def cancel_plan(
    plan_id: PlanId, user: Upgrader, actions: Actions, service: Plans
) -> Envelope[PlanDetail]:
    """End a rollout; an order that a gateway has cannot be taken back."""
    await actions.cancel(user, plan_id)
    return ok(await service.detail(user, plan_id))


@router.get("/firmware/gateway", operation_id="listFirmwareGateways")
async def list_gateways(
    user: Upgrader,
    service: Plans,
    page: PageNumber = 1,
    limit: PageSize = 20,
    search: Search = "",
    takes_firmware: bool | None = None,
    numbers: Annotated[list[DeviceId], Query(alias="device_id", max_length=100)] = [],  # noqa: B006 - FastAPI copies it
    serials: Annotated[list[Serial], Query(alias="gateway_id", max_length=50)] = [],  # noqa: B006 - FastAPI copies it
    project_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> Envelope[Page[FirmwareGatewayRow]]:
    """What each gateway runs, and its newest upgrade; of all gateways, of these by number or serial number,
    or of a project and all below it.
    """
    wanted = GatewayFilter(search.strip(), takes_firmware, numbers, serials, project_id)
    return ok(await service.gateways(user, page, limit, wanted))


@router.get("/firmware/upgrade", operation_id="listFirmwareUpgrades")
async def list_upgrades(
    user: LogReader,
    service: Plans,
    page: PageNumber = 1,
    limit: PageSize = 20,
    device_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    plan_name: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    states: States = [],  # noqa: B006 - FastAPI copies it
    search: Search = "",
    from_ms: Millis = 0,
    to_ms: Millis = 0,
) -> Envelope[Page[UpgradeRow]]:
    """Upgrades of all gateways, or the history of one, newest first. plan_name: the number that plans have as
    their name, also of those that are gone. from_ms, to_ms: when the attempt was planned, to_ms excluded.
    """
    wanted = UpgradeFilter(
        device_id=device_id,
        plan_name=plan_name,
        states=_names(states),
        search=search.strip(),
        from_ms=from_ms,
        to_ms=to_ms,
    )
    return ok(await service.upgrades(user, page, limit, wanted))


@router.get("/firmware/project", operation_id="listFirmwareProjects")
async def list_projects(user: ProjectReader, service: Projects) -> Envelope[Rows[FirmwareProjectRow]]:
    """Projects and groups that you see, up to 5,000, with the releases that their gateways run and the plans
    that are under way in them; each with all below it.
    """
    return ok(await service.rows(user))


@router.get("/device/upgrade/{device_id:int}", operation_id="upgradeDevice", dependencies=[CHANGES])
async def upgrade_device(device_id: DeviceId, user: Upgrader, actions: Actions) -> Envelope[UpgradeRow]:
    """Upgrade one gateway now by the newest enabled plan that is for it, whatever the plan's waves say; 404
    when it has none.
    """
    return ok(await actions.upgrade_now(user, device_id))


def _names(states: list[UpgradeState]) -> tuple[str, ...]:
    return tuple(state.value for state in states)
