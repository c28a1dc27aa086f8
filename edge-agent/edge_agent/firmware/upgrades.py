"""An upgrade from its order to its end, over restarts: what is due is read from the state on the medium."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence

from msgspec.structs import replace

from edge_agent.errors import AgentError, StoreError
from edge_agent.firmware import state_changes
from edge_agent.firmware.preparation import Preparation, UpgradeMachine
from edge_agent.firmware.slots import Slots, UpgradeRecord
from edge_agent.firmware.trial import UpgradableGateway, baseline_of, watch
from edge_agent.firmware.upgrade_log import UpgradeLog
from edge_agent.signals import signal
from edge_agent.system.clock import Clock
from edge_contract.firmware import FirmwareError
from edge_contract.trace import TraceKind
from edge_contract.upgrade import FirmwareReport, FirmwareState, Upgrade, UpgradeStep

log = logging.getLogger(__name__)

MAX_ORDERS = 8
"""Orders that wait to be looked at; further ones are dropped, and come again."""
MAX_RUNS = 20
"""Starts of the agent in which an upgrade goes on before it is given up."""
MEDIUM_S = 30.0
"""Pause before a medium that refused is tried again."""
GUARD_S = 60.0
"""The launcher's guard waits so much longer than the trial itself."""
WORDS = {
    "crash": "it ended by itself again and again",
    "hang": "it came to no end of its trial and was ended",
    "unusable": "its slot cannot be started",
}
"""What the launcher says of a slot that it has left."""


class Upgrades:
    """One upgrade at a time."""

    def __init__(
        self,
        slots: Slots,
        upgrade_log: UpgradeLog,
        preparation: Preparation,
        gateway: UpgradableGateway,
        machine: UpgradeMachine,
        clock: Clock,
    ) -> None:
        self.changed = upgrade_log.changed
        self._slots = slots
        self._log = upgrade_log
        self._preparation = preparation
        self._gateway = gateway
        self._machine = machine
        self._clock = clock
        self._orders: asyncio.Queue[Upgrade] = asyncio.Queue(MAX_ORDERS)
        self._work = asyncio.Event()

    @property
    def idle(self) -> bool:
        """Nothing is under way, and nothing waits for the cloud."""
        state = self._slots.state
        return state.record is None and self._orders.empty() and not state.unacknowledged

    @property
    def rolled_back(self) -> bool:
        """A newer version has run here last, and was left."""
        state = self._slots.state
        if state.record is not None:
            return state.record.step is UpgradeStep.TRIAL and state.trial is None
        return bool(state.past) and state.past[-1].step is UpgradeStep.ROLLED_BACK

    def state(self) -> FirmwareState:
        """What runs, and how the last order stands."""
        return self._log.state()

    def take(self, order: Upgrade) -> None:
        """Never blocks; an order that finds no place comes again."""
        try:
            self._orders.put_nowait(order)
        except asyncio.QueueFull:
            log.warning("order %s of an upgrade found no place", order.id)

    def unsent(self) -> list[FirmwareReport]:
        """Reports to send, in order."""
        return self._log.unsent()

    async def acknowledged(self, upgrades: Sequence[str]) -> None:
        """The cloud holds these final reports. Raises StoreError."""
        await self._log.acknowledged(upgrades)

    async def run(self) -> None:
        """Go on with what a restart interrupted, then take orders, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._take_orders())
            group.create_task(self._carry_out_orders())

    async def _take_orders(self) -> None:
        while True:
            order = await self._orders.get()
            try:
                await self._take(order)
            except StoreError as error:
                log.error("an order of an upgrade cannot be recorded, it will come again: %s", error)

    async def _take(self, order: Upgrade) -> None:
        state = self._slots.state
        if state_changes.is_known(state, order.id):
            await self._log.repeat(order.id)
        elif state.record is not None:
            self._log.turn_away(order.id, "busy", f"{state.record.order.id} is under way")
        else:
            extra = signal(TraceKind.FIRMWARE, UpgradeStep.DOWNLOADING)
            log.info("upgrade %s to version %d begins", order.id, order.version, extra=extra)
            await self._log.note(UpgradeRecord(order=order))
            self._work.set()

    async def _carry_out_orders(self) -> None:
        while True:
            record = self._slots.state.record
            if record is None:
                await self._work.wait()
                self._work.clear()
                continue
            try:
                await self._carry_out(record)
            except StoreError as error:
                log.error("upgrade %s: %s", record.order.id, error)
                await self._clock.sleep(MEDIUM_S)

    async def _carry_out(self, record: UpgradeRecord) -> None:
        """From where it stands. Raises StoreError when the state cannot be written."""
        if record.step is UpgradeStep.TRIAL:
            await self._go_on_with_trial(record)
            return
        record = await self._log.note(replace(record, runs=record.runs + 1))
        code = detail = ""
        ready = None
        try:
            if record.runs > MAX_RUNS:
                code, detail = "interrupted", f"{MAX_RUNS} starts of the agent did not bring it to its end"
            else:
                ready = await self._preparation.run(record)
        except FirmwareError as error:
            code, detail = error.code.value, str(error)
        except StoreError:
            raise
        except AgentError as error:
            code, detail = str(getattr(error, "code", "error")), str(error)
        except OSError as error:
            code, detail = "store", f"the medium refuses: {error.strerror or error}"
        if ready is not None:
            await self._switch(ready)
            return
        step, done = UpgradeStep.REFUSED, self._done()
        if not code:
            step, code, detail = UpgradeStep.CONFIRMED, "unchanged", "it runs already"
        await self._log.finish(replace(record, done=done), step, code, detail)
        await self._discard_download()

    async def _switch(self, record: UpgradeRecord) -> None:
        """Returns never where a launcher starts the other slot."""
        record = replace(record, step=UpgradeStep.TRIAL, baseline=baseline_of(self._gateway))
        await self._log.begin_trial(record, record.order.confirm_s + GUARD_S)
        log.warning("version %d starts on trial from slot %s", record.order.version, record.slot)
        await self._leave()

    async def _go_on_with_trial(self, record: UpgradeRecord) -> None:
        state, order = self._slots.state, record.order
        if state.trial is None or state.trial.slot != self._slots.running:
            code = state.failed.code if state.failed else "unusable"
            await self._log.finish(record, UpgradeStep.ROLLED_BACK, code, WORDS.get(code, "it was left"))
            await self._discard_download()
            return
        extra = signal(TraceKind.FIRMWARE, UpgradeStep.TRIAL)
        log.info("version %d is on trial for %d s", order.version, order.confirm_s, extra=extra)
        self._log.report(UpgradeStep.TRIAL, record)
        verdict = await watch(
            self._gateway,
            self._clock,
            record.baseline,
            order.confirm_s,
            lambda words: self._log.report(UpgradeStep.TRIAL, record, words),
        )
        step = UpgradeStep.ROLLED_BACK if verdict.code else UpgradeStep.CONFIRMED
        await self._log.finish(record, step, verdict.code, verdict.words)
        await self._discard_download()
        if verdict.code:
            await self._leave()

    async def _leave(self) -> None:
        await self._machine.restart()
        await asyncio.Event().wait()  # the process ends

    async def _discard_download(self) -> None:
        with contextlib.suppress(OSError):
            await asyncio.to_thread(self._slots.medium.remove, self._slots.download)

    def _done(self) -> int:
        record = self._slots.state.record
        return record.done if record is not None else 0
