"""What somebody does with a plan, from its approval to its cancellation; and one gateway upgraded now."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, or_
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.service import DeviceService
from cloud.domains.firmware.evidence import EvidenceReader
from cloud.domains.firmware.files import manifest_of
from cloud.domains.firmware.going_back import turn_back
from cloud.domains.firmware.hindrances import TEXTS, ordering_hindrances
from cloud.domains.firmware.models import FirmwareFile, FirmwarePlan, GatewayFirmware, GatewayUpgrade
from cloud.domains.firmware.orders import new_upgrade, next_attempt, place, rules_of
from cloud.domains.firmware.plan_repository import PlanRepository
from cloud.domains.firmware.planning import refusal
from cloud.domains.firmware.reach import reach_of
from cloud.domains.firmware.rollout import PlanAction, PlanState
from cloud.domains.firmware.rows import upgrade_row
from cloud.domains.firmware.schemas import UpgradeRow
from cloud.domains.firmware.service import existing, facts_of, refuse_impossible
from cloud.domains.firmware.states import UpgradeState
from cloud.domains.firmware.tickets import Tickets
from cloud.domains.firmware.upgrade_repository import AGAIN, AT_ONCE, MOVED, WAITING, UpgradeRepository
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device
from cloud.errors import Conflict, NotFound

log = logging.getLogger(__name__)

Change = Callable[[AsyncSession, FirmwarePlan, int], Awaitable[None]]
"""Of a locked plan, at a time; the caller commits."""


class PlanActions:
    """zone: of the installation. Whoever starts, resumes, retries or rolls back gives his rights and the
    access passwords of the gateways that are then written to.
    """

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        evidence: EvidenceReader,
        tickets: Tickets,
        zone: ZoneInfo,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._devices = devices
        self._evidence = evidence
        self._tickets = tickets
        self._zone = zone
        self._clock = clock

    async def approve(self, user: CurrentUser, plan_id: int) -> None:
        """Approve a plan as it is now. Raises Conflict for who changed it last: it takes two."""

        async def _change(session: AsyncSession, plan: FirmwarePlan, now: int) -> None:
            if plan.changed_by == user.id:
                raise Conflict("somebody else must approve it", reason="firmware.same_person")
            plan.approved_version, plan.approved_name = plan.version, user.name

        await self._act(user, plan_id, PlanAction.APPROVE, _change)

    async def start(self, user: CurrentUser, plan_id: int) -> None:
        """Begin with the first wave; of a plan that has ended, with gateways that came since.

        Raises NotFound, Conflict when it is not enabled, not approved, its key is not trusted any more or
        there is no gateway for it, NoPermission without an access password.
        """
        async with self._database.reading() as session:
            plan, file = await self._startable(session, user, plan_id, PlanAction.START)
            planned = (await reach_of(session, user.scope, plan, file)).planned
        granted = await self._granted(user, [each.device_id for each in planned if not each.code])

        async def _change(session: AsyncSession, plan: FirmwarePlan, now: int) -> None:
            upgrades = UpgradeRepository(session, user.scope)
            first = len(await upgrades.wave_counts(plan.id, is_back=False))
            reach = await reach_of(session, user.scope, plan, file, first)
            if reach.hindrance is not None:
                raise Conflict("no gateway is left for this plan", reason="firmware.no_gateways")
            rows = [
                new_upgrade(plan, each.device_id, file, each.wave, now, code=each.code)
                for each in reach.planned
            ]
            await upgrades.add(rows)
            _run(plan, user, granted, now)
            plan.wave, plan.started_ms = first, plan.started_ms or now

        await self._act(user, plan_id, PlanAction.START, _change)

    async def pause(self, user: CurrentUser, plan_id: int) -> None:
        """Order nothing more; gateways that have their order go on. Raises NotFound and Conflict."""

        async def _change(session: AsyncSession, plan: FirmwarePlan, now: int) -> None:
            plan.state, plan.reason = PlanState.PAUSED.value, "user"

        await self._act(user, plan_id, PlanAction.PAUSE, _change)

    async def resume(self, user: CurrentUser, plan_id: int) -> None:
        """Go on; failures until now do not count any more. Raises as start()."""
        async with self._database.reading() as session:
            plan, _ = await self._startable(session, user, plan_id, PlanAction.RESUME)
            waiting = await _devices(session, plan, WAITING)
        granted = await self._granted(user, waiting)

        async def _change(session: AsyncSession, plan: FirmwarePlan, now: int) -> None:
            await UpgradeRepository(session, user.scope).excuse_failed(plan.id, is_back=plan.is_back)
            _run(plan, user, granted, now)

        await self._act(user, plan_id, PlanAction.RESUME, _change)

    async def retry(self, user: CurrentUser, plan_id: int) -> None:
        """Another attempt for gateways that failed, did not come or were cancelled. Raises as start()."""
        async with self._database.reading() as session:
            plan, _ = await self._startable(session, user, plan_id, PlanAction.RETRY)
            numbers = await _devices(session, plan, or_(AGAIN, WAITING))
        granted = await self._granted(user, numbers)

        async def _change(session: AsyncSession, plan: FirmwarePlan, now: int) -> None:
            upgrades, count = UpgradeRepository(session, user.scope), 0
            while rows := await upgrades.again(plan.id, AT_ONCE, is_back=plan.is_back):
                await upgrades.mark_older([row.id for row in rows])
                await upgrades.add([next_attempt(row, now) for row in rows])
                count += len(rows)
            if not count:
                raise Conflict("no gateway of this plan has failed", reason="firmware.nothing_failed")
            _run(plan, user, granted, now)

        await self._act(user, plan_id, PlanAction.RETRY, _change)

    async def roll_back(self, user: CurrentUser, plan_id: int) -> None:
        """Bring every gateway that runs the plan's file back to what it ran before. Raises as start()."""
        async with self._database.reading() as session:
            plan, _ = await self._startable(session, user, plan_id, PlanAction.ROLLBACK)
            numbers = await _devices(session, plan, MOVED)
        granted = await self._granted(user, numbers)

        async def _change(session: AsyncSession, plan: FirmwarePlan, now: int) -> None:
            if plan.is_back:
                raise Conflict("it goes back already", reason="firmware.is_back")
            if not await UpgradeRepository(session, Scope.system()).may_still_move(plan.id):
                raise Conflict("no gateway runs its file by this plan", reason="firmware.nothing_moved")
            _run(plan, user, granted, now)
            await turn_back(session, user.scope, plan, "", now)

        await self._act(user, plan_id, PlanAction.ROLLBACK, _change)

    async def cancel(self, user: CurrentUser, plan_id: int) -> None:
        """End a rollout: who waits gets nothing; an order that is out cannot be taken back. Raises NotFound
        and Conflict.
        """

        async def _change(session: AsyncSession, plan: FirmwarePlan, now: int) -> None:
            upgrades = UpgradeRepository(session, user.scope)
            await upgrades.skip_waiting(plan.id, now, is_back=plan.is_back)
            plan.state, plan.reason, plan.finished_ms = PlanState.CANCELLED.value, "user", now

        await self._act(user, plan_id, PlanAction.CANCEL, _change)

    async def upgrade_now(self, user: CurrentUser, device_id: int) -> UpgradeRow:
        """Order the file of the newest enabled plan that is for this gateway, whatever its waves say.

        Raises NotFound without a plan, Conflict when the gateway cannot take it or has an order, NoPermission
        for a gateway that may not be written to.
        """
        await self._devices.commandable(user, device_id)
        async with self._database.reading() as session:
            plan, from_version = await self._plan_for(session, user, device_id)
            await self._startable(session, user, plan.id, None)
        since_ms = self._clock() - rules_of(plan).watch_s * 1000
        before = (await self._evidence.read([device_id], since_ms)).get(device_id)
        async with self._database.session() as session:
            locked = await existing(PlanRepository(session, user.scope), plan.id, is_locked=True)
            file = await session.get(FirmwareFile, locked.firmware_id)
            device = await session.get(Device, device_id)
            state = await session.get(GatewayFirmware, device_id)
            if file is None or device is None:
                raise NotFound("device")
            upgrades, now = UpgradeRepository(session, user.scope), self._clock()
            if await upgrades.has_open(device_id):
                raise _busy()
            row = await _row_for(upgrades, locked, device_id, file, now)
            place(row, locked, from_version, before, self._zone, now)
            try:
                await session.commit()
            except IntegrityError:
                raise _busy() from None
        record_change({}, {"version": file.version, "plan": locked.name})
        log.info("gateway %d gets version %d by %s", device_id, file.version, user.name)
        return upgrade_row(row, device, state)

    async def _plan_for(
        self, session: AsyncSession, user: CurrentUser, device_id: int
    ) -> tuple[FirmwarePlan, int]:
        """And the version that the gateway runs. Raises NotFound and Conflict."""
        repository = PlanRepository(session, user.scope)
        code = ""
        for plan in await repository.plans_for(device_id):
            targets = await repository.targets(plan, 1, device_id) if _may_name(plan, device_id) else []
            if not targets or plan.is_back:
                continue
            each = targets[0]
            file = await session.get(FirmwareFile, plan.firmware_id)
            assert file is not None  # a plan keeps its file
            allow_older = rules_of(plan).allow_older
            code = refusal(
                each.target, manifest_of(file), allow_older=allow_older, is_writable=each.is_writable
            )
            if not code and each.target is not None:
                return plan, each.target.version
        if not code:
            raise NotFound("firmware plan")
        raise Conflict(
            f"the gateway does not take it: {code}", reason="firmware.refused", arguments={"code": code}
        )

    async def _startable(
        self, session: AsyncSession, user: CurrentUser, plan_id: int, action: PlanAction | None
    ) -> tuple[FirmwarePlan, FirmwareFile]:
        """Raises NotFound and Conflict when nothing may be ordered by this plan."""
        plan = await existing(PlanRepository(session, user.scope), plan_id)
        if action is not None:
            refuse_impossible(plan, action)
        file = await session.get(FirmwareFile, plan.firmware_id)
        assert file is not None  # a plan keeps its file
        facts = await facts_of(session, user, plan, file, is_ready=self._tickets.is_ready)
        if found := ordering_hindrances(facts, action):
            raise Conflict(TEXTS[found[0]], reason=f"firmware.{found[0].value}")
        return plan, file

    async def _granted(self, user: CurrentUser, numbers: Collection[int]) -> dict[str, int]:
        granted = await self._devices.access_passwords.refuse(user, numbers)
        return {str(number): version for number, version in granted.items()}

    async def _act(self, user: CurrentUser, plan_id: int, action: PlanAction, change: Change) -> None:
        async with self._database.session() as session:
            plan = await existing(PlanRepository(session, user.scope), plan_id, is_locked=True)
            refuse_impossible(plan, action)
            before = plan.state
            await change(session, plan, self._clock())
            await session.commit()
        log.info("firmware plan %d: %s by %s", plan_id, action.value, user.name)
        record_change({"state": before}, {"state": plan.state, "name": str(plan.name)})


