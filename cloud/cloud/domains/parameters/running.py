"""A plan carried out as a campaign: each gateway gets its own draft, which is deployed and validated there.

A draft of the plan that does not become what runs goes away again; the plan still has the change.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Sequence
from typing import Any

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, Sleep, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.configuration.models import Deployment
from cloud.domains.deploy.configurations import ConfigurationService
from cloud.domains.deploy.schemas import DeployBody
from cloud.domains.deploy.service import DeployService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.jobs.run import JobFailed, Run
from cloud.domains.jobs.schemas import Job
from cloud.domains.jobs.service import JobService
from cloud.domains.jobs.states import JobQueue
from cloud.domains.parameters.changes import faults, with_changes
from cloud.domains.parameters.models import ParameterPlan, ParameterPlanGateway
from cloud.domains.parameters.planning import ParameterPlanTarget, planned, skip_of
from cloud.domains.parameters.repository import ParameterPlanRepository
from cloud.domains.parameters.schemas import ParameterChange, ParameterPlanRun
from cloud.domains.parameters.service import UNCHANGED, ParameterPlanService, changes_of
from cloud.domains.points.editing import Editing
from cloud.domains.projects.campaign_rows import CampaignRows, CampaignStep, Row
from cloud.domains.projects.campaign_run import CampaignRun, look_at_deployment, with_granted
from cloud.errors import CloudError, Conflict, ParameterError
from edge_contract.deployment import Document

log = logging.getLogger(__name__)

KIND = "parameter_plan"
"""Of the job."""
ONLINE_EXPIRES_S = 60
"""Of a deployment to a gateway that is online, as of a single one."""


class ParameterPlanRunner:
    """jobs: where a plan runs, with the rights that whoever asked has then."""

    def __init__(
        self,
        database: Database,
        plans: ParameterPlanService,
        devices: DeviceService,
        jobs: JobService,
        editing: Editing,
        deploy: DeployService,
        configurations: ConfigurationService,
        *,
        clock: NowMs = now_ms,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._database = database
        self._plans = plans
        self._devices = devices
        self._jobs = jobs
        self._editing = editing
        self._deploy = deploy
        self._configurations = configurations
        self._clock = clock
        self._sleep = sleep
        self._look = look_at_deployment(deploy)
        jobs.register(KIND, self._run, JobQueue.CAMPAIGN, needs="DeviceManage")

    async def begin(self, user: CurrentUser, plan_id: int, body: ParameterPlanRun) -> Job:
        """Begin a plan. Raises NotFound; Conflict when it is disabled, was changed since, or has nothing to
        do; NoPermission without the access password of a gateway.
        """
        plan, targets = await self._plans.plan_targets(user, plan_id)
        _check_version(plan, body.version)
        targets = _chosen(targets, body.device_ids)
        reached = [one for one in targets if not skip_of(one, plan.agent_min, plan.agent_max)]
        if not any(one.online or body.wait for one in reached):
            raise Conflict("there is nothing to do", reason="project.nothing_to_do")
        granted = await self._devices.access_passwords.refuse(user, [one.id for one in reached])
        parameters = {
            "plan_id": plan_id,
            "granted": {str(number): version for number, version in granted.items()},
            **body.model_dump(),
        }
        job = await self._jobs.ask(user, KIND, f"{plan.title} ({plan.version})", parameters)
        record_change({}, body.model_dump(), name=plan.title)
        return job

    async def _run(self, run: Run) -> dict[str, Any]:
        """The job. What was interrupted goes on with the gateways that had not begun."""
        plan, targets = await self._plans.plan_targets(run.user, int(run.parameters["plan_id"]))
        try:
            _check_version(plan, int(run.parameters["version"]))
        except Conflict as conflict:
            raise JobFailed(f"plan_{conflict.reason.partition('.')[2]}", conflict.message) from None
        targets = _chosen(targets, run.parameters.get("device_ids", ()))
        if run.noted:
            rows = CampaignRows.read(run.noted)
        else:
            wait = bool(run.parameters["wait"])
            rows = CampaignRows(list(planned(targets, plan.agent_min, plan.agent_max, wait=wait)))
            await run.note(rows.summary())  # a draft that the run makes is not one that leaves a gateway out
        work = _PlanWork(self, plan, {one.id: one for one in targets}, changes_of(plan))
        campaign = CampaignRun(run, rows, work.begin, work.look, self._clock, self._sleep)
        return await campaign.deploy_all()


class _PlanWork:
    """What one run does to each gateway. drafts: version that was made for it, by gateway."""

    def __init__(
        self,
        runner: ParameterPlanRunner,
        plan: ParameterPlan,
        targets: dict[int, ParameterPlanTarget],
        changes: Sequence[ParameterChange],
    ) -> None:
        self._runner = runner
        self._plan = plan
        self._targets = targets
        self._changes = changes
        self._drafts: dict[int, str] = {}

    async def begin(self, run: Run, row: Row) -> None:
        """Make the draft and deploy it. Raises CloudError, which is the end of the row.

        A run that was interrupted goes on with the deployment or the draft that it has made already.
        """
        user = with_granted(run)
        if (under_way := await self._under_way(row)) is not None:
            row.work, row.state = under_way.id, under_way.state
            return
        if self._has_foreign_draft(user, row):
            row.end(CampaignStep.SKIPPED, code="has_draft")
            return
        try:
            name = await self._draft(user, row)
            if name is None:
                row.end(CampaignStep.DONE, UNCHANGED)
                await self._note(row, "")
                return
            self._drafts[row.device_id] = name
            taken = await self._runner._deploy.request(user, row.device_id, _deploy_body(run, row, name))
        except CloudError as error:
            await self._drop(row)
            await self._note(row, (error.rule or error.reason or error.message)[:60])
            raise
        row.work, row.state = taken.id, taken.state
        await self._note(row, "")

    async def look(self, scope: Scope, row: Row) -> None:
        """What became of it."""
        await self._runner._look(scope, row)
        if row.step is CampaignStep.FAILED:
            if row.device_id not in self._drafts:  # of a run that was interrupted
                self._drafts[row.device_id] = (await self._runner._deploy.status(scope, row.work)).hash
            await self._drop(row)

    async def _draft(self, user: CurrentUser, row: Row) -> str | None:
        """Name of the version to be deployed; None when the gateway has all of it. Raises Conflict when
        somebody has changed the gateway since the run began.
        """
        target = self._targets.get(row.device_id)
        base = target.newest if target is not None else None
        if target is not None and target.draft is not None:
            return target.draft
        name, _ = await self._runner._editing.keep(user, row.device_id, base, self._change, note=self._label)
        return None if name == base else name

    @property
    def _label(self) -> str:
        """Note of the plan's drafts."""
        return f"{self._plan.title} ({self._plan.version})"[:200]

    def _has_foreign_draft(self, user: CurrentUser, row: Row) -> bool:
        """Of somebody who began it while the run was interrupted."""
        target = self._targets.get(row.device_id)
        if target is None or target.draft is None:
            return False
        return (target.draft_author, target.draft_note) != (user.name, self._label)

    async def _under_way(self, row: Row) -> Deployment | None:
        async with self._runner._database.reading() as session:
            repository = ParameterPlanRepository(session, Scope.system())
            return await repository.open_deployment(self._plan.id, row.device_id, self._plan.version)

    def _change(self, document: Document) -> Document:
        """Raises ParameterError for the first fault."""
        made = with_changes(document, self._changes)
        for fault in faults(made, list(dict.fromkeys(change.group for change in self._changes))):
            raise ParameterError(fault.field, fault.rule)
        return made

    async def _drop(self, row: Row) -> None:
        """The draft of this run, unless somebody has gone on with it."""
        name = self._drafts.pop(row.device_id, None)
        if name is not None:
            await self._runner._configurations.drop_draft(row.device_id, only=name)

    async def _note(self, row: Row, code: str) -> None:
        async with self._runner._database.session() as session:
            await ParameterPlanRepository(session, Scope.system()).note(
                ParameterPlanGateway(
                    plan_id=self._plan.id,
                    device_id=row.device_id,
                    version=self._plan.version,
                    deployment_id=row.work,
                    code=code,
                    begun_ms=self._runner._clock(),
                )
            )
            await session.commit()


def _deploy_body(run: Run, row: Row, name: str) -> DeployBody:
    given = {word: run.parameters[word] for word in ("wait", "confirm_s", "healthy_share", "expires_s")}
    if row.online:
        given |= {"wait": False, "expires_s": ONLINE_EXPIRES_S}
    return DeployBody(hash=name, **given)


def _chosen(targets: list[ParameterPlanTarget], numbers: Collection[int]) -> list[ParameterPlanTarget]:
    """Those with these numbers; all of them without numbers."""
    return [one for one in targets if one.id in numbers] if numbers else targets


def _check_version(plan: ParameterPlan, version: int) -> None:
    """Raises Conflict for a plan that is disabled, or another one than was seen."""
    if not plan.enabled:
        raise Conflict("the plan is disabled", reason="parameters.disabled")
    if plan.version != version:
        raise Conflict(
            "the plan was changed by somebody else meanwhile",
            field="version",
            rule=str(plan.version),
            reason="parameters.changed",
            arguments={"version": plan.version},
        )
