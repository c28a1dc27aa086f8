"""Plans of firmware: lists, making, changing, deleting, and what a start would do. What runs: runner.py."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.db import Database
from cloud.domains.firmware.files import is_trusted, manifest_of
from cloud.domains.firmware.firmware_repository import FirmwareRepository
from cloud.domains.firmware.gateway_filter import GatewayFilter
from cloud.domains.firmware.gateway_repository import GatewayRepository
from cloud.domains.firmware.hindrances import Hindrance, PlanFacts, hindrances
from cloud.domains.firmware.keys import owner_of
from cloud.domains.firmware.models import FirmwareFile, FirmwarePlan
from cloud.domains.firmware.orders import rules_of
from cloud.domains.firmware.plan_repository import PlanRepository
from cloud.domains.firmware.reach import reach_of
from cloud.domains.firmware.rollout import ALLOWED, PlanAction, PlanState
from cloud.domains.firmware.rows import (
    actions_of,
    gateway_row,
    plan_detail,
    plan_row,
    preview_row,
    upgrade_row,
)
from cloud.domains.firmware.schemas import (
    FirmwareGatewayRow,
    PlanBody,
    PlanDetail,
    PlanPreview,
    PlanRow,
    UpgradeRow,
)
from cloud.domains.firmware.tickets import Tickets
from cloud.domains.firmware.upgrade_filter import UpgradeFilter
from cloud.domains.firmware.upgrade_repository import AGAIN, MOVED, UpgradeRepository
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import Conflict, NotFound, ParameterError

log = logging.getLogger(__name__)

MAX_PLANS = 500
"""Of one owner."""
MAX_TITLES = 200
"""Of what a plan names."""

FIXED = ("range", "project_ids", "device_ids", "created_after_ms", "scope", "control_count", "firmware_id")
"""What a plan that was started keeps: its gateways and waves were made by it."""


class PlanService:
    """A plan is seen and changed by whose it is and who is above him."""

    def __init__(self, database: Database, tickets: Tickets, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._tickets = tickets
        self._clock = clock

    async def page(self, user: CurrentUser, page: int, limit: int, search: str, state: str) -> Page[PlanRow]:
        """Plans that the user sees with their counts, newest first."""
        async with self._database.reading() as session:
            plans, total = await PlanRepository(session, user.scope).plans(page, limit, search, state)
            upgrades = UpgradeRepository(session, user.scope)
            counted = await upgrades.counts_of([plan.id for plan, _ in plans])
        return Page(rows=[plan_row(plan, file, counted) for plan, file in plans], total=total)

    async def detail(self, user: CurrentUser, plan_id: int) -> PlanDetail:
        """A plan with its waves. Raises NotFound."""
        async with self._database.reading() as session:
            repository = PlanRepository(session, user.scope)
            plan = await existing(repository, plan_id)
            file = await _file_of(session, plan)
            return await self._detail(session, user, plan, file)

    async def create(self, user: CurrentUser, body: PlanBody) -> PlanDetail:
        """A new plan, which does nothing until it is started. Raises NotFound for a file, project or gateway
        that is not seen, ParameterError that names the field and the rule, Conflict for too many plans.
        """
        async with self._database.session() as session:
            repository = PlanRepository(session, user.scope)
            file = await _checked(session, user, body)
            if await repository.count_of(owner_of(user)) >= MAX_PLANS:
                raise Conflict(
                    f"at most {MAX_PLANS} plans",
                    reason="firmware.too_many_plans",
                    arguments={"most": MAX_PLANS},
                )
            now = self._clock()
            plan = FirmwarePlan(
                owner_id=owner_of(user),
                version=1,
                state=PlanState.DRAFT.value,
                granted={},
                created_ms=now,
                **_columns(user, body, now),
            )
            await repository.add(plan)
            await session.commit()
            detail = await self._detail(session, user, plan, file)
        record_change({}, body.model_dump(mode="json") | {"name": str(body.name)})
        return detail

    async def change(self, user: CurrentUser, plan_id: int, body: PlanBody) -> PlanDetail:
        """Change a plan; what was approved is not approved any more. Raises as create(); Conflict while it
        runs, and for what a plan that was started keeps.
        """
        async with self._database.session() as session:
            repository = PlanRepository(session, user.scope)
            plan = await existing(repository, plan_id, is_locked=True)
            refuse_impossible(plan, PlanAction.CHANGE)
            file = await _checked(session, user, body)
            before, columns = _recorded(plan), _columns(user, body, self._clock())
            if plan.started_ms is not None:
                for name in FIXED:
                    if columns[name] != getattr(plan, name):
                        rule = "as it was when the plan was started; make another plan"
                        field = "plan_control_count" if name == "control_count" else name
                        raise Conflict(f"{field}: {rule}", field=field, rule=rule, reason="firmware.started")
            for name, value in columns.items():
                setattr(plan, name, value)
            plan.version += 1
            await session.commit()
            detail = await self._detail(session, user, plan, file)
        record_change(before, _recorded(plan))
        return detail

    async def delete(self, user: CurrentUser, plan_id: int) -> None:
        """Delete a plan; what it did stays in the history of its gateways. Raises NotFound, and Conflict
        while gateways have an order of it.
        """
        async with self._database.session() as session:
            repository = PlanRepository(session, user.scope)
            plan = await existing(repository, plan_id, is_locked=True)
            refuse_impossible(plan, PlanAction.DELETE)
            for waves in (await UpgradeRepository(session, user.scope).counts_of([plan_id])).values():
                if any(wave.under_way or wave.watching for wave in waves):
                    raise Conflict("gateways have an order of this plan", reason="firmware.under_way")
            before = {"name": str(plan.name), "title": plan.title}
            await repository.delete(plan)
            await session.commit()
        record_change(before, {})

    async def preview(self, user: CurrentUser, plan_id: int) -> PlanPreview:
        """What a start would do now. Raises NotFound."""
        async with self._database.reading() as session:
            plan = await existing(PlanRepository(session, user.scope), plan_id)
            file = await _file_of(session, plan)
            reach = await reach_of(session, user.scope, plan, file)
        return await asyncio.to_thread(preview_row, reach, manifest_of(file), rules_of(plan).allow_older)

    async def upgrades(
        self, user: CurrentUser, page: int, limit: int, wanted: UpgradeFilter
    ) -> Page[UpgradeRow]:
        """The history of gateways, newest first."""
        async with self._database.reading() as session:
            rows, total = await UpgradeRepository(session, user.scope).upgrades(page, limit, wanted)
        return Page(rows=[upgrade_row(*row) for row in rows], total=total)

    async def upgrades_of(
        self, user: CurrentUser, plan_id: int, page: int, limit: int, wanted: UpgradeFilter, *, newest: bool
    ) -> Page[UpgradeRow]:
        """Of a plan; newest: only the newest attempt of each gateway, in the direction that the plan has,
        what failed first.

        Raises NotFound for an unseen plan.
        """
        async with self._database.reading() as session:
            plan = await existing(PlanRepository(session, user.scope), plan_id)
            is_back = plan.is_back if newest else None
        return await self.upgrades(user, page, limit, replace(wanted, plan_id=plan_id, is_back=is_back))

    async def gateways(
        self, user: CurrentUser, page: int, limit: int, wanted: GatewayFilter
    ) -> Page[FirmwareGatewayRow]:
        """What gateways run that the user sees, by their titles."""
        async with self._database.reading() as session:
            rows, total = await GatewayRepository(session, user.scope).page(page, limit, wanted)
        return Page(rows=[gateway_row(*row) for row in rows], total=total)

    async def _detail(
        self, session: AsyncSession, user: CurrentUser, plan: FirmwarePlan, file: FirmwareFile
    ) -> PlanDetail:
        upgrades = UpgradeRepository(session, user.scope)
        allowed = actions_of(plan)
        can_go_back = PlanAction.ROLLBACK in allowed
        to_retry = await upgrades.count(plan.id, AGAIN, is_back=plan.is_back)
        nobody: dict[PlanAction, Hindrance] = {}
        if to_retry == 0:
            nobody[PlanAction.RETRY] = Hindrance.NOTHING_FAILED
        if can_go_back and not await upgrades.may_still_move(plan.id):
            nobody[PlanAction.ROLLBACK] = Hindrance.NOTHING_MOVED
        if PlanAction.START in allowed:
            hindrance = (await reach_of(session, user.scope, plan, file)).hindrance
            nobody |= {PlanAction.START: hindrance} if hindrance else {}
        facts = await facts_of(session, user, plan, file, is_ready=self._tickets.is_ready)
        return plan_detail(
            plan,
            file,
            await upgrades.counts_of([plan.id]),
            await PlanRepository(session, user.scope).titles(plan, MAX_TITLES),
            steps=await upgrades.states_of(plan.id, is_back=plan.is_back),
            to_retry=to_retry,
            to_go_back=await upgrades.count(plan.id, MOVED, is_back=False) if can_go_back else 0,
            hindered=hindrances(facts, allowed, nobody),
        )


CHANGED = ("title", "enabled", "range", "scope", "control_count", "firmware_id", "rules")


def _recorded(plan: FirmwarePlan) -> dict[str, object]:
    return {"name": str(plan.name)} | {name: getattr(plan, name) for name in CHANGED}


async def existing(repository: PlanRepository, plan_id: int, *, is_locked: bool = False) -> FirmwarePlan:
    """Raises NotFound for a plan that is not seen."""
    plan = await repository.plan(plan_id, is_locked=is_locked)
    if plan is None:
        raise NotFound("firmware plan")
    return plan


def refuse_impossible(plan: FirmwarePlan, action: PlanAction) -> None:
    """Conflict when an action is not possible in the plan's state."""
    if PlanState(plan.state) not in ALLOWED[action]:
        raise Conflict(
            f"a plan that is {plan.state} cannot be changed so",
            reason="firmware.state",
            arguments={"state": plan.state},
        )


