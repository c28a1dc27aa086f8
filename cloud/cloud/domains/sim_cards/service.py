"""SIM cards: list, adding one or a range, changing, binding, deleting."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.db import Database
from cloud.domains.alarms.system_alarms import SystemAlarms
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.sim_cards.iccid import is_suspect, numbers_of
from cloud.domains.sim_cards.models import SimCard
from cloud.domains.sim_cards.repository import Listed, SimCardRepository
from cloud.domains.sim_cards.rows import CardUsage, body_of, comparison_of, row_of, since_of
from cloud.domains.sim_cards.schemas import (
    CardFilter,
    SimCardBindBody,
    SimCardBody,
    SimCardDetail,
    SimCardModem,
    SimCardRangeBody,
    SimCardRangePreview,
    SimCardRangeResult,
    SimCardRow,
    UsageDay,
    UsageDays,
)
from cloud.errors import Conflict, NotFound

log = logging.getLogger(__name__)

MAX_CARDS = 50_000
"""Of one owner."""
MAX_NAMED = 20
"""Cards that a preview names."""

CARD_BOUND = "card_bound"
"""Why the alarm of a moved card is over, when somebody has bound or deleted it."""


def alarm_origin(card: SimCard) -> str:
    """Of the alarm of a card that has moved."""
    return f"sim:{card.id}:{card.moved_ms}"


def owner_of(user: CurrentUser) -> int | None:
    """Whose what a user makes is: staff of the platform makes it for the platform."""
    return None if user.scope.everything else user.id


def too_many() -> Conflict:
    return Conflict(
        f"at most {MAX_CARDS} SIM cards",
        field="iccid",
        rule="too many",
        reason="sim_card.too_many",
        arguments={"most": MAX_CARDS},
    )


class SimCardService:
    """A card belongs to who added it; whoever is above him sees and changes it too. zone: of its days."""

    def __init__(
        self, database: Database, alarms: SystemAlarms, zone: ZoneInfo, *, clock: NowMs = now_ms
    ) -> None:
        self._database = database
        self._alarms = alarms
        self._zone = zone
        self._clock = clock

    def today(self) -> date:
        return datetime.fromtimestamp(self._clock() / 1000, UTC).astimezone(self._zone).date()

    async def page(self, user: CurrentUser, wanted: CardFilter, page: int, limit: int) -> Page[SimCardRow]:
        """Cards by number, or those first that expire first."""
        async with self._database.reading() as session:
            repository = SimCardRepository(session, user.scope)
            listed, total = await repository.page(wanted, self.today(), page, limit)
            rows = await self._rows(repository, listed)
        return Page(rows=rows, total=total)

    async def card(self, user: CurrentUser, card_id: int) -> SimCardDetail:
        """One card. Raises NotFound."""
        async with self._database.reading() as session:
            repository = SimCardRepository(session, user.scope)
            card, owner = await existing(repository, card_id)
            [row] = await self._rows(repository, [(card, owner)])
            used = await self._used(repository, [card])
            modem = None if card.device_id is None else await repository.modem(card.device_id)
        said = None
        if modem is not None:
            said = SimCardModem(
                imei=modem.imei, iccid=modem.iccid, signal=modem.signal, reported_ms=modem.reported_ms
            )
        return SimCardDetail.model_construct(
            card=row, comparison=comparison_of(card, used[card.id]), modem=said
        )

    async def usage(self, user: CurrentUser, card_id: int, days: int) -> UsageDays:
        """Of the last days, today's included. Raises NotFound."""
        since = self.today() - timedelta(days=days - 1)
        async with self._database.reading() as session:
            repository = SimCardRepository(session, user.scope)
            await existing(repository, card_id)
            counted = (await repository.usage([card_id], since))[card_id]
            billed = (await repository.billing([card_id], since))[card_id]
        return UsageDays(
            days=[
                UsageDay(
                    day=day,
                    received=counted[day][0] if day in counted else None,
                    sent=counted[day][1] if day in counted else None,
                    billed_bytes=billed.get(day),
                )
                for day in sorted(counted.keys() | billed.keys())
            ]
        )

    async def create(self, user: CurrentUser, body: SimCardBody) -> SimCardRow:
        """Add a card. Raises Conflict when there is one of its number, or the owner has MAX_CARDS."""
        now = self._clock()
        async with self._database.session() as session:
            repository = SimCardRepository(session, user.scope)
            if await repository.count_of(owner_of(user)) >= MAX_CARDS:
                raise too_many()
            if await repository.taken([body.iccid]):
                raise _taken(body.iccid)
            card = SimCard(owner_id=owner_of(user), noted_ms=now, changed_ms=now, **body.model_dump())
            try:
                await repository.add(card)
                [row] = await self._rows(repository, [await existing(repository, card.id)])
                await session.commit()
            except IntegrityError:  # somebody else was faster
                raise _taken(body.iccid) from None
        record_change({}, _audited(body))
        log.info("SIM card %s added by %s", body.iccid, user.name)
        return row

    async def preview_range(self, user: CurrentUser, body: SimCardRangeBody) -> SimCardRangePreview:
        """What add_range would do. Raises ParameterError."""
        numbers = _numbers(body)
        async with self._database.reading() as session:
            there = await SimCardRepository(session, user.scope).taken(numbers)
        new = [number for number in numbers if number not in there]
        return SimCardRangePreview(
            first=numbers[0],
            last=numbers[-1],
            count=len(numbers),
            new=len(new),
            existing=len(there),
            existing_iccids=sorted(there)[:MAX_NAMED],
            suspect=sum(map(is_suspect, new)),
        )

    async def add_range(self, user: CurrentUser, body: SimCardRangeBody) -> SimCardRangeResult:
        """Add cards of a range; those that are there stay as they are. Raises ParameterError, Conflict."""
        numbers, now = _numbers(body), self._clock()
        common = {**body.fields.model_dump(), "owner_id": owner_of(user), "noted_ms": now, "changed_ms": now}
        async with self._database.session() as session:
            repository = SimCardRepository(session, user.scope)
            there = await repository.taken(numbers)
            new = [number for number in numbers if number not in there]
            if new and await repository.count_of(owner_of(user)) + len(new) > MAX_CARDS:
                raise too_many()
            try:
                await repository.add_many([{**common, "iccid": number} for number in new])
                await session.commit()
            except IntegrityError:
                raise _taken(f"{numbers[0]} to {numbers[-1]}") from None
        record_change({}, {"first": numbers[0], "last": numbers[-1], "added": len(new)})
        log.info("%d SIM cards from %s added by %s", len(new), numbers[0], user.name)
        return SimCardRangeResult(added=len(new), existing=len(there))

    async def change(self, user: CurrentUser, card_id: int, body: SimCardBody) -> SimCardRow:
        """Replace what is known of a card. Raises NotFound, Conflict for the number of another card."""
        async with self._database.session() as session:
            repository = SimCardRepository(session, user.scope)
            card, owner = await existing(repository, card_id, locked=True)
            before = body_of(card)
            if body.iccid != card.iccid:
                if await repository.taken([body.iccid]):
                    raise _taken(body.iccid)
                await self._end_alarm(session, card)
                card.device_id = card.bound_ms = card.reported_ms = None
                card.seen_device_id = card.seen_ms = None
            for name, value in body.model_dump().items():
                setattr(card, name, value)
            card.changed_ms = self._clock()
            [row] = await self._rows(repository, [(card, owner)])
            try:
                await session.commit()
            except IntegrityError:
                raise _taken(body.iccid) from None
        record_change(_audited(before), _audited(body), iccid=body.iccid)
        log.info("SIM card %s changed by %s", body.iccid, user.name)
        return row

    async def bind(self, user: CurrentUser, card_id: int, body: SimCardBindBody) -> SimCardRow:
        """Bind a card to a gateway that the user sees, or to none; its alarm is over. Raises NotFound."""
        now = self._clock()
        async with self._database.session() as session:
            repository = SimCardRepository(session, user.scope)
            card, owner = await existing(repository, card_id, locked=True)
            if body.device_id is not None and not await repository.devices([body.device_id]):
                raise NotFound("device")
            before = {"device_id": card.device_id}
            await self._end_alarm(session, card)
            is_there = body.device_id is not None and card.seen_device_id == body.device_id
            card.device_id, card.bound_ms = body.device_id, None if body.device_id is None else now
            card.reported_ms = card.seen_ms if is_there else None
            card.changed_ms = now
            [row] = await self._rows(repository, [(card, owner)])
            await session.commit()
        record_change(before, {"device_id": body.device_id}, iccid=row.iccid)
        log.info("SIM card %s bound to gateway %s by %s", row.iccid, body.device_id, user.name)
        return row

    async def delete(self, user: CurrentUser, card_id: int) -> None:
        """Delete a card with what it used. Raises NotFound."""
        async with self._database.session() as session:
            repository = SimCardRepository(session, user.scope)
            card, _ = await existing(repository, card_id, locked=True)
            before = body_of(card)
            await self._end_alarm(session, card)
            await repository.delete(card)
            await session.commit()
        record_change(_audited(before), {})
        log.info("SIM card %s deleted by %s", before.iccid, user.name)

    async def _end_alarm(self, session: AsyncSession, card: SimCard) -> None:
        if card.moved_ms is not None:
            await self._alarms.end(session, alarm_origin(card), self._clock(), CARD_BOUND)
            card.moved_ms = None

    async def _rows(self, repository: SimCardRepository, listed: Sequence[Listed]) -> list[SimCardRow]:
        cards, today = [card for card, _ in listed], self.today()
        named = {card.device_id for card in cards} | {card.seen_device_id for card in cards}
        devices = await repository.devices([number for number in named if number is not None])
        used = await self._used(repository, cards)
        return [row_of(card, owner, devices, used[card.id], today) for card, owner in listed]

    async def _used(self, repository: SimCardRepository, cards: Collection[SimCard]) -> dict[int, CardUsage]:
        if not cards:
            return {}
        today = self.today()
        numbers, since = [card.id for card in cards], min(since_of(card, today) for card in cards)
        counted = await repository.usage(numbers, since)
        billed = await repository.billing(numbers, since)
        return {number: CardUsage(counted[number], billed[number]) for number in numbers}


async def existing(repository: SimCardRepository, card_id: int, *, locked: bool = False) -> Listed:
    """Raises NotFound."""
    found = await repository.card(card_id, locked=locked)
    if found is None:
        raise NotFound("SIM card")
    return found


def _numbers(body: SimCardRangeBody) -> list[str]:
    return numbers_of(body.prefix, body.first, body.last, with_check_digit=body.with_check_digit)


def _taken(iccid: str) -> Conflict:
    return Conflict(
        f"SIM card {iccid} is there already", field="iccid", rule="must be new", reason="sim_card.taken"
    )


def _audited(body: SimCardBody) -> dict[str, Any]:
    return body.model_dump(mode="json")
