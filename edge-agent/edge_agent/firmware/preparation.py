"""All of an upgrade before the switch: load, verify, install, and wait until it may be switched to."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from msgspec.structs import replace

from edge_agent.errors import AgentError
from edge_agent.firmware.download import Downloader, FirmwareSource
from edge_agent.firmware.inspection import Trust, file_digest, header_of, verify
from edge_agent.firmware.installers import Installer
from edge_agent.firmware.settings import FirmwareSettings, url_fault
from edge_agent.firmware.slots import SlotContent, Slots, UpgradeRecord
from edge_agent.firmware.upgrade_log import UpgradeLog
from edge_agent.system.battery import Battery
from edge_agent.system.clock import Clock, clock_set
from edge_contract.firmware import (
    PREFIX_BYTES,
    FirmwareError,
    FirmwareHeader,
    FirmwareRefusal,
    header_size,
    refusals,
)
from edge_contract.upgrade import Upgrade, UpgradeStep, in_window

log = logging.getLogger(__name__)

MAX_LOADS = 2
"""A file that is not what was ordered is loaded once more from its beginning."""
RESERVE_BYTES = 32 * 1024 * 1024
"""Space that an upgrade leaves."""
WAIT_S = 20.0
"""How often it is looked whether what an upgrade waits for is there."""


class UpgradeRefused(AgentError):
    """An upgrade is not carried out. code: for programs."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class UpgradeMachine:
    """free_bytes: on the medium of the slots. obstacle: what must end before a switch, empty for nothing.

    cloud_host: of the configuration that runs. restart: the launcher chooses the slot anew.
    """

    free_bytes: Callable[[], int]
    battery: Callable[[], Battery | None]
    obstacle: Callable[[], str]
    cloud_host: Callable[[], str]
    restart: Callable[[], Awaitable[None]]


