"""Campaigns: every gateway of a subtree gets its draft, or starts again; as a job that somebody follows."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from cloud.core.clock import NowMs, Sleep, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.commands.service import CommandService
from cloud.domains.configuration.states import FINAL, GIVEN_UP
from cloud.domains.configuration.states import DeploymentState as Deployed
from cloud.domains.deploy.schemas import DeployBody
from cloud.domains.deploy.service import DeployService
from cloud.domains.devices.access_passwords import WRONG
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.project_models import Project
from cloud.domains.jobs.run import JobFailed, Run
from cloud.domains.jobs.schemas import Job
from cloud.domains.jobs.service import JobService
from cloud.domains.jobs.states import JobQueue
from cloud.domains.projects.campaign_rows import CampaignRows, CampaignStep, Row, planned
from cloud.domains.projects.repository import Member, ProjectRepository
from cloud.domains.projects.schemas import CampaignCounts, CampaignPreview, DeployCampaign, RebootCampaign
from cloud.errors import CloudError, Conflict, NotFound, Unavailable
from edge_contract.payloads import CommandAction, CommandState

log = logging.getLogger(__name__)

DEPLOY, REBOOT = "project_deploy", "project_reboot"
"""Kinds of jobs."""

MAX_GATEWAYS = 2000
AT_ONCE = 20
"""Gateways that are at work at the same time."""

LOOK_S = 1.0
"""How often is looked what became of them."""

NOTE_MS = 2000
"""Between two notes of all rows."""

RESTART_S = 300
"""As of a single restart."""

Begin = Callable[[Run, Row], Awaitable[None]]
Look = Callable[[Scope, Row], Awaitable[None]]


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

    async def _deploy_all(self, run: Run) -> dict[str, Any]:
        rows = await self._rows(run, needs_draft=True)
        first = [row for row in rows.rows if row.step is not CampaignStep.SKIPPED][
            : int(run.parameters["canary"])
        ]
        campaign = _Campaign(self, run, rows, self._begin_deployment, self._look_at_deployment)
        if any(not row.online for row in first):
            rows.stop("no_canary")
        else:
            await campaign.work(first, AT_ONCE)
            if not all(row.step is CampaignStep.DONE for row in first):
                rows.stop("canary")
        share = float(run.parameters["error_share"])
        await campaign.work(rows.rows, AT_ONCE, lambda: rows.too_many_failed(share))
        return await campaign.end()

    async def _reboot_all(self, run: Run) -> dict[str, Any]:
        rows = await self._rows(run, needs_draft=False)
        campaign = _Campaign(self, run, rows, self._begin_restart, self._look_at_restart)
        share = float(run.parameters["error_share"])
        await campaign.work(rows.rows, int(run.parameters["at_once"]), lambda: rows.too_many_failed(share))
        return await campaign.end()

    async def _begin_deployment(self, run: Run, row: Row) -> None:
        names = ("wait", "confirm_s", "healthy_share", "expires_s")
        given = {name: run.parameters[name] for name in names}
        if row.online:
            given |= {"wait": False, "expires_s": 60}
        taken = await self._deploy.request(_with_granted(run), row.device_id, DeployBody(**given))
        row.work, row.state = taken.id, taken.state

    async def _look_at_deployment(self, scope: Scope, row: Row) -> None:
        status = await self._deploy.status(scope, row.work)
        state = Deployed(status.state)
        row.state, row.code = status.state, status.code
        if state in FINAL | GIVEN_UP:
            good = state in (Deployed.CONFIRMED, Deployed.UNCHANGED)
            row.end(CampaignStep.DONE if good else CampaignStep.FAILED, status.state, status.code)

    async def _begin_restart(self, run: Run, row: Row) -> None:
        expires_s = RESTART_S if row.online else int(run.parameters["expires_s"])
        taken = await self._commands.act(
            _with_granted(run),
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


def _with_granted(run: Run) -> CurrentUser:
    """Whoever asked, with the access passwords that he gave then."""
    granted = run.parameters.get("granted", {})
    return replace(run.user, granted={int(number): version for number, version in granted.items()})


class _Campaign:
    """One run: begins a few at a time, looks what became of them, says how far it is."""

    def __init__(
        self, service: CampaignService, run: Run, rows: CampaignRows, begin: Begin, look: Look
    ) -> None:
        self._service = service
        self._run = run
        self._rows = rows
        self._begin = begin
        self._look = look
        self._noted_ms: int | None = None

    async def work(self, rows: list[Row], at_once: int, too_bad: Callable[[], bool] = lambda: False) -> None:
        """Until each of these has ended; too_bad: is it time to begin nothing more?"""
        while any(row.step in (CampaignStep.WAITING, CampaignStep.BEGUN) for row in rows):
            for row in rows:
                if row.step is CampaignStep.BEGUN:
                    await self._guarded(row, self._look(self._run.user.scope, row))
            if not self._rows.stopped and too_bad():
                self._rows.stop("error_share")
            free = at_once - sum(row.step is CampaignStep.BEGUN for row in rows)
            next_ones = [row for row in rows if row.step is CampaignStep.WAITING][: max(0, free)]
            if next_ones and not await self._allowed():
                next_ones = []
            for row in next_ones:
                row.step = CampaignStep.BEGUN if row.online else CampaignStep.WAITING_FOR_GATEWAY
                await self._guarded(row, self._begin(self._run, row))
            await self._say(begun=bool(next_ones))
            if any(row.step is CampaignStep.BEGUN for row in rows):
                await self._service._sleep(LOOK_S)

    async def _allowed(self) -> bool:
        """May whoever asked still do this? A campaign takes hours; without him it begins nothing more."""
        try:
            await self._run.still()
        except JobFailed as error:
            self._rows.stop(error.code)
            return False
        return True

    async def end(self) -> dict[str, Any]:
        """The summary; JobFailed when it was stopped."""
        summary = self._rows.summary()
        if self._rows.stopped:
            await self._run.note(summary)
            raise JobFailed(self._rows.stopped, "gateways were left out")
        return summary

    async def _guarded(self, row: Row, work: Awaitable[None]) -> None:
        """One gateway's refusal is its own row's end; the cloud's own trouble is looked at again."""
        try:
            await work
        except Unavailable:
            log.warning("gateway %d of a campaign could not be asked now", row.device_id)
            if not row.work:
                row.end(CampaignStep.FAILED, code="unavailable")
        except CloudError as error:
            code = WRONG if error.rule == WRONG else error.reason or error.rule or error.message
            row.end(CampaignStep.FAILED, row.state, code)

    async def _say(self, *, begun: bool) -> None:
        """What has begun is noted at once: after an interruption it must not begin again."""
        now = self._service._clock()
        if begun or self._noted_ms is None or not 0 <= now - self._noted_ms < NOTE_MS:
            self._noted_ms = now
            await self._run.note(self._rows.summary())
        await self._run.progress(self._rows.ended, len(self._rows.rows))


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
