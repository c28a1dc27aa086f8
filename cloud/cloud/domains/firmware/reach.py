"""Which gateways a start of a plan would reach now."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.firmware.files import manifest_of
from cloud.domains.firmware.hindrances import Hindrance, nobody_to_start
from cloud.domains.firmware.models import FirmwareFile, FirmwarePlan
from cloud.domains.firmware.orders import rules_of
from cloud.domains.firmware.plan_repository import PlanRepository
from cloud.domains.firmware.planning import PlannedGateway, TargetGateway, Waves, plan_waves
from cloud.domains.firmware.schemas import MAX_DEVICES
from cloud.domains.firmware.upgrade_repository import UpgradeRepository


@dataclass(frozen=True)
class PlanReach:
    """left: gateways of the range that are not in the plan yet; planned: these with their waves; had:
    gateways that are in it.
    """

    left: list[TargetGateway]
    planned: list[PlannedGateway]
    had: int

    @property
    def hindrance(self) -> Hindrance | None:
        """Why a start would order nothing."""
        fitting = any(not each.code for each in self.planned)
        return nobody_to_start(fitting=fitting, left=bool(self.left), planned=self.had > 0)


async def reach_of(
    session: AsyncSession, scope: Scope, plan: FirmwarePlan, file: FirmwareFile, first: int = 0
) -> PlanReach:
    """first: number of the first wave."""
    rules = rules_of(plan)
    done = await UpgradeRepository(session, scope).planned_devices(plan.id, is_back=False)
    targets = await PlanRepository(session, scope).targets(plan, MAX_DEVICES + len(done))
    left = [target for target in targets if target.device_id not in done][:MAX_DEVICES]
    waves = Waves(plan.scope, plan.control_count, rules.growth, rules.max_wave, first)
    planned = await asyncio.to_thread(
        plan_waves, left, manifest_of(file), waves, allow_older=rules.allow_older
    )
    return PlanReach(left, planned, len(done))
