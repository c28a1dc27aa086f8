"""What gateways say of their firmware: what they run, and how their upgrades go."""

from __future__ import annotations

import logging

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.core.text import storable
from cloud.db import Database
from cloud.domains.firmware.gateway_repository import GatewayRepository
from cloud.domains.firmware.models import FirmwarePlan, GatewayFirmware, GatewayUpgrade
from cloud.domains.firmware.orders import end, rules_of
from cloud.domains.firmware.sending import OrderSender
from cloud.domains.firmware.states import ENDED, OPEN, UpgradeState, after_report
from cloud.domains.firmware.upgrade_repository import UpgradeRepository
from edge_contract.upgrade import FINAL_UPGRADE, FirmwareReport, FirmwareState

log = logging.getLogger(__name__)

MAX_CODE, MAX_DETAIL = 40, 200


class FirmwareReports:
    """In the full process, where gateways' messages come."""

    def __init__(self, database: Database, sender: OrderSender, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._sender = sender
        self._clock = clock

    async def connected(self, gateway: str, firmware: FirmwareState | None) -> None:
        """A hello: what runs; None: it takes no firmware."""
        if firmware is not None or await self._takes_firmware(gateway):
            await self._note_state(gateway, firmware)
        self._sender.connected(gateway, firmware.upgrade if firmware is not None else None)

    async def _takes_firmware(self, gateway: str) -> bool:
        async with self._database.reading() as session:
            return await GatewayRepository(session, Scope.system()).takes_firmware(gateway)

    async def _note_state(self, gateway: str, firmware: FirmwareState | None) -> None:
        async with self._database.session() as session:
            repository = GatewayRepository(session, Scope.system())
            device_id = await repository.number(gateway)
            if device_id is None:
                return
            row = await repository.state(device_id)
            if firmware is not None:
                self._note(repository, device_id, row, firmware)
            elif row is not None:
                await repository.delete(row)
            await session.commit()

    async def reported(self, gateway: str, report: FirmwareReport) -> None:
        """A step; committed when this returns. Of an unknown order it only says what runs."""
        now = self._clock()
        async with self._database.session() as session:
            gateways, upgrades = (
                GatewayRepository(session, Scope.system()),
                UpgradeRepository(session, Scope.system()),
            )
            device_id = await gateways.number(gateway)
            if device_id is None:
                return
            self._note(gateways, device_id, await gateways.state(device_id), report.firmware)
            upgrade = await upgrades.upgrade_of_order(device_id, report.id)
            if upgrade is not None:
                plan = None
                if upgrade.plan_id is not None:
                    plan = await session.get(FirmwarePlan, upgrade.plan_id)
                take(upgrade, report, 0 if plan is None else rules_of(plan).watch_s, now)
            await session.commit()
        if report.step in FINAL_UPGRADE:
            log.info("upgrade %s of %s: %s %s", report.id, gateway, report.step.value, report.code)

    def _note(
        self,
        repository: GatewayRepository,
        device_id: int,
        row: GatewayFirmware | None,
        firmware: FirmwareState,
    ) -> None:
        if row is None:
            row = GatewayFirmware(device_id=device_id)
            repository.add(row)
        row.name, row.model = firmware.name, firmware.model
        row.version, row.security_version = firmware.version, firmware.security_version
        row.version_text = storable(firmware.version_text, 200)
        row.upgrade_types = list(firmware.upgrade_types)
        row.upgrade_id = firmware.upgrade
        row.step = firmware.step.value if firmware.step is not None else None
        row.reported_ms = self._clock()


def take(upgrade: GatewayUpgrade, report: FirmwareReport, watch_s: int, now: int) -> None:
    """What a report makes of an upgrade. watch_s: of its plan."""
    was = UpgradeState(upgrade.state)
    watched = watch_s > 0 and not upgrade.is_back
    fits = report.firmware.version == upgrade.to_version
    change = after_report(was, upgrade.code, report.step, report.code, fits=fits, watched=watched)
    if was in OPEN:
        upgrade.done = min(max(upgrade.done, report.done), upgrade.size)
        upgrade.detail = storable(report.detail, MAX_DETAIL)
    if change is None:
        return
    upgrade.detail, upgrade.step_ms = storable(report.detail, MAX_DETAIL), now
    code = storable(change.code, MAX_CODE)
    if change.state in ENDED:
        end(upgrade, change.state, code, now)
    elif change.state is UpgradeState.WATCHING:
        upgrade.state, upgrade.code, upgrade.is_open = change.state.value, code, False
        upgrade.watch_ms, upgrade.ended_ms = now + watch_s * 1000, None
    else:
        upgrade.state = change.state.value