async def _file_of(session: AsyncSession, plan: FirmwarePlan) -> FirmwareFile:
    """Whoever sees a plan sees what it says of its file."""
    file = await session.get(FirmwareFile, plan.firmware_id)
    assert file is not None  # a plan keeps its file
    return file


async def _checked(session: AsyncSession, user: CurrentUser, body: PlanBody) -> FirmwareFile:
    """The plan's file. Raises NotFound and ParameterError."""
    repository = PlanRepository(session, user.scope)
    file = await FirmwareRepository(session, user.scope).file(body.firmware_id)
    if file is None:
        raise NotFound("firmware")
    if file.upgrade_type != body.upgrade_type:
        raise ParameterError("upgrade_type", f"{file.upgrade_type}, as the file has it")
    if len(await repository.seen_projects(body.project_ids)) < len(set(body.project_ids)):
        raise NotFound("project")
    if len(await repository.seen_devices(body.device_ids)) < len(set(body.device_ids)):
        raise NotFound("device")
    if body.rules.zone:
        try:
            ZoneInfo(body.rules.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ParameterError("rules.zone", "a time zone by its IANA name, as Asia/Shanghai") from None
    return file


async def facts_of(
    session: AsyncSession, user: CurrentUser, plan: FirmwarePlan, file: FirmwareFile, *, is_ready: bool
) -> PlanFacts:
    """is_ready: it is known where gateways load files."""
    trusted = await FirmwareRepository(session, user.scope).trusted()
    return PlanFacts(
        is_ready=is_ready,
        is_back=plan.is_back,
        enabled=plan.enabled,
        is_approved=not rules_of(plan).approval or plan.approved_version == plan.version,
        is_trusted=is_trusted(file, trusted),
        is_own_change=plan.changed_by == user.id,
    )


def _columns(user: CurrentUser, body: PlanBody, now_ms: int) -> dict[str, object]:
    return {
        "name": body.name,
        "title": body.title,
        "enabled": body.enabled,
        "range": body.range,
        "project_ids": sorted(set(body.project_ids)),
        "device_ids": sorted(set(body.device_ids)),
        "created_after_ms": body.created_after_ms,
        "scope": body.scope,
        "control_count": body.plan_control_count,
        "firmware_id": body.firmware_id,
        "rules": body.rules.model_dump(mode="json"),
        "changed_by": user.id,
        "changed_name": user.name,
        "changed_ms": now_ms,
    }
