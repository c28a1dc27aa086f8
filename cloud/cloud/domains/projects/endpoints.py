"""The tree of projects and the gateways in it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from cloud.core.envelope import Envelope, ok
from cloud.core.services import service
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.projects.assignments import AssignmentService
from cloud.domains.projects.schemas import (
    NUMBER,
    AssignBody,
    Assigned,
    MoveBody,
    ProjectBody,
    ProjectChange,
    ProjectNode,
    ProjectTree,
)
from cloud.domains.projects.service import ProjectService

router = APIRouter(tags=["projects"])


Service = Annotated[ProjectService, service(ProjectService)]
Assignments = Annotated[AssignmentService, service(AssignmentService)]
Reader = Annotated[CurrentUser, requires("Monitor.DeviceMonitor")]
Keeper = Annotated[CurrentUser, requires("ProjectManage")]
Assigner = Annotated[CurrentUser, requires("ProjectDeployment")]
ProjectId = Annotated[int, Path(ge=1, le=NUMBER)]


@router.get("/project", operation_id="listProjects")
async def list_projects(user: Reader, service: Service) -> Envelope[ProjectTree]:
    """The whole tree that you see, up to 5,000 nodes, with the gateways in each node and below it."""
    return ok(await service.tree(user))


@router.post("/project", operation_id="addProject")
async def add_project(body: ProjectBody, user: Keeper, service: Service) -> Envelope[ProjectNode]:
    """A new project or group."""
    return ok(await service.add(user, body))


@router.post("/project/assign", operation_id="assignDevices")
async def assign_devices(body: AssignBody, user: Assigner, service: Assignments) -> Envelope[Assigned]:
    """Put up to 1,000 gateways into a project, or out of theirs; former undoes it."""
    return ok(await service.assign(user, body))


@router.put("/project/{project_id:int}", operation_id="changeProject")
async def change_project(
    project_id: ProjectId, body: ProjectChange, user: Keeper, service: Service
) -> Envelope[ProjectNode]:
    """Another title or remark."""
    return ok(await service.change(user, project_id, body))


@router.post("/project/{project_id:int}/move", operation_id="moveProject")
async def move_project(
    project_id: ProjectId, body: MoveBody, user: Keeper, service: Service
) -> Envelope[ProjectNode]:
    """Elsewhere in the tree, with everything below."""
    return ok(await service.move(user, project_id, body))


@router.delete("/project/{project_id:int}", operation_id="deleteProject")
async def delete_project(
    project_id: ProjectId,
    user: Keeper,
    service: Service,
    move_to: Annotated[int | None, Query(ge=0, le=NUMBER)] = None,
) -> Envelope[None]:
    """Refused while it holds something, unless move_to takes it: a project takes gateways, a group takes
    nodes, 0 puts nodes at the top and gateways into no project.
    """
    await service.delete(user, project_id, move_to)
    return ok(None)
