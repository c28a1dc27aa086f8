"""How an upgrade stands: durable in the state of the slots, and as the cloud is to hear it."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace

from edge_agent.firmware import state_changes
from edge_agent.firmware.settings import FirmwareSettings
from edge_agent.firmware.slots import BootState, Slots, SlotTrial, UpgradeRecord
from edge_agent.signals import signal
from edge_agent.system.clock import Clock
from edge_contract.firmware import FirmwareTarget, UpgradeType
from edge_contract.limits import FIRMWARE_REPORT_S, MAX_TEXT
from edge_contract.trace import TraceKind
from edge_contract.upgrade import FirmwareReport, FirmwareState, UpgradeStep

log = logging.getLogger(__name__)

MAX_TURNED_AWAY = 8


class UpgradeLog:
    """changed: set when there is something to report. version: of the agent. Writes raise StoreError."""

    def __init__(
        self,
        slots: Slots,
        settings: FirmwareSettings,
        upgrade_type: UpgradeType,
        version: str,
        clock: Clock,
    ) -> None:
        self.changed = asyncio.Event()
        self._slots = slots
        self._settings = settings
        self._upgrade_type = upgrade_type
        self._version = version
        self._clock = clock
        self._writing = asyncio.Lock()
        self._step: FirmwareReport | None = None
        self._turned_away: deque[FirmwareReport] = deque(maxlen=MAX_TURNED_AWAY)
        self._progress_s = float("-inf")

    @property
    def boot(self) -> BootState:
        """As it is on the medium."""
        return self._slots.state

    def state(self) -> FirmwareState:
        """What runs, and how the last order stands."""
        return self._state_of(self._slots.state)

    def target(self) -> FirmwareTarget:
        """This gateway, as a manifest is compared with it."""
        state = self.state()
        return FirmwareTarget(
            name=state.name,
            model=state.model,
            version=state.version,
            security_version=state.security_version,
            agent=self._version,
            upgrade_types=state.upgrade_types,
        )

    def unsent(self) -> list[FirmwareReport]:
        """The newest step and refusals beside it, once; what ended, until the cloud has acknowledged it."""
        state = self._slots.state
        step, self._step = self._step, None
        beside = list(self._turned_away)
        self._turned_away.clear()
        final = [one for one in state.past if one.id in state.unacknowledged]
        return [*([step] if step else []), *beside, *final]

    async def acknowledged(self, upgrades: Sequence[str]) -> None:
        """The cloud holds these final reports."""
        if set(upgrades) & set(self.boot.unacknowledged):
            await self.update(partial(state_changes.acknowledged, upgrades=frozenset(upgrades)))

    async def repeat(self, upgrade: str) -> None:
        """Say again how an upgrade stands, or how it ended."""
        record = self.boot.record
        if record is not None and record.order.id == upgrade:
            self.report(record.step, record)
            return
        await self.update(partial(state_changes.reopened, upgrade=upgrade))
        self.changed.set()

    def turn_away(self, upgrade: str, code: str, detail: str) -> None:
        """An order beside the one under way."""
        self._turned_away.append(self._made(self.boot, upgrade, UpgradeStep.REFUSED, 0, code, detail))
        self.changed.set()

    async def note(self, record: UpgradeRecord) -> UpgradeRecord:
        """An upgrade begins, or came further."""
        await self.update(partial(state_changes.recorded, record=record))
        return record

    async def advance(self, record: UpgradeRecord, step: UpgradeStep) -> UpgradeRecord:
        """Note a step, and report it."""
        record = await self.note(replace(record, step=step))
        extra = signal(TraceKind.FIRMWARE, step)
        log.info("upgrade %s to version %d: %s", record.order.id, record.order.version, step, extra=extra)
        self.report(step, record)
        return record

    async def loaded(self, done: int) -> None:
        """So many bytes of the file are durable; reported at most every FIRMWARE_REPORT_S."""
        if self.boot.record is None:
            return
        record = await self.note(replace(self.boot.record, done=done))
        now_s = self._clock.monotonic()
        if now_s - self._progress_s >= FIRMWARE_REPORT_S:
            self._progress_s = now_s
            self.report(record.step, record)

    async def begin_trial(self, record: UpgradeRecord, seconds: float) -> None:
        """The next start is of the record's slot. seconds: of the launcher's guard."""
        trial = SlotTrial(slot=record.slot, seconds=seconds)
        await self.update(partial(state_changes.trial_begun, record=record, trial=trial))
        self.report(UpgradeStep.TRIAL, record)

    async def finish(
        self, record: UpgradeRecord, step: UpgradeStep, code: str = "", detail: str = ""
    ) -> None:
        """An upgrade has ended; a slot on trial is confirmed with it, or left. One write."""
        content = self._slots.content(self._slots.running)
        on_trial = self.boot.trial is not None and self.boot.trial.slot == self._slots.running
        confirmed = self._slots.running if step is UpgradeStep.CONFIRMED and on_trial else None
        security = content.manifest.security_version if confirmed and content else 0

        def change(now: BootState) -> BootState:
            after = state_changes.trial_ended(now, confirmed, security)
            report = self._made(after, record.order.id, step, record.done, code, detail)
            return state_changes.finished(after, report)

        await self.update(change)
        self._step = None
        words = f"{step.value}{f', {code}' if code else ''}{f': {detail}' if detail else ''}"
        log.log(
            logging.INFO if step is UpgradeStep.CONFIRMED else logging.ERROR,
            "upgrade %s to version %d: %s",
            record.order.id,
            record.order.version,
            words,
            extra=signal(TraceKind.FIRMWARE, step),
        )
        self.changed.set()

    def report(self, step: UpgradeStep, record: UpgradeRecord, detail: str = "") -> None:
        """The newest word counts."""
        self._step = self._made(self.boot, record.order.id, step, record.done, "", detail)
        self.changed.set()

    async def update(self, change: Callable[[BootState], BootState]) -> None:
        """The next state; durable when this returns."""
        async with self._writing:
            await asyncio.to_thread(self._slots.update, change)

    def _made(
        self, state: BootState, upgrade: str, step: UpgradeStep, done: int, code: str, detail: str
    ) -> FirmwareReport:
        running = self._state_of(state)
        if code != "busy":
            running = replace(running, upgrade=upgrade, step=step)
        return FirmwareReport(
            id=upgrade,
            step=step,
            t_ms=max(self._clock.now_ms(), 0),
            firmware=running,
            done=done,
            code=code,
            detail=detail[:MAX_TEXT],
        )

    def _state_of(self, state: BootState) -> FirmwareState:
        content = self._slots.content(self._slots.running)
        record, last = state.record, state.past[-1] if state.past else None
        return FirmwareState(
            name=self._settings.name,
            model=self._settings.model,
            version=content.manifest.version if content else 0,
            version_text=content.manifest.version_text if content else self._version[:MAX_TEXT],
            security_version=state.security_version,
            upgrade_types=[int(self._upgrade_type)],
            upgrade=record.order.id if record else last.id if last else None,
            step=record.step if record else last.step if last else None,
        )
