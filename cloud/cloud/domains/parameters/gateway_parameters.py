"""Parameters of one gateway: read from its newest configuration, changed in its draft."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from cloud.db import Database
from cloud.domains.configuration.document import read
from cloud.domains.deploy.service import DeployService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.parameters.changes import difference, group_rows, with_groups
from cloud.domains.parameters.repository import LastPlan, ParameterPlanRepository
from cloud.domains.parameters.schemas import (
    GatewayParameters,
    GatewayPlan,
    ParameterFieldChange,
    ParameterGateway,
    ParameterGroupSchema,
    ParametersBody,
    ParametersSaved,
)
from cloud.domains.points.editing import Editing
from edge_contract.parameters.groups import GROUPS
from edge_contract.parameters.schema import exported


def group_schemas() -> list[ParameterGroupSchema]:
    """Of every group, in the order in which a form shows them."""
    return [ParameterGroupSchema(name=name, **group) for name, group in exported().items()]


class GatewayParameterService:
    """Reading and editing; deploying the draft is `deploy`'s."""

    def __init__(self, database: Database, editing: Editing, deploy: DeployService) -> None:
        self._database = database
        self._editing = editing
        self._deploy = deploy

    async def read(self, user: CurrentUser, device_id: int) -> GatewayParameters:
        """Of the newest configuration. Raises NotFound for a gateway that the user does not see."""
        opened = await self._editing.opened(user, device_id)
        conditions = await self._deploy.conditions(user.scope, device_id)
        async with self._database.reading() as session:
            repository = ParameterPlanRepository(session, user.scope)
            last = (await repository.last_plans([device_id])).get(device_id)
            running, newest = await repository.running_and_newest(device_id, opened.base)
        return GatewayParameters(
            base=opened.base,
            changeable=opened.changeable,
            groups=await asyncio.to_thread(group_rows, opened.document),
            undeployed=await asyncio.to_thread(_undeployed, running, newest),
            conditions=conditions,
            plan=_plan(last),
        )

    async def gateways(self, user: CurrentUser, numbers: Sequence[int]) -> list[ParameterGateway]:
        """Of those that the user sees, by number."""
        async with self._database.reading() as session:
            repository = ParameterPlanRepository(session, user.scope)
            drafts = await repository.drafts(numbers)
            plans = await repository.last_plans(list(drafts))
        return [
            ParameterGateway(device_id=number, draft=draft, plan=_plan(plans.get(number)))
            for number, draft in sorted(drafts.items())
        ]

    async def save(self, user: CurrentUser, device_id: int, body: ParametersBody) -> ParametersSaved:
        """Groups in the draft. Raises Conflict when somebody was faster, ParameterError for a fault."""
        base, _ = await self._editing.keep(
            user, device_id, body.base, lambda document: with_groups(document, body.groups)
        )
        return ParametersSaved(base=base)


def _undeployed(running: str | None, newest: str | None) -> list[ParameterFieldChange] | None:
    """Texts of two versions compared, secrets masked; None when one of them is not known."""
    if running is None or newest is None:
        return None
    return difference(read(running), read(newest), GROUPS)


def _plan(last: LastPlan | None) -> GatewayPlan | None:
    if last is None:
        return None
    return GatewayPlan(
        parameter_plan_id=last.gateway.plan_id,
        title=last.title,
        version=last.gateway.version,
        state=last.state,
        code=last.gateway.code,
        begun_ms=last.gateway.begun_ms,
    )
