"""Every query of the upgrades of gateways."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Update,
    and_,
    case,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.firmware.models import FirmwareFile, FirmwarePlan, GatewayFirmware, GatewayUpgrade
from cloud.domains.firmware.rollout import WaveCounts
from cloud.domains.firmware.states import CANCELLED, OFFLINE, OPEN, UpgradeState
from cloud.domains.firmware.upgrade_filter import UpgradeFilter
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.visibility import seen

AT_ONCE = 500
"""Rows in one statement: others have their turn between two."""

OpenUpgrade = tuple[GatewayUpgrade, Device, FirmwarePlan, FirmwareFile]
Candidate = tuple[GatewayUpgrade, Device, GatewayFirmware | None]

AGAIN = or_(
    GatewayUpgrade.state.in_([UpgradeState.FAILED.value, UpgradeState.MISSED.value]),
    and_(GatewayUpgrade.state == UpgradeState.SKIPPED.value, GatewayUpgrade.code == CANCELLED),
)
"""What another attempt may be made of."""

MOVED = or_(
    GatewayUpgrade.state.in_([UpgradeState.SUCCEEDED.value, UpgradeState.WATCHING.value]),
    and_(GatewayUpgrade.state == UpgradeState.FAILED.value, GatewayUpgrade.watch_ms.is_not(None)),
)
"""The gateway runs the file: it was confirmed, also when it was then worse than before."""

WAITING = GatewayUpgrade.state == UpgradeState.WAITING.value

_URGENCY = case(
    (GatewayUpgrade.state == UpgradeState.FAILED.value, 0),
    (GatewayUpgrade.state.in_([state.value for state in (*OPEN, UpgradeState.WATCHING)]), 1),
    else_=2,
)


class UpgradeRepository:
    """Works on the caller's session; commits nothing. Newest attempts are what a plan counts."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Many at a time. rows: columns by name, the same in each."""
        for start in range(0, len(rows), AT_ONCE):
            await self._session.execute(insert(GatewayUpgrade), list(rows[start : start + AT_ONCE]))

    async def add_one(self, row: GatewayUpgrade) -> None:
        """Afterwards it has its number."""
        self._session.add(row)
        await self._session.flush()

    async def devices(self, plan_id: int, *of: ColumnElement[bool], is_back: bool) -> list[int]:
        """Gateways whose newest attempts are so."""
        query = select(GatewayUpgrade.device_id).where(*_newest(plan_id, is_back), *of)
        return list(await self._session.scalars(query))

    async def count(self, plan_id: int, of: ColumnElement[bool], *, is_back: bool) -> int:
        """Gateways whose newest attempts are so."""
        query = select(func.count()).select_from(GatewayUpgrade).where(*_newest(plan_id, is_back), of)
        return int((await self._session.execute(query)).scalar_one())

    async def states_of(self, plan_id: int, *, is_back: bool) -> dict[str, int]:
        """Gateways by the state of their newest attempts."""
        query = select(GatewayUpgrade.state, func.count()).where(*_newest(plan_id, is_back))
        rows = await self._session.execute(query.group_by(GatewayUpgrade.state))
        return {row[0]: int(row[1]) for row in rows}

    async def skip_waiting(self, plan_id: int, now_ms: int, *, is_back: bool) -> None:
        """Who waits gets nothing any more."""
        values = {"state": UpgradeState.SKIPPED.value, "code": CANCELLED, "ended_ms": now_ms}
        await self._set(update(GatewayUpgrade).where(*_newest(plan_id, is_back), WAITING).values(values))

    async def miss_waiting(self, plan: FirmwarePlan, now_ms: int) -> None:
        """Who waits in a wave that has begun and is not connected is passed over."""
        away = Device.online.is_(False) | Device.asleep_until_ms.is_not(None)
        waiting = (WAITING, GatewayUpgrade.wave <= plan.wave)
        values = {"state": UpgradeState.MISSED.value, "code": OFFLINE, "ended_ms": now_ms}
        statement = update(GatewayUpgrade).where(*_newest(plan.id, plan.is_back), *waiting)
        statement = statement.where(GatewayUpgrade.device_id.in_(select(Device.id).where(away)))
        await self._set(statement.values(values))

    async def excuse_failed(self, plan_id: int, *, is_back: bool) -> None:
        """What has failed until now does not count any more."""
        failed = GatewayUpgrade.state == UpgradeState.FAILED.value
        await self._set(update(GatewayUpgrade).where(*_newest(plan_id, is_back), failed).values(excused=True))

    async def again(self, plan_id: int, limit: int, *, is_back: bool) -> list[GatewayUpgrade]:
        """Newest attempts that did not succeed, so many of them."""
        query = select(GatewayUpgrade).where(*_newest(plan_id, is_back), AGAIN)
        return list(await self._session.scalars(query.order_by(GatewayUpgrade.id).limit(limit)))

    async def moved(self, plan_id: int, limit: int) -> list[GatewayUpgrade]:
        """Newest attempts of gateways that run the file and have no row backwards, so many of them."""
        back = select(GatewayUpgrade.device_id).where(
            GatewayUpgrade.plan_id == plan_id, GatewayUpgrade.is_back.is_(True)
        )
        query = select(GatewayUpgrade).where(
            *_newest(plan_id, False), MOVED, GatewayUpgrade.device_id.not_in(back)
        )
        return list(await self._session.scalars(query.order_by(GatewayUpgrade.id).limit(limit)))

    async def may_still_move(self, plan_id: int) -> bool:
        """Whether a gateway has an order forward, or runs the file and has no row backwards."""
        query = select(GatewayUpgrade.id).where(*_newest(plan_id, False), GatewayUpgrade.is_open.is_(True))
        is_open = await self._session.scalar(query.limit(1)) is not None
        return is_open or bool(await self.moved(plan_id, 1))

    async def newest_of(self, plan_id: int, device_id: int) -> GatewayUpgrade | None:
        """The newest attempt of a gateway forward, for who changes it."""
        query = select(GatewayUpgrade).where(*_newest(plan_id, False), GatewayUpgrade.device_id == device_id)
        return (await self._session.scalars(query.with_for_update())).one_or_none()

    async def _set(self, statement: Update) -> None:
        await self._session.execute(statement.execution_options(synchronize_session=False))

    async def planned_devices(self, plan_id: int, *, is_back: bool) -> set[int]:
        """Gateways that have a row of this plan and direction."""
        query = select(GatewayUpgrade.device_id).where(
            GatewayUpgrade.plan_id == plan_id, GatewayUpgrade.is_back.is_(is_back)
        )
        return set(await self._session.scalars(query))

    async def wave_counts(self, plan_id: int, *, is_back: bool) -> list[WaveCounts]:
        """Of each wave from 0, by the newest attempts."""
        counted = await self._counts([plan_id])
        waves = counted.get((plan_id, is_back), {})
        return [_wave(waves.get(number, {})) for number in range(max(waves, default=-1) + 1)]

    async def counts_of(self, plan_ids: Collection[int]) -> dict[tuple[int, bool], list[WaveCounts]]:
        """As wave_counts, of several plans in both directions."""
        return {
            key: [_wave(waves.get(number, {})) for number in range(max(waves, default=-1) + 1)]
            for key, waves in (await self._counts(plan_ids)).items()
        }

    async def _counts(
        self, plan_ids: Collection[int]
    ) -> dict[tuple[int, bool], dict[int, dict[tuple[str, bool], int]]]:
        columns = (
            GatewayUpgrade.plan_id,
            GatewayUpgrade.is_back,
            GatewayUpgrade.wave,
            GatewayUpgrade.state,
            GatewayUpgrade.excused,
        )
        query = select(*columns, func.count()).where(
            GatewayUpgrade.plan_id.in_(plan_ids), GatewayUpgrade.is_newest.is_(True)
        )
        counts: dict[tuple[int, bool], dict[int, dict[tuple[str, bool], int]]] = defaultdict(
            lambda: defaultdict(dict)
        )
        for plan_id, is_back, wave, state, excused, count in await self._session.execute(
            query.group_by(*columns)
        ):
            counts[plan_id or 0, is_back][wave][state, excused] = int(count)
        return counts

    async def candidates(self, plan: FirmwarePlan, limit: int) -> list[Candidate]:
        """Whose turn it is: in a wave that has begun, connected, and with no order of any plan."""
        busy = select(GatewayUpgrade.device_id).where(GatewayUpgrade.is_open.is_(True))
        query = (
            select(GatewayUpgrade, Device, GatewayFirmware)
            .join(Device, Device.id == GatewayUpgrade.device_id)
            .outerjoin(GatewayFirmware, GatewayFirmware.device_id == Device.id)
            .where(
                *_newest(plan.id, plan.is_back),
                WAITING,
                GatewayUpgrade.wave <= plan.wave,
                Device.online.is_(True),
                Device.asleep_until_ms.is_(None),
                Device.id.not_in(busy),
            )
            .order_by(GatewayUpgrade.wave, GatewayUpgrade.id)
            .limit(limit)
        )
        return [(row[0], row[1], row[2]) for row in await self._session.execute(query)]

    async def open_upgrades(self) -> list[OpenUpgrade]:
        """Every gateway that has an order."""
        query = (
            select(GatewayUpgrade, Device, FirmwarePlan, FirmwareFile)
            .join(Device, Device.id == GatewayUpgrade.device_id)
            .join(FirmwarePlan, FirmwarePlan.id == GatewayUpgrade.plan_id)
            .join(FirmwareFile, FirmwareFile.id == GatewayUpgrade.firmware_id)
            .where(GatewayUpgrade.is_open.is_(True))
        )
        rows = await self._session.execute(query.order_by(GatewayUpgrade.id))
        return [(row[0], row[1], row[2], row[3]) for row in rows]

    async def watched_until(self, now_ms: int, limit: int) -> list[tuple[int, int]]:
        """Upgrades whose time of being watched is over, and their gateways."""
        query = select(GatewayUpgrade.id, GatewayUpgrade.device_id).where(
            GatewayUpgrade.state == UpgradeState.WATCHING.value, GatewayUpgrade.watch_ms <= now_ms
        )
        rows = await self._session.execute(query.order_by(GatewayUpgrade.watch_ms).limit(limit))
        return [(row[0], row[1]) for row in rows]

    async def upgrade(self, number: int) -> GatewayUpgrade | None:
        """For who changes it."""
        query = select(GatewayUpgrade).where(GatewayUpgrade.id == number).with_for_update()
        return (await self._session.scalars(query)).one_or_none()

    async def upgrade_of_order(self, device_id: int, upgrade_id: str) -> GatewayUpgrade | None:
        """By the id of an order of this very gateway; for who changes it."""
        query = select(GatewayUpgrade).where(
            GatewayUpgrade.upgrade_id == upgrade_id, GatewayUpgrade.device_id == device_id
        )
        return (await self._session.scalars(query.with_for_update())).one_or_none()

    async def open_order(self, upgrade_id: str) -> tuple[GatewayUpgrade, str] | None:
        """An order that is not over, and the SHA-256 of its file."""
        query = select(GatewayUpgrade, FirmwareFile.sha256)
        query = query.join(FirmwareFile, FirmwareFile.id == GatewayUpgrade.firmware_id)
        query = query.where(GatewayUpgrade.upgrade_id == upgrade_id, GatewayUpgrade.is_open.is_(True))
        row = (await self._session.execute(query)).one_or_none()
        return None if row is None else (row[0], row[1])

    async def has_open(self, device_id: int) -> bool:
        query = select(func.count()).select_from(GatewayUpgrade)
        query = query.where(GatewayUpgrade.device_id == device_id, GatewayUpgrade.is_open.is_(True))
        return bool((await self._session.execute(query)).scalar_one())

    async def upgrades(self, page: int, limit: int, wanted: UpgradeFilter) -> tuple[list[Candidate], int]:
        """Of gateways that the user sees with what they run now, and how many match: newest first, or of one
        direction what failed, then what is under way, then the others, each by wave.
        """
        query = select(GatewayUpgrade, Device, GatewayFirmware)
        query = query.join(Device, Device.id == GatewayUpgrade.device_id)
        query = query.outerjoin(GatewayFirmware, GatewayFirmware.device_id == Device.id)
        query = query.where(seen(self._scope, GatewayUpgrade.device_id), *_conditions(wanted))
        counted = query.with_only_columns(GatewayUpgrade.id).subquery()
        total = (await self._session.execute(select(func.count()).select_from(counted))).scalar_one()
        if wanted.is_back is None:
            query = query.order_by(GatewayUpgrade.id.desc())
        else:
            query = query.order_by(_URGENCY, GatewayUpgrade.wave, GatewayUpgrade.id)
        query = query.offset((page - 1) * limit).limit(limit)
        return [(row[0], row[1], row[2]) for row in await self._session.execute(query)], int(total)

    async def mark_older(self, numbers: Collection[int]) -> None:
        """These attempts are not the newest any more."""
        await self._set(update(GatewayUpgrade).where(GatewayUpgrade.id.in_(numbers)).values(is_newest=False))

    async def delete_old(self, before_ms: int, limit: int) -> int:
        """Upgrades of plans that are gone which ended before then; how many."""
        old = select(GatewayUpgrade.id).where(
            GatewayUpgrade.plan_id.is_(None),
            GatewayUpgrade.is_open.is_(False),
            or_(
                GatewayUpgrade.ended_ms < before_ms,
                and_(GatewayUpgrade.ended_ms.is_(None), GatewayUpgrade.created_ms < before_ms),
            ),
        )
        numbers = list(await self._session.scalars(old.limit(limit)))
        for start in range(0, len(numbers), AT_ONCE):
            some = numbers[start : start + AT_ONCE]
            await self._session.execute(delete(GatewayUpgrade).where(GatewayUpgrade.id.in_(some)))
        return len(numbers)


