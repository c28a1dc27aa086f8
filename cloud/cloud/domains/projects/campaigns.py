"""Campaigns: every gateway of a subtree gets its draft, or starts again; as a job that somebody follows."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from cloud.core.clock import NowMs, Sleep, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.commands.service import CommandService
from cloud.domains.deploy.schemas import DeployBody
from cloud.domains.deploy.service import DeployService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.project_models import Project
from cloud.domains.jobs.run import Run
from cloud.domains.jobs.schemas import Job
from cloud.domains.jobs.service import JobService
from cloud.domains.jobs.states import JobQueue
from cloud.domains.projects.campaign_rows import CampaignRows, CampaignStep, Row, planned
from cloud.domains.projects.campaign_run import Begin, CampaignRun, Look, look_at_deployment, with_granted
from cloud.domains.projects.repository import Member, ProjectRepository
from cloud.domains.projects.schemas import CampaignCounts, CampaignPreview, DeployCampaign, RebootCampaign
from cloud.errors import Conflict, NotFound
from edge_contract.payloads import CommandAction, CommandState

DEPLOY, REBOOT = "project_deploy", "project_reboot"
"""Kinds of jobs."""

MAX_GATEWAYS = 2000

RESTART_S = 300
"""As of a single restart."""


class CampaignService:
    """jobs: where campaigns run, with the rights that whoever asked has then."""

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        jobs: JobService,
        deploy: DeployService,
        commands: CommandService,
        *,
        clock: NowMs = now_ms,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._database = database
        self._devices = devices
        self._jobs = jobs
        self._deploy = deploy
        self._commands = commands
        self._clock = clock
        self._sleep = sleep
        jobs.register(DEPLOY, self._deploy_all, JobQueue.CAMPAIGN, needs="DeviceManage")
        jobs.register(REBOOT, self._reboot_all, JobQueue.CAMPAIGN, needs="DeviceManage")

    async def preview(self, user: CurrentUser, project_id: int) -> CampaignPreview:
        """What a campaign would find now."""
        node, members = await self._members(user, project_id)
        with_draft = [member for member in members if member.draft is not None]
        return CampaignPreview(
            project_id=node.id,
            title=node.title,
            deploy=_counts(members, with_draft),
            reboot=_counts(members, members),
        )

    async def deploy(self, user: CurrentUser, project_id: int, body: DeployCampaign) -> Job:
        """Deploy the draft of every gateway in a node and below; Conflict when there is nothing to do."""
        node, members = await self._members(user, project_id)
        members = [member for member in members if member.draft is not None]
        _check_work(body.wait, members)
        granted = await self._granted(user, members)
        parameters = {"project_id": node.id, "granted": granted, **body.model_dump()}
        return await self._jobs.ask(user, DEPLOY, node.title, parameters)

    async def reboot(self, user: CurrentUser, project_id: int, body: RebootCampaign, address: str) -> Job:
        """Start every gateway in a node and below again; Conflict when there is nothing to do."""
        node, members = await self._members(user, project_id)
        _check_work(body.wait, members)
        granted = await self._granted(user, members)
        parameters = {
            "project_id": node.id,
            "address": address[:64],
            "granted": granted,
            **body.model_dump(),
        }
        return await self._jobs.ask(user, REBOOT, node.title, parameters)

    async def _granted(self, user: CurrentUser, members: Sequence[Member]) -> dict[str, int]:
        """Which access passwords the user gave, for the time of the campaign; NoPermission names a gateway
        whose password he did not give.
        """
        numbers = [member.id for member in members if member.writable]
        granted = await self._devices.access_passwords.refuse(user, numbers)
        return {str(number): version for number, version in granted.items()}

    async def _members(self, user: CurrentUser, project_id: int) -> tuple[Project, list[Member]]:
        async with self._database.reading() as session:
            repository = ProjectRepository(session, user.scope)
            node = await repository.node(project_id)
            if node is None:
                raise NotFound("project")
            members = await repository.members(node.path, MAX_GATEWAYS + 1)
        if len(members) > MAX_GATEWAYS:
            raise Conflict(
                f"at most {MAX_GATEWAYS} gateways at once",
                reason="project.too_many_devices",
                arguments={"most": MAX_GATEWAYS},
            )
        return node, members

    async def _rows(self, run: Run, *, needs_draft: bool) -> CampaignRows:
        """What an interrupted run had noted, else the gateways as they are now."""
        if run.noted:
            return CampaignRows.read(run.noted)
        _, members = await self._members(run.user, int(run.parameters["project_id"]))
        return CampaignRows(
            list(planned(members, needs_draft=needs_draft, wait=bool(run.parameters["wait"])))
        )

    def _campaign(self, run: Run, rows: CampaignRows, begin: Begin, look: Look) -> CampaignRun:
        return CampaignRun(run, rows, begin, look, self._clock, self._sleep)

    async def _deploy_all(self, run: Run) -> dict[str, Any]:
        rows = await self._rows(run, needs_draft=True)
        campaign = self._campaign(run, rows, self._begin_deployment, look_at_deployment(self._deploy))
        return await campaign.deploy_all()

    async def _reboot_all(self, run: Run) -> dict[str, Any]:
        rows = await self._rows(run, needs_draft=False)
        campaign = self._campaign(run, rows, self._begin_restart, self._look_at_restart)
        share = float(run.parameters["error_share"])
        await campaign.work(rows.rows, int(run.parameters["at_once"]), lambda: rows.too_many_failed(share))
        return await campaign.end()

    async def _begin_deployment(self, run: Run, row: Row) -> None:
        names = ("wait", "confirm_s", "healthy_share", "expires_s")
        given = {name: run.parameters[name] for name in names}
        if row.online:
            given |= {"wait": False, "expires_s": 60}
        taken = await self._deploy.request(with_granted(run), row.device_id, DeployBody(**given))
        row.work, row.state = taken.id, taken.state

    async def _begin_restart(self, run: Run, row: Row) -> None:
        expires_s = RESTART_S if row.online else int(run.parameters["expires_s"])
        taken = await self._commands.act(
            with_granted(run),
            row.device_id,
            CommandAction.REBOOT,
            str(run.parameters["address"]),
            expires_s=expires_s,
            wait=not row.online,
        )
        row.work, row.state = taken.id, taken.status

    async def _look_at_restart(self, scope: Scope, row: Row) -> None:
        status = await self._commands.status(scope, row.work)
        row.state, row.code = status.status, status.code
        if CommandState(status.status) not in (CommandState.CREATE, CommandState.SEND):
            good = status.status == CommandState.RESP
            row.end(CampaignStep.DONE if good else CampaignStep.FAILED, status.status, status.code)


def _counts(members: list[Member], to_do: list[Member]) -> CampaignCounts:
    mine = [member for member in to_do if member.writable]
    return CampaignCounts(
        to_do=sum(member.online for member in mine),
        offline=sum(not member.online for member in mine),
        unchanged=sum(member.writable for member in members) - len(mine),
        read_only=sum(not member.writable for member in members),
    )


def _check_work(wait: bool, members: list[Member]) -> None:
    if not any(member.writable and (member.online or wait) for member in members):
        raise Conflict("there is nothing to do", reason="project.nothing_to_do")
