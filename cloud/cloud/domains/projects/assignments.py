"""Which gateways are in which project."""

from __future__ import annotations

import logging

from cloud.core.changes import record_change
from cloud.db import Database
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.project_models import Project
from cloud.domains.projects.repository import ProjectRepository
from cloud.domains.projects.schemas import AssignBody, Assigned, NodeKind, PreviousProject, SkippedDevice
from cloud.errors import NotFound, ParameterError

log = logging.getLogger(__name__)


class AssignmentService:
    """A gateway is in one project at most; who decides on it puts it there."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def assign(self, user: CurrentUser, body: AssignBody) -> Assigned:
        """Put gateways into a project; those that may not go there are skipped, with the reason."""
        async with self._database.session() as session:
            repository = ProjectRepository(session, user.scope)
            project = None if body.project_id is None else await _project(repository, body.project_id)
            wanted = list(dict.fromkeys(body.device_ids))
            found = await repository.gateways(wanted)
            below = None
            if project is not None and project.owner_id is not None:
                below = await repository.below(project.owner_id)
            skipped: list[SkippedDevice] = []
            previous: dict[int | None, list[int]] = {}
            for number in wanted:
                row = found.get(number)
                reason = _reason(row is not None, *(row[1:] if row else (False, False)))
                if row is not None and not reason and below is not None and row[0].owner_id not in below:
                    reason = "other_project"
                if row is None or reason:
                    title = "" if row is None else row[0].display_title
                    skipped.append(SkippedDevice(device_id=number, device_title=title, reason=reason))
                elif row[0].project_id != body.project_id:
                    previous.setdefault(row[0].project_id, []).append(number)
            changed = [number for numbers in previous.values() for number in numbers]
            await repository.put(changed, body.project_id)
            await session.commit()
        log.info("%d gateways put into project %s by %s", len(changed), body.project_id, user.name)
        record_change({}, {"project_id": body.project_id, "device_ids": changed})
        return Assigned(
            changed=len(changed),
            unchanged=len(wanted) - len(changed) - len(skipped),
            skipped=skipped,
            former=[
                PreviousProject(project_id=place, device_ids=numbers) for place, numbers in previous.items()
            ],
        )


async def _project(repository: ProjectRepository, project_id: int) -> Project:
    found = await repository.node(project_id)
    if found is None:
        raise NotFound("project")
    if found.kind != NodeKind.PROJECT:
        raise ParameterError("project_id", "a project, not a group", reason="project.no_project")
    return found


def _reason(seen: bool, writable: bool, owned: bool) -> str:
    """Why a gateway may not be put anywhere; empty when it may."""
    if not seen:
        return "not_found"
    if not writable:
        return "read_only"
    return "" if owned else "not_owner"
