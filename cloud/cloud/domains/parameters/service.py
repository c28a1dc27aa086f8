"""Parameter plans: list, making, changing, deleting, and what they would do."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.db import Database
from cloud.domains.configuration.document import read
from cloud.domains.configuration.models import DeploymentReceipt
from cloud.domains.deploy.schemas import ParameterCondition
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.parameters.changes import change_faults, difference, faults, with_changes
from cloud.domains.parameters.models import ParameterPlan
from cloud.domains.parameters.planning import ParameterPlanTarget, numbers_of, skip_of
from cloud.domains.parameters.repository import ParameterPlanOutcome, ParameterPlanRepository
from cloud.domains.parameters.schemas import (
    ParameterChange,
    ParameterPlanBody,
    ParameterPlanPreview,
    ParameterPlanResult,
    ParameterPlanRow,
    PlanGateway,
)
from cloud.errors import Conflict, NotFound, ParameterError
from edge_contract.document.masking import masked, unmasked

log = logging.getLogger(__name__)

MAX_PLANS = 500
"""Of one owner."""
MAX_GATEWAYS = 2000
"""Of one plan, as of a campaign."""
UNCHANGED, REFUSED = "unchanged", "refused"


def owner_of(user: CurrentUser) -> int | None:
    """Whose what a user makes is: staff of the platform makes it for the platform."""
    return None if user.scope.everything else user.id


class ParameterPlanService:
    """A plan belongs to who made it; whoever is above him sees and changes it too."""

    def __init__(self, database: Database, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._clock = clock

    async def page(self, user: CurrentUser, page: int, limit: int, search: str) -> Page[ParameterPlanRow]:
        """Plans by title."""
        async with self._database.reading() as session:
            listed, total = await ParameterPlanRepository(session, user.scope).page(page, limit, search)
        return Page(rows=[plan_row(plan, name) for plan, name in listed], total=total)

    async def plan(self, user: CurrentUser, plan_id: int) -> ParameterPlanRow:
        """A plan as it is listed. Raises NotFound."""
        async with self._database.reading() as session:
            repository = ParameterPlanRepository(session, user.scope)
            plan = await existing_plan(repository, plan_id)
            return plan_row(plan, await repository.owner_name(plan.owner_id))

    async def create(self, user: CurrentUser, body: ParameterPlanBody) -> ParameterPlanRow:
        """Make a plan. Raises Conflict when the owner has MAX_PLANS, and as change."""
        now = self._clock()
        async with self._database.session() as session:
            repository = ParameterPlanRepository(session, user.scope)
            if await repository.count_of(owner_of(user)) >= MAX_PLANS:
                raise Conflict(
                    f"at most {MAX_PLANS} parameter plans",
                    field="title",
                    rule="too many",
                    reason="parameters.too_many",
                    arguments={"most": MAX_PLANS},
                )
            await _check(repository, body)
            plan = ParameterPlan(
                owner_id=owner_of(user),
                author=user.name,
                created_ms=now,
                changed_ms=now,
                **body.model_dump(),
            )
            await repository.add(plan)
            row = plan_row(plan, await repository.owner_name(plan.owner_id))
            await session.commit()
        record_change({}, masked(body.model_dump()))
        log.info("parameter plan %d made by %s", row.id, user.name)
        return row

    async def change(self, user: CurrentUser, plan_id: int, body: ParameterPlanBody) -> ParameterPlanRow:
        """Replace a plan; its version rises. A masked secret stays what it was. Raises NotFound; Conflict for
        a version that is not above the one before, ParameterError for what is wrong with the changes.
        """
        async with self._database.session() as session:
            repository = ParameterPlanRepository(session, user.scope)
            plan = await existing_plan(repository, plan_id, locked=True)
            if body.version <= plan.version:
                raise Conflict(
                    f"the version must be above {plan.version}",
                    field="version",
                    rule=f"above {plan.version}",
                    reason="parameters.version",
                    arguments={"version": plan.version},
                )
            before = masked(_body(plan).model_dump())
            body = body.model_copy(update={"changes": _with_secrets(body.changes, changes_of(plan))})
            await _check(repository, body)
            for name, value in body.model_dump().items():
                setattr(plan, name, value)
            plan.author, plan.changed_ms = user.name, self._clock()
            row = plan_row(plan, await repository.owner_name(plan.owner_id))
            await session.commit()
        record_change(before, masked(body.model_dump()), name=row.title)
        log.info("parameter plan %d changed by %s: version %d", plan_id, user.name, row.version)
        return row

    async def delete(self, user: CurrentUser, plan_id: int) -> None:
        """Delete a plan with its results; what runs of it goes on. Raises NotFound."""
        async with self._database.session() as session:
            repository = ParameterPlanRepository(session, user.scope)
            plan = await existing_plan(repository, plan_id)
            before = masked(_body(plan).model_dump())
            await repository.delete(plan)
            await session.commit()
        record_change(before, {})
        log.info("parameter plan %d deleted by %s", plan_id, user.name)

    async def preview(self, user: CurrentUser, plan_id: int, page: int, limit: int) -> ParameterPlanPreview:
        """What the plan would do now: a page of its gateways with the fields that become others, and counts
        of all. Raises NotFound, and Conflict for more than MAX_GATEWAYS gateways.
        """
        plan, targets = await self.plan_targets(user, plan_id)
        skips = {one.id: skip_of(one, plan.agent_min, plan.agent_max) for one in targets}
        reasons = [skips[one.id] or ("" if one.online else "offline") for one in targets]
        on_page = targets[(page - 1) * limit : page * limit]
        names = [(one.id, one.newest) for one in on_page if not skips[one.id] and one.newest]
        async with self._database.reading() as session:
            texts = await ParameterPlanRepository(session, user.scope).documents(names)
        changes = changes_of(plan)
        rows = [
            await asyncio.to_thread(_gateway, one, skips[one.id], texts.get(one.id), changes)
            for one in on_page
        ]
        return ParameterPlanPreview(rows=rows, total=len(targets), counts=dict(Counter(reasons)))

    async def results(
        self, user: CurrentUser, plan_id: int, page: int, limit: int
    ) -> Page[ParameterPlanResult]:
        """What every gateway said of the plan that it was asked last. Raises NotFound."""
        async with self._database.reading() as session:
            repository = ParameterPlanRepository(session, user.scope)
            await existing_plan(repository, plan_id)
            outcomes, total = await repository.outcomes(plan_id, page, limit)
            receipts = await repository.receipts([one.last.deployment_id for one in outcomes])
        rows = [_result(one, receipts.get(one.last.deployment_id, ())) for one in outcomes]
        return Page(rows=rows, total=total)

    async def plan_targets(
        self, user: CurrentUser, plan_id: int
    ) -> tuple[ParameterPlan, list[ParameterPlanTarget]]:
        """A plan and the gateways that it names, by number. Raises NotFound, and Conflict for too many."""
        async with self._database.reading() as session:
            repository = ParameterPlanRepository(session, user.scope)
            plan = await existing_plan(repository, plan_id)
            targets = await repository.targets(plan.project_ids, plan.device_ids, MAX_GATEWAYS + 1)
        if len(targets) > MAX_GATEWAYS:
            raise Conflict(
                f"at most {MAX_GATEWAYS} gateways at once",
                reason="project.too_many_devices",
                arguments={"most": MAX_GATEWAYS},
            )
        return plan, targets


async def existing_plan(
    repository: ParameterPlanRepository, plan_id: int, *, locked: bool = False
) -> ParameterPlan:
    """Raises NotFound."""
    plan = await repository.plan(plan_id, locked=locked)
    if plan is None:
        raise NotFound("parameter plan")
    return plan


def changes_of(plan: ParameterPlan) -> list[ParameterChange]:
    """As the plan has them, with their secrets."""
    return [ParameterChange(**change) for change in plan.changes]


def plan_row(plan: ParameterPlan, owner_name: str) -> ParameterPlanRow:
    """A plan as it is listed: without secrets."""
    return ParameterPlanRow(
        **masked(_body(plan).model_dump()),
        id=plan.id,
        owner_id=plan.owner_id,
        owner_name=owner_name,
        author=plan.author,
        created_ms=plan.created_ms,
        changed_ms=plan.changed_ms,
    )


def _body(plan: ParameterPlan) -> ParameterPlanBody:
    return ParameterPlanBody.model_validate(
        {name: getattr(plan, name) for name in ParameterPlanBody.model_fields}
    )


async def _check(repository: ParameterPlanRepository, body: ParameterPlanBody) -> None:
    """Raises ParameterError that names the first fault, NotFound for what the user does not see."""
    if not (body.project_ids or body.device_ids):
        raise ParameterError("project_ids", "must name a project, or device_ids a gateway")
    lowest, highest = numbers_of(body.agent_min), numbers_of(body.agent_max)
    if lowest and highest and lowest > highest:
        raise ParameterError("agent_min", "must not be above agent_max")
    for field, rule in change_faults(body.changes, body.version):
        raise ParameterError(field, rule)
    if body.project_ids and await repository.missing_projects(body.project_ids):
        raise NotFound("project")
    if body.device_ids and await repository.missing_devices(body.device_ids):
        raise NotFound("device")


def _with_secrets(
    changes: Sequence[ParameterChange], before: Sequence[ParameterChange]
) -> list[ParameterChange]:
    """Secrets of the change of the same row before in place of masks."""
    held = {(change.group, change.row): change.values for change in before}
    return [
        change.model_copy(
            update={"values": unmasked(change.values, held.get((change.group, change.row), {}))}
        )
        for change in changes
    ]


def _gateway(
    target: ParameterPlanTarget, skip: str, text: str | None, changes: Sequence[ParameterChange]
) -> PlanGateway:
    row = PlanGateway(
        device_id=target.id,
        device_title=target.title,
        gateway_id=target.gateway_id,
        agent_version=target.agent_version,
        online=target.online,
        skip=skip or ("" if target.online else "offline"),
        changes=[],
        faults=[],
    )
    if text is None:
        return row
    before, groups = read(text), [change.group for change in changes]
    after = with_changes(before, changes)
    row.changes = difference(before, after, groups)
    row.faults = faults(after, list(dict.fromkeys(groups)))
    return row


def _result(outcome: ParameterPlanOutcome, receipts: Sequence[DeploymentReceipt]) -> ParameterPlanResult:
    last, deployment = outcome.last, outcome.deployment
    conditions: list[dict[str, str]] = next(
        (one.parameters for one in reversed(receipts) if one.parameters), []
    )
    return ParameterPlanResult(
        device_id=last.device_id,
        device_title=outcome.device_title,
        gateway_id=outcome.gateway_id,
        version=last.version,
        deployment_id=last.deployment_id,
        state=deployment.state if deployment else (REFUSED if last.code else UNCHANGED),
        code=(deployment.code if deployment else "") or last.code,
        detail=deployment.detail if deployment else "",
        begun_ms=last.begun_ms,
        finished_ms=deployment.finished_ms if deployment else last.begun_ms,
        conditions=[ParameterCondition(**one) for one in conditions],
    )
