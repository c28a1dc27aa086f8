"""What gateways say of deployments and of what they run.

expired and networkError are the cloud's guess; a final receipt replaces them. Receipts are rows, each step
once.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

import msgspec

from cloud.core.clock import NowMs
from cloud.core.log_once import LogOnce
from cloud.core.scope import Scope
from cloud.core.text import storable
from cloud.db import Database
from cloud.domains.configuration.models import Deployment, DeploymentReceipt
from cloud.domains.configuration.repository import DeployRepository
from cloud.domains.configuration.state_changes import accept, observe
from cloud.domains.configuration.states import DeploymentState
from cloud.domains.deploy.deployment_store import MAX_TEXT_LENGTH, DeploymentStore
from cloud.domains.deploy.metrics import REFUSED
from cloud.domains.devices.service import DeviceService
from edge_contract.deployment import FINAL, Receipt, Step
from edge_contract.payloads import Running

log = logging.getLogger(__name__)

Changed = Callable[[int], Awaitable[None]]
"""Called with the id of a gateway whose configuration state has changed."""


class Progress:
    """Receipts and running configurations, as they arrive."""

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        store: DeploymentStore,
        changed: Changed,
        clock: NowMs,
    ) -> None:
        self._database = database
        self._devices = devices
        self._store = store
        self._changed = changed
        self._clock = clock
        self._last_running: dict[str, Running] = {}
        self._complaints = LogOnce()

    def forget(self, gateway: str) -> None:
        """A gateway is no more; of one with the same serial number nothing is known."""
        self._last_running.pop(gateway, None)

    async def receipt(self, gateway: str, receipt: Receipt) -> None:
        """A step, as the gateway reports it: repeated, late or out of order harms nothing."""
        device_id = await self._devices.id_of(gateway)
        async with self._database.session() as session:
            repository = DeployRepository(session, Scope.system())
            row = await repository.deployment(receipt.id)
            if row is None or row.device_id != device_id:
                REFUSED.labels("foreign").inc()
                if self._complaints.first(gateway):
                    log.warning("receipt of %s for deployment %s, which is not its own", gateway, receipt.id)
                return
            config_state = await repository.locked(row.device_id)
            row = await repository.deployment(receipt.id)  # as it is now that nobody else can change it
            assert row is not None
            stored = await repository.receipt(receipt.id, receipt.step.value)
            waits = False
            if stored is None:
                repository.add(_receipt_row(receipt, self._clock()))
            elif receipt.step is Step.SWITCHED and stored.missing != _missing(receipt):
                stored.missing, stored.parameters = _missing(receipt), _parameters(receipt)
                waits = row.state == DeploymentState.SWITCHED
            # what was cancelled is not open again because a step of before is repeated
            is_new_step = stored is None or receipt.step in FINAL
            moved = (is_new_step or row.state != DeploymentState.CANCELLED) and self._store.move(
                row, DeploymentState(receipt.step.value), receipt.code, receipt.detail
            )
            changed = False
            if moved:  # else it is repeated, or out of order and says what ran before
                by_us = _deployed(row, receipt.running, receipt.step)
                changed = await observe(
                    repository, config_state, receipt.running, self._clock(), deployed=by_us
                )
            if moved and not row.check_only and receipt.step in (Step.CONFIRMED, Step.UNCHANGED):
                accept(config_state, row.hash)
                changed = True
            await session.commit()
        if moved:
            self._last_running.pop(
                gateway, None
            )  # a receipt of before an outage may be older than the last hello
            log.info("deployment %s: %s %s %s", row.id, row.state, receipt.code, receipt.detail)
        if moved or waits:
            await self._store.notify(row)
        if changed:
            await self._changed(row.device_id)

    async def running(self, gateway: str, running: Running) -> None:
        """What hello and pulse say that runs; costs nothing while that is the same."""
        if self._last_running.get(gateway) == running:
            return
        device_id = await self._devices.id_of(gateway)
        if device_id is None:
            return
        async with self._database.session() as session:
            repository = DeployRepository(session, Scope.system())
            config_state = await repository.locked(device_id)
            row = await repository.deployment(running.deployment) if running.deployment else None
            if row is not None and row.device_id != device_id:
                row = None
            deployed = row is not None and _deployed(row, running.hash, running.step)
            changed = await observe(repository, config_state, running.hash, self._clock(), deployed=deployed)
            if deployed and running.step is Step.CONFIRMED and config_state.accepted != running.hash:
                accept(config_state, running.hash)
                changed = True
            moved = False
            if row is not None and running.step is not None and running.step not in FINAL:
                moved = self._store.move(
                    row, DeploymentState(running.step.value), "", ""
                )  # the final receipt comes by itself
            await session.commit()
        self._last_running[gateway] = running
        if moved and row is not None:
            await self._store.notify(row)
        if changed:
            await self._changed(device_id)


def _deployed(row: Deployment, running: str, step: Step | None) -> bool:
    """Does this run because of the deployment?"""
    return not row.check_only and row.hash == running and step in (Step.SWITCHED, Step.CONFIRMED)


def _receipt_row(receipt: Receipt, now: int) -> DeploymentReceipt:
    return DeploymentReceipt(
        deployment_id=receipt.id,
        step=receipt.step.value,
        t_ms=receipt.t_ms,
        received_ms=now,
        running=receipt.running,
        code=storable(receipt.code, MAX_TEXT_LENGTH),
        detail=storable(receipt.detail, MAX_TEXT_LENGTH),
        faults=[
            {"field": storable(fault.field, MAX_TEXT_LENGTH), "rule": storable(fault.rule, MAX_TEXT_LENGTH)}
            for fault in receipt.faults
        ],
        change=msgspec.to_builtins(receipt.change) if receipt.change else None,
        missing=_missing(receipt),
        parameters=_parameters(receipt),
    )


def _parameters(receipt: Receipt) -> list[dict[str, str]] | None:
    """What became of parameter groups of the machine, as it is stored; None when it names none."""
    states = [
        {
            "group": state.group,
            "condition": state.condition.value,
            "reason": storable(state.reason, MAX_TEXT_LENGTH),
        }
        for state in receipt.parameters
    ]
    return states or None


def _missing(receipt: Receipt) -> dict[str, object] | None:
    """What the gateway waits for, as it is stored; None when nothing is missing."""
    missing = receipt.missing
    if missing is None:
        return None
    points = [storable(point, MAX_TEXT_LENGTH) for point in missing.points]
    counts = {"slaves_all": missing.slaves_all, "points_all": missing.points_all}
    return {"slaves": missing.slaves, "points": points, **counts, "link": missing.link}
