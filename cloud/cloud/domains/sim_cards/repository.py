"""Every query of SIM cards, of their usage, and of what gateways report."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, func, insert, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.chunks import chunked
from cloud.core.scope import Scope
from cloud.domains.identity.models import User
from cloud.domains.identity.scope import within
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.visibility import visible
from cloud.domains.sim_cards.models import (
    GatewayLinkCount,
    GatewayModem,
    SimCard,
    SimCardBilling,
    SimCardUsage,
)
from cloud.domains.sim_cards.schemas import CardFilter

Listed = tuple[SimCard, str]
"""A card and the name of its owner, "" for the platform's."""


def card_seen(scope: Scope) -> ColumnElement[bool]:
    """Cards of the user and of everybody below him."""
    return within(scope, SimCard.owner_id)


class SimCardRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def add(self, card: SimCard) -> None:
        """Afterwards it has its number."""
        self._session.add(card)
        await self._session.flush()

    async def add_many(self, rows: Sequence[Mapping[str, Any]]) -> None:
        async for some in chunked(rows):
            await self._session.execute(insert(SimCard), list(some))

    async def change_many(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Rows with the number of the card, all with the same fields."""
        async for some in chunked(rows):
            await self._session.execute(update(SimCard), list(some))

    async def delete(self, card: SimCard) -> None:
        await self._session.delete(card)

    async def card(self, card_id: int, *, locked: bool = False) -> Listed | None:
        query = select(SimCard).where(SimCard.id == card_id, card_seen(self._scope))
        if locked:
            await self._session.execute(query.with_for_update())
        row = (await self._session.execute(_named(query))).one_or_none()
        return None if row is None else (row[0], row[1] or "")

    async def page(self, wanted: CardFilter, today: date, page: int, limit: int) -> tuple[list[Listed], int]:
        query = self._matching(wanted, today)
        counted = select(func.count()).select_from(query.subquery())
        total = int((await self._session.execute(counted)).scalar_one())
        query = query.order_by(*_order(wanted.sort)).offset((page - 1) * limit).limit(limit)
        return [(row[0], row[1] or "") for row in await self._session.execute(_named(query))], total

    async def all(self, wanted: CardFilter, today: date, limit: int) -> list[SimCard]:
        query = self._matching(wanted, today).order_by(*_order(wanted.sort)).limit(limit)
        return list(await self._session.scalars(query))

    async def of_iccids(self, iccids: Collection[str]) -> dict[str, SimCard]:
        """Those that the scope sees, by number."""
        cards: dict[str, SimCard] = {}
        async for some in chunked(sorted(set(iccids))):
            query = select(SimCard).where(SimCard.iccid.in_(some), card_seen(self._scope))
            cards |= {card.iccid: card for card in await self._session.scalars(query)}
        return cards

    async def taken(self, iccids: Collection[str]) -> set[str]:
        """Of these numbers those that are somebody's card: it is one for all owners."""
        numbers: set[str] = set()
        async for some in chunked(sorted(set(iccids))):
            numbers |= set(await self._session.scalars(select(SimCard.iccid).where(SimCard.iccid.in_(some))))
        return numbers

    async def count_of(self, owner_id: int | None) -> int:
        """How many an owner has."""
        query = (
            select(func.count()).select_from(SimCard).where(SimCard.owner_id.is_not_distinct_from(owner_id))
        )
        return int((await self._session.execute(query)).scalar_one())

    async def devices(self, numbers: Collection[int]) -> dict[int, Device]:
        """Of these gateways those that the scope sees."""
        query = select(Device).where(Device.id.in_(numbers), visible(self._scope))
        return {device.id: device for device in await self._session.scalars(query)}

    async def usage(self, cards: Collection[int], since: date) -> dict[int, dict[date, tuple[int, int]]]:
        """Bytes received and sent from a day on, by card and day."""
        query = select(SimCardUsage.card_id, SimCardUsage.day, SimCardUsage.received, SimCardUsage.sent)
        query = query.where(SimCardUsage.card_id.in_(cards), SimCardUsage.day >= since)
        days: dict[int, dict[date, tuple[int, int]]] = {card: {} for card in cards}
        for card_id, day, received, sent in await self._session.execute(query):
            days[card_id][day] = received, sent
        return days

    async def billing(self, cards: Collection[int], since: date) -> dict[int, dict[date, int]]:
        """The operator's records from a day on, by card and day."""
        query = select(SimCardBilling.card_id, SimCardBilling.day, SimCardBilling.used_bytes)
        query = query.where(SimCardBilling.card_id.in_(cards), SimCardBilling.day >= since)
        days: dict[int, dict[date, int]] = {card: {} for card in cards}
        for card_id, day, used in await self._session.execute(query):
            days[card_id][day] = used
        return days

    async def newest_billing(self, cards: Sequence[int], since: date) -> dict[int, tuple[date, int]]:
        """The operator's newest records from a day on, by card."""
        records: dict[int, tuple[date, int]] = {}
        async for some in chunked(cards):
            for card_id, days in (await self.billing(some, since)).items():
                if days:
                    records[card_id] = max(days), days[max(days)]
        return records

    async def modem(self, device_id: int) -> GatewayModem | None:
        """What a gateway that the scope sees said of its modem."""
        query = select(GatewayModem).join(Device, Device.id == GatewayModem.device_id)
        query = query.where(GatewayModem.device_id == device_id, visible(self._scope))
        return (await self._session.scalars(query)).one_or_none()

    async def put_billing(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Records of the operator, in place of those of the same days."""
        async for some in chunked(rows):
            query = self._insert(SimCardBilling).values(list(some))
            new = {name: query.excluded[name] for name in ("used_bytes", "source", "noted_ms")}
            await self._session.execute(
                query.on_conflict_do_update(index_elements=["card_id", "day"], set_=new)
            )

    # What gateways report: of the system's scope.

    async def gateway(self, gateway: str) -> Device | None:
        query = select(Device).where(Device.gateway_id == gateway, visible(self._scope))
        return (await self._session.scalars(query)).one_or_none()

    async def of_gateway(self, device_id: int) -> list[SimCard]:
        """Cards that are bound to a gateway, or were seen there last."""
        here = or_(SimCard.device_id == device_id, SimCard.seen_device_id == device_id)
        query = select(SimCard).where(here, card_seen(self._scope)).order_by(SimCard.id)
        return list(await self._session.scalars(query))

    async def owner_sees(self, card: SimCard, device_id: int) -> bool:
        """Does the owner of a card see a gateway?"""
        if card.owner_id is None:
            return True
        path = (await self._session.scalars(select(User.path).where(User.id == card.owner_id))).one()
        query = select(Device.id).where(Device.id == device_id, visible(Scope(card.owner_id, path)))
        return (await self._session.execute(query)).first() is not None

    async def modem_of(self, device_id: int) -> GatewayModem | None:
        return await self._session.get(GatewayModem, device_id)

    async def put_modem(self, row: Mapping[str, Any]) -> None:
        query = self._insert(GatewayModem).values(**row)
        new = {name: value for name, value in row.items() if name != "device_id"}
        await self._session.execute(query.on_conflict_do_update(index_elements=["device_id"], set_=new))

    async def links(self, device_id: int) -> dict[str, GatewayLinkCount]:
        """What a gateway said last, by interface."""
        query = select(GatewayLinkCount).where(GatewayLinkCount.device_id == device_id)
        return {link.interface: link for link in await self._session.scalars(query)}

    async def put_links(self, device_id: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """In place of what it said before."""
        await self._session.execute(delete(GatewayLinkCount).where(GatewayLinkCount.device_id == device_id))
        if rows:
            await self._session.execute(insert(GatewayLinkCount), [dict(row) for row in rows])

    async def add_usage(self, card_id: int, days: Sequence[tuple[date, int, int]]) -> None:
        """Bytes received and sent, to those of the same days."""
        query = self._insert(SimCardUsage).values(
            [{"card_id": card_id, "day": day, "received": got, "sent": sent} for day, got, sent in days]
        )
        new = {
            "received": SimCardUsage.received + query.excluded.received,
            "sent": SimCardUsage.sent + query.excluded.sent,
        }
        await self._session.execute(query.on_conflict_do_update(index_elements=["card_id", "day"], set_=new))

    async def forget(self, before: date) -> None:
        """Delete usage and records of days before."""
        for table in (SimCardUsage, SimCardBilling):
            await self._session.execute(delete(table).where(table.day < before))

    def _insert(self, table: type[Any]) -> Any:
        is_postgres = self._session.get_bind().dialect.name == "postgresql"
        return (postgresql.insert if is_postgres else sqlite.insert)(table)

    def _matching(self, wanted: CardFilter, today: date) -> Select[SimCard]:
        query = select(SimCard).where(card_seen(self._scope))
        if wanted.search:
            columns = (SimCard.iccid, SimCard.supplier, SimCard.plan_title, SimCard.remark)
            titled = or_(
                *(
                    column.icontains(wanted.search, autoescape=True)
                    for column in (Device.title, Device.gateway_id)
                )
            )
            there = select(Device.id).where(visible(self._scope), titled)
            query = query.where(
                or_(
                    *(column.icontains(wanted.search, autoescape=True) for column in columns),
                    SimCard.device_id.in_(there),
                )
            )
        if wanted.operator:
            query = query.where(SimCard.operator == wanted.operator)
        if wanted.status:
            query = query.where(SimCard.status == wanted.status)
        if wanted.expires_within is not None:
            query = query.where(SimCard.expires_on <= today + timedelta(days=wanted.expires_within))
        if wanted.bound is not None:
            query = query.where(
                SimCard.device_id.is_not(None) if wanted.bound else SimCard.device_id.is_(None)
            )
        if wanted.moved is not None:
            is_moved = SimCard.moved_ms.is_not(None) & SimCard.device_id.is_not(None)
            query = query.where(is_moved if wanted.moved else ~is_moved)
        return query


def _named(query: Select[SimCard]) -> Select[SimCard, str]:
    return query.outerjoin(User, User.id == SimCard.owner_id).add_columns(User.user_name)


def _order(sort: str) -> tuple[Any, ...]:
    if sort == "expires_on":
        return SimCard.expires_on.is_(None), SimCard.expires_on, SimCard.iccid
    return (SimCard.iccid,)