class Preparation:
    """Raises UpgradeRefused and other AgentErrors, FirmwareError, OSError for what does not go."""

    def __init__(
        self,
        slots: Slots,
        settings: FirmwareSettings,
        installer: Installer,
        source: FirmwareSource,
        machine: UpgradeMachine,
        upgrade_log: UpgradeLog,
        clock: Clock,
    ) -> None:
        self._slots = slots
        self._settings = settings
        self._trust = Trust(settings.public_keys)
        self._installer = installer
        self._source = source
        self._machine = machine
        self._log = upgrade_log
        self._clock = clock

    async def run(self, record: UpgradeRecord) -> UpgradeRecord | None:
        """What is installed and may be switched to; None: it runs already. What was done before is not
        done again.
        """
        order, slots = record.order, self._slots
        running = slots.content(slots.running)
        if running is not None and running.sha256 == order.sha256:
            return None
        self._check_order(record)
        await self._load(record)
        header = await asyncio.to_thread(verify, slots.download, self._trust)
        self._check_header(header, order)
        record = await self._log.advance(replace(record, done=order.size), UpgradeStep.VERIFIED)
        slot = slots.free_slot()
        if (content := slots.content(slot)) is None or content.sha256 != order.sha256:
            await asyncio.to_thread(self._install, header, slot, order.sha256)
        record = await self._log.advance(replace(record, slot=slot), UpgradeStep.INSTALLED)
        await self._until_allowed(record)
        return record

    def _check_order(self, record: UpgradeRecord) -> None:
        """What is known before anything is loaded."""
        order, installed = record.order, self._log.target().version
        self._check_time(order)
        if fault := url_fault(order.url, self._settings, self._machine.cloud_host()):
            raise UpgradeRefused("url", f"url: {fault}")
        if order.version < installed and not order.allow_older:
            rule = f"at least {installed}, which is installed, not {order.version}"
            raise FirmwareError(FirmwareRefusal.OLDER, "version", rule)
        self._check_space(2 * order.size - record.done)
        self._check_battery()

    def _check_time(self, order: Upgrade) -> None:
        late_ms = self._clock.now_ms() - order.expires_ms
        if late_ms >= 0:
            raise UpgradeRefused("expired", f"{late_ms} ms ago on the gateway's clock")

    def _check_space(self, needed: int) -> None:
        free = self._machine.free_bytes()
        if free < needed + RESERVE_BYTES:
            wanted = (needed + RESERVE_BYTES) // 2**20 + 1
            raise UpgradeRefused("disk", f"{wanted} MiB are needed, {free // 2**20} MiB are free")

    def _check_battery(self) -> None:
        """A battery that is not known is no reason against it."""
        battery, minimum = self._machine.battery(), self._settings.min_battery_percent
        if battery is not None and not battery.external and battery.percent < minimum:
            raise UpgradeRefused("battery", f"{battery.percent} %, at least {minimum} % without power")

    async def _load(self, record: UpgradeRecord) -> None:
        """The ordered file is on the medium when this returns."""
        order, path = record.order, self._slots.download
        unknown = "" if self._machine.battery() else "the battery is not known, which is no reason against it"
        self._log.report(UpgradeStep.DOWNLOADING, record, unknown)
        done = record.done
        for _ in range(MAX_LOADS):
            downloader = Downloader(
                self._source, self._slots.medium, self._clock, self._log.loaded, self._check_start(order)
            )
            await downloader.run(order.url, path, order.size, done, order.expires_ms)
            digest = await asyncio.to_thread(file_digest, path)
            if digest == order.sha256:
                return
            log.warning("upgrade %s: the file has SHA-256 %s", order.id, digest)
            done = 0
            await self._log.loaded(done)
        rule = f"SHA-256 {order.sha256} was ordered, it has {digest}"
        raise FirmwareError(FirmwareRefusal.HASH, "file", rule)

    def _check_start(self, order: Upgrade) -> Callable[[int], None]:
        """Looks at the header as soon as it is there: nobody pays for a payload that is refused."""
        checked = False

        def check(done: int) -> None:
            nonlocal checked
            if checked or done < PREFIX_BYTES:
                return
            with self._slots.download.open("rb") as file:
                start = file.read(PREFIX_BYTES)
            if done >= header_size(start):
                header = header_of(self._slots.download)
                self._trust.check(header)
                self._check_header(header, order)
                checked = True

        return check

    def _check_header(self, header: FirmwareHeader, order: Upgrade) -> None:
        manifest = header.manifest
        if faults := refusals(manifest, self._log.target(), allow_older=order.allow_older):
            raise faults[0]
        if manifest.version != order.version or header.file_size != order.size:
            words = f"version {order.version} in {order.size} bytes was ordered"
            raise UpgradeRefused(
                "not_this_file", f"{words}, this is {manifest.version} in {header.file_size}"
            )

    def _install(self, header: FirmwareHeader, slot: str, digest: str) -> None:
        slots, file = self._slots, self._slots.download
        slots.empty(slot)
        self._check_space(self._installer.unpacked_bytes(file, header))
        self._installer.install(file, header, slots.path(slot), slots.medium)
        slots.complete(slot, SlotContent(manifest=header.manifest, sha256=digest))

    async def _until_allowed(self, record: UpgradeRecord) -> None:
        """Wait for the window, and for what else is going on."""
        order, said = record.order, ""
        while reason := self._reason_to_wait(order):
            if self._clock.now_ms() >= order.expires_ms:
                raise UpgradeRefused("window" if order.window else "expired", f"it waited: {reason}")
            if reason != said:
                said = reason
                self._log.report(UpgradeStep.INSTALLED, record, reason)
                log.info("upgrade %s waits: %s", order.id, reason)
            await self._clock.sleep(WAIT_S)
        self._check_time(order)
        self._check_battery()

    def _reason_to_wait(self, order: Upgrade) -> str:
        now_ms = self._clock.now_ms()
        if order.window is not None:
            if not clock_set(now_ms):
                return "the clock is not set"
            if not in_window(order.window, now_ms):
                first, end = (f"{minute // 60:02}:{minute % 60:02}" for minute in order.window)
                return f"for the time from {first} to {end} UTC"
        return self._machine.obstacle()