async def _devices(session: AsyncSession, plan: FirmwarePlan, of: ColumnElement[bool]) -> list[int]:
    return await UpgradeRepository(session, Scope.system()).devices(plan.id, of, is_back=plan.is_back)


async def _row_for(
    upgrades: UpgradeRepository, plan: FirmwarePlan, device_id: int, file: FirmwareFile, now: int
) -> GatewayUpgrade:
    """The one that waits, else another attempt, else a new one in the first wave."""
    known = await upgrades.newest_of(plan.id, device_id)
    if known is not None and known.state == UpgradeState.WAITING.value:
        return known
    columns = new_upgrade(plan, device_id, file, 0, now)
    if known is not None:
        known.is_newest = False
        columns |= {"attempt": known.attempt + 1, "wave": known.wave}
    row = GatewayUpgrade(**columns)
    await upgrades.add_one(row)
    return row


def _run(plan: FirmwarePlan, user: CurrentUser, granted: dict[str, int], now: int) -> None:
    """The plan goes on in this user's name."""
    plan.state, plan.reason, plan.wave_ms, plan.finished_ms = PlanState.RUNNING.value, "", now, None
    plan.user_id, plan.user_name = user.id, user.name
    plan.granted = {**plan.granted, **granted}


def _may_name(plan: FirmwarePlan, device_id: int) -> bool:
    return plan.range == "project" or device_id in plan.device_ids


def _busy() -> Conflict:
    return Conflict("the gateway has an order already", reason="firmware.busy")
