"""What gateways report of modems and links: where cards are, and what they use. Newest word only.

A report is written in a transaction of its own, so that what one gateway says holds up none of the others.
What is not written when the process ends the next report says again: its counts go on.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.alarms.codes import AlarmType
from cloud.domains.alarms.system_alarms import SystemAlarm, SystemAlarms
from cloud.domains.inventory.models import Device
from cloud.domains.sim_cards.counting import LinkReading, added, by_day, shared
from cloud.domains.sim_cards.models import SimCard
from cloud.domains.sim_cards.placing import CardPlace, PlaceChange, gone, reported
from cloud.domains.sim_cards.repository import SimCardRepository
from cloud.domains.sim_cards.service import alarm_origin
from edge_contract.cellular import LinkBytes, ModemState

log = logging.getLogger(__name__)

WRITE_S = 10.0
"""Interval of the writing."""

RETENTION_DAYS = 800
"""Two years of usage, and a little."""

MOVED = "card_moved"
"""Cause of the alarm of a card that is in another gateway."""


@dataclass(frozen=True)
class GatewayReport:
    at_ms: int
    modem: ModemState | None
    links: Sequence[LinkBytes] | None


class CardReports:
    """said() remembers, write() writes: periodic, in the full process alone."""

    def __init__(
        self, database: Database, alarms: SystemAlarms, zone: ZoneInfo, *, clock: NowMs = now_ms
    ) -> None:
        self._database = database
        self._alarms = alarms
        self._zone = zone
        self._clock = clock
        self._said: dict[str, GatewayReport] = {}

    def said(self, gateway: str, modem: ModemState | None, links: Sequence[LinkBytes] | None) -> None:
        """One for each gateway; of a report without one part that part of the one before stays."""
        before = self._said.get(gateway)
        if before is not None:
            modem = before.modem if modem is None else modem
            links = before.links if links is None else links
        self._said[gateway] = GatewayReport(self._clock(), modem, links)

    def forget(self, gateway: str) -> None:
        """A deleted gateway."""
        self._said.pop(gateway, None)

    async def write(self) -> None:
        """Periodic. A gateway that somebody deleted or disabled meanwhile is left out."""
        said, self._said = self._said, {}
        for gateway in sorted(said):
            await self._write(gateway, said[gateway])

    async def forget_old(self, now: int) -> None:
        """Periodic: delete usage and records older than RETENTION_DAYS."""
        today = datetime.fromtimestamp(now / 1000, UTC).astimezone(self._zone).date()
        async with self._database.session() as session:
            await SimCardRepository(session, Scope.system()).forget(today - timedelta(days=RETENTION_DAYS))
            await session.commit()

    async def _write(self, gateway: str, report: GatewayReport) -> None:
        async with self._database.session() as session:
            repository = SimCardRepository(session, Scope.system())
            device = await repository.gateway(gateway)
            if device is None or device.disabled:
                return
            if report.links is not None:
                await self._count(repository, device, report.links, report.at_ms)
            if report.modem is not None:
                await self._place(session, repository, device, report.modem, report.at_ms)
            await session.commit()

    async def _count(
        self, repository: SimCardRepository, device: Device, links: Sequence[LinkBytes], at_ms: int
    ) -> None:
        """Of cellular interfaces, for the card that was in the gateway until now."""
        before = await repository.links(device.id)
        received = sent = 0
        from_ms = None
        rows = []
        for link in links:
            if not link.cellular:
                continue
            now = LinkReading(link.since_ms, link.received, link.sent, at_ms)
            stored = before.get(link.interface)
            earlier = (
                None
                if stored is None
                else LinkReading(stored.since_ms, stored.received, stored.sent, stored.reported_ms)
            )
            more = added(earlier, now)
            if more is None and earlier is not None and earlier.since_ms == now.since_ms:
                log.debug("gateway %s: bytes of %s are not believed", device.gateway_id, link.interface)
            if more is not None and earlier is not None:
                received, sent = received + more[0], sent + more[1]
                from_ms = earlier.at_ms if from_ms is None else min(from_ms, earlier.at_ms)
            rows.append(
                {
                    "device_id": device.id,
                    "interface": link.interface,
                    "since_ms": link.since_ms,
                    "received": link.received,
                    "sent": link.sent,
                    "reported_ms": at_ms,
                }
            )
        await repository.put_links(device.id, rows)
        if from_ms is None:
            return
        cards = [
            card
            for card in await repository.of_gateway(device.id)
            if card.device_id == device.id and card.seen_device_id == device.id
        ]
        if len(cards) == 1:  # of two in one gateway nobody knows which of them carried it
            days = shared(received, sent, list(by_day(from_ms, at_ms, self._zone)))
            await repository.add_usage(cards[0].id, days)

    async def _place(
        self,
        session: AsyncSession,
        repository: SimCardRepository,
        device: Device,
        modem: ModemState,
        at_ms: int,
    ) -> None:
        await repository.put_modem(
            {
                "device_id": device.id,
                "imei": modem.imei,
                "iccid": modem.iccid,
                "signal": modem.signal,
                "reported_ms": at_ms,
            }
        )
        for card in await repository.of_gateway(device.id):
            if card.iccid != modem.iccid:
                _put(card, gone(_place_of(card), device.id))
        named = await repository.of_iccids([modem.iccid]) if modem.iccid else {}
        if modem.iccid not in named:
            return
        card = named[modem.iccid]
        may_bind = card.device_id is None and await repository.owner_sees(card, device.id)
        before, origin = _place_of(card), alarm_origin(card)
        place, step = reported(before, device.id, at_ms, may_bind=may_bind)
        _put(card, place)
        match step:
            case PlaceChange.BOUND:
                card.bound_ms = card.changed_ms = at_ms
                log.info("SIM card %s is bound to gateway %s", card.iccid, device.gateway_id)
            case PlaceChange.MOVED if card.device_id is not None:
                log.warning("SIM card %s is in gateway %s now", card.iccid, device.gateway_id)
                alarm = SystemAlarm(
                    alarm_origin(card),
                    card.device_id,
                    AlarmType.TAMPER,
                    at_ms,
                    f"SIM {card.iccid}",
                    MOVED,
                )
                await self._alarms.begin(session, alarm)
            case PlaceChange.RETURNED:
                log.info("SIM card %s is back in gateway %s", card.iccid, device.gateway_id)
                await self._alarms.end(session, origin, at_ms)
            case _:
                pass


def _place_of(card: SimCard) -> CardPlace:
    return CardPlace(card.device_id, card.reported_ms, card.seen_device_id, card.seen_ms, card.moved_ms)


def _put(card: SimCard, place: CardPlace) -> None:
    card.device_id, card.reported_ms = place.bound, place.reported_ms
    card.seen_device_id, card.seen_ms, card.moved_ms = place.seen, place.seen_ms, place.moved_ms
