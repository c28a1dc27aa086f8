"""Sends orders that are written down, again until their gateway has said something of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.firmware.orders import end, message, rules_of
from cloud.domains.firmware.states import UpgradeChange, UpgradeState, overdue
from cloud.domains.firmware.tickets import Tickets
from cloud.domains.firmware.upgrade_repository import OpenUpgrade, UpgradeRepository
from cloud.link import LinkDown
from edge_contract.upgrade import Upgrade

log = logging.getLogger(__name__)

RESEND_MS = 60_000
"""An order of which its gateway has said nothing is sent again."""

Send = Callable[[str, Upgrade], Awaitable[None]]
"""To a gateway; raises LinkDown."""


class OrderSender:
    """In the full process, which alone sends orders."""

    def __init__(self, database: Database, tickets: Tickets, send: Send, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._tickets = tickets
        self._send = send
        self._clock = clock
        self._sent: dict[str, tuple[str, int]] = {}  # order to its gateway, and when it was sent

    def connected(self, gateway: str, known: str | None) -> None:
        """A gateway came and names the newest order that it knows: another one did not arrive."""
        self._sent = {
            order: place for order, place in self._sent.items() if place[0] != gateway or order == known
        }

    async def run(self) -> None:
        """End what took too long, and send what is to be sent."""
        async with self._database.reading() as session:
            rows = await UpgradeRepository(session, Scope.system()).open_upgrades()
        self._sent = {
            order: place
            for order, place in self._sent.items()
            if order in {row[0].upgrade_id for row in rows}
        }
        late = [(row[0].id, change) for row in rows if (change := self._overdue(row)) is not None]
        if late:
            await self._end(late)
        ended = {number for number, _ in late}
        for row in rows:
            if row[0].id not in ended and self._is_due(row):
                await self._send_one(row)

    def _overdue(self, row: OpenUpgrade) -> UpgradeChange | None:
        upgrade, device, plan, _ = row
        return overdue(
            UpgradeState(upgrade.state),
            self._clock(),
            upgrade.step_ms or 0,
            upgrade.expires_ms or 0,
            rules_of(plan).confirm_s,
            device.since_ms if device.connected else None,
        )

    async def _end(self, late: list[tuple[int, UpgradeChange]]) -> None:
        now = self._clock()
        async with self._database.session() as session:
            repository = UpgradeRepository(session, Scope.system())
            for number, change in late:
                upgrade = await repository.upgrade(number)
                if upgrade is not None and upgrade.is_open:
                    end(upgrade, change.state, change.code, now)
                    log.warning("upgrade %s: %s, %s", upgrade.upgrade_id, change.state.value, change.code)
            await session.commit()

    def _is_due(self, row: OpenUpgrade) -> bool:
        upgrade, device, _, _ = row
        if upgrade.state != UpgradeState.ORDERED.value or not device.connected:
            return False
        now = self._clock()
        if now >= (upgrade.expires_ms or 0):
            return False  # its gateway would refuse it
        sent = self._sent.get(upgrade.upgrade_id or "")
        return sent is None or now >= sent[1] + RESEND_MS

    async def _send_one(self, row: OpenUpgrade) -> None:
        upgrade, device, plan, file = row
        order = upgrade.upgrade_id or ""
        try:
            url = await asyncio.to_thread(self._tickets.url, order)
            await self._send(device.gateway_id, message(upgrade, plan, file, url))
        except (LinkDown, OSError) as error:
            log.warning("order %s is not sent yet: %s", order, error)
            return
        self._sent[order] = device.gateway_id, self._clock()