def _conditions(wanted: UpgradeFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.plan_id is not None:
        conditions.append(GatewayUpgrade.plan_id == wanted.plan_id)
    if wanted.plan_name is not None:
        conditions.append(GatewayUpgrade.plan_name == wanted.plan_name)
    if wanted.device_id is not None:
        conditions.append(GatewayUpgrade.device_id == wanted.device_id)
    if wanted.states:
        conditions.append(GatewayUpgrade.state.in_(wanted.states))
    if wanted.wave is not None:
        conditions.append(GatewayUpgrade.wave == wanted.wave)
    if wanted.search:
        texts = (Device.display_title, Device.gateway_id)
        conditions.append(or_(*(text.icontains(wanted.search, autoescape=True) for text in texts)))
    if wanted.from_ms:
        conditions.append(GatewayUpgrade.created_ms >= wanted.from_ms)
    if wanted.to_ms:
        conditions.append(GatewayUpgrade.created_ms < wanted.to_ms)
    if wanted.is_back is not None:
        conditions += [GatewayUpgrade.is_back.is_(wanted.is_back), GatewayUpgrade.is_newest.is_(True)]
    return conditions


def _newest(plan_id: int, is_back: bool) -> tuple[ColumnElement[bool], ...]:
    return (
        GatewayUpgrade.plan_id == plan_id,
        GatewayUpgrade.is_back.is_(is_back),
        GatewayUpgrade.is_newest.is_(True),
    )


def _wave(counted: dict[tuple[str, bool], int]) -> WaveCounts:
    def of(*states: UpgradeState) -> int:
        return sum(
            counted.get((state.value, False), 0) + counted.get((state.value, True), 0) for state in states
        )

    return WaveCounts(
        waiting=of(UpgradeState.WAITING),
        under_way=of(*OPEN),
        watching=of(UpgradeState.WATCHING),
        succeeded=of(UpgradeState.SUCCEEDED),
        failed=counted.get((UpgradeState.FAILED.value, False), 0),
        excused=counted.get((UpgradeState.FAILED.value, True), 0),
        missed=of(UpgradeState.MISSED),
        skipped=of(UpgradeState.SKIPPED),
    )
