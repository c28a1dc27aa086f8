"""The firmware of one simulated gateway: slots with an image each, chosen and tried as on a real one.

An image is any bytes. One whose first line is `behaviour=crash`, `hang`, `lose` (half of its points are not
good) or `fade` (that only when it was confirmed) does so; with ` share=0.08` behind it on that share of the
gateways alone. All else is the agent's own code: launcher, slots, download, upgrade.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from edge_agent.firmware import launcher
from edge_agent.firmware.building import free_bytes
from edge_agent.firmware.download import FirmwareSource
from edge_agent.firmware.installers import IMAGE_FILE, ImageInstaller
from edge_agent.firmware.medium import Medium
from edge_agent.firmware.preparation import Preparation, UpgradeMachine
from edge_agent.firmware.settings import FirmwareSettings
from edge_agent.firmware.slots import Slots
from edge_agent.firmware.upgrade_log import UpgradeLog
from edge_agent.firmware.upgrades import Upgrades
from edge_agent.system.battery import Battery
from edge_agent.system.clock import Clock
from edge_contract.firmware import FirmwareHeader
from edge_contract.upgrade import UpgradeStep

log = logging.getLogger(__name__)

BEHAVIOUR = re.compile(rb"behaviour=([a-z]+)(?: share=([0-9.]{1,8}))?\n")
CRASH, HANG, LOSE, FADE = "crash", "hang", "lose", "fade"
RESTART_S = 1.0
"""Between two starts of a gateway whose firmware has ended."""
AGENT_VERSION = "1.0"


class ImageDamaged(Exception):
    """The slot that was chosen does not hold what was signed: this gateway does not start."""


@dataclass(frozen=True)
class StartedImage:
    """trial_s: how long it may be on trial, 0 for a confirmed one. lot: of the gateway, as in BoardParts."""

    slot: str
    content: bytes
    trial_s: float
    lot: float = 0.0

    @property
    def behaviour(self) -> str:
        """Empty for an image that works on this gateway."""
        said = BEHAVIOUR.match(self.content)
        if said is None or (said[2] is not None and self.lot >= float(said[2])):
            return ""
        return said[1].decode()


@dataclass(frozen=True)
class BoardParts:
    """What a board is made of. host: of the cloud; delivered: the image that it was delivered with.

    points: that are good while all is well. lot: 0 to below 1; an image with a share is bad where it is below
    that. works: called with True when an image begins to work, with False when it ends.
    """

    settings: FirmwareSettings
    source: FirmwareSource
    clock: Clock
    host: str
    delivered: bytes = b"as delivered"
    battery: Callable[[], Battery | None] = lambda: None
    points: int = 0
    lot: float = 0.0
    works: Callable[[bool], None] = lambda works: None


class CountingInstaller(ImageInstaller):
    """counts: how often each version was installed."""

    def __init__(self, counts: Counter[int]) -> None:
        self._counts = counts

    def install(self, file: Path, header: FirmwareHeader, slot: Path, medium: Medium) -> None:
        """Raises OSError."""
        super().install(file, header, slot, medium)
        self._counts[header.manifest.version] += 1


class Board:
    """folder: of this gateway's slots. linked: whether the cloud has accepted it."""

    def __init__(
        self, folder: Path, parts: BoardParts, linked: Callable[[], bool], medium: Medium | None = None
    ) -> None:
        self.upgrades: Upgrades | None = None
        self.started: StartedImage | None = None
        self.starts = 0
        self.installs: Counter[int] = Counter()
        self._folder = folder
        self._parts = parts
        self._linked = linked
        self._medium = medium or Medium()
        self._again = asyncio.Event()

    @property
    def loses_points(self) -> bool:
        """Whether the image that runs does not collect as the one before."""
        behaviour = self.started.behaviour if self.started is not None else ""
        if behaviour != FADE:
            return behaviour == LOSE
        return self.upgrades is not None and self.upgrades.state().step is not UpgradeStep.TRIAL

    def good(self) -> Collection[object]:
        """Of the points; a simulated gateway has them in name only."""
        return range(self._parts.points // 2 if self.loses_points else self._parts.points)

    def answering(self) -> Collection[str]:
        """No slaves are known here."""
        return ()

    def linked(self) -> bool:
        """The cloud has accepted it."""
        return self._linked()

    def power_on(self) -> StartedImage:
        """Choose a slot and read its image as a boot loader does. Raises ImageDamaged."""
        slot, trial_s = launcher.choose(str(self._folder), self._write)
        self.starts += 1
        content = self._parts.delivered
        if slot != launcher.DELIVERED:
            signed = Slots(self._folder, slot).content(slot)
            try:
                content = (self._folder / slot / IMAGE_FILE).read_bytes()
            except OSError as error:
                raise ImageDamaged(f"slot {slot}: {error}") from error
            if signed is None or hashlib.sha256(content).hexdigest() != signed.manifest.sha256:
                raise ImageDamaged(f"slot {slot} has another image than was signed")
        return StartedImage(slot, content, trial_s, self._parts.lot)

    async def run(self) -> None:
        """Start, work, and start again whenever that is due, until cancelled. Raises ImageDamaged."""
        while True:
            self.started = image = await asyncio.to_thread(self.power_on)
            if image.behaviour == CRASH:
                await self._parts.clock.sleep(RESTART_S)
            elif image.behaviour == HANG and image.trial_s:
                await self._parts.clock.sleep(image.trial_s)
                await asyncio.to_thread(launcher.leave, str(self._folder), image.slot, HANG, self._write)
            else:
                await self._work(image.slot)

    async def _work(self, slot: str) -> None:
        self._again.clear()
        self.upgrades = upgrades = self._build(slot)
        work = asyncio.create_task(upgrades.run())
        again = asyncio.create_task(self._again.wait())
        self._parts.works(True)
        try:
            await asyncio.wait([work, again], return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._parts.works(False)
            again.cancel()
            work.cancel()
            await asyncio.wait([work, again])
        if not work.cancelled() and (error := work.exception()) is not None:
            raise error

    def _build(self, slot: str) -> Upgrades:
        parts, slots = self._parts, Slots(self._folder, slot, self._medium)
        installer = CountingInstaller(self.installs)
        machine = UpgradeMachine(
            free_bytes=lambda: free_bytes(self._folder),
            battery=parts.battery,
            obstacle=lambda: "",
            cloud_host=lambda: parts.host,
            restart=self._restart,
        )
        upgrade_log = UpgradeLog(slots, parts.settings, installer.upgrade_type, AGENT_VERSION, parts.clock)
        preparation = Preparation(
            slots, parts.settings, installer, parts.source, machine, upgrade_log, parts.clock
        )
        return Upgrades(slots, upgrade_log, preparation, self, machine, parts.clock)

    async def _restart(self) -> None:
        self._again.set()

    def _write(self, path: str, content: bytes) -> None:
        self._medium.replace(Path(path), content)
