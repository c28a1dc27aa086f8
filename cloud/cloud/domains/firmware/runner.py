"""Rollouts go on by themselves: who has waited long enough, whose turn it is, what is over.

Everything that counts is in tables before it is acted upon, so that a process may end at any moment.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

from sqlalchemy.exc import IntegrityError

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.service import DeviceService
from cloud.domains.firmware.evidence import EvidenceReader
from cloud.domains.firmware.files import is_trusted, manifest_of
from cloud.domains.firmware.firmware_repository import FirmwareRepository
from cloud.domains.firmware.gate import Evidence, worse
from cloud.domains.firmware.going_back import add_back, turn_back
from cloud.domains.firmware.models import FirmwareFile, FirmwarePlan, GatewayFirmware, GatewayUpgrade
from cloud.domains.firmware.orders import end, place, rules_of
from cloud.domains.firmware.permission import may_upgrade
from cloud.domains.firmware.plan_repository import PlanRepository
from cloud.domains.firmware.planning import NO_FIRMWARE, READ_ONLY, refusal
from cloud.domains.firmware.rollout import ERRORS, Next, PlanState, Thresholds, decide, orders_now
from cloud.domains.firmware.sending import OrderSender
from cloud.domains.firmware.states import WORSE, UpgradeState
from cloud.domains.firmware.upgrade_repository import Candidate, UpgradeRepository
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device
from edge_contract.firmware import FirmwareTarget

log = logging.getLogger(__name__)

ADVANCE_S = 2.0
"""Interval at which rollouts go on."""
ORDERS_AT_ONCE = 20
"""Gateways of one plan that get their order in one round."""
WATCHED_AT_ONCE = 50
"""Gateways that are compared with before in one round."""
HISTORY_MS = 2 * 365 * 86_400_000
"""Upgrades of plans that are gone are kept so long."""
DELETE_AT_ONCE = 5000

RIGHTS, KEY_GONE, ACCESS_PASSWORD = "rights", "key_gone", "access_password"
"""Why a plan pauses, or a gateway is left out, beside what it says itself."""

UserNow = Callable[[int], Awaitable[CurrentUser | None]]


class RolloutRunner:
    """One in the full process. zone: of the installation."""

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        evidence: EvidenceReader,
        sender: OrderSender,
        user_now: UserNow,
        zone: ZoneInfo,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._devices = devices
        self._evidence = evidence
        self._sender = sender
        self._user_now = user_now
        self._zone = zone
        self._clock = clock

    async def advance(self) -> None:
        """Periodic: bring every rollout as far as it goes now, then send what is to be sent."""
        await self._compare_watched()
        async with self._database.reading() as session:
            plans = await PlanRepository(session, Scope.system()).running()
        for plan_id in plans:
            try:
                await self._advance(plan_id)
            except Exception:
                log.exception("firmware plan %d does not go on", plan_id)  # the others must
        await self._sender.run()

    async def forget_old(self, now_ms: int) -> None:
        """Periodic: the history of plans that are gone ends after HISTORY_MS."""
        deleted = DELETE_AT_ONCE
        while deleted == DELETE_AT_ONCE:
            async with self._database.session() as session:
                repository = UpgradeRepository(session, Scope.system())
                deleted = await repository.delete_old(now_ms - HISTORY_MS, DELETE_AT_ONCE)
                await session.commit()

    async def _advance(self, plan_id: int) -> None:
        async with self._database.reading() as session:
            plan = await PlanRepository(session, Scope.system()).plan(plan_id)
        if plan is None or plan.user_id is None:
            return await self._pause(plan_id, RIGHTS)
        user = await self._user_now(plan.user_id)
        if user is None or not may_upgrade(user):
            return await self._pause(plan_id, RIGHTS)
        room = await self._decide(plan_id, user)
        if room > 0:
            await self._order(plan_id, user, min(room, ORDERS_AT_ONCE))
        return None

    async def _decide(self, plan_id: int, user: CurrentUser) -> int:
        """One step of a plan; how many gateways may get their order now."""
        now = self._clock()
        async with self._database.session() as session:
            repository = PlanRepository(session, Scope.system())
            plan = await repository.plan(plan_id, is_locked=True)
            if plan is None or plan.state != PlanState.RUNNING.value:
                return 0
            file = await session.get(FirmwareFile, plan.firmware_id)
            trusted = await FirmwareRepository(session, user.scope).trusted()
            if not plan.is_back and (file is None or not is_trusted(file, trusted)):
                plan.state, plan.reason = PlanState.PAUSED.value, KEY_GONE
                await session.commit()
                return 0
            if plan.is_back:
                await add_back(session, user.scope, plan, now)
            rules, upgrades = rules_of(plan), UpgradeRepository(session, Scope.system())
            if now > (plan.wave_ms or now) + rules.offline_s * 1000:
                await upgrades.miss_waiting(plan, now)
            waves = await upgrades.wave_counts(plan_id, is_back=plan.is_back)
            decision = decide(waves, plan.wave, Thresholds(rules.success_share, rules.error_share))
            room = 0
            match decision.step:
                case Next.WAIT:
                    room = orders_now(waves, plan.wave, rules.at_once, rules.error_share)
                case Next.ADVANCE:
                    plan.wave, plan.wave_ms = plan.wave + 1, now
                case Next.FINISH if plan.is_back and await upgrades.may_still_move(plan_id):
                    pass  # they are brought back when they have moved
                case Next.FINISH:
                    plan.state, plan.finished_ms = PlanState.FINISHED.value, now
                case Next.PAUSE if (
                    decision.reason == ERRORS and rules.on_error == "rollback" and not plan.is_back
                ):
                    await turn_back(session, user.scope, plan, decision.reason, now)
                case Next.PAUSE:
                    plan.state, plan.reason = PlanState.PAUSED.value, decision.reason
            await session.commit()
        if decision.step is not Next.WAIT:
            log.info("firmware plan %d: %s %s", plan_id, decision.step.value, decision.reason)
        return room

    async def _order(self, plan_id: int, user: CurrentUser, limit: int) -> None:
        async with self._database.reading() as session:
            repository = PlanRepository(session, Scope.system())
            plan = await repository.plan(plan_id)
            if plan is None:
                return
            candidates = await UpgradeRepository(session, Scope.system()).candidates(plan, limit)
            file = {
                row.firmware_id: await session.get(FirmwareFile, row.firmware_id) for row, _, _ in candidates
            }
        granted = {int(number): version for number, version in plan.granted.items()}
        who = replace(user, granted=granted)
        codes = {
            row.id: await self._code(who, plan, row, device, state, file[row.firmware_id])
            for row, device, state in candidates
        }
        taking = [device.id for row, device, _ in candidates if not codes[row.id]]
        since_ms = self._clock() - rules_of(plan).watch_s * 1000
        before = await self._evidence.read(taking, since_ms) if taking else {}
        for candidate in candidates:
            await self._order_one(plan_id, candidate, codes[candidate[0].id], before.get(candidate[1].id))

    async def _code(
        self,
        user: CurrentUser,
        plan: FirmwarePlan,
        row: GatewayUpgrade,
        device: Device,
        state: GatewayFirmware | None,
        file: FirmwareFile | None,
    ) -> str:
        """Why a gateway does not get its order after all; empty when it does."""
        if file is None or state is None:
            return NO_FIRMWARE
        if not await self._devices.may_change(user, device.id):
            return READ_ONLY
        if await self._devices.access_passwords.problem(user, device.id):
            return ACCESS_PASSWORD
        allow_older = rules_of(plan).allow_older or row.is_back
        target = FirmwareTarget(
            name=state.name,
            model=state.model,
            version=state.version,
            security_version=state.security_version,
            agent=device.agent_version,
            upgrade_types=state.upgrade_types,
        )
        return refusal(target, manifest_of(file), allow_older=allow_older)

    async def _order_one(
        self, plan_id: int, candidate: Candidate, code: str, before: Evidence | None
    ) -> None:
        """One transaction each: a gateway that somebody orders at this moment keeps nobody else from his."""
        row, _, state = candidate
        now = self._clock()
        async with self._database.session() as session:
            repository = PlanRepository(session, Scope.system())
            plan = await repository.plan(plan_id, is_locked=True)
            upgrade = await UpgradeRepository(session, Scope.system()).upgrade(row.id)
            if plan is None or plan.state != PlanState.RUNNING.value:
                return
            if upgrade is None or upgrade.state != UpgradeState.WAITING.value or not upgrade.is_newest:
                return
            if code or state is None:
                end(upgrade, UpgradeState.SKIPPED, code or NO_FIRMWARE, now)
            else:
                place(upgrade, plan, state.version, before, self._zone, now)
            try:
                await session.commit()
            except IntegrityError:
                log.info("gateway %d has an order already", row.device_id)

    async def _compare_watched(self) -> None:
        """Gateways that were watched long enough: as well as before, or not."""
        now = self._clock()
        async with self._database.reading() as session:
            repository = UpgradeRepository(session, Scope.system())
            due = await repository.watched_until(now, WATCHED_AT_ONCE)
        if not due:
            return
        since = await self._since([number for number, _ in due])
        after: dict[int, Evidence] = {}
        for start_ms in sorted(set(since.values())):
            some = [device_id for number, device_id in due if since.get(number) == start_ms]
            after |= await self._evidence.read(some, start_ms)
        async with self._database.session() as session:
            repository = UpgradeRepository(session, Scope.system())
            for number, device_id in due:
                upgrade = await repository.upgrade(number)
                if upgrade is None or upgrade.state != UpgradeState.WATCHING.value:
                    continue
                if device_id in after:
                    compare(upgrade, after[device_id], now)
            await session.commit()

    async def _since(self, numbers: Sequence[int]) -> dict[int, int]:
        async with self._database.reading() as session:
            rows = [await session.get(GatewayUpgrade, number) for number in numbers]
        return {row.id: row.step_ms or 0 for row in rows if row is not None}

    async def _pause(self, plan_id: int, reason: str) -> None:
        async with self._database.session() as session:
            plan = await PlanRepository(session, Scope.system()).plan(plan_id, is_locked=True)
            if plan is not None and plan.state == PlanState.RUNNING.value:
                plan.state, plan.reason = PlanState.PAUSED.value, reason
                log.warning("firmware plan %d pauses: %s", plan_id, reason)
            await session.commit()


def compare(upgrade: GatewayUpgrade, after: Evidence, now: int) -> None:
    """The end of being watched."""
    upgrade.after = after.to_json()
    before = Evidence.of_json(upgrade.before)
    upgrade.worse = [] if before is None else worse(before, after)
    failed = bool(upgrade.worse)
    end(upgrade, UpgradeState.FAILED if failed else UpgradeState.SUCCEEDED, WORSE if failed else "", now)
